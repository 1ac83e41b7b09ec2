import assert from "node:assert/strict";
import { runRepl } from "../../src/ui/repl.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

const BANNER = {
  version: "1.2.3",
  model: "m",
  endpoint: "http://localhost:1/v1",
  cwd: "/work",
  notes: [],
};

function start(options: { columns?: number; firstLine?: string } = {}) {
  const terminal = new MemoryTerminal(options);
  const lines: string[] = [];
  const waiting = options.firstLine === undefined ? [] : [options.firstLine];
  const ended = runRepl({
    terminal,
    theme: createTheme(terminal),
    banner: BANNER,
    prompt: () => ({}),
    onLine(text) {
      lines.push(text);
      terminal.write(`did ${text}\n`);
      return Promise.resolve(text === "/exit" ? "exit" : "continue");
    },
    queued: () => waiting.shift(),
  });
  return { terminal, lines, ended };
}

Deno.test("the banner says who is there, and each line is handed on until one says exit", async () => {
  const { terminal, lines, ended } = start();
  for (const part of ["ally 1.2.3 · m", BANNER.endpoint, BANNER.cwd]) await terminal.shown(part);
  terminal.type("one\r");
  await terminal.shown("did one\n›");
  terminal.type("  \r");
  terminal.type("/exit\r");
  await ended;
  assert.deepEqual(lines, ["one", "/exit"]);
});

Deno.test("a first message is taken before anything is typed", async () => {
  const { terminal, lines, ended } = start({ firstLine: "fix it", columns: 40 });
  await terminal.shown("› fix it\ndid fix it\n›");
  terminal.type("\x04");
  await ended;
  assert.deepEqual(lines, ["fix it"]);
  for (const line of terminal.lines) assert.ok(line.length <= 40);
});
