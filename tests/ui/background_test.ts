import assert from "node:assert/strict";
import { askBackground } from "../../src/ui/background.ts";
import { BACKGROUND_QUERY } from "../../src/ui/sequences.ts";
import { watchKeys } from "../../src/ui/keys.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

Deno.test("the terminal says whether its background is light, and what is typed meanwhile is not lost", async () => {
  for (
    const [color, isLight, depth] of [
      ["ffff/ffff/ffff", true, "256"],
      ["1e1e/1e1e/2e2e", false, "256"],
      ["ffff/ffff/ffff", true, "basic"],
    ] as const
  ) {
    const terminal = new MemoryTerminal({ depth, env: { TERM: "xterm" } });
    const answer = askBackground(terminal);
    assert.ok(terminal.output.endsWith(BACKGROUND_QUERY));
    terminal.type(`a\x1b]11;rgb:${color}\x1b\\b`);
    assert.equal(await answer, isLight);
    const watch = watchKeys(terminal, { onInterrupt: () => {} });
    terminal.type("c");
    assert.equal(watch.text, "abc");
    watch.release();
  }
});

Deno.test("who begins to listen before the terminal answers gets what was typed till then, in order", async () => {
  const terminal = new MemoryTerminal({ depth: "truecolor" });
  const answer = askBackground(terminal);
  terminal.type("a");
  terminal.type("b");
  const watch = watchKeys(terminal, { onInterrupt: () => {} });
  await Promise.resolve();
  terminal.type("c");
  assert.equal(watch.text, "abc");
  assert.equal(await answer, undefined);
  assert.equal(watch.text, "abc");
  watch.release();
});

Deno.test("a terminal that says nothing of its background is not waited for long", async () => {
  assert.equal(await askBackground(new MemoryTerminal({ depth: "truecolor" })), undefined);
});

Deno.test("a terminal is not asked for its background where that changes no colour, or where it might show the question", async () => {
  const rows = [
    { depth: "none", env: { TERM: "xterm" } },
    { depth: "256", canRedraw: false },
    { depth: "basic", env: { TERM: "linux" } },
  ] as const;
  for (const options of rows) {
    const terminal = new MemoryTerminal(options);
    assert.equal(await askBackground(terminal), undefined);
    assert.equal(terminal.output, "");
  }
});
