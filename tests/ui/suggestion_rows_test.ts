import assert from "node:assert/strict";
import { suggestionRows, type Suggestions } from "../../src/ui/suggestion_rows.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { cellWidth } from "../../src/ui/wrap.ts";

const plain = createTheme({ depth: "none" });
const colored = createTheme({ depth: "basic" });

function paths(...labels: string[]): Suggestions {
  return { from: 0, items: labels.map((label) => ({ label, insert: label })), cut: "middle" };
}

function rowsOf(
  list: Suggestions,
  { columns = 40, rows = 8, chosen = 0, theme = plain } = {},
): string[] {
  return suggestionRows(list, { columns, rows, chosen, theme });
}

Deno.test("a short list is shown whole, with a sign before what is chosen", () => {
  assert.deepEqual(rowsOf(paths("src/a.ts", "src/b.ts"), { chosen: 1 }), [
    "  src/a.ts",
    "❯ src/b.ts",
  ]);
  assert.deepEqual(rowsOf(paths()), []);
});

Deno.test("what is not shown is counted, and the chosen item is always in sight", () => {
  const list = { ...paths("a", "b", "c", "d", "e"), rest: 12_345 };
  assert.deepEqual(rowsOf(list, { rows: 4 }), [
    "❯ a",
    "  b",
    "  c",
    "  12,347 more: type on",
  ]);
  assert.deepEqual(rowsOf(list, { rows: 4, chosen: 4 }), [
    "  c",
    "  d",
    "❯ e",
    "  12,347 more: type on",
  ]);
  assert.deepEqual(rowsOf({ ...paths("a"), later: Promise.resolve(paths("a")) }), [
    "❯ a",
    "  looking for more…",
  ]);
});

Deno.test("letters that match are marked, in wide characters and in joined ones too", () => {
  const [ascii] = rowsOf({ from: 0, items: [{ label: "tmux", marks: [0, 2], insert: "" }] }, {
    theme: colored,
    chosen: -1,
  });
  const mark = (text: string) => `\x1b[36m\x1b[1m${text}\x1b[22m\x1b[39m`;
  assert.equal(ascii, `  ${mark("t")}m${mark("u")}x`);
  const [wide] = rowsOf({ from: 0, items: [{ label: "日e\u0301x", marks: [1], insert: "" }] }, {
    theme: colored,
    chosen: -1,
  });
  assert.equal(wide, `  日${mark("e\u0301")}x`);
});

Deno.test("a path that is too long loses its middle, and no row is wider than the screen", () => {
  const long = "src/modes/interactive/suggestions/interactive_session.ts";
  assert.deepEqual(rowsOf(paths(long), { columns: 32 }), ["❯ src/modes…teractive_session.ts"]);
  const wide = "文書/とても長い名前のディレクトリ/報告書の最終版.md";
  for (const columns of [6, 7, 12, 20, 21, 33]) {
    for (const label of [long, wide, "😀".repeat(20)]) {
      for (const row of rowsOf({ ...paths(label), rest: 3 }, { columns })) {
        assert.ok(cellWidth(row) <= columns, `${columns}: ${row}`);
      }
    }
  }
});

Deno.test("details stand in a column of their own where there is room for them", () => {
  const items = [
    { label: "/undo", detail: "take back the last change", insert: "/undo " },
    { label: "/permissions", detail: "show what is allowed and denied", insert: "/permissions " },
  ];
  assert.deepEqual(rowsOf({ from: 0, items }, { columns: 40 }), [
    "❯ /undo         take back the last chan…",
    "  /permissions  show what is allowed an…",
  ]);
  assert.deepEqual(rowsOf({ from: 0, items }, { columns: 20 }), ["❯ /undo", "  /permissions"]);
});

Deno.test("a text of several lines takes one row", () => {
  assert.deepEqual(rowsOf(paths("one\ntwo")), ["❯ one two"]);
});
