import assert from "node:assert/strict";
import type { Preview } from "../../src/core/permission.ts";
import { plainCode } from "../../src/ui/highlight.ts";
import { renderPreview } from "../../src/ui/preview.ts";
import { createTheme } from "../../src/ui/theme.ts";

function render(preview: Preview, { columns = 60, rows = 100 } = {}): string[] {
  const theme = createTheme({ depth: "none" });
  return renderPreview(preview, { theme, columns, rows, highlight: plainCode, cwd: "/work" });
}

const DIFF = "Index: a.ts\n===\n--- a.ts\n+++ a.ts\n@@ -8,3 +8,4 @@\n a\n-b\n+c\n+d\n e\n" +
  "\\ No newline at end of file\n@@ -100 +101 @@\n-x\n+--y\n";

Deno.test("a diff has line numbers of both files, no headers, and a mark between hunks", () => {
  assert.deepEqual(render({ kind: "diff", path: "a.ts", diff: DIFF }), [
    "a.ts +3 -2",
    "  8   a",
    "  9 - b",
    "  9 + c",
    " 10 + d",
    " 11   e",
    "    … 89 unchanged lines",
    "100 - x",
    "101 + --y",
  ]);
});

Deno.test("a changed line longer than the screen is wrapped, not cut", () => {
  const diff = `@@ -1 +1 @@\n-${"a".repeat(25)}\n+${"日".repeat(8)}\n`;
  assert.deepEqual(render({ kind: "diff", path: "p", diff }, { columns: 14 }), [
    "p +1 -1",
    `1 - ${"a".repeat(10)}`,
    `    ${"a".repeat(10)}`,
    `    ${"a".repeat(5)}`,
    `1 + ${"日".repeat(5)}`,
    `    ${"日".repeat(3)}`,
  ]);
});

Deno.test("changed lines have a background where there are colours for it, else only a colour", () => {
  const diff = "@@ -1 +1 @@\n-a\n+b\n";
  const draw = (depth: "truecolor" | "256" | "basic") =>
    renderPreview({ kind: "diff", path: "p", diff }, {
      theme: createTheme({ depth }),
      columns: 60,
      rows: 10,
      highlight: plainCode,
      cwd: "/",
    }).join("\n");
  assert.match(draw("truecolor"), /;48;2;/);
  assert.match(draw("256"), /;48;5;/);
  assert.doesNotMatch(draw("basic"), /48;/);
  assert.ok(draw("basic").includes("\x1b[31m1 - a"));
});

Deno.test("a long new file loses its middle and says how much", () => {
  const content = Array.from({ length: 50 }, (_, line) => `line ${line + 1}\n`).join("");
  const lines = render({ kind: "new_file", path: "n.ts", content }, { rows: 6 });
  assert.deepEqual(lines, [
    "n.ts new, 50 lines",
    " 1 + line 1",
    " 2 + line 2",
    " 3 + line 3",
    "… 45 more lines",
    "49 + line 49",
    "50 + line 50",
  ]);
});

Deno.test("an empty new file and a deleted one are named", () => {
  assert.deepEqual(render({ kind: "new_file", path: "n", content: "" }), ["n new, 0 lines"]);
  assert.deepEqual(render({ kind: "deleted_file", path: "d", lines: 7 }), ["d deleted, 7 lines"]);
  assert.deepEqual(render({ kind: "other_change", path: "l", what: "link to a" }), ["l link to a"]);
});

Deno.test("a command is shown whole, with what hides in it, and where it runs if elsewhere", () => {
  const command = "echo a\u202eb\u200b\x1b[2J\n" + "x".repeat(30);
  const lines = render({ kind: "command", command, cwd: "/tmp" }, { columns: 22, rows: 1 });
  assert.deepEqual(lines, [
    "$ echo a\\u202eb\\u200b\\",
    "  x1b[2J",
    `> ${"x".repeat(20)}`,
    `  ${"x".repeat(10)}`,
    "  in /tmp",
  ]);
});

Deno.test("a command is broken before words, unless blanks in it may count", () => {
  const shown = (command: string) =>
    render({ kind: "command", command, cwd: "/w" }, { columns: 24, rows: 1 }).slice(0, -1);
  assert.deepEqual(shown("git commit -m message --allow-empty\ntrue"), [
    "$ git commit -m",
    "    message",
    "    --allow-empty",
    "> true",
  ]);
  assert.deepEqual(shown("echo 'aaaaaaa  bbbbbbbbb' > file"), [
    "$ echo 'aaaaaaa  bbbbbbb",
    "  bb' > file",
  ]);
});
