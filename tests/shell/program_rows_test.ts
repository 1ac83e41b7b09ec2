import assert from "node:assert/strict";
import { parseRows } from "../../src/shell/program_rows.ts";

Deno.test("a table gives each name its row, with its details and subcommands", () => {
  const rows = new Map(parseRows(`
sensitive =writes-1 +network +keys tool other: works: on
    files
  -o --output: write
  --push: extreme= sends it: away
  words rm: extreme removes
  match ^a b$ => extreme is a b

- safe list: reads
  -v --long: flag
- - extreme all: reads all
unknown third: runs
`));
  const tool = rows.get("tool");
  assert.equal(tool, rows.get("other"));
  assert.deepEqual([tool?.risk, tool?.why], ["sensitive", "works: on files"]);
  assert.deepEqual([tool?.operands, tool?.skip, tool?.needs], ["write", 1, ["network", "keys"]]);
  assert.deepEqual(tool?.options.get("--output"), "write");
  assert.deepEqual(tool?.options.get("--push"), {
    risk: "extreme",
    why: "sends it: away",
    valued: true,
  });
  assert.equal(tool?.options.has("rm"), true);
  assert.equal(tool?.matches[0]?.[0].test("a b"), true);
  assert.equal(tool?.subcommands.get("list")?.risk, "safe");
  assert.equal(tool?.subcommands.get("list")?.options.get("--long"), "flag");
  assert.equal(tool?.subcommands.get("list")?.subcommands.get("all")?.risk, "extreme");
  assert.equal(rows.get("third")?.tentative, true);
});

Deno.test("a line that says nothing known is refused", () => {
  for (
    const text of [
      "dangerous rm: removes",
      "safe =colours ls: only reads",
      "safe ls",
      "safe ls: reads\n  colour red",
      "- safe x: y",
    ]
  ) {
    assert.throws(() => parseRows(text), /Not a/, text);
  }
});
