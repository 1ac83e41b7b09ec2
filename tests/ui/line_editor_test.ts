import assert from "node:assert/strict";
import { editLine, type EditLineOptions } from "../../src/ui/line_editor.ts";
import { LineInput } from "../../src/ui/line_input.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { until } from "../support/wait.ts";

function stage(
  options: Omit<EditLineOptions, "theme"> & {
    columns?: number;
    rows?: number;
    canRedraw?: boolean;
  } = {},
) {
  const terminal = new MemoryTerminal(options);
  const theme = createTheme(terminal);
  return { terminal, edit: () => editLine(terminal, { ...options, theme }) };
}

Deno.test("a line is returned whole, wide characters too", async () => {
  const { terminal, edit } = stage();
  const entered = edit();
  terminal.type("héllo 日本 😀");
  terminal.type("\x7f!\r");
  assert.deepEqual(await entered, { kind: "line", text: "héllo 日本 !" });
  assert.equal(terminal.screen, "› héllo 日本 !");
  assert.equal(terminal.raw, false);
});

Deno.test("history goes back with the arrow and gets the line sent", async () => {
  const remembered: string[] = [];
  const { terminal, edit } = stage({
    history: () => ["oldest", "newest"],
    onHistory: (text) => remembered.push(text),
  });
  const entered = edit();
  terminal.type("\x1b[A");
  terminal.type("\x1b[A");
  terminal.type(" again\r");
  assert.deepEqual(await entered, { kind: "line", text: "oldest again" });
  assert.deepEqual(remembered, ["oldest again"]);
});

Deno.test("a backslash at the end, Alt+Enter and Ctrl+J go on in the next line", async () => {
  const { terminal, edit } = stage();
  const entered = edit();
  terminal.type("one\\\rtwo\x1b\rthree\nfour\r");
  assert.deepEqual(await entered, { kind: "line", text: "one\ntwo\nthree\nfour" });
  assert.equal(terminal.screen, "› one\n  two\n  three\n  four");
});

Deno.test("a paste of many lines is one message, shown by its size", async () => {
  const { terminal, edit } = stage();
  const entered = edit();
  const text = Array.from({ length: 40 }, (_, line) => `line ${line} $&`).join("\n");
  terminal.type(`look: \x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~`);
  assert.equal(terminal.screen, "› look: [paste 1: 40 lines]");
  terminal.type(" ok\r");
  assert.deepEqual(await entered, { kind: "line", text: `look: ${text} ok` });
});

Deno.test("what was said before comes back as it was, and can be edited; so does what was typed ahead", async () => {
  const text = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
  const { terminal, edit } = stage({ history: () => ["older", `${text}\n`, "newest"] });
  const entered = edit();
  terminal.type("\x1bp\x1bp");
  assert.match(terminal.screen, /^↑ line 19\n[^]*\n {2}line 29$/);
  terminal.type(" again\x1b[1;5H\x1bd\r");
  assert.deepEqual(await entered, { kind: "line", text: `${text.replace("line", "")}\n again` });
  assert.match(terminal.screen, /^› {2}0\n {2}line 1\n[^]*\n {2}line 29\n {3}again$/);
  const begun = stage({ initialText: text });
  const second = begun.edit();
  assert.match(begun.terminal.screen, /\n {2}line 29$/);
  begun.terminal.type("\r");
  assert.deepEqual(await second, { kind: "line", text });
});

Deno.test("a short paste is shown as it is, without its control characters", async () => {
  const { terminal, edit } = stage();
  const entered = edit();
  terminal.type("\x1b[200~a\rb\x1b[2Jc\r\x1b[201~\r");
  assert.deepEqual(await entered, { kind: "line", text: "a\nbc" });
  assert.equal(terminal.output.includes("\x1b[2J"), false);
});

