import { BUDGET_TUNING, newCounter } from "../support/settings.ts";
import assert from "node:assert/strict";
import { Budget, type Level } from "../../src/context/budget.ts";
import { countTokens, cutToTokens } from "../../src/context/tokens.ts";
import type { Message } from "../../src/core/message.ts";

const full = (percent: number, size = 16_384) => {
  const budget = new Budget({
    counter: newCounter(),
    tuning: BUDGET_TUNING,
    size,
    fixed: "",
    messages: [],
  });
  budget.applyServerCount({ promptTokens: Math.ceil((size * percent) / 100), completionTokens: 0 });
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
  assert.equal(budget.fit(text, { toolBudget: budget.readTokens }), text);
});

Deno.test("the model is told of a level once, when it changes", () => {
  const budget = full(0);
  assert.equal(budget.statusNote(), undefined);
  budget.applyServerCount({ promptTokens: 12_000, completionTokens: 0 });
  assert.match(budget.statusNote() ?? "", /^Notice: 73% of the context is used/);
  assert.equal(budget.statusNote(), undefined);
  budget.applyServerCount({ promptTokens: 14_500, completionTokens: 0 });
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
  const budget = new Budget({
    counter: newCounter(),
    tuning: BUDGET_TUNING,
    size: 8000,
    fixed: "",
    messages: [],
  });
  assert.equal(budget.isWorthFreeing(0), false);
  assert.equal(budget.isWorthFreeing(999), false);
  assert.equal(budget.isWorthFreeing(1000), true);
  budget.applyServerCount({ promptTokens: 6000, completionTokens: 0 });
  assert.equal(budget.isWorthFreeing(1), true);
  assert.equal(budget.isWorthFreeing(0), false);
});

const tool = (content: string): Message => ({
  role: "tool",
  call_id: "x",
  name: "read",
  content,
  success: true,
});

Deno.test("recount() takes what was given up from what the server has counted", () => {
  const messages = [tool("word ".repeat(1000))];
  const budget = new Budget({
    counter: newCounter(),
    tuning: BUDGET_TUNING,
    size: 16_384,
    fixed: "",
    messages,
  });
  budget.applyServerCount({ promptTokens: 1500, completionTokens: 0 }, "m");
  assert.equal(budget.used, 1500);
  budget.recount([tool("gone")]);
  assert.ok(budget.used < 100, `${budget.used}`);
});

Deno.test("what was given up stays given up once counts are exact", async () => {
  const messages = [tool("word ".repeat(1000)), tool("other ".repeat(1000))];
  const budget = new Budget({
    counter: newCounter(),
    tuning: BUDGET_TUNING,
    size: 4_000,
    fixed: "",
    messages,
  });
  budget.applyServerCount({ promptTokens: 2_400, completionTokens: 0 }, "m");
  const rest = [tool("gone"), messages[1]!];
  budget.recount(rest);
  const { used } = budget;
  assert.ok(used < 1_500, `${used}`);
  const next = tool("more");
  budget.add(next);
  await budget.countExactly([...rest, next]);
  assert.ok(Math.abs(budget.used - used) < 50, `${budget.used} instead of ${used}`);
});

Deno.test("a saved count is taken over unless it is far from what is counted here", () => {
  const messages = [tool("word ".repeat(1000))];
  const open = () =>
    new Budget({ counter: newCounter(), tuning: BUDGET_TUNING, size: 16_384, fixed: "", messages });
  const counted = open().used;
  for (const [tokens, isTaken] of [[1.5, true], [0.7, true], [5, false], [0.1, false]] as const) {
    const budget = open();
    budget.restore(counted * tokens, "m");
    assert.equal(budget.isServerCounted, isTaken, String(tokens));
  }
});

Deno.test("a server's way of counting is applied to what it has not counted yet, by model", () => {
  const budget = new Budget({
    counter: newCounter(),
    tuning: BUDGET_TUNING,
    size: 100_000,
    fixed: "",
    messages: [tool("word ".repeat(1000))],
  });
  const before = budget.used;
  budget.applyServerCount({ promptTokens: before * 1.5, completionTokens: 0 }, "m");
  budget.add(tool("word ".repeat(1000)));
  assert.equal(budget.used, before * 3);
  assert.equal(budget.counter.ratioOf("m"), 1.5);
  assert.equal(budget.counter.ratioOf("other"), 1);
});

Deno.test("a server that counts only what it has not computed before is not believed", () => {
  const budget = new Budget({
    counter: newCounter(),
    tuning: BUDGET_TUNING,
    size: 16_384,
    fixed: "",
    messages: [tool("word ".repeat(1000))],
  });
  const before = budget.used;
  budget.applyServerCount({ promptTokens: 12, completionTokens: 5 });
  assert.equal(budget.used, before);
});

Deno.test("results that come together leave room for the request after them", () => {
  const budget = full(80);
  const text = "word ".repeat(10_000);
  for (let sharers = 10; sharers > 0; sharers--) {
    budget.add(tool(budget.fit(text, { toolBudget: budget.readTokens, sharers })));
  }
  assert.ok(budget.used <= budget.limit, `${budget.used}`);
});

Deno.test("a cut result names the file that holds the whole", () => {
  const fitted = full(0).fit("word ".repeat(10_000), { file: "/out/result-1.txt" });
  assert.match(
    fitted,
    /\[Result truncated due to context limits\]\n\[All of it is in \/out\/result-1\.txt: .*\]$/,
  );
  assert.ok(countTokens(fitted) <= 1000);
});

Deno.test("remaining calls follow what calls have cost so far", () => {
  const budget = new Budget({
    counter: newCounter(),
    tuning: BUDGET_TUNING,
    size: 16_384,
    fixed: "",
    messages: [],
  });
  assert.equal(budget.remainingCalls, 36);
  for (let count = 0; count < 3; count++) budget.add(tool("word ".repeat(1000)));
  assert.equal(budget.remainingCalls, 12);
  for (let count = 0; count < 98; count++) budget.add(tool("w"));
  assert.deepEqual([...budget.toolUse.keys()], ["read"]);
  assert.ok(budget.toolUse.get("read")!.calls <= 100);
});

Deno.test("a refused request tells that the window is smaller than was believed", () => {
  const budget = full(50);
  budget.noteOverflow();
  assert.equal(budget.size, 8192);
  assert.equal(budget.level, "critical");
});
