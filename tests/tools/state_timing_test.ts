import assert from "node:assert/strict";
import type { EventBody } from "../../src/core/event.ts";
import { withStateTimes } from "../../src/tools/state_timing.ts";
import { harness } from "../support/agent_harness.ts";

Deno.test("each state says which one the call has left, and after how long", () => {
  const facts: EventBody[] = [];
  let now = 0;
  const emit = withStateTimes((fact) => facts.push(fact), () => now);
  const enter = (call_id: string, state: "validating" | "executing" | "success", at: number) => {
    now = at;
    emit({ type: "tool_state", call_id, state });
  };
  enter("a", "validating", 0);
  enter("b", "validating", 5);
  enter("a", "executing", 12);
  enter("a", "success", 112);
  assert.deepEqual(facts, [
    { type: "tool_state", call_id: "a", state: "validating" },
    { type: "tool_state", call_id: "b", state: "validating" },
    {
      type: "tool_state",
      call_id: "a",
      state: "executing",
      previous: "validating",
      duration_ms: 12,
    },
    { type: "tool_state", call_id: "a", state: "success", previous: "executing", duration_ms: 100 },
  ]);
});

Deno.test("a call that is asked about goes through all its states in order", async () => {
  await using test = await harness({
    answers: [{ kind: "allow" }],
    replies: [{ calls: [["write", { file_path: "new.txt", content: "x\n" }]] }, { text: "Done." }],
  });
  await test.agent.run("go");
  const states = test.facts.flatMap((fact) => fact.type === "tool_state" ? [fact] : []);
  assert.deepEqual(states.map(({ previous, state }) => [previous, state]), [
    [undefined, "validating"],
    ["validating", "awaiting_approval"],
    ["awaiting_approval", "scheduled"],
    ["scheduled", "executing"],
    ["executing", "success"],
  ]);
  assert.ok(states.slice(1).every(({ duration_ms }) => Number.isInteger(duration_ms)));
});
