import assert from "node:assert/strict";
import { EditedLine } from "../../src/ui/edited_line.ts";
import type { TypedInput } from "../../src/ui/key_decoder.ts";
import { watchKeys } from "../../src/ui/keys.ts";
import { LineInput } from "../../src/ui/line_input.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { until } from "../support/wait.ts";

Deno.test("Ctrl+C interrupts, text is kept, other keys are dropped", () => {
  const terminal = new MemoryTerminal();
  let interrupts = 0;
  const watch = watchKeys(terminal, { onInterrupt: () => interrupts++ });
  assert.equal(terminal.raw, true);
  terminal.type("nexxt\x03");
  terminal.type("\x7f\x7f\x7ft\x1b[A 日本\r\x03");
  assert.equal(interrupts, 2);
  assert.equal(watch.text, "net 日本");
  terminal.type("\x15gone\x15");
  assert.equal(watch.text, "");
  watch.release();
  assert.equal(terminal.raw, false);
});

Deno.test("a listener within takes the keys until it is released", () => {
  const terminal = new MemoryTerminal();
  const watch = watchKeys(terminal, { onInterrupt: () => assert.fail("not for this listener") });
  const inner: TypedInput[] = [];
  const release = terminal.listen({
    onInput: (inputs) => void inner.push(...inputs),
    onEnd: () => {},
  });
  terminal.type("a\x03");
  release();
  terminal.type("b");
  assert.deepEqual(inner, [
    { kind: "text", text: "a" },
    { kind: "key", name: "c", ctrl: true, alt: false, shift: false },
  ]);
  assert.equal(watch.text, "b");
  watch.release();
});

Deno.test("the end of input is told once it comes", () => {
  const terminal = new MemoryTerminal();
  let ended = 0;
  const watch = watchKeys(terminal, { onInterrupt: () => {}, onEnd: () => ended++ });
  terminal.end();
  assert.equal(ended, 1);
  watch.release();
});

Deno.test("Enter hands over the line, which stays if it is not taken; a paste is text", () => {
  const terminal = new MemoryTerminal();
  const lines: string[] = [];
  let takes = true;
  const input = new LineInput();
  input.buffer.type("be");
  const watch = watchKeys(terminal, {
    onInterrupt: () => {},
    onLine: (line) => takes && lines.push(line) > 0,
    line: new EditedLine({ terminal, theme: createTheme(terminal), input }),
  });
  terminal.type("gun\rone \x1b[200~two\nthree\n\x1b[201~\\\rfour\x1b\rfive words\x17!\r");
  assert.deepEqual(lines, ["begun", "one two\nthree\nfour\nfive !"]);
  takes = false;
  terminal.type("stays\r");
  assert.equal(watch.text, "stays");
  watch.release();
});

Deno.test("Escape alone is a key, the beginning of a sequence is not", async () => {
  const terminal = new MemoryTerminal();
  let escapes = 0;
  const watch = watchKeys(terminal, { onInterrupt: () => {}, onEscape: () => escapes++ });
  terminal.type("\x1b");
  terminal.type("[A");
  terminal.type("x\x1b[15~\x1b]11;rgb:0/0/0\x07y");
  terminal.type("\x1b");
  await until("the key", () => escapes > 0);
  assert.equal(escapes, 1);
  assert.equal(watch.text, "xy");
  watch.release();
});

Deno.test("the line has the keys of the prompt: its cursor moves, also between its lines", () => {
  const terminal = new MemoryTerminal();
  let changes = 0;
  const watch = watchKeys(terminal, { onInterrupt: () => {}, onChange: () => changes++ });
  terminal.type("first\x1b[13;2usecond");
  terminal.type("\x1b[A!\x1b[B\x1bb?");
  assert.equal(watch.text, "first!\n?second");
  assert.deepEqual(watch.draw(4).cursor, { row: 1, column: 3 });
  assert.equal(changes, 2);
  terminal.type(`\x1b[200~${"line\n".repeat(20)}\x1b[201~`);
  assert.equal(watch.text, "first!\n?[paste 1: 20 lines]second");
  terminal.type("\x7f\x1f\x1f");
  assert.equal(watch.text, "first!\n?second");
  watch.release();
});