Deno.test("Ctrl+C clears a half-typed line, and interrupts on an empty one", async () => {
  const interrupts: boolean[] = [];
  const { terminal, edit } = stage({ onInterrupt: (hadText) => void interrupts.push(hadText) });
  const entered = edit();
  terminal.type("half");
  terminal.type("\x03");
  assert.equal(terminal.screen, "›");
  terminal.type("\x03");
  assert.deepEqual(await entered, { kind: "interrupt" });
  assert.deepEqual(interrupts, [true, false]);
});

Deno.test("Ctrl+D on an empty line and the end of input leave", async () => {
  const { terminal, edit } = stage();
  const first = edit();
  terminal.type("\x04");
  assert.deepEqual(await first, { kind: "exit" });
  const second = edit();
  terminal.type("half");
  terminal.end();
  assert.deepEqual(await second, { kind: "exit" });
});

Deno.test("an abort ends the prompt", async () => {
  const abort = new AbortController();
  const { edit } = stage({ signal: abort.signal });
  const entered = edit();
  abort.abort();
  assert.deepEqual(await entered, { kind: "interrupt" });
});

Deno.test("text typed earlier is there to be changed", async () => {
  const { terminal, edit } = stage({ initialText: "typed before" });
  const entered = edit();
  assert.equal(terminal.screen, "› typed before");
  terminal.type("!\r");
  assert.deepEqual(await entered, { kind: "line", text: "typed before!" });
});

Deno.test("what follows Enter is kept for the next prompt", async () => {
  const { terminal, edit } = stage();
  terminal.type("one\rtwo\r");
  assert.deepEqual(await edit(), { kind: "line", text: "one" });
  assert.deepEqual(await edit(), { kind: "line", text: "two" });
});

Deno.test("Ctrl+L clears the screen and keeps the line", async () => {
  const { terminal, edit } = stage();
  terminal.write("noise\n");
  const entered = edit();
  terminal.type("text");
  terminal.type("\x0c");
  await until("the clear screen", () => terminal.screen === "› text");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text: "text" });
});

Deno.test("where one cell is left the prompt has its sign", async () => {
  for (
    const [columns, before, after] of [[7, "›", "› ab"], [5, "›", "›ab"], [3, "›", "›a\n b"], [
      2,
      "›",
      "a\nb",
    ]] as const
  ) {
    const { terminal, edit } = stage({ columns, mode: () => "all allowed" });
    const line = edit();
    const shown = () => terminal.screen.replace(/^all a.*\n/, "");
    assert.equal(shown(), before);
    terminal.type("ab");
    assert.equal(shown(), after);
    terminal.type("\r");
    assert.deepEqual(await line, { kind: "line", text: "ab" });
  }
});

Deno.test("a terminal of one column takes a line", async () => {
  const { terminal, edit } = stage({ columns: 1 });
  const entered = edit();
  terminal.type("abc\r");
  assert.deepEqual(await entered, { kind: "line", text: "abc" });
});

Deno.test("a terminal without cursor movement gives its lines without an escape sequence", async () => {
  const { terminal, edit } = stage({ canRedraw: false });
  terminal.type("one\ntwo\n");
  assert.deepEqual(await edit(), { kind: "line", text: "one" });
  assert.deepEqual(await edit(), { kind: "line", text: "two" });
  terminal.end();
  assert.deepEqual(await edit(), { kind: "exit" });
  assert.equal(terminal.output, "› › › ");
});

Deno.test("rows break at words and are set in; the cursor is where the next letter goes", async () => {
  const { terminal, edit } = stage({ columns: 21 });
  const entered = edit();
  terminal.type("a message of several words, 日本語の文章 and 👩‍🚀s");
  assert.equal(terminal.screen, "› a message of\n  several words, 日\n  本語の文章 and 👩‍🚀s");
  assert.deepEqual(terminal.cursor, { row: 2, column: 20 });
  terminal.type("\x1b[A");
  assert.deepEqual(terminal.cursor, { row: 1, column: 17 });
  terminal.type("X");
  assert.match(terminal.screen, /\n {2}several words, X日\n {2}本語/);
  terminal.type("\x1b[F!\r");
  const { text } = (await entered) as { text: string };
  assert.equal(text, "a message of several words, X日本語の文章 and 👩‍🚀s!");
});

