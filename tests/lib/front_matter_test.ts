import assert from "node:assert/strict";
import { FrontMatterError, readFrontMatter } from "../../src/lib/front_matter.ts";

Deno.test("a head is read with the lines of its fields, and the rest is the body", async () => {
  const read = await readFrontMatter(
    "\ufeff---\r\na: 1\r\nb: [x, y]\r\n---\r\n\r\nBody\r\nmore\r\n",
  );
  assert.deepEqual(read, {
    fields: { a: 1, b: ["x", "y"] },
    lines: { a: 2, b: 3 },
    body: "Body\nmore",
  });
});

Deno.test("a text without a head is all body, even with a line of dashes in it", async () => {
  for (const text of ["Body\n---\nmore", "----\nBody", "", "\n---\na: 1\n---\n"]) {
    const { fields, body } = await readFrontMatter(text);
    assert.deepEqual([fields, body], [{}, text.trim()]);
  }
});

Deno.test("an empty head has no fields", async () => {
  assert.deepEqual((await readFrontMatter("---\n---\nBody")).fields, {});
  assert.deepEqual((await readFrontMatter("---\n# a remark\n---\nBody")).fields, {});
});

Deno.test("what is wrong with a head is said with its line in the file", async () => {
  const rows: readonly (readonly [string, number])[] = [
    ["---\na: 1\nb: x: y\n---\n", 3],
    ["---\na: [1\n---\n", 3],
    ["---\n- a\n- b\n---\n", 2],
    ["---\na: 1\na: 2\n---\n", 3],
    ["---\na: 1\n", 1],
    ["---\nb: *missing\n---\n", 2],
  ];
  for (const [text, line] of rows) {
    const error = await readFrontMatter(text).then(() => undefined, (reason) => reason);
    assert.ok(error instanceof FrontMatterError, text);
    assert.equal(error.line, line, text);
    assert.match(error.message, new RegExp(`^line ${line}: \\S`));
  }
});

Deno.test("a head that names itself a thousand times over is refused, not unfolded", async () => {
  const bomb = Array.from({ length: 9 }, (_, row) => {
    const name = String.fromCharCode(98 + row);
    const before = String.fromCharCode(97 + row);
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(", ")}]`;
  }).join("\n");
  await assert.rejects(readFrontMatter(`---\na: &a [x, x]\n${bomb}\n---\nBody`));
});
