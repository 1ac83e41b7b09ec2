import assert from "node:assert/strict";
import { pickFromList } from "../../src/ui/pick_list.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

const ENTRIES = Array.from({ length: 20 }, (_, n) => ({ value: n, label: `entry number ${n}` }));

Deno.test("what narrows a list is a line below its question, with its cursor and its rows", async () => {
  const terminal = new MemoryTerminal({ columns: 24, rows: 24 });
  const { signal } = new AbortController();
  const theme = createTheme(terminal);
  const chosen = pickFromList("Which entry?", { terminal, theme, signal, entries: ENTRIES });
  assert.deepEqual(terminal.lines.slice(0, 4), ["", "Which entry?", "›", "❯ entry number 0"]);
  assert.equal(terminal.lines.length, 12);
  assert.deepEqual(terminal.cursor, { row: 2, column: 2 });
  terminal.type("entry number 19 and more");
  assert.deepEqual(terminal.lines, [
    "",
    "Which entry?",
    "› entry number 19 and",
    "  more",
    "  nothing matches",
  ]);
  assert.deepEqual(terminal.cursor, { row: 3, column: 6 });
  terminal.type("\x17\x17\x17");
  assert.equal(terminal.lines[2], "› entry number");
  terminal.type("\x01X\x1f");
  assert.equal(terminal.lines[2], "› entry number");
  terminal.type("\x0519\r");
  assert.equal(await chosen, 19);
  assert.equal(terminal.screen, "Which entry? entry num…");
});

Deno.test("on a low screen a list takes no more than a terminal of twenty columns has room for", async () => {
  for (let rows = 6; rows < 16; rows++) {
    for (const columns of [20, 40, 100]) {
      const terminal = new MemoryTerminal({ columns, rows });
      const { signal } = new AbortController();
      const theme = createTheme(terminal);
      void pickFromList("Which entry?", { terminal, theme, signal, entries: ENTRIES });
      await terminal.shown(/❯ entry/);
      const broken = terminal.lines.map((line) => Math.max(1, Math.ceil(line.length / 20)));
      const needed = broken.reduce((sum, count) => sum + count, 0);
      assert.ok(needed <= rows, `${needed} rows of ${rows} at ${columns}:\n${terminal.screen}`);
      assert.match(terminal.screen, /^Which entry\?\n›\n❯ entry/);
    }
  }
});

Deno.test("entries whose facts have no room keep the last ones, which tell equal names apart", () => {
  const label = "a long talk about everything there is to say";
  const entries = ["now", "3 min ago"].map((age) => ({
    value: age,
    label,
    detail: `main · 211 turns · 145.4 KB · ${age}`,
  }));
  const rows = [
    [100, /say {2,}main · 211 turns · 145\.4 KB · now$/],
    [60, /everything… {2}211 turns · 145\.4 KB · now$/],
    [30, /… {2}now$/],
  ] as const;
  for (const [columns, expected] of rows) {
    const terminal = new MemoryTerminal({ columns, rows: 24 });
    const { signal } = new AbortController();
    const theme = createTheme(terminal);
    void pickFromList("Which?", { terminal, theme, signal, entries });
    assert.match(terminal.lines[3] ?? "", expected);
    assert.match(terminal.lines[4] ?? "", /3 min ago$/);
  }
});

Deno.test("where nothing can be redrawn, the entries that a filter means are listed with their facts, in rows that break at words", async () => {
  const entries = [
    { value: "a", label: "alpha: the first of all letters", detail: "on (default)" },
    { value: "b", label: "beta: the second one" },
    { value: "g", label: "gamma: another letter" },
  ];
  const pick = (options: { filter?: string; current?: string }) => {
    const terminal = new MemoryTerminal({ columns: 30, rows: 12, canRedraw: false });
    const { signal } = new AbortController();
    const theme = createTheme(terminal);
    const chosen = pickFromList("Which?", { terminal, theme, signal, entries, ...options });
    return { terminal, chosen };
  };
  const some = pick({ filter: "letter", current: "g" });
  assert.deepEqual(some.terminal.lines, [
    "Which?",
    "  1  alpha: the first of all",
    "     letters; on (default)",
    "  2  gamma: another letter;",
    "     chosen now",
    "[1-2]",
  ]);
  some.terminal.type("2\n");
  assert.equal(await some.chosen, "g");
  const none = pick({ filter: "delta" });
  assert.equal(await none.chosen, undefined);
  assert.deepEqual(none.terminal.lines, ["Which?", "  nothing matches"]);
});
