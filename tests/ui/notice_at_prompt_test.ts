import assert from "node:assert/strict";
import type { EventBody } from "../../src/core/event.ts";
import { Renderer } from "../../src/ui/render.ts";
import { runRepl } from "../../src/ui/repl.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

Deno.test("a notice at the prompt stands over it, below the banner, and leaves what is typed", async () => {
  const terminal = new MemoryTerminal();
  const theme = createTheme(terminal);
  const renderer = new Renderer({ terminal, theme, cwd: "/" });
  const agent = { id: "a1", name: "main", depth: 0 };
  const say = (text: string) => {
    const notice: EventBody = { type: "notice", level: "info", text };
    renderer.sink({ ...notice, time: new Date().toISOString(), agent });
  };
  const facts = Promise.withResolvers<{ notes: string[] }>();
  const lines: string[] = [];
  const ended = runRepl({
    terminal,
    theme,
    banner: { version: "1", model: "m", endpoint: "e", cwd: "/", facts: facts.promise },
    onBegin: () => Promise.resolve(renderer.follow({ isApart: true })),
    queued: () => undefined,
    prompt: () => ({
      standing: () => renderer.prompt.take(),
      refresh: (draw) => renderer.prompt.lend(draw),
    }),
    onLine(text) {
      lines.push(text);
      return Promise.resolve("exit");
    },
  });
  terminal.type("wor");
  await terminal.shown("› wor");
  say("early");
  facts.resolve({ notes: ["sandbox: tried"] });
  await terminal.shown(/sandbox: tried\n[^]*Ctrl\+C stops\n\n· early\n\n› wor$/);
  say("late");
  await terminal.shown(/· early\n\n· late\n\n› wor$/);
  terminal.type("ds\r");
  await ended;
  assert.deepEqual(lines, ["words"]);
  assert.equal(terminal.screen.split("› ").length, 2);
});
