import assert from "node:assert/strict";
import { editLine, type EditLineOptions } from "../../src/ui/line_editor.ts";
import type { Suggestions } from "../../src/ui/suggestion_rows.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

const NAMES = ["main.ts", "mail.ts", "map.ts", "setup.sh", "src/"];

/** Offers the names that begin with what follows an `@`; after `!` only when asked. */
const suggest: NonNullable<EditLineOptions["suggest"]> = ({ text, cursor, isAsked }) => {
  const isShell = text.startsWith("!");
  const letters = /[@ ]([^@\s]*)$/.exec(text.slice(0, cursor))?.[1];
  if (letters === undefined || (isShell ? !isAsked : !text.includes("@"))) {
    return Promise.resolve(undefined);
  }
  const found = NAMES.filter((name) => name.startsWith(letters) && name !== letters);
  return Promise.resolve({
    from: cursor - letters.length,
    items: found.map((name) => ({ label: name, insert: name, more: name.endsWith("/") })),
    ...isShell && { isUnlikely: true },
  });
};

function stage(options: Partial<EditLineOptions> = {}) {
  const terminal = new MemoryTerminal({ columns: 40, rows: 12 });
  const theme = createTheme(terminal);
  return { terminal, edit: () => editLine(terminal, { suggest, ...options, theme }) };
}

Deno.test("a list opens under the line as one types, and Enter sends the line unless one has chosen", async () => {
  const first = stage();
  const sent = first.edit();
  first.terminal.type("see @ma");
  await first.terminal.shown("› see @ma\n❯ main.ts\n  mail.ts\n  map.ts");
  first.terminal.type("\r");
  assert.deepEqual(await sent, { kind: "line", text: "see @ma" });
  assert.equal(first.terminal.screen, "› see @ma");

  const second = stage();
  const chosen = second.edit();
  second.terminal.type("see @ma");
  await second.terminal.shown("❯ main.ts");
  second.terminal.type("\x1b[B");
  assert.match(second.terminal.screen, /❯ mail\.ts/);
  second.terminal.type("\r");
  assert.equal(second.terminal.screen, "› see @mail.ts");
  second.terminal.type(" now\r");
  assert.deepEqual(await chosen, { kind: "line", text: "see @mail.ts now" });
});

Deno.test("a line that begins with text has its list at once", async () => {
  const { terminal, edit } = stage({ initialText: "see @mai" });
  const entered = edit();
  await terminal.shown("› see @mai\n❯ main.ts\n  mail.ts");
  terminal.type("\t\r");
  assert.deepEqual(await entered, { kind: "line", text: "see @main.ts" });
});

Deno.test("Esc closes the list and keeps the line, and the next letter opens it again", async () => {
  const { terminal, edit } = stage();
  const entered = edit();
  terminal.type("@m");
  await terminal.shown("❯ main.ts");
  terminal.type("\x1b");
  await terminal.shown((screen) => screen === "› @m");
  terminal.type("a");
  await terminal.shown("❯ main.ts");
  terminal.type("\t\r");
  assert.deepEqual(await entered, { kind: "line", text: "@main.ts" });
});

Deno.test("Tab takes the likeliest, also of a list that is not there yet, and goes on after a directory", async () => {
  const { terminal, edit } = stage();
  const entered = edit();
  terminal.type("@s\t");
  await terminal.shown((screen) => screen === "› @setup.sh");
  terminal.type("\x15@sr");
  await terminal.shown("❯ src/");
  terminal.type("\t");
  await terminal.shown("› @src/");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text: "@src/" });
});

Deno.test("where none is likelier Tab lists them, and takes one that is alone", async () => {
  const { terminal, edit } = stage();
  const entered = edit();
  terminal.type("!cat ma\t");
  await terminal.shown("› !cat ma\n❯ main.ts\n  mail.ts\n  map.ts");
  terminal.type("p\t");
  await terminal.shown((screen) => screen === "› !cat map.ts");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text: "!cat map.ts" });
});

