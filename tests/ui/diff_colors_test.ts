import assert from "node:assert/strict";
import { changedLineCodes } from "../../src/ui/diff_colors.ts";
import { plainCode } from "../../src/ui/highlight.ts";
import { renderPreview } from "../../src/ui/preview.ts";
import { createTheme } from "../../src/ui/theme.ts";

Deno.test("a colour is read in each of its spellings, with text that reads on it", () => {
  const dark = "38;2;238;238;238;48;2;60;25;25";
  for (const color of ["#3c1919", "on #3C1919", "rgb(60,25,25)", "on rgb(60, 25, 25)"]) {
    assert.equal(changedLineCodes(color, "truecolor"), dark, color);
  }
  assert.equal(changedLineCodes("#ffffff", "truecolor"), "38;2;17;17;17;48;2;255;255;255");
  assert.equal(changedLineCodes("#ff0000", "256"), "38;5;255;48;5;196");
  assert.equal(changedLineCodes("red", "truecolor"), undefined);
});

Deno.test("with diffs turned off a preview counts the lines, and shows them all when asked for", () => {
  const theme = createTheme({ depth: "none", look: () => ({ lines: false }) });
  const preview = {
    kind: "diff",
    path: "a",
    diff: "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n",
  } as const;
  const drawn = (rows: number) =>
    renderPreview(preview, { theme, columns: 40, rows, highlight: plainCode, cwd: "/" });
  assert.deepEqual(drawn(10), ["a +1 -1"]);
  assert.deepEqual(drawn(Infinity), ["a +1 -1", "1 - x", "1 + y"]);
});

Deno.test("the colours of changed lines are those that were set", () => {
  const theme = createTheme({ depth: "truecolor", look: () => ({ added: "#000001" }) });
  assert.match(theme.paintChange("added", "x"), /48;2;0;0;1m/);
  assert.match(theme.paintChange("removed", "x"), /48;2;74;30;34m/);
});
