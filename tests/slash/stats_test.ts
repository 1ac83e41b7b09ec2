import assert from "node:assert/strict";
import { Statistics } from "../../src/agent/statistics.ts";
import type { Event } from "../../src/core/event.ts";
import type { CommandContext } from "../../src/slash/command.ts";
import { stats } from "../../src/slash/stats.ts";

async function shown(events: readonly Record<string, unknown>[]): Promise<string> {
  const statistics = new Statistics();
  const agent = { id: "main", name: "ally", depth: 0 };
  for (const event of events) statistics.take({ ...event, time: "", agent } as unknown as Event);
  const said: string[] = [];
  const context: Partial<CommandContext> = { statistics, say: (text) => void said.push(text) };
  assert.equal(await stats.run("", context as CommandContext), "continue");
  return said.join("\n");
}

const ended = (name: string, success: boolean, duration_ms: number) => [
  { type: "tool_state", call_id: "1", state: "executing" },
  { type: "tool_end", call_id: "1", name, duration_ms, result: { success, error: "" } },
];

Deno.test("/stats says so when no tool was called yet", async () => {
  assert.equal(
    await shown([]),
    "0 turns, 0 requests, 0 tokens in, 0 out, 0.0s\n\nNo call of a tool has ended yet.",
  );
});

Deno.test("/stats gives each tool a row of calls, success, times and tokens", async () => {
  const text = await shown([
    ...ended("read", true, 10),
    ...ended("read", false, 2000),
    ...ended("made\n|up", true, 5),
  ]);
  assert.deepEqual(text.split("\n").slice(-2), [
    "| read | 2 | 50 % | 2.0s | 1.0s | 10 ms | 2.0s | - |",
    "| made \\|up | 1 | 100 % | 5 ms | 5 ms | 5 ms | 5 ms | - |",
  ]);
});

Deno.test("/stats tells how the calls of a model came, if they were not as they should be", async () => {
  const message = (calls: unknown[]) => ({
    type: "message",
    message: { role: "assistant", calls },
  });
  const text = await shown([
    { type: "request_start", model: "qwen3" },
    message([{ rescued: true }, { repaired: true }, {}]),
    message([{ refused: "cut off" }]),
    { type: "request_start", model: "fine" },
    message([{}]),
  ]);
  assert.match(
    text,
    /\n\nqwen3: of 4 calls, 1 rescued from text, 1 repaired, 1 refused as cut off or ambiguous\n/,
  );
  assert.equal(text.includes("fine"), false);
});

Deno.test("/stats tells what was cached, thought and paid over all agents, as far as it is known", async () => {
  const end = (usage: unknown) => ({ type: "turn_end", turns: 1, duration_ms: 5, usage });
  const plain = { prompt_tokens: 600, completion_tokens: 50 };
  const told = {
    ...plain,
    prompt_tokens: 400,
    cached_tokens: 250,
    reasoning_tokens: 20,
    cost: 0.0125,
  };
  const text = await shown([end(plain), end(told), end({ ...told, cost: 0.5 })]);
  assert.match(text, /^3 turns, 3 requests, 1,400 tokens in, 150 out/);
  assert.match(text, /\n\n500 tokens cached \(36%\), 40 of thinking, cost 0\.512\n/);
  assert.doesNotMatch(await shown([end(plain)]), /cached|thinking|cost/);
});
