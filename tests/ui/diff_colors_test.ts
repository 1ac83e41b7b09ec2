// deno-lint-ignore-file no-control-regex
import { DIFF_STYLE } from "../support/settings.ts";
import assert from "node:assert/strict";
import { changedLineCodes } from "../../src/ui/diff_colors.ts";
import { changedSpans } from "../../src/ui/word_diff.ts";
import { loadHighlight, plainCode } from "../../src/ui/highlight.ts";
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
  const theme = createTheme({ depth: "none", look: () => ({ ...DIFF_STYLE, lines: false }) });
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
  const theme = createTheme({
    depth: "truecolor",
    look: () => ({ ...DIFF_STYLE, added: "#000001" }),
  });
  assert.match(theme.paintChange("added", "x"), /48;2;0;0;1m/);
  assert.match(theme.paintChange("removed", "x"), /48;2;74;30;34m/);
});

Deno.test("a light terminal has light backgrounds, unless a theme was set", () => {
  const paint = (options: { isLight?: boolean; theme?: "auto" | "dark" | "light" }) => {
    const look = () => ({ ...DIFF_STYLE, theme: options.theme ?? DIFF_STYLE.theme });
    const { isLight = false } = options;
    return createTheme({ depth: "truecolor", isLight: () => isLight, look }).paintChange(
      "added",
      "x",
    );
  };
  const dark = paint({});
  const light = paint({ isLight: true });
  assert.notEqual(dark, light);
  assert.equal(paint({ isLight: true, theme: "dark" }), dark);
  assert.equal(paint({ ...DIFF_STYLE, theme: "light" }), light);
  assert.equal(paint({ isLight: true, theme: "auto" }), light);
});

Deno.test("what differs within a replaced line is marked, in its own colour if one was set, and no text is lost", () => {
  const preview = {
    kind: "diff",
    path: "a",
    diff: "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-const old = 1;\n-zzz\n+const new_one = 1;\n+yyy\n",
  } as const;
  const drawn = (depth: "none" | "truecolor", columns: number) => {
    const theme = createTheme({ depth, look: () => ({ ...DIFF_STYLE, modified: "#010203" }) });
    return renderPreview(preview, { theme, columns, rows: 99, highlight: plainCode, cwd: "/" });
  };
  const lines = drawn("truecolor", 60);
  assert.match(lines[1]!, /const \x1b\[[\d;]*48;2;1;2;3mold\x1b\[[\d;]+m = 1;/);
  assert.match(lines[3]!, /const \x1b\[[\d;]*48;2;1;2;3mnew_one\x1b/);
  assert.doesNotMatch(lines[2]! + lines[4]!, /48;2;1;2;3m/);
  for (const columns of [60, 14]) {
    const bare = drawn("truecolor", columns).map((line) => line.replace(/\x1b\[[\d;]*[mK]/g, ""));
    assert.deepEqual(bare, drawn("none", columns));
  }
});

Deno.test("a difference is made of whole words, and there is none between lines that have little in common", () => {
  assert.deepEqual(changedSpans("call(abc, 1)", "call(abd, 1)"), [
    [{ start: 5, end: 8 }],
    [{ start: 5, end: 8 }],
  ]);
  assert.deepEqual(changedSpans("a b c", "a b c d"), [[], [{ start: 5, end: 7 }]]);
  assert.deepEqual(changedSpans("f(a, keep, b)", "f(c, keep, d e)"), [
    [{ start: 2, end: 3 }, { start: 11, end: 12 }],
    [{ start: 2, end: 3 }, { start: 11, end: 14 }],
  ]);
  assert.equal(changedSpans("one thing", "another story"), undefined);
  assert.equal(changedSpans("x".repeat(3000), "x".repeat(2999)), undefined);
});

Deno.test("code in a diff has the colours of its language, on the background of its line", async () => {
  const diff = "@@ -1,3 +1,3 @@\n import a;\n-const b = 1;\n+const b = call(1);\n let c;\n";
  const draw = async (depth: "basic" | "truecolor") => {
    const theme = createTheme({ depth, look: () => ({ ...DIFF_STYLE, modified: "#010203" }) });
    const highlight = await loadHighlight(theme);
    const preview = { kind: "diff", path: "a.ts", diff } as const;
    return renderPreview(preview, { theme, columns: 60, rows: 99, highlight, cwd: "/" });
  };
  const [, same, removed, added] = await draw("truecolor");
  assert.match(same!, /\x1b\[35mimport\x1b\[39m a;$/);
  // The keyword ends, and the line goes on in its own colours.
  assert.match(removed!, /\x1b\[35mconst\x1b\[39m\x1b\[38;2;[\d;]+48;2;[\d;]+m b = /);
  assert.match(added!, /48;2;1;2;3mcall\(/);
  const basic = await draw("basic");
  assert.match(basic[1]!, /\x1b\[35mimport/);
  assert.doesNotMatch(basic[2]!, /\x1b\[35m/);
});
