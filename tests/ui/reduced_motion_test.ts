/**
 * A screen on which nothing turns, for people whom movement disturbs.
 */
import assert from "node:assert/strict";
import type { EventBody } from "../../src/core/event.ts";
import { Renderer } from "../../src/ui/render.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { START } from "../support/turn_facts.ts";

const MAIN = { id: "a1", name: "main", depth: 0 };
const TIME = "2026-01-01T00:00:00.000Z";

Deno.test("with reduced motion nothing turns, and the screen changes once a second at most", async () => {
  const terminal = new MemoryTerminal();
  let now = 0;
  const ticks: { ms: number; callback: () => void }[] = [];
  const renderer = new Renderer({
    terminal,
    theme: createTheme(terminal),
    cwd: "/work",
    isStill: () => true,
    now: () => now,
    every(ms, callback) {
      ticks.push({ ms, callback });
      return () => {};
    },
  });
  const show = async (fact: EventBody) => {
    renderer.sink({ ...fact, time: TIME, agent: MAIN });
    await renderer.flush();
  };
  for (const fact of START) await show(fact);
  const [spinner] = createTheme(terminal).glyphs.spinner;
  const seen = new Set([terminal.screen]);
  for (let tick = 0; tick < 3; tick++) {
    now += 1000;
    ticks[0]!.callback();
    seen.add(terminal.screen);
  }
  assert.deepEqual(ticks.map(({ ms }) => ms), [1000]);
  assert.equal(seen.size, 4);
  for (const screen of seen) assert.ok(screen.includes(`${spinner} Thinking`), screen);
  const { length } = terminal.output;
  await show({ type: "text_delta", text: "a" });
  now += 999;
  await show({ type: "text_delta", text: "b" });
  assert.ok(!terminal.output.slice(length).includes("ab"));
  now += 1;
  await show({ type: "text_delta", text: "c" });
  assert.ok(terminal.output.slice(length).includes("abc"));
});
