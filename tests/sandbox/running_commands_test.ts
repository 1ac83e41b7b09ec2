import assert from "node:assert/strict";
import { type RunningCommand, RunningCommands } from "../../src/sandbox/running_commands.ts";

const PLAIN: RunningCommand = {
  list: {},
  writesFreely: false,
  hasRepository: false,
  movesRepositories: false,
  makesRepositories: false,
};
const BUILD = { ...PLAIN, list: {}, writesFreely: true };
const MOVE = { ...BUILD, list: {}, movesRepositories: true };
const CHECKOUT = { ...PLAIN, list: {}, hasRepository: true };

Deno.test("nothing begins beside git with keys that could change what it obeys", () => {
  const commands = new RunningCommands();
  const clone = { ...PLAIN, list: {}, gitWithKeys: "any" } as const;
  const ended = commands.begin(clone);
  assert.throws(() => commands.requireRoom(BUILD), /git runs with the user's keys/);
  assert.throws(() => commands.requireRoom(CHECKOUT), /git runs with the user's keys/);
  commands.requireRoom(PLAIN);
  // What stands behind it in the same list begins when it has ended.
  commands.requireRoom({ ...BUILD, list: clone.list });
  ended();
  commands.requireRoom(BUILD);
});

Deno.test("beside git that obeys only what is known, nothing may begin that sets or moves that", () => {
  const commands = new RunningCommands();
  for (const [gitWithKeys, hindered] of [["known", [MOVE]], ["roots", []]] as const) {
    const ended = commands.begin({ ...PLAIN, list: {}, gitWithKeys });
    commands.requireRoom(BUILD);
    for (const one of [CHECKOUT, ...hindered]) {
      assert.throws(() => commands.requireRoom(one), /git runs with the user's keys/);
    }
    ended();
    commands.requireRoom(CHECKOUT);
  }
});

Deno.test("what runs beside a command counts until it has ended", () => {
  const commands = new RunningCommands();
  const { list: _, ...nothing } = PLAIN;
  assert.deepEqual(commands.beside, nothing);
  const ends = [commands.begin(BUILD), commands.begin(CHECKOUT)];
  assert.deepEqual(commands.beside, {
    ...nothing,
    writesFreely: true,
    hasRepository: true,
  });
  for (const end of ends) end();
  assert.deepEqual(commands.beside, nothing);
});
