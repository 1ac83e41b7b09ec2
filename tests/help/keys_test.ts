/**
 * The help page on keys: its tables are those of the program, and each habit is pressed and does what the page says.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Habit, HABITS } from "../../scripts/habits.ts";
import { withKeys } from "../../scripts/key_tables.ts";
import { KEY_BINDINGS } from "../../src/ui/key_bindings.ts";
import { editLine } from "../../src/ui/line_editor.ts";
import { LineInput } from "../../src/ui/line_input.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { stage } from "../support/program.ts";

const HISTORY = ["explain it", "git status"];

/** What a terminal sends for keys that are no letters. */
const SENT: Readonly<Record<string, string>> = {
  "Enter": "\r",
  "Shift+Enter": "\x1b[13;2u",
  "Alt+Enter": "\x1b\r",
  "Alt+Backspace": "\x1b\x7f",
  "Backspace": "\x7f",
  "Tab": "\t",
  "Shift+Tab": "\x1b[Z",
  // As a terminal sends it that says each key for itself: alone it would be waited for.
  "Esc": "\x1b[27u",
  "Up": "\x1b[A",
  "Down": "\x1b[B",
  "Home": "\x1b[H",
  "End": "\x1b[F",
  "Ctrl+Left": "\x1b[1;5D",
  "Ctrl+Right": "\x1b[1;5C",
  "Ctrl+_": "\x1f",
  "Space": " ",
};

/** The bytes of keys that are pressed one after the other. */
function sentFor(press: string): string[] {
  return press.split(" ").map((key) => {
    const [, modifier, letter] = /^(Ctrl|Alt)\+([A-Z])$/.exec(key) ?? [];
    if (SENT[key] !== undefined) return SENT[key];
    if (letter === undefined) return key;
    return modifier === "Alt"
      ? `\x1b${letter.toLowerCase()}`
      : String.fromCharCode(letter.charCodeAt(0) - 64);
  });
}

async function tryInLine(
  press: string,
  { line: [before, after], editing }: Habit & { line: readonly [string, string] },
): Promise<void> {
  const terminal = new MemoryTerminal({ columns: 60 });
  const theme = createTheme(terminal);
  const context = { from: 0, items: [{ label: "/context", insert: "/context" }] };
  const entered = editLine(terminal, {
    theme,
    history: () => HISTORY,
    suggest: ({ text }) => Promise.resolve(text === "/conte" ? context : undefined),
    line: new LineInput({ editing: () => editing ?? "emacs" }),
  });
  const [left = "", right = ""] = before.split("|");
  terminal.type(left + right);
  for (const _ of right) terminal.type("\x1b[D");
  for (const keys of sentFor(press)) {
    terminal.type(keys);
    await new Promise((resolve) => setTimeout(resolve));
  }
  terminal.type("|");
  await terminal.shown("|");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text: after });
}

async function tryInSession(press: string, screen: RegExp): Promise<void> {
  await using at = await stage([], {
    "notes.md": "one\n",
    "elsewhere.sh": "echo edited elsewhere > $1\n",
  });
  const { place } = at;
  await Deno.mkdir(place.home);
  const lines = HISTORY.map((text) => `${JSON.stringify(text)}\n`).join("");
  await Deno.writeTextFile(join(place.home, "history"), lines);
  const EDITOR = `sh ${join(place.dir, "elsewhere.sh")}`;
  await using session = startInTerminal(place, { env: { EDITOR }, columns: 100, rows: 40 });
  await session.shows("›");
  for (const keys of sentFor(press)) await session.keys("-l", keys);
  await session.shows(screen);
}

/** Tries a habit with one of its keys. */
async function tryHabit(habit: Habit, press: string): Promise<void> {
  const { line, screen } = habit;
  if (line !== undefined) await tryInLine(press, { ...habit, line });
  if (screen !== undefined) await tryInSession(press, screen);
}

for (const habit of HABITS) {
  for (const press of habit.press) {
    Deno.test(`${press}, as in ${habit.from}: ${habit.here}`, () => tryHabit(habit, press));
  }
}

Deno.test("each habit can be tried", () => {
  for (const { line, screen, here } of HABITS) assert.ok(line ?? screen, here);
});

Deno.test("the help page of keys has the tables that `deno task docs` writes, with every key", async () => {
  const page = await Deno.readTextFile(new URL("../../src/help/keys.md", import.meta.url));
  assert.equal(page, withKeys(page));
  for (const { does } of KEY_BINDINGS) assert.ok(page.includes(does), does);
});
