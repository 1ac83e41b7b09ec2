/**
 * Themes: what they draw with in terminals of few and many colours.
 */
import assert from "node:assert/strict";
import { THEME_NAMES } from "../../src/core/theme_names.ts";
import { paletteOf, parseBackground, STYLES } from "../../src/ui/palettes.ts";
import { createTheme } from "../../src/ui/theme.ts";

const ESCAPE = "\x1b";

Deno.test("a terminal's answer says whether its background is light; other answers say nothing", () => {
  for (
    const [reply, isLight] of [
      [`${ESCAPE}]11;rgb:ffff/ffff/ffff`, true],
      ["11;rgb:00/00/00", false],
      ["]11;rgb:fdfd/f6f6/e3e3", true],
      ["]11;rgba:1e1e/1e1e/2e2e/ffff", false],
      ["]11;?", undefined],
      ["]10;rgb:ffff/ffff/ffff", undefined],
      ["?62;c", undefined],
    ] as const
  ) assert.equal(parseBackground(reply), isLight, reply);
  assert.equal(paletteOf("auto", true), "light");
  assert.equal(paletteOf("auto", false), "terminal");
  assert.equal(paletteOf("dark", true), "dark");
});

Deno.test("each theme keeps to the colours that the terminal has, and text stays the same", () => {
  for (const name of THEME_NAMES) {
    for (const depth of ["none", "basic", "256", "truecolor"] as const) {
      const theme = createTheme({ depth, name: () => name });
      const drawn = [
        theme.paint("accent", `a ${theme.paint("error", "b")} c`),
        theme.paintChange("added", "+d"),
        theme.paintChange("removed", theme.paintDifference("removed", "e")),
      ].join("");
      // deno-lint-ignore no-control-regex
      assert.equal(drawn.replace(/\x1b\[[\d;]*[mK]/g, ""), "a b c+de", `${name} ${depth}`);
      if (depth === "none") assert.doesNotMatch(drawn, new RegExp(ESCAPE));
      if (depth !== "truecolor") assert.doesNotMatch(drawn, /8;2;/, `${name} ${depth}`);
      if (depth === "basic") assert.doesNotMatch(drawn, /8;5;/, `${name} ${depth}`);
      if (name === "none" || name === "high-contrast") {
        assert.doesNotMatch(drawn, /\[(3[0-8]|4[0-8])[;m]/, `${name} ${depth}`);
      }
    }
  }
});

Deno.test("where people do not tell red from green, changes differ in blue and orange", () => {
  const theme = createTheme({ depth: "256", name: () => "color-blind" });
  assert.match(theme.paint("success", "x"), /38;5;33m/);
  assert.match(theme.paint("error", "x"), /38;5;208m/);
  assert.notEqual(theme.paintChange("added", "x"), theme.paintChange("removed", "x"));
});

Deno.test("on a light background 16 colours are those that can be read on white, also where red and green are not told apart", () => {
  for (const name of ["auto", "light", "color-blind"] as const) {
    const theme = createTheme({ depth: "basic", name: () => name, isLight: () => true });
    const styles = Object.keys(STYLES) as (keyof typeof STYLES)[];
    for (const style of styles) {
      // Green, yellow, cyan and white, and the bright colours.
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(theme.paint(style, "x"), /\x1b\[(3[2367]|9\d)m/, `${name} ${style}`);
    }
    assert.notEqual(theme.paintChange("added", "x"), theme.paintChange("removed", "x"));
    assert.notEqual(theme.paint("success", "x"), theme.paint("error", "x"));
  }
});