Deno.test("what is found later joins the list, and what one has chosen stays chosen", async () => {
  const later = Promise.withResolvers<Suggestions>();
  const items = ["b", "c"].map((name) => ({ label: name, insert: name }));
  const { terminal, edit } = stage({
    suggest: () => Promise.resolve({ from: 1, items, later: later.promise }),
  });
  const entered = edit();
  terminal.type("@");
  await terminal.shown("› @\n❯ b\n  c\n  looking for more…");
  terminal.type("\x1b[B");
  later.resolve({ from: 1, items: [{ label: "a", insert: "a" }, ...items], rest: 7 });
  await terminal.shown("› @\n  a\n  b\n❯ c\n  7 more: type on");
  terminal.type("\r\r");
  assert.deepEqual(await entered, { kind: "line", text: "@c" });
});

Deno.test("what is found for other letters, or when the prompt is over, changes nothing", async () => {
  const answers = new Map<string, (found: Suggestions) => void>();
  const { terminal, edit } = stage({
    suggest: ({ text }) => new Promise((resolve) => void answers.set(text, resolve)),
  });
  const entered = edit();
  const found = (name: string) => ({ from: 1, items: [{ label: name, insert: name }] });
  terminal.type("@a");
  terminal.type("b");
  answers.get("@ab")?.(found("abc"));
  await terminal.shown("❯ abc");
  answers.get("@a")?.(found("late"));
  terminal.type("c");
  terminal.end();
  assert.deepEqual(await entered, { kind: "exit" });
  answers.get("@abc")?.(found("later"));
  await Promise.resolve();
  assert.equal(terminal.screen, "› @abc");
});

const EARLIER = ["git push", "ls", "git add"];

/** Finds what contains the letters. */
const search = () => (letters: string) =>
  Promise.resolve({
    items: EARLIER.filter((text) => text.includes(letters))
      .map((text) => ({ label: text, insert: text, detail: text === "ls" ? "site" : "" })),
  });

Deno.test("Ctrl+R searches what was said before: again for older, Ctrl+S for newer, Enter takes it", async () => {
  const { terminal, edit } = stage({ search });
  const entered = edit();
  terminal.type("\x12");
  await terminal.shown("❯ git push");
  assert.match(terminal.screen, /^earlier ›\n❯ git push\n {2}ls +site\n {2}git add$/);
  terminal.type("\x12\x12");
  assert.match(terminal.screen, /❯ git add/);
  terminal.type("\x13");
  assert.match(terminal.screen, /❯ ls/);
  terminal.type("git");
  await terminal.shown((screen) => screen === "earlier › git\n❯ git push\n  git add");
  terminal.type("\x12\r");
  await terminal.shown((screen) => screen === "› git add");
  terminal.type(" -A\r");
  assert.deepEqual(await entered, { kind: "line", text: "git add -A" });
});

for (const [name, key] of [["Esc", "\x1b"], ["Ctrl+G", "\x07"], ["Ctrl+C", "\x03"]] as const) {
  Deno.test(`${name} leaves a search with the line as it was, and no row behind`, async () => {
    const { terminal, edit } = stage({ search });
    terminal.write("before\n");
    const entered = edit();
    terminal.type("ls -l\x1b[D");
    terminal.type("\x12");
    await terminal.shown("nothing matches");
    assert.match(terminal.screen, /earlier › ls -l/);
    terminal.type(key);
    await terminal.shown((screen) => screen === "before\n› ls -l");
    terminal.type("a\r");
    assert.deepEqual(await entered, { kind: "line", text: "ls -al" });
    assert.equal(terminal.screen, "before\n› ls -al");
  });
}

Deno.test("few rows stay empty below the line after a search at the end of the screen", async () => {
  const texts = Array.from({ length: 30 }, (_, n) => `message ${n}`);
  const items = texts.map((text) => ({ label: text, insert: text }));
  const { terminal, edit } = stage({ search: () => () => Promise.resolve({ items }) });
  for (let n = 0; n < 30; n++) terminal.write(`before ${n}\n`);
  const entered = edit();
  terminal.type("\x12");
  await terminal.shown("❯ message 0");
  terminal.type("\x12\x12");
  assert.match(terminal.screen, /message 1\n❯ message 2\n[^]*26 more: type on$/);
  terminal.type("\x07");
  await terminal.shown((screen) => screen.endsWith("before 29\n›"));
  assert.ok(terminal.cursor.row >= 30, String(terminal.cursor.row));
  terminal.type("\r");
  await entered;
});

Deno.test("letters typed together with Enter in a search count", async () => {
  const { terminal, edit } = stage({ search });
  const entered = edit();
  terminal.type("\x12ls\r");
  await terminal.shown((screen) => screen === "› ls");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text: "ls" });
});
