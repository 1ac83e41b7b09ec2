import assert from "node:assert/strict";
import { pickFromList } from "../../src/ui/pick_list.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

const ENTRIES = Array.from({ length: 20 }, (_, n) => ({ value: n, label: `entry number ${n}` }));

Deno.test("what narrows a list is a line below its question, with its cursor and its rows", async () => {
  const terminal = new MemoryTerminal({ columns: 24, rows: 12 });
  const { signal } = new AbortController();
  const theme = createTheme(terminal);
  const chosen = pickFromList("Which entry?", { terminal, theme, signal, entries: ENTRIES });
  assert.deepEqual(terminal.lines.slice(0, 4), ["", "Which entry?", "›", "❯ entry number 0"]);
  assert.equal(terminal.lines.length, 11);
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
