import assert from "node:assert/strict";
import { Interrupts } from "../../src/agent/interrupt.ts";

function pressed(times: readonly number[], state: { busy: boolean; hasText: boolean }) {
  let time = 0;
  const interrupts = new Interrupts({ now: () => time });
  return times.map((at) => {
    time = at;
    return interrupts.press(state);
  });
}

Deno.test("Ctrl+C cancels what runs", () => {
  assert.deepEqual(pressed([0], { busy: true, hasText: false }), ["cancel"]);
});

Deno.test("Ctrl+C clears a half-typed line", () => {
  assert.deepEqual(pressed([0], { busy: false, hasText: true }), ["clear"]);
});

Deno.test("Ctrl+C on an empty line leaves", () => {
  assert.deepEqual(pressed([0], { busy: false, hasText: false }), ["exit"]);
});

Deno.test("three presses within half a second end the program at once", () => {
  assert.deepEqual(pressed([0, 200, 400], { busy: true, hasText: false }), [
    "cancel",
    "cancel",
    "force_exit",
  ]);
});

Deno.test("three slow presses do not", () => {
  assert.deepEqual(pressed([0, 300, 600], { busy: true, hasText: false }), [
    "cancel",
    "cancel",
    "cancel",
  ]);
});
