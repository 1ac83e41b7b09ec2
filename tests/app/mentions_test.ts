import assert from "node:assert/strict";
import { escapeMention, findMentions, unescapeMention } from "../../src/app/mentions.ts";

const first = (text: string) => findMentions(text).map(({ paths }) => paths[0]);

Deno.test("an @ at the beginning of a word is a mention, one within a word is not", () => {
  assert.deepEqual(first("@a.ts and (@src/b.ts) but not me@example.com or a@b"), [
    "a.ts",
    "src/b.ts)",
  ]);
  assert.deepEqual(first("@ alone, @@twice"), ["@twice"]);
});

Deno.test("punctuation behind a path is tried with and without", () => {
  assert.deepEqual(findMentions("see @src/a.ts?!")[0]!.paths, [
    "src/a.ts?!",
    "src/a.ts?",
    "src/a.ts",
  ]);
});

Deno.test("paths with blanks stand in quotes or have them escaped", () => {
  assert.deepEqual(first(`@"my file.txt" @'your file' @her\\ file.md`), [
    "my file.txt",
    "your file",
    "her file.md",
  ]);
  assert.equal(unescapeMention(escapeMention("a b'c\"d\\e")), "a b'c\"d\\e");
});

Deno.test("lines can be named in three ways", () => {
  for (const text of ["@a.ts:3-9", "@a.ts#L3-L9", "@a.ts#L3-9,"]) {
    const [mention] = findMentions(text);
    assert.deepEqual(mention!.lines, { first: 3, last: 9 });
    assert.ok(mention!.paths.includes("a.ts"));
  }
  assert.deepEqual(findMentions("@a.ts:7")[0]!.lines, { first: 7, last: 7 });
});
