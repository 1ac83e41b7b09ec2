import assert from "node:assert/strict";
import type { BannerFacts } from "../../src/ui/banner.ts";
import { runRepl } from "../../src/ui/repl.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

const BANNER = {
  version: "1.2.3",
  model: "m",
  endpoint: "http://localhost:1/v1",
  cwd: "/work",
  facts: { notes: [] },
};

function start(
  { facts = BANNER.facts, ...options }: {
    columns?: number;
    firstLine?: string;
    facts?: BannerFacts | Promise<BannerFacts>;
  } = {},
) {
  const terminal = new MemoryTerminal(options);
  const lines: string[] = [];
  const waiting = options.firstLine === undefined ? [] : [options.firstLine];
  const ended = runRepl({
    terminal,
    theme: createTheme(terminal),
    banner: { ...BANNER, facts },
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

Deno.test("a person types while facts are found out, which then stand where a row held their place", async () => {
  const facts = Promise.withResolvers<BannerFacts>();
  const { terminal, lines, ended } = start({ facts: facts.promise });
  await terminal.shown("sandbox: being tried");
  terminal.type("wor");
  await terminal.shown("› wor");
  const before = terminal.lines;
  facts.resolve({ notes: ["sandbox: tried"], tip: "Tip: none" });
  await terminal.shown("Tip: none\n\n› wor");
  assert.deepEqual(
    terminal.lines.slice(0, 6),
    before.slice(0, 6).map((line) => line.replace("being tried", "tried")),
  );
  terminal.type("ds\r/exit\r");
  await ended;
  assert.deepEqual(lines, ["words", "/exit"]);
  assert.equal(terminal.screen.split("sandbox").length, 2);
});

Deno.test("a line sent before the facts are known waits for them, and both are on the screen once", async () => {
  const facts = Promise.withResolvers<BannerFacts>();
  const { terminal, lines, ended } = start({ facts: facts.promise });
  terminal.type("words\r");
  await terminal.shown((screen) => /› words\s*$/.test(screen) && !screen.includes("tried"));
  assert.deepEqual(lines, []);
  facts.resolve({ notes: ["sandbox: tried"] });
  await terminal.shown("› words\n\nsandbox: tried\ndid words\n›");
  terminal.type("/exit\r");
  await ended;
  assert.deepEqual(lines, ["words", "/exit"]);
});
