import assert from "node:assert/strict";
import { dominantLineEnd, withLineEnds } from "../../src/lib/line_ends.ts";
import { findFolded, LINE_ENDS, lineCounter, substitute } from "../../src/lib/match.ts";

function find(text: string, wanted: string, next = "X", apart = true) {
  return findFolded(text, { wanted, next }, { fold: LINE_ENDS, apart });
}

function replaced(text: string, wanted: string, next: string): string {
  return substitute(text, find(text, wanted, next));
}

Deno.test("findFolded() gives offset and line of every place, without overlap if apart", () => {
  assert.deepEqual(find("aa\nbaaa\n", "aa"), [
    { start: 0, end: 2, line: 1, text: "X" },
    { start: 4, end: 6, line: 2, text: "X" },
  ]);
  assert.deepEqual(find("aa\nbaaa\n", "aa", "X", false).map(({ start }) => start), [0, 4, 5]);
});

Deno.test("findFolded() finds nothing for an empty or an absent text", () => {
  assert.deepEqual(find("abc", ""), []);
  assert.deepEqual(find("abc", "d"), []);
});

Deno.test("findFolded() reads every kind of line end as the same and maps the offsets back", () => {
  const text = "one\r\ntwo\r\nthree\rfour\n";
  const [found] = find(text, "two\nthree\nfour");
  assert.deepEqual(found, { start: 5, end: 20, line: 2, text: "X" });
  assert.equal(text.slice(found?.start, found?.end), "two\r\nthree\rfour");
  assert.equal(find("a\nb\r\na\r\nb\ra\rb", "a\nb").length, 3);
});

Deno.test("findFolded() never splits a \\r\\n when the wanted text starts with a line end", () => {
  assert.equal(replaced("a\r\nb\r\nc", "\nb", ""), "a\r\nc");
});

Deno.test("findFolded() lets \\r\\n in the wanted text match \\n", () => {
  assert.equal(replaced("a\nb\n", "a\r\nb", "c\r\nd"), "c\nd\n");
});

Deno.test("findFolded() gives the new text the line ends of its place, else of the text", () => {
  assert.equal(replaced("a\r\nb\r\n", "b", "c\nd"), "a\r\nc\r\nd\r\n");
  assert.equal(replaced("a\nb\r\nc\r\n", "a\nb", "x\ny"), "x\ny\r\nc\r\n");
  assert.equal(replaced("a\rb\r", "b", "c\nd"), "a\rc\rd\r");
});

Deno.test("findFolded() leaves what both texts share as it is", () => {
  assert.equal(replaced("a\r\nb\nc\rd", "a\nb\nc\nd", "a\nb\nx\nd"), "a\r\nb\nx\rd");
  assert.equal(replaced("a\r\nb", "a\nb", "a\n1\nb"), "a\r\n1\r\nb");
  assert.equal(replaced("aba", "aba", "aa"), "aa");
  assert.equal(replaced("aa", "aa", "aba"), "aba");
});

Deno.test("findFolded() keeps a lone \\r of the new text", () => {
  assert.equal(replaced("a\nb\n", "b", "c\rd"), "a\nc\rd\n");
});

Deno.test("findFolded() passes over what a fold removes and leaves it beside the place", () => {
  const blanks = { pattern: / +/g, to: () => "" };
  const text = "  a  b  c  ";
  const [found] = findFolded(text, { wanted: "ab", next: "x" }, { fold: blanks, apart: true });
  assert.deepEqual(found, { start: 2, end: 6, line: 1, text: "x" });
  const [inserted] = findFolded(text, { wanted: "ab", next: "a-b" }, { fold: blanks, apart: true });
  assert.deepEqual(inserted, { start: 3, end: 3, line: 1, text: "-" });
});

Deno.test("substitute() takes a text literally", () => {
  assert.equal(replaced("a b", "b", "$& $1"), "a $& $1");
});

Deno.test("lineCounter() counts every kind of line end once", () => {
  const lineAt = lineCounter("a\nb\r\nc\rd");
  assert.deepEqual([0, 2, 3, 4, 5, 6, 7].map(lineAt), [1, 2, 2, 2, 3, 3, 4]);
});

Deno.test("dominantLineEnd() is the most frequent one, \\n on a tie", () => {
  assert.equal(dominantLineEnd("a"), undefined);
  assert.equal(dominantLineEnd("a\r\nb\nc\r\n"), "\r\n");
  assert.equal(dominantLineEnd("a\r\nb\n"), "\n");
  assert.equal(dominantLineEnd("a\rb\rc\n"), "\r");
  assert.equal(withLineEnds("a\r\nb\nc\rd", "\r\n"), "a\r\nb\r\nc\rd");
});