Deno.test("Up and Down move in a message, and recall from its first and last row", async () => {
  const { terminal, edit } = stage({ history: () => ["older", "newer"] });
  const entered = edit();
  terminal.type("one\x1b[13;2utwo long\x1b[13;2uthree");
  terminal.type("\x1b[A");
  assert.deepEqual(terminal.cursor, { row: 1, column: 7 });
  terminal.type("\x1b[A\x1b[B\x1b[A");
  assert.deepEqual(terminal.cursor, { row: 0, column: 5 });
  terminal.type("\x01\x1b[A");
  assert.equal(terminal.screen, "› newer");
  terminal.type("\x1b[A\x1b[A");
  assert.equal(terminal.screen, "› older");
  terminal.type("\x1b[B\x1b[B");
  assert.equal(terminal.screen, "› one\n  two long\n  three");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text: "one\ntwo long\nthree" });
});

Deno.test("what stands before the cursor says which earlier messages are meant", async () => {
  const { terminal, edit } = stage({
    history: () => ["git add", "ls", "git push", "cat", "git push"],
  });
  const entered = edit();
  terminal.type("git");
  terminal.type("\x1b[A");
  assert.equal(terminal.screen, "› git push");
  terminal.type("\x1b[A\x1b[A");
  assert.equal(terminal.screen, "› git add");
  terminal.type("\x1bn\x1bn");
  assert.equal(terminal.screen, "› git");
  terminal.type("\x15\x1bp\x1bp\x1bp\r");
  assert.deepEqual(await entered, { kind: "line", text: "ls" });
});

Deno.test("of a text taller than the screen one sees what is around the cursor", async () => {
  const { terminal, edit } = stage({ columns: 40, rows: 6 });
  terminal.write("before\n");
  const entered = edit();
  const text = Array.from({ length: 9 }, (_, n) => `line ${n}`).join("\n");
  terminal.type(text.replaceAll("\n", "\x1b\r"));
  assert.equal(terminal.screen, "before\n↑ line 4\n  line 5\n  line 6\n  line 7\n  line 8");
  terminal.type("\x1b[1;5H");
  assert.equal(terminal.screen, "before\n› line 0\n  line 1\n  line 2\n  line 3\n↓ line 4");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text });
  assert.equal(terminal.screen, `before\n› ${text.replaceAll("\n", "\n  ")}`);
});

Deno.test("each letter writes no more than itself", () => {
  const { terminal, edit } = stage();
  edit();
  terminal.type("a few words");
  const before = terminal.output.length;
  terminal.type("!");
  assert.equal(terminal.output.slice(before), "!");
  terminal.end();
});

Deno.test("a paste is deleted as one, and Ctrl+O shows its text", async () => {
  const { terminal, edit } = stage();
  const entered = edit();
  const text = Array.from({ length: 12 }, (_, n) => `line ${n}`).join("\n");
  terminal.type(`look \x1b[200~${text}\x1b[201~\x7fat`);
  assert.equal(terminal.screen, "› look at");
  terminal.type(` \x1b[200~${text}\x1b[201~`);
  assert.equal(terminal.screen, "› look at [paste 2: 12 lines]");
  terminal.type("\x0f");
  assert.match(terminal.screen, /^› look at line 0\n {2}line 1\n[^]* {2}line 11$/);
  terminal.type("\x1f\r");
  assert.deepEqual(await entered, { kind: "line", text: `look at ${text}` });
});

