import assert from "node:assert/strict";
import type { EventBody } from "../../src/core/event.ts";
import type { AgentIdentity } from "../../src/core/tool.ts";
import { stageRenderer } from "../support/renderer_stage.ts";
import { call, end, ended, FOOTER, START } from "../support/turn_facts.ts";

const CHILD: AgentIdentity = { id: "a2", name: "explore", depth: 1 };

/** What an agent says, and what that cost. */
function said(content: string): EventBody {
  const usage = { prompt_tokens: 1000, completion_tokens: 234 };
  return { type: "message", message: { role: "assistant", content, calls: [] }, usage };
}

Deno.test("agents are a tree below their call, whatever ids their calls have: task, counts, last step, how it ended", async () => {
  const { terminal, show, tick } = stageRenderer();
  const one = { ...CHILD, call_id: "c1" };
  const two = { ...one, id: "a3", name: "explore 2" };
  await show([...START, ...call("c1", "agent", "2 agents: explore")]);
  await show([{ type: "turn_start", prompt: "find the bug" }, ...call("c1", "grep", "x")], one);
  await show([{ type: "turn_start", prompt: "run it" }, ...call("c1", "bash", "make")], two);
  const asking = { type: "tool_state", call_id: "c1", state: "awaiting_approval" } as const;
  await show([asking], two);
  await show([{ type: "text_delta", text: "for the model only" }, said("Looking.")], one);
  await show([ended("c1", "grep", [])], one);
  tick(2000);
  assert.equal(
    terminal.screen.replace(/. Running… 2s.*/, "STATUS"),
    `
● agent 2 agents: explore · 2s
  ○ explore find the bug · 1 call · 1.2k tokens · 2s
    thinking, after grep x
  ● explore 2 run it · 2s
    asks for bash make

STATUS`,
  );
  await show([end({ reason: "error", error: "refused" })], two);
  await show([said("It is in a.ts."), end()], one);
  await show([ended("c1", "agent", ["1 of 2 tasks complete"], 3000), end()]);
  assert.equal(
    terminal.screen,
    `
● agent 2 agents: explore · 3.0s
  ● explore find the bug · 1 call · 2.5k tokens · 1.5s
    ⎿ It is in a.ts.
  ✗ explore 2 run it: failed · 1.5s
    ⎿ refused
  ⎿ 1 of 2 tasks complete
    … +3 lines, /show 1

${FOOTER}`,
  );
});

Deno.test("each of two agent calls has one heading, a single task is said once, and an answer in its ends", async () => {
  const { terminal, show } = stageRenderer();
  const a = { ...CHILD, call_id: "c1" };
  const b = { ...CHILD, id: "a3", name: "explore 2", call_id: "c2" };
  await show([
    ...START,
    ...call("c1", "agent", "explore: one"),
    ...call("c2", "agent", "explore: two"),
  ]);
  await show([{ type: "turn_start", prompt: "one" }, ...call("x", "ls", ".")], a);
  await show([{ type: "turn_start", prompt: "two" }, ...call("x", "ls", ".")], b);
  await show([ended("x", "ls", []), said("It is in b.ts."), end()], b);
  await show([ended("c2", "agent", ["1 task complete"])]);
  const content = "It is in a.ts.\n\nMore.\nMore.\nAnd that is all.";
  await show([ended("x", "ls", []), said(content), end()], a);
  await show([ended("c1", "agent", ["1 task complete"])]);
  assert.ok(
    terminal.screen.startsWith(`
● agent explore: two
  ● explore 2 · 1 call · 1.2k tokens · 1.5s
    ⎿ It is in b.ts.
  ⎿ 1 task complete
    … +3 lines, /show 1
● agent explore: one
  ● explore · 1 call · 1.2k tokens · 1.5s
    ⎿ It is in a.ts.
      … +2 lines, /show 2
      And that is all.
  ⎿ 1 task complete
    … +3 lines, /show 3
`),
    terminal.screen,
  );
});

Deno.test("many agents lose their steps first and are counted then, those that have ended first", async () => {
  const { terminal, show, tick } = stageRenderer({ rows: 16 });
  const names = Array.from({ length: 12 }, (_, index) => `explore ${index + 1}`);
  await show([...START, ...call("c1", "agent", "12 agents: explore")]);
  for (const [index, name] of names.entries()) {
    const agent = { id: `s${index}`, name, depth: 1, call_id: "c1" };
    await show([{ type: "turn_start", prompt: `task ${index + 1}` }], agent);
    if (index === 0) await show([said("Done."), end()], agent);
  }
  tick(100);
  const rows = terminal.screen.split("\n");
  assert.ok(rows.length <= 13, terminal.screen);
  assert.match(terminal.screen, /○ explore 2 task 2\n[^]*○ explore 9 task 9\n {2}\+4 more\n/);
  assert.doesNotMatch(terminal.screen, /task 1\n/);
});
