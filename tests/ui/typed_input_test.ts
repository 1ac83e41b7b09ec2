import assert from "node:assert/strict";
import { TypedInput } from "../../src/ui/typed_input.ts";

Deno.test("a paste is one piece, line ends included", () => {
  const pieces = new TypedInput().push("a\x1b[200~one\rtwo\x1b[201~b\r");
  assert.deepEqual(pieces.map(({ kind, text }) => [kind, text]), [
    ["keys", "a"],
    ["paste", "one\rtwo"],
    ["keys", "b"],
    ["enter", "\r"],
  ]);
});

Deno.test("a paste whose marks are torn apart is still one piece", () => {
  const input = new TypedInput();
  const pieces = ["\x1b[2", "00~one\rtw", "o\x1b[20", "1~"].flatMap((part) => input.push(part));
  assert.deepEqual(pieces.map(({ kind, text }) => [kind, text]), [["paste", "one\rtwo"]]);
});

Deno.test("Alt+Enter and Ctrl+J are line breaks, Enter is not", () => {
  const kinds = new TypedInput().push("a\x1b\rb\nc\r").map(({ kind }) => kind);
  assert.deepEqual(kinds, ["keys", "newline", "keys", "newline", "keys", "enter"]);
});

Deno.test("arrow keys and a lone Escape pass as keys", () => {
  const input = new TypedInput();
  assert.deepEqual(input.push("\x1b").map(({ text }) => text), ["\x1b"]);
  assert.deepEqual(input.push("\x1b[A").map(({ text }) => text), ["\x1b[A"]);
});