Deno.test("suggestions open below the line: Tab takes one, Enter sends unless one was chosen, Escape closes them", async () => {
  const asked: string[] = [];
  const suggest: EditLineOptions["suggest"] = ({ text, cursor }) => {
    const word = /@(\w*)$/.exec(text.slice(0, cursor))?.[1];
    asked.push(text);
    const items = ["apple", "avocado", "dir/"].filter((one) => one.startsWith(word ?? "-"))
      .map((insert) => ({ label: insert, insert, more: insert.endsWith("/") }));
    return Promise.resolve({ from: cursor - (word?.length ?? 0), items });
  };
  const { terminal, edit } = stage({ suggest });
  const first = edit();
  terminal.type("eat @");
  await terminal.shown("› eat @\n❯ apple\n  avocado\n  dir/");
  terminal.type("a");
  await terminal.shown((screen) => screen === "› eat @a\n❯ apple\n  avocado");
  assert.deepEqual(terminal.cursor, { row: 0, column: 8 });
  terminal.type("\x1b[B");
  assert.equal(terminal.screen, "› eat @a\n  apple\n❯ avocado");
  terminal.type("\r");
  assert.equal(terminal.screen, "› eat @avocado");
  terminal.type(" @ap");
  await terminal.shown("❯ apple");
  terminal.type("\r");
  assert.deepEqual(await first, { kind: "line", text: "eat @avocado @ap" });
  const second = edit();
  terminal.type("@d");
  await terminal.shown("❯ dir/");
  terminal.type("\t");
  assert.equal(asked.at(-1), "@dir/");
  terminal.type("\x15@a");
  await terminal.shown("❯ apple");
  terminal.type("\x1b");
  await terminal.shown((screen) => screen.endsWith("› @a"));
  terminal.type("\x1b[A\r");
  assert.deepEqual(await second, { kind: "line", text: "@a" });
});

Deno.test("rows over and under the line are drawn again when they change, and do not stay", async () => {
  let redraw = () => {};
  let state = "2 tasks";
  const { terminal, edit } = stage({
    above: () => [`above: ${state}`],
    below: (columns) => [`below: ${state} in ${columns}`],
    refresh(draw) {
      redraw = draw;
      return () => redraw = () => {};
    },
  });
  const entered = edit();
  terminal.type("words");
  assert.equal(terminal.screen, "above: 2 tasks\n› words\nbelow: 2 tasks in 79");
  assert.deepEqual(terminal.cursor, { row: 1, column: 7 });
  state = "1 task";
  redraw();
  assert.equal(terminal.screen, "above: 1 task\n› words\nbelow: 1 task in 79");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text: "words" });
  assert.equal(terminal.screen, "› words");
});

Deno.test("Ctrl+X Ctrl+E and Ctrl+G open the text elsewhere, with its pastes", async () => {
  const given: string[] = [];
  const paused: boolean[] = [];
  const { terminal, edit } = stage({
    edit(text) {
      given.push(text);
      paused.push(terminal.paused);
      return Promise.resolve(
        given.length > 1
          ? { kind: "unchanged", why: "No." }
          : { kind: "text", text: "new\ntext\n" },
      );
    },
  });
  const entered = edit();
  terminal.type("old\x18\x05");
  await terminal.shown("› new\n  text");
  terminal.type("!\x07");
  await terminal.shown("› new\n  text!\nNo.\n› new\n  text!");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text: "new\ntext!" });
  assert.deepEqual(given, ["old", "new\ntext!"]);
  assert.deepEqual(paused, [true, true]);
  assert.equal(terminal.paused, false);
});

Deno.test("a line lasts from one prompt to the next, with what was cut", async () => {
  const line = new LineInput();
  const { terminal, edit } = stage({ line });
  const first = edit();
  terminal.type("one two\x17\r");
  assert.deepEqual(await first, { kind: "line", text: "one " });
  line.buffer.type("typed meanwhile ");
  const second = edit();
  terminal.type("\x19\r");
  assert.deepEqual(await second, { kind: "line", text: "typed meanwhile two" });
});
