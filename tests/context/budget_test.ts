import assert from "node:assert/strict";
import { Budget, type Level } from "../../src/context/budget.ts";
import { countTokens, cutToTokens } from "../../src/context/tokens.ts";

const full = (percent: number, size = 16_384) => {
  const budget = new Budget({ size, fixed: "", messages: [] });
  budget.correct({ promptTokens: Math.ceil((size * percent) / 100), completionTokens: 0 });
  return budget;
};

const levels: [percent: number, level: Level, tokens: number][] = [
  [0, "normal", 1000],
  [69, "normal", 1000],
  [70, "moderate", 750],
  [85, "aggressive", 500],
  [95, "critical", 200],
  [100, "critical", 200],
];

for (const [percent, level, tokens] of levels) {
  Deno.test(`at ${percent} % the level is ${level} and a result may cost ${tokens} tokens`, () => {
    const budget = full(percent);
    assert.equal(budget.level, level);
    const fitted = budget.fit("word ".repeat(10_000));
    assert.ok(countTokens(fitted) <= tokens, `${countTokens(fitted)}`);
    assert.ok(countTokens(fitted) > tokens * 0.8);
    assert.match(fitted, /\[Result truncated due to (critical|high) context usage\]$|limits\]$/);
  });
}

Deno.test("limits grow with the window", () => {
  const text = "word ".repeat(10_000);
  const small = countTokens(full(0).fit(text));
  const large = countTokens(full(0, 65_536).fit(text));
  assert.ok(large > small * 3.8 && large < small * 4.2);
});

Deno.test("a result within its limit, or within its tool's own budget, is left as it is", () => {
  const budget = full(0);
  assert.equal(budget.fit("short"), "short");
  const text = "word ".repeat(1000);
  assert.equal(budget.fit(text, budget.readTokens), text);
});

Deno.test("the model is told of a level once, when it changes", () => {
  const budget = full(0);
  assert.equal(budget.statusNote(), undefined);
  budget.correct({ promptTokens: 12_000, completionTokens: 0 });
  assert.match(budget.statusNote() ?? "", /^Notice: 73% of the context is used/);
  assert.equal(budget.statusNote(), undefined);
  budget.correct({ promptTokens: 14_500, completionTokens: 0 });
  assert.match(budget.statusNote() ?? "", /^WARNING: 88%/);
});

Deno.test("cutToTokens() keeps the beginning and the end, and says how much is left out", () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join("\n");
  const cut = cutToTokens(lines, 200);
  assert.match(cut, /^line 0\n[^]*\n\[\.\.\. about \d+ tokens left out \.\.\.\]\n[^]*\nline 999$/);
  assert.ok(countTokens(cut) <= 200);
  assert.equal(cutToTokens("short", 200), "short");
});

Deno.test("cutToTokens() never cuts a character in two", () => {
  for (const shift of ["", "a"]) {
    const cut = cutToTokens(shift + "😀".repeat(1000), 100);
    assert.ok(cut.includes("😀") && cut.includes("left out"));
    assert.equal(cut, cut.toWellFormed());
  }
});

Deno.test("countTokens() takes linear time on one repeated character", () => {
  assert.ok(countTokens("a".repeat(1_000_000)) > 100_000);
});

Deno.test("worthFreeing() asks for an eighth of the window, or for any token once it fills", () => {
  const budget = new Budget({ size: 8000, fixed: "", messages: [] });
  assert.equal(budget.worthFreeing(0), false);
  assert.equal(budget.worthFreeing(999), false);
  assert.equal(budget.worthFreeing(1000), true);
  budget.correct({ promptTokens: 6000, completionTokens: 0 });
  assert.equal(budget.worthFreeing(1), true);
  assert.equal(budget.worthFreeing(0), false);
});

Deno.test("free() gives tokens back, but never more than there are", () => {
  const budget = new Budget({ size: 1000, fixed: "", messages: [] });
  budget.correct({ promptTokens: 900, completionTokens: 0 });
  assert.equal(budget.level, "aggressive");
  budget.free(400);
  assert.equal(budget.used, 500);
  assert.equal(budget.level, "normal");
  budget.free(5000);
  assert.equal(budget.used, 0);
});
