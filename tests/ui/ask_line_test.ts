import assert from "node:assert/strict";
import { askLine } from "../../src/ui/ask_line.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

const LONG = "one two three four five six seven eight nine ten eleven twelve";

function ask(options: { isHidden?: boolean; initial?: string; columns?: number; rows?: number }) {
  const { columns = 20, rows = 12, ...how } = options;
  const terminal = new MemoryTerminal({ columns, rows });
  const { signal } = new AbortController();
  const answer = askLine("A name?", { terminal, theme: createTheme(terminal), signal, ...how });
  return { terminal, answer };
}

Deno.test("a long answer takes as many rows as it needs, broken at words, with the cursor among them", async () => {
  const { terminal, answer } = ask({ initial: LONG });
  assert.deepEqual(terminal.lines, [
    "",
    "A name?",
    "› one two three",
    "  four five six",
    "  seven eight nine",
    "  ten eleven twelve",
  ]);
  assert.deepEqual(terminal.cursor, { row: 5, column: 19 });
  terminal.type("\x1b[A\x1b[A\x01X");
  assert.equal(terminal.lines[2], "› Xone two three");
  terminal.type("\r");
  assert.equal(await answer, `X${LONG}`);
});

Deno.test("a hidden answer shows a dot for each character in as many rows, and never itself", async () => {
  const { terminal, answer } = ask({ isHidden: true });
  terminal.type("secret-".repeat(5));
  assert.deepEqual(terminal.lines.slice(2), [`› ${"·".repeat(17)}`, `  ${"·".repeat(17)}`, "  ·"]);
  terminal.type("\x1b[A\x1b[D\x0b");
  assert.deepEqual(terminal.lines.slice(2), [`› ${"·".repeat(17)}`]);
  terminal.type("\r");
  assert.equal(await answer, "secret-secret-sec");
  assert.doesNotMatch(terminal.output, /secret|sec/);
  assert.equal(terminal.lines.at(-1), "A name? given");
});

Deno.test("an answer taller than its room shows the rows around the cursor, after a resize too", async () => {
  const { terminal, answer } = ask({ initial: `${LONG} ${LONG}`, rows: 10 });
  assert.match(terminal.screen, /A name\?\n↑/);
  assert.match(terminal.screen, /twelve$/);
  terminal.resize(80, 10);
  await terminal.shown(`› ${LONG} one two`);
  terminal.type("\x1b");
  await terminal.shown("A name? -");
  assert.equal(await answer, undefined);
});

Deno.test("what was typed behind the Enter of an answer is for who asks next", async () => {
  const { terminal, answer } = ask({});
  terminal.type("a\rb\r");
  assert.equal(await answer, "a");
  const { signal } = new AbortController();
  const next = askLine("And then?", { terminal, theme: createTheme(terminal), signal });
  assert.equal(await next, "b");
});

Deno.test("a question mark in an answer is a question mark: the keys of a message are not shown", async () => {
  const { terminal, answer } = ask({});
  terminal.type("?");
  assert.deepEqual(terminal.lines, ["", "A name?", "› ?"]);
  terminal.type("\r");
  assert.equal(await answer, "?");
});
