import assert from "node:assert/strict";
import { addedLines, findUnusualText, numberLines } from "../../src/lib/unusual_text.ts";

const MANY = " ".repeat(60);

const ROWS: readonly (readonly [text: string, found: readonly string[]])[] = [
  ["ls -la", []],
  ["printf 'naïve Ünïcode 日本語 👩‍💻\\n'", []],
  ["a\tb\nc", []],
  ["one\r\ntwo\r\n", []],
  ["\x1b[2J", ["an escape character (\\x1b)"]],
  ["a\x07\x07", ["2 bells (\\x07)"]],
  ["a\rb", ["a carriage return (\\x0d)"]],
  ["a\x00b\x01", ["a null character (\\x00)", "a control character (\\x01)"]],
  ["one\ntwo\u202e\nthree", ["a right-to-left override (\\u202e) on line 2"]],
  ["\u2066a\u2069", [
    "a left-to-right isolate (\\u2066)",
    "a pop directional isolate (\\u2069)",
  ]],
  ["a\u200bb\nc\n\u200b", ["2 zero-width spaces (\\u200b) on lines 1 and 3"]],
  ["a\ufeff", ["a byte order mark (\\ufeff)"]],
  ["a\u{e0041}", ["a tag character (\\u{e0041})"]],
  ["a\u3164", ["an invisible character (\\u3164)"]],
  ["main\ufe00", ["a variation selector (\\ufe00)"]],
  ["'\u{e0172}\u{e013d}'", [
    "a variation selector (\\u{e0172})",
    "a variation selector (\\u{e013d})",
  ]],
  ["\u{1f600}\ufe0f\u{e0172}", ["a variation selector (\\u{e0172})"]],
  ["1\ufe0f", ["a variation selector (\\ufe0f)"]],
  ["a\u{1d173}", ["an invisible character (\\u{1d173})"]],
  ["a\u2800b", ["a blank braille pattern (\\u2800)"]],
  ["\u26a0\ufe0f 1\ufe0f\u20e3 \u2764\ufe0f\u200d\u{1f525} \u845b\u{e0100}", []],
  ["\u{1f469}\u{1f3fd}\u200d\u{1f4bb} \u{1f3f3}\ufe0f\u200d\u{1f308}", []],
  ["\u{1f3fd}x\u200dy", ["a zero-width joiner (\\u200d)"]],
  ["x\u200dy", ["a zero-width joiner (\\u200d)"]],
  ["curl p\u0430ypal.com", ['"p\u0430ypal" mixes Latin and Cyrillic letters']],
  ["ls \u0441\u0442\u0440\u0430\u043d\u0430", []],
  ["git_\u0441 status", []],
  ["\u0391pache", ['"\u0391pache" mixes Latin and Greek letters']],
  ["\u0394x = \u03bbt", []],
  ["\uff47it", ['"\uff47it" mixes full-width and plain letters']],
  ["tokyo東京", []],
  ["x".repeat(501), ["a long line (501 characters)"]],
  [`a\n${"x".repeat(501)}`, ["a long line (501 characters) on line 2"]],
  [`${"x".repeat(501)}\n${"x".repeat(1200)}`, ["2 long lines (up to 1,200 characters)"]],
  ["x".repeat(500), []],
  [`ls${MANY};rm x`, ["many blanks before more text"]],
  [`ls${MANY.replaceAll(" ", "\u3000")};rm x`, ["many blanks before more text"]],
  [`${MANY}indented`, []],
  ["a \\ \nb", ["blanks before the line end on line 1"]],
  ["a \nb\t\nc \nd ", ["blanks before the line end on 4 lines"]],
];

for (const [text, found] of ROWS) {
  Deno.test(`unusual in ${JSON.stringify(text.slice(0, 40))}: ${found.join("; ") || "nothing"}`, () => {
    assert.deepEqual(findUnusualText(numberLines(text)), found);
  });
}

Deno.test("many words of mixed scripts are counted after the third", () => {
  const words = ["a", "b", "c", "d", "e"].map((letter) => `${letter}\u0430`);
  assert.deepEqual(findUnusualText(numberLines(words.join(" "))).slice(3), [
    "2 more words of mixed scripts",
  ]);
});

Deno.test("of a diff only the lines that it adds count, by their numbers in the new file", () => {
  const diff = [
    "--- a/x \u202e",
    "+++ b/x \u202e",
    "@@ -3,3 +3,4 @@",
    " same \u200b",
    "-old \u200b",
    "+new \u202e",
    "+more",
    "@@ -20 +21,2 @@",
    "+last\x07",
    "\\ No newline at end of file",
  ].join("\n");
  assert.deepEqual(addedLines(diff).map(({ number }) => number), [4, 5, 21]);
  assert.deepEqual(findUnusualText(addedLines(diff)), [
    "a right-to-left override (\\u202e) on line 4",
    "a bell (\\x07) on line 21",
  ]);
});
