/**
 * What the terminal sends, however it is cut, against what it means.
 */
import assert from "node:assert/strict";
import { keyLabel } from "../../src/ui/key_bindings.ts";
import { KeyDecoder, type KeyInput, MAX_PASTE } from "../../src/ui/key_decoder.ts";

/** An input in a few letters: `Ctrl+A`, `"text"`, `paste(3) "a"`, `focus`, `reply`. */
function nameOf(input: KeyInput): string {
  switch (input.kind) {
    case "key":
      return keyLabel(input);
    case "text":
      return JSON.stringify(input.text);
    case "paste":
      return `paste(${input.length}) ${JSON.stringify(input.text)}`;
    case "focus":
      return input.focused ? "focus" : "blur";
    case "reply":
      return "reply";
  }
}

function decode(...parts: string[]): string {
  const decoder = new KeyDecoder();
  const inputs = parts.flatMap((part) => decoder.push(part));
  return [...inputs, ...decoder.flush()].map(nameOf).join(" ");
}

/** What is sent, and what it means. */
const ROWS: readonly (readonly [sent: string, means: string])[] = [
  ["abc", '"abc"'],
  ["日本 👩‍🚀 e\u0301", '"日本 👩‍🚀 e\u0301"'],
  ["\r", "Enter"],
  ["\n", "Ctrl+J"],
  ["\t", "Tab"],
  ["\x7f", "Backspace"],
  ["\b", "Ctrl+H"],
  ["\x01\x1a\x00", "Ctrl+A Ctrl+Z Ctrl+Space"],
  ["\x1f\x1d", "Ctrl+_ Ctrl+]"],
  ["\x03", "Ctrl+C"],
  ["\x1b", "Esc"],
  ["\x1b\x1b", "Esc Esc"],
  ["\x1b\x03", "Esc Ctrl+C"],
  ["\x1ba\x1bB", "Alt+A Alt+Shift+B"],
  ["\x1bé", "Alt+É"],
  ["\x1b\r\x1b\x7f\x1b\n", "Alt+Enter Alt+Backspace Ctrl+Alt+J"],
  ["\x1b<\x1b.", "Alt+< Alt+."],
  ["\x1b_", "Alt+_"],
  ["\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F", "Up Down Right Left Home End"],
  ["\x1bOA\x1bOH\x1bOP\x1bOM", "Up Home F1 Enter"],
  ["\x1b[1;5D\x1b[1;3C\x1b[1;2A\x1b[1;6F", "Ctrl+Left Alt+Right Shift+Up Ctrl+Shift+End"],
  ["\x1b\x1b[A\x1b\x1bOB", "Alt+Up Alt+Down"],
  ["\x1b[1~\x1b[2~\x1b[3~\x1b[4~\x1b[5~\x1b[6~", "Home Insert Delete End PageUp PageDown"],
  ["\x1b[3;5~\x1b[3^\x1b[15~\x1b[24~", "Ctrl+Delete Ctrl+Delete F5 F12"],
  ["\x1b[[A\x1b[[E\x1b[Z\x1b[a", "F1 F5 Shift+Tab Shift+Up"],
  // CSI u, and the same as modifyOtherKeys.
  ["\x1b[13;2u\x1b[13;3u\x1b[27;2;13~", "Shift+Enter Alt+Enter Shift+Enter"],
  ["\x1b[27u\x1b[9;5u\x1b[127;5u", "Esc Ctrl+Tab Ctrl+Backspace"],
  ["\x1b[99;5u\x1b[99;6u\x1b[97;7u", "Ctrl+C Ctrl+Shift+C Ctrl+Alt+A"],
  ["\x1b[122:90;6u\x1b[45:95;6u", "Ctrl+Shift+Z Ctrl+_"],
  ["\x1b[1089::99;5u", "Ctrl+C"],
  ["\x1b[97u\x1b[97:65;2u\x1b[97;2u", '"aAA"'],
  ["\x1b[228;;228u", '"ä"'],
  ["\x1b[57414u\x1b[57399u\x1b[57417u", 'Enter "0" Left'],
  ["\x1b[97;1:3u\x1b[97;9u\x1b[57358u\x1b[57441;2u", ""],
  ["\x1b[27;5;99~", "Ctrl+C"],
  // Pastes.
  ["a\x1b[200~one\rtwo\x1b[201~b\r", '"a" paste(7) "one\\rtwo" "b" Enter'],
  ["\x1b[200~\x1b[A\x03\x1b\x1b[201~", 'paste(5) "\\u001b[A\\u0003\\u001b"'],
  ["\x1b[200~\x1b[201~\x1b[201~", 'paste(0) ""'],
  ["\x1b\x1b[200~a\x1b[201~", 'Esc paste(1) "a"'],
  // What the terminal says by itself.
  ["\x1b[I\x1b[O", "focus blur"],
  ["x\x1b[?62;22cy", '"x" reply "y"'],
  ["\x1b[24;80R\x1b[1;2R\x9b1;1R\x1b[?0u\x1b[?2026;2$y", "reply reply reply reply reply"],
  ["\x1b]11;rgb:aa/aa/aa\x07\x1b]11;rgb:aa/aa/aa\x1b\\\x1bP>|awaw\x1b\\", "reply reply reply"],
  ["\x9d0;x\x9cy", 'reply "y"'],
  ["\x1b]11;rgb\x03", "reply Ctrl+C"],
  ["\x1b]11;rgb\x1b[A", "reply Up"],
  ["\x1b\x1b[I", "Esc focus"],
  ["\x80\x85x", '"x"'],
];

