/**
 * The row below the prompt: what it holds at which width.
 */
import assert from "node:assert/strict";
import { type SessionState, type StatusForm, statusRows } from "../../src/ui/status_line.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { cellWidth } from "../../src/ui/wrap.ts";

const theme = createTheme({ depth: "none" });
const AUTO: StatusForm = { kind: "auto" };
const FULL: SessionState = {
  project: "shop",
  model: "qwen3:30b",
  mode: "plan",
  window: { percent: 41, tokens: 6_717, size: 16_384 },
  cost: 0.0421,
  speed: 38.4,
  cached: 93,
  git: { branch: "main", changed: 3 },
  tasks: 0,
  queued: 2,
};

function row(state: SessionState, columns: number, form = AUTO, drawnWith = theme): string {
  return statusRows(state, { form, theme: drawnWith, columns }).join("\n");
}

Deno.test("all there is to tell stands in one row, and what is worth least goes first", () => {
  const rows: [columns: number, row: string][] = [
    [
      120,
      "plan · qwen3:30b · ▰▰▰▰▱▱▱▱ 41% · 0.0421 · 38 tok/s · 93% cached · main, 3 changes · 2 queued",
    ],
    [85, "plan · qwen3:30b · ▰▰▰▰▱▱▱▱ 41% · 0.0421 · 93% cached · main, 3 changes · 2 queued"],
    [70, "plan · qwen3:30b · ▰▰▰▰▱▱▱▱ 41% · 0.0421 · main, 3 changes · 2 queued"],
    [59, "plan · qwen3:30b · ▰▰▰▰▱▱▱▱ 41% · 0.0421 · main · 2 queued"],
    [50, "plan · qwen3:30b · ▰▰▰▰▱▱▱▱ 41% · main · 2 queued"],
    [40, "plan · qwen3:30b · 41% · main · 2 queued"],
    [30, "plan · 41% · main · 2 queued"],
    [22, "plan · 41% · 2 queued"],
    [15, "plan · 2 queued"],
    [6, "plan"],
    [3, "pl…"],
    [1, "…"],
    [0, ""],
  ];
  for (const [columns, wanted] of rows) assert.equal(row(FULL, columns), wanted, `${columns}`);
  for (let columns = 0; columns <= 120; columns++) {
    assert.ok(cellWidth(row(FULL, columns)) <= columns, `${columns}`);
  }
});

Deno.test("what is not known is left out, and where nothing is there is no row", () => {
  const bare: SessionState = { project: "shop", model: "m", tasks: 0, queued: 0 };
  assert.equal(row(bare, 80), "");
  assert.equal(row({ ...bare, queued: 1 }, 80), "m · 1 queued");
  assert.equal(row({ ...bare, tasks: 1 }, 80), "m · 1 task");
  assert.equal(row({ ...bare, git: { branch: "main" } }, 80), "m · main");
  assert.equal(
    row({ ...bare, window: { percent: 0, tokens: 0, size: 1024 } }, 80),
    "m · ▱▱▱▱▱▱▱▱ 0%",
  );
  const ascii = createTheme({ depth: "none", unicode: false });
  assert.equal(row({ ...FULL, mode: "" }, 40, AUTO, ascii), "qwen3:30b - 41% - main - 2 queued");
  assert.match(row(FULL, 120, AUTO, ascii), /\[####\.{4}\] 41%/);
});

Deno.test("a window that fills up changes its colour", () => {
  const colours = createTheme({ depth: "basic" });
  const styled = (percent: number) =>
    row({ ...FULL, window: { percent, tokens: 1, size: 2 } }, 120, AUTO, colours);
  assert.ok(styled(69).includes(colours.paint("dim", "▰▰▰▰▰▰▱▱ 69%")));
  assert.ok(styled(70).includes(colours.paint("warning", "▰▰▰▰▰▰▱▱ 70%")));
  assert.ok(styled(85).includes(colours.paint("error", "▰▰▰▰▰▰▰▱ 85%")));
});

Deno.test("a template is filled in, and stays text where it names nothing", () => {
  const rows: [template: string, row: string][] = [
    ["{model} {window} {cost} {branch}", "qwen3:30b 41% 0.0421 main"],
    ["{project}: {tokens}, {cache}, {speed}", "shop: 6,717/16,384, 93% cached, 38 tok/s"],
    ["{mode} {queue} {changes} {bar}", "plan 2 queued 3 ▰▰▰▰▱▱▱▱"],
    ["{nothing} {constructor} {}", "{nothing} {constructor} {}"],
    ["{cost}", "0.0421"],
  ];
  for (const [text, wanted] of rows) {
    assert.equal(row(FULL, 80, { kind: "template", text }), wanted);
  }
  assert.equal(
    row({ project: "p", model: "m", tasks: 0, queued: 0 }, 80, {
      kind: "template",
      text: "{cost}",
    }),
    "",
  );
  assert.equal(row(FULL, 10, { kind: "template", text: "{tokens} of it" }), "6,717/16,…");
});

Deno.test("no name and no program puts a control sequence or a second line into the row", () => {
  const evil = "a\x1b]0;t\x07b\x1b[2J\nc\u202ed\t e";
  const state = { ...FULL, model: evil, mode: evil, project: evil, git: { branch: evil } };
  const forms: StatusForm[] = [
    AUTO,
    { kind: "template", text: "{model} {mode} {project} {branch}\x1b[2J" },
    { kind: "given", text: evil },
  ];
  for (const form of forms) {
    const shown = row(state, 200, form);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(shown, /[\x00-\x1f\u202e]/);
    assert.match(shown, /ab c�d e/);
  }
});
