import assert from "node:assert/strict";
import { TypeAhead } from "../../../src/modes/interactive/type_ahead.ts";
import type { LineAids } from "../../../src/ui/edited_line.ts";
import { createTheme } from "../../../src/ui/theme.ts";
import type { QueuedInput } from "../../../src/ui/typing_view.ts";
import { MemoryTerminal } from "../../support/memory_terminal.ts";
import { until } from "../../support/wait.ts";

function start({ canRedraw = true, aids = {} }: { canRedraw?: boolean; aids?: LineAids } = {}) {
  const terminal = new MemoryTerminal({ canRedraw });
  const told: string[] = [];
  let shown: QueuedInput = { queued: [] };
  const typing = new TypeAhead({
    terminal,
    theme: createTheme(terminal),
    aids,
    suspend() {
      told.push("held back");
      return Promise.resolve(() => void told.push("drawn again"));
    },
    signal: new AbortController().signal,
    show: (now) => shown = now,
    say: (_style, text) => told.push(text),
    onInterrupt() {},
    onEscape: () => told.push("escaped"),
    onAnswer: () => told.push("answer"),
    onCycleMode() {},
    onOpen() {},
    onEnd() {},
    onLine: (line) => line === "now" ? "done" : "queue",
  });
  return {
    terminal,
    told,
    typing,
    /** What waits, and the rows of the line. */
    shown: () => ({ queued: shown.queued, rows: shown.draw?.(4).lines }),
  };
}

Deno.test("words are taken up to the first line that is something else, in order", () => {
  const { terminal, typing, shown } = start();
  const release = typing.listen();
  terminal.type("one\rtwo\r/clear\rthree\rnow\rstay");
  assert.deepEqual(shown(), { queued: ["one", "two", "/clear", "three"], rows: ["› stay"] });
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
  assert.deepEqual(shown(), { queued: ["one"], rows: ["› two"] });
  typing.returnLines();
  assert.deepEqual(shown(), { queued: [], rows: ["› one", "  two"] });
  second();
});

Deno.test("where lines come whole, what waits and what was not sent is told", () => {
  const { terminal, told, typing } = start({ canRedraw: false });
  const release = typing.listen();
  terminal.type("one\n");
  typing.returnLines();
  release();
  typing.release();
  assert.equal(typing.line.buffer.whole, "");
  assert.deepEqual(told, ["queued: one", "not sent: one"]);
});

Deno.test("the line has earlier messages, a list and its rows, as at the prompt", async () => {
  const { terminal, told, typing, shown } = start({
    aids: {
      history: () => ["older", "newer"],
      suggest: ({ text }) =>
        Promise.resolve(
          text === "see @li"
            ? { from: 4, items: [{ label: "line.ts", insert: "@line.ts " }] }
            : undefined,
        ),
    },
  });
  const release = typing.listen();
  terminal.type("\x1b[A");
  terminal.type("\x1b[A");
  assert.deepEqual(shown().rows, ["› older"]);
  terminal.type("\x15see @li");
  await until("the list", () => shown().rows?.[1] === "❯ line.ts");
  terminal.type("\x1b[27u");
  assert.deepEqual([shown().rows, told], [["› see @li"], []]);
  terminal.type("\x7f");
  terminal.type("i");
  await until("the list again", () => shown().rows?.length === 2);
  terminal.type("\t");
  assert.equal(typing.line.buffer.whole, "see @line.ts ");
  terminal.type(`\x1b[13;2u${"word ".repeat(100)}\r`);
  assert.equal(typing.waiting, 1);
  release();
});

Deno.test("what ally draws is held back while an editor or a search has the screen", async () => {
  const editing = Promise.withResolvers<void>();
  const { terminal, told, typing } = start({
    aids: {
      async edit(text) {
        told.push(`edits ${text}`);
        await editing.promise;
        return { kind: "text", text: "edited\n" };
      },
      search: () => (letters) =>
        Promise.resolve({ items: [{ label: `found by ${letters}`, insert: "found" }] }),
    },
  });
  const release = typing.listen();
  terminal.type("draft\x07 and more");
  const uncovered = typing.uncovered();
  await until("the editor", () => told.length === 2);
  assert.equal(terminal.paused, true);
  editing.resolve();
  await uncovered;
  assert.deepEqual(told.splice(0), ["held back", "edits draft", "drawn again"]);
  await until("the keys behind", () => typing.line.buffer.whole === "edited and more");
  terminal.type("\x15ed\x12");
  await terminal.shown(/earlier › ed\n❯ found by ed/);
  terminal.type("\r");
  await typing.uncovered();
  assert.equal(typing.line.buffer.whole, "found");
  assert.deepEqual(told, ["held back", "drawn again"]);
  release();
});
