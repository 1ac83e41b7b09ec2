/**
 * ally as a function: several runs at once in one process know nothing of each other, and what a run does to its
 * process it does to the one that it was given.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { run } from "../../src/cli/run.ts";
import { createMemoryIo } from "../support/memory_io.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { runAlly, stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

Deno.test("runs at the same time each have their own environment, directory and streams", async () => {
  const names = ["one", "two", "three", "four"];
  const done = await Promise.all(names.map(async (name) => {
    const replies = [
      { calls: [{ name: "write", arguments: { file_path: "name.txt", content: `${name}\n` } }] },
      { text: `I am ${name}.` },
    ];
    await using at = await stage(replies);
    const { code, stdout } = await runAlly(at.place, {
      args: ["-p", "--allow-write", `be ${name}`],
      env: { ALLY_MODEL: `model-${name}` },
    });
    const models = new Set(at.server.requests.map(({ body }) => body.model));
    return { code, stdout, file: await at.place.read("name.txt"), models: [...models] };
  }));
  assert.deepEqual(
    done,
    names.map((name) => ({
      code: 0,
      stdout: `I am ${name}.\n`,
      file: `${name}\n`,
      models: [`model-${name}`],
    })),
  );
});

Deno.test("permissions that flags deny are taken from the process of the run, not from this one", async () => {
  await using at = await stage([{ text: "fine" }]);
  const io = createMemoryIo({ env: at.place.env, cwd: at.place.dir });
  const before = { ...process.env };
  assert.equal(await run(["-p", "--deny-write", "--deny-net", "--deny-env", "hi"], io), 0);
  io.end();
  assert.deepEqual([...new Set(io.revoked)].sort(), ["env", "ffi", "import", "net", "write"]);
  assert.equal(io.isEnvironmentHidden, true);
  assert.deepEqual({ ...process.env }, before);
  for (const name of ["write", "net", "env", "ffi"] as const) {
    assert.equal((await Deno.permissions.query({ name })).state, "granted");
  }
});

Deno.test("a signal to the run interrupts its turn, and is nothing to another run", async () => {
  await using at = await stage([{ text: "so far", hang: true }]);
  await using other = await stage([{ text: "fine", delayMs: 20, chunkSize: 1 }]);
  const io = createMemoryIo({ env: at.place.env, cwd: at.place.dir });
  const running = run(["-p", "go"], io);
  const undisturbed = runAlly(other.place, { args: ["-p", "go"] });
  await until("the request", () => at.server.requests.length > 0);
  io.signal("SIGTERM");
  assert.equal(await running, 143);
  assert.equal(io.listeners, 0);
  assert.deepEqual(await undisturbed, { code: 0, stdout: "fine\n", stderr: "" });
});

Deno.test("a command line that cannot be read is an exit code and a message, not an end of the process", async () => {
  const io = createMemoryIo();
  assert.equal(await run(["--no-such-flag"], io), 2);
  assert.match(io.errors, /^ally: unknown option '--no-such-flag'/);
  assert.equal(io.output, "");
});

Deno.test("a session at a terminal in memory takes keys, answers, is resized, and ends in order", async () => {
  await using at = await stage([{ text: "It is **small**." }]);
  const terminal = new MemoryTerminal({ columns: 70, rows: 20 });
  const env = { ...at.place.env, TERM: "xterm-256color" };
  const io = createMemoryIo({ env, cwd: at.place.dir, terminal });
  const running = run([], io);
  await terminal.shown(/›$/);
  io.type("how large is it?\r");
  await terminal.shown("It is small.");
  await terminal.shown(" out · ");
  io.resize(40, 20);
  assert.equal(terminal.raw, true);
  io.type("/exit\r");
  assert.equal(await running, 0);
  io.end();
  assert.equal(terminal.raw, false);
  assert.match(terminal.screen, /To go on: ally --resume/);
});
