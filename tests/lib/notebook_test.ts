import assert from "node:assert/strict";
import { readableDiff } from "../../src/lib/diff.ts";
import { readCells } from "../../src/lib/notebook.ts";

const notebook = (source: string | string[], more: Record<string, unknown> = {}) =>
  JSON.stringify({
    cells: [
      { cell_type: "markdown", metadata: {}, source: "# Title" },
      { cell_type: "code", metadata: {}, outputs: [], source, ...more },
    ],
    nbformat: 4,
  });

Deno.test("a change within the cells of a notebook is shown as their text", () => {
  const texts = { before: notebook(["x = 1\n", "print(x)"]), after: notebook("x = 2\nprint(x)") };
  assert.deepEqual(readCells(texts), {
    before: "# Cell 1: markdown\n# Title\n\n# Cell 2: code\nx = 1\nprint(x)\n",
    after: "# Cell 1: markdown\n# Title\n\n# Cell 2: code\nx = 2\nprint(x)\n",
  });
});

Deno.test("of a notebook nothing else that changes is hidden: it is shown as JSON", () => {
  const before = notebook("x = 1");
  for (
    const after of [
      notebook("x = 2", { outputs: [{ data: { "text/html": "<script>" } }] }),
      notebook("x = 2", { metadata: { tags: ["hide"] } }),
      notebook("x = 2").replace('"nbformat":4', '"nbformat":5'),
      JSON.stringify({ cells: [] }),
      before.replace(",", ", "),
      "no JSON",
    ]
  ) {
    assert.equal(readCells({ before, after }), undefined);
  }
});

Deno.test("only a notebook's difference is that of its cells", async () => {
  const [before, after] = [notebook("x = 1"), notebook("x = 2")];
  assert.match(await readableDiff(before, after, { path: "a.ipynb" }), /\n-x = 1\n\+x = 2\n/);
  assert.match(await readableDiff(before, after, { path: "a.json" }), /\n-\{"cells"/);
});
