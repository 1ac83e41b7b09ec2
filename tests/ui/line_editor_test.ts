import assert from "node:assert/strict";
import { editLine, type EditLineOptions } from "../../src/ui/line_editor.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { until } from "../support/wait.ts";

function stage(
  options: Omit<EditLineOptions, "theme"> & { columns?: number; canRedraw?: boolean } = {},
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
    history: ["oldest", "newest"],
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
  const { terminal, edit } = stage({ history: ["older", `${text}\n`, "newest"] });
  const entered = edit();
  terminal.type("\x1bp\x1bp");
  assert.match(terminal.screen, /^ {2}line 8\n[^]*\n {2}line 29$/);
  terminal.type(" again\x1b[1;5H\x1bd\r");
  assert.deepEqual(await entered, { kind: "line", text: `${text.replace("line", "")}\n again` });
  assert.match(terminal.screen, /^› {2}0\n {2}line 1\n[^]*\n {2}line 29\n {3}again$/);
  const begun = stage({ initialText: text });
  const second = begun.edit();
  assert.match(begun.terminal.screen, /\n {2}line 29$/);
  begun.terminal.type("\r");
  assert.deepEqual(await second, { kind: "line", text });
});

Deno.test("Ctrl+R offers what was said before, narrowed to the line, and puts the choice in its place", async () => {
  const { terminal, edit } = stage({ history: ["git add", "ls", "git push", "git add"] });
  const entered = edit();
  terminal.type("git");
  terminal.type("\x12");
  assert.match(terminal.screen, /Earlier messages: git\n\n❯ git add\n {2}git push$/);
  terminal.type("\x1b[B");
  terminal.type("\r");
  await until("the choice", () => terminal.screen === "› git push");
  terminal.type(" -f\r");
  assert.deepEqual(await entered, { kind: "line", text: "git push -f" });
});

Deno.test("Escape leaves a search with the line as it was", async () => {
  const { terminal, edit } = stage({ history: ["one"] });
  const entered = edit();
  terminal.type("half");
  terminal.type("\x12");
  terminal.type("\x1b");
  await until("the prompt", () => terminal.screen === "› half");
  terminal.type("way\r");
  assert.deepEqual(await entered, { kind: "line", text: "halfway" });
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

Deno.test("Tab completes what the caller offers, and nothing with control characters", async () => {
  const { terminal, edit } = stage({
    complete: (before) => Promise.resolve([["/help", "/he\x1b[2J"], before]),
  });
  const entered = edit();
  terminal.type("/he");
  terminal.type("\t");
  await terminal.shown("/help");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text: "/help" });
});

Deno.test("a completion that comes after the prompt is over changes nothing", async () => {
  const completion = Promise.withResolvers<[string[], string]>();
  const { terminal, edit } = stage({ complete: () => completion.promise });
  const entered = edit();
  terminal.type("/he");
  terminal.type("\t");
  terminal.end();
  assert.deepEqual(await entered, { kind: "exit" });
  completion.resolve([["/help"], "/he"]);
  await completion.promise;
  assert.equal(terminal.screen, "› /he");
});

Deno.test("Ctrl+L clears the screen and keeps the line", async () => {
  const { terminal, edit } = stage();
  terminal.write("noise\n");
  const entered = edit();
  terminal.type("text");
  terminal.type("\x0c");
  assert.equal(terminal.screen, "› text");
  terminal.type("\r");
  assert.deepEqual(await entered, { kind: "line", text: "text" });
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
