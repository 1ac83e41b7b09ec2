import assert from "node:assert/strict";
import type { EventBody } from "../../src/core/event.ts";
import type { AgentIdentity } from "../../src/core/tool.ts";
import { Renderer } from "../../src/ui/render.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { call, end, ended, FOOTER, START } from "../support/turn_facts.ts";

const MAIN: AgentIdentity = { id: "a1", name: "main", depth: 0 };
const CHILD: AgentIdentity = { id: "a2", name: "explore", depth: 1 };

function stage() {
  const terminal = new MemoryTerminal({});
  const theme = createTheme(terminal);
  const clock = { now: () => 0, every: () => () => {} };
  const renderer = new Renderer({ terminal, theme, cwd: "/work", ...clock });
  const show = async (facts: readonly EventBody[], agent = MAIN) => {
    const time = "2026-01-01T00:00:00.000Z";
    for (const fact of facts) renderer.sink({ ...fact, time, agent });
    await renderer.flush();
  };
  return { terminal, show };
}

Deno.test("what agents do stands under the call they work for, whatever ids their calls have", async () => {
  const { terminal, show } = stage();
  const one = { ...CHILD, call_id: "c1" };
  const two = { ...one, id: "a3", name: "explore 2" };
  await show([...START, ...call("c1", "agent", "2 agents: explore")]);
  await show([{ type: "turn_start", prompt: "find the bug" }, ...call("c1", "grep", "x")], one);
  await show([{ type: "turn_start", prompt: "run it" }, ...call("c1", "bash", "make")], two);
  await show([{ type: "text_delta", text: "for the model only" }, ended("c1", "grep", [])], one);
  assert.equal(
    terminal.screen,
    `
● agent 2 agents: explore
  ○ explore find the bug
  ○ explore 2 run it
  ● explore grep x
  ○ explore is thinking… · 1 call
  ● explore 2 bash make

⠋ Running… 0s · Ctrl+C to stop`,
  );
  await show([end({ reason: "error", error: "refused" })], two);
  await show([end()], one);
  await show([ended("c1", "agent", ["1 of 2 tasks complete"], 3000), end()]);
  assert.equal(
    terminal.screen,
    `
● agent 2 agents: explore
  ○ explore find the bug
  ○ explore 2 run it
  ● explore grep x
  ✗ explore 2 failed · 1.5s
    ⎿ refused
  ● explore is done · 1 call · 1.5s
  ⎿ 1 of 2 tasks complete · 3.0s

${FOOTER}`,
  );
});

Deno.test("each of two agent calls has one heading, a single task is said once, and an answer in its ends", async () => {
  const { terminal, show } = stage();
  const a = { ...CHILD, call_id: "c1" };
  const b = { ...CHILD, id: "a3", name: "explore 2", call_id: "c2" };
  await show([
    ...START,
    ...call("c1", "agent", "explore: one"),
    ...call("c2", "agent", "explore: two"),
  ]);
  await show(
    [{ type: "turn_start", prompt: "one" }, ...call("x", "ls", "."), ended("x", "ls", [])],
    a,
  );
  await show(
    [{ type: "turn_start", prompt: "two" }, ...call("x", "ls", "."), ended("x", "ls", [])],
    b,
  );
  const content = "It is in a.ts.\n\nMore.\nMore.\nAnd that is all.";
  await show([{ type: "message", message: { role: "assistant", content, calls: [] } }, end()], a);
  assert.ok(
    terminal.screen.startsWith(`
● agent explore: one
  ● explore ls .
● agent explore: two
  ● explore 2 ls .
  ● explore is done · 1 call · 1.5s
    ⎿ It is in a.ts.
      … +2 lines, /show 1
      And that is all.
`),
    terminal.screen,
  );
});
