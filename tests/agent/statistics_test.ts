import assert from "node:assert/strict";
import { Statistics } from "../../src/agent/statistics.ts";
import type { Event, EventBody } from "../../src/core/event.ts";

const MAIN = { id: "main", name: "ally", depth: 0 };

function counted(
  facts: readonly EventBody[],
  agent = MAIN,
  statistics = new Statistics(),
): Statistics {
  for (const fact of facts) statistics.take({ ...fact, time: "", agent } as Event);
  return statistics;
}

function call(id: string, options: { ms: number; success?: boolean; ran?: boolean }): EventBody[] {
  const { ms, success = true, ran = true } = options;
  const result = { success, error: "" };
  const content = "x".repeat(38);
  return [
    ...(ran ? [{ type: "tool_state", call_id: id, state: "executing" } as const] : []),
    { type: "tool_end", call_id: id, name: "read", duration_ms: ms, result, preview: [] },
    // The model spelt the name otherwise.
    { type: "message", message: { role: "tool", call_id: id, name: "Read", content, success } },
  ];
}

const END = {
  type: "turn_end",
  reason: "done",
  turns: 2,
  tool_calls: 1,
  denied: 0,
  duration_ms: 500,
  usage: { prompt_tokens: 100, completion_tokens: 10 },
} as const;

Deno.test("calls, successes, times and result tokens of a tool are counted", () => {
  const { tools } = counted([...call("1", { ms: 30 }), ...call("2", { ms: 10, success: false })]);
  assert.deepEqual([...tools], [["read", {
    calls: 2,
    successes: 1,
    runs: 2,
    totalMs: 40,
    minMs: 10,
    maxMs: 30,
    results: 2,
    resultTokens: 18,
  }]]);
});

Deno.test("the time in which a person was waited for is no work", () => {
  const totals = counted([END, END], MAIN, new Statistics({ askedMs: () => 450 })).totals;
  assert.equal(totals.durationMs, 100);
});

Deno.test("a call that never ran has no time", () => {
  const read = counted([...call("1", { ms: 30 }), ...call("2", { ms: 0, ran: false })]).tools
    .get("read");
  assert.equal(read?.calls, 2);
  assert.equal(read?.runs, 1);
  assert.equal(read?.minMs, 30);
});

Deno.test("calls of two agents with one id are told apart, and requests of both are counted", () => {
  const statistics = counted([...call("1", { ms: 5 }), END]);
  counted([...call("1", { ms: 7 }), END], { id: "sub", name: "helper", depth: 1 }, statistics);
  assert.equal(statistics.tools.get("read")?.totalMs, 12);
  assert.deepEqual(statistics.totals, {
    turns: 1,
    requests: 4,
    usage: { prompt_tokens: 200, completion_tokens: 20 },
    durationMs: 500,
  });
});

Deno.test("a result that was blocked and came to no tool is not counted", () => {
  const message = {
    role: "tool",
    call_id: "9",
    name: "read",
    content: "blocked",
    success: false,
  } as const;
  assert.equal(counted([{ type: "message", message }]).tools.size, 0);
});