for (const [sent, means] of ROWS) {
  Deno.test(`${JSON.stringify(sent)} is ${means || "nothing"}, wherever it is cut`, () => {
    assert.equal(decode(sent), means);
    const characters = [...sent];
    const joined = (text: string) => text.replaceAll('" "', "");
    // Alone, Ctrl+C is the key whatever is incomplete.
    if (!characters.includes("\x03")) assert.equal(joined(decode(...characters)), joined(means));
    for (let at = 1; at < characters.length; at++) {
      const parts = [characters.slice(0, at).join(""), characters.slice(at).join("")];
      if (parts.includes("\x03")) continue;
      assert.equal(joined(decode(...parts)), joined(means), JSON.stringify(parts));
    }
  });
}

Deno.test("Ctrl+C alone is the key, whatever sequence is incomplete", () => {
  for (const begun of ["\x1b", "\x1b[1;", "\x1b]0;title", "\x1b[200~half of a paste"]) {
    for (const key of ["\x03", "\x1b[99;5u"]) {
      assert.equal(decode(begun, key, "x"), 'Ctrl+C "x"', JSON.stringify(begun));
    }
  }
});

Deno.test("the decoder says how long to wait, and a sequence without an end is no key", () => {
  const decoder = new KeyDecoder();
  assert.equal(decoder.patience, undefined);
  decoder.push("\x1b[1");
  assert.ok(decoder.patience! < 100);
  assert.deepEqual(decoder.flush(), []);
  decoder.push("\x1b]0;");
  assert.ok(decoder.patience! >= 500);
  decoder.flush();
  decoder.push("\x1b[200~a");
  assert.equal(decoder.patience, undefined);
  assert.deepEqual(decode(`\x1b[${"1".repeat(1000)}`, "x"), '"x"');
});

Deno.test("of a paste that is too long the beginning is kept, and its whole length told", () => {
  const decoder = new KeyDecoder();
  const inputs = decoder.push("\x1b[200~");
  const part = "x".repeat(1_000_000);
  for (let n = 0; n < 15; n++) inputs.push(...decoder.push(part));
  inputs.push(...decoder.push("\x1b[201~"));
  const [paste] = inputs;
  assert.ok(paste?.kind === "paste");
  assert.equal(paste.length, 15_000_000);
  assert.equal(paste.text.length, MAX_PASTE);
});
