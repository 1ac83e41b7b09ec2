import assert from "node:assert/strict";
import { TypeAhead } from "../../../src/modes/interactive/type_ahead.ts";
import type { QueuedInput } from "../../../src/ui/typing_view.ts";
import { MemoryTerminal } from "../../support/memory_terminal.ts";

function start(canRedraw = true) {
  const terminal = new MemoryTerminal({ canRedraw });
  const told: string[] = [];
  let shown: QueuedInput = { queued: [], text: "" };
  const typing = new TypeAhead({
    terminal,
    show: (now) => shown = now,
    notify: (text) => told.push(text),
    onInterrupt() {},
    onEscape: () => told.push("escaped"),
    onAnswer: () => told.push("answer"),
    onCycleMode() {},
    onOpen() {},
    onEnd() {},
    onLine: (line) => line === "now" ? "done" : "queue",
  });
  return { terminal, told, typing, shown: () => shown };
}

Deno.test("words are taken up to the first line that is something else, in order", () => {
  const { terminal, typing, shown } = start();
  const release = typing.listen();
  terminal.type("one\rtwo\r/clear\rthree\rnow\rstay");
  assert.deepEqual(shown(), { queued: ["one", "two", "/clear", "three"], text: "stay" });
  assert.deepEqual(typing.takePrompts(), ["one", "two"]);
  assert.deepEqual(typing.takePrompts(), []);
  assert.equal(typing.next(), "/clear");
  assert.deepEqual(typing.takePrompts(), ["three"]);
  release();
  typing.release();
  assert.equal(typing.line.buffer.whole, "stay");
});

Deno.test("the line under way outlasts a watch, and all that waits can be given back", () => {
  const { terminal, typing, shown } = start();
  typing.listen()();
  const first = typing.listen();
  terminal.type("one\rtw");
  first();
  const second = typing.listen();
  terminal.type("o");
  assert.deepEqual(shown(), { queued: ["one"], text: "two" });
  typing.returnLines();
  assert.deepEqual(shown(), { queued: [], text: "one\ntwo" });
  second();
});

Deno.test("where lines come whole, what waits and what was not sent is told", () => {
  const { terminal, told, typing } = start(false);
  const release = typing.listen();
  terminal.type("one\n");
  typing.returnLines();
  release();
  typing.release();
  assert.equal(typing.line.buffer.whole, "");
  assert.deepEqual(told, ["queued: one", "not sent: one"]);
});
