import { INTERRUPTS } from "../support/settings.ts";
import assert from "node:assert/strict";
import { type Activity, Interrupts } from "../../src/agent/interrupt.ts";

function pressed(
  presses: readonly (readonly [at: number, doing: Activity])[],
  options: { againMs?: number; forceExitPresses?: number } = {},
) {
  let time = 0;
  const interrupts = new Interrupts({ now: () => time, ...INTERRUPTS, ...options });
  return presses.map(([at, doing]) => {
    time = at;
    return interrupts.press(doing);
  });
}

Deno.test("Ctrl+C by itself stops what runs, clears a line, warns on an empty one", () => {
  assert.deepEqual(pressed([[0, "running"]]), ["cancel"]);
  assert.deepEqual(pressed([[0, "typed"]]), ["clear"]);
  assert.deepEqual(pressed([[0, "empty"]]), ["warn"]);
  assert.deepEqual(pressed([[0, "empty"], [2000, "empty"]]), ["warn", "leave"]);
  assert.deepEqual(pressed([[0, "empty"], [2001, "empty"]]), ["warn", "warn"]);
  assert.deepEqual(pressed([[0, "running"], [50, "empty"], [90, "empty"]]), [
    "cancel",
    "warn",
    "leave",
  ]);
  assert.deepEqual(pressed([[0, "asking"]]), ["nothing"]);
});

Deno.test("a second press within two seconds quits, a third one does not wait", () => {
  for (const first of ["running", "asking"] as const) {
    assert.deepEqual(
      pressed([[0, first], [2000, "running"], [2001, "leaving"]]).slice(1),
      ["quit", "force_exit"],
    );
  }
});

Deno.test("presses further apart are each by themselves", () => {
  assert.deepEqual(pressed([[0, "running"], [2001, "running"], [4500, "running"]]), [
    "cancel",
    "cancel",
    "cancel",
  ]);
});

Deno.test("a line can be cleared as often as it is typed", () => {
  assert.deepEqual(pressed([[0, "typed"], [500, "typed"], [900, "typed"], [1000, "empty"]]), [
    "clear",
    "clear",
    "clear",
    "warn",
  ]);
});

Deno.test("leaving that takes long can be cut short", () => {
  assert.deepEqual(pressed([[0, "empty"], [9000, "leaving"]]), ["warn", "force_exit"]);
});

Deno.test("how soon and how often is to be set", () => {
  const soon = [[0, "running"], [400, "running"]] as const;
  assert.deepEqual(pressed(soon, { againMs: 300 }), ["cancel", "cancel"]);
  assert.deepEqual(pressed(soon, { forceExitPresses: 2 }), ["cancel", "force_exit"]);
  const often = [[0, "empty"], [1, "leaving"], [2, "leaving"], [3, "leaving"]] as const;
  assert.deepEqual(pressed(often), ["warn", "nothing", "force_exit", "force_exit"]);
  assert.deepEqual(pressed(often, { forceExitPresses: 4 }), [
    "warn",
    "nothing",
    "nothing",
    "force_exit",
  ]);
});
