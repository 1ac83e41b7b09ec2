import assert from "node:assert/strict";
import { dominantLineEnd, withLineEnds } from "../../src/lib/line_ends.ts";
import { findOccurrences, replaceOccurrences } from "../../src/lib/match.ts";

function replaced(text: string, wanted: string, replacement: string): string {
  return replaceOccurrences(text, findOccurrences(text, wanted), replacement);
}

Deno.test("findOccurrences() gives offset and line of every place, without overlap", () => {
  assert.deepEqual(findOccurrences("aa\nbaaa\n", "aa"), [
    { start: 0, end: 2, line: 1 },
    { start: 4, end: 6, line: 2 },
  ]);
});

Deno.test("findOccurrences() finds nothing for an empty or an absent text", () => {
  assert.deepEqual(findOccurrences("abc", ""), []);
  assert.deepEqual(findOccurrences("abc", "d"), []);
});

Deno.test("findOccurrences() lets \\n match \\r\\n and maps the offsets back", () => {
  const text = "one\r\ntwo\r\nthree\r\n";
  const [found] = findOccurrences(text, "two\nthree");
  assert.deepEqual(found, { start: 5, end: 15, line: 2 });
  assert.equal(text.slice(found?.start, found?.end), "two\r\nthree");
});

Deno.test("findOccurrences() never splits a \\r\\n when the wanted text starts with a line end", () => {
  assert.equal(replaced("a\r\nb\r\nc", "\nb", ""), "a\r\nc");
});

Deno.test("findOccurrences() counts places alike whatever their line ends", () => {
  assert.equal(findOccurrences("a\nb\r\na\r\nb\n", "a\nb").length, 2);
});

Deno.test("findOccurrences() lets \\r\\n in the wanted text match \\n", () => {
  assert.equal(replaced("a\nb\n", "a\r\nb", "c\r\nd"), "c\nd\n");
});

Deno.test("replaceOccurrences() gives the replacement the line ends of its place", () => {
  assert.equal(replaced("a\r\nb\r\n", "b", "c\nd"), "a\r\nc\r\nd\r\n");
  assert.equal(replaced("a\nb\r\nc\r\n", "a\nb", "x\ny"), "x\ny\r\nc\r\n");
});

Deno.test("replaceOccurrences() takes a replacement literally", () => {
  assert.equal(replaced("a b", "b", "$& $1"), "a $& $1");
});

Deno.test("dominantLineEnd() is the more frequent one, \\n on a tie", () => {
  assert.equal(dominantLineEnd("a"), undefined);
  assert.equal(dominantLineEnd("a\r\nb\nc\r\n"), "\r\n");
  assert.equal(dominantLineEnd("a\r\nb\n"), "\n");
  assert.equal(withLineEnds("a\r\nb\nc\rd", "\r\n"), "a\r\nb\r\nc\rd");
});
