import assert from "node:assert/strict";
import type { Event, EventBody } from "../../src/core/event.ts";
import { maskSink } from "../../src/secrets/masked_sink.ts";
import { Vault } from "../../src/secrets/vault.ts";
import { mixed } from "../support/secret_samples.ts";

const TOKEN = "ghp_" + mixed(36);

function event(fact: EventBody): Event {
  return {
    ...fact,
    time: "2026-01-01T00:00:00.000Z",
    agent: { id: "main", name: "ally", depth: 0 },
  };
}

/** What a masked sink passes on. */
function passed(facts: readonly EventBody[]): Event[] {
  const events: Event[] = [];
  const sink = maskSink((one) => events.push(one), new Vault({ key: () => new Uint8Array(32) }));
  for (const fact of facts) sink(event(fact));
  return events;
}

Deno.test("a masked sink hides secrets in the fields of an event, however deep", () => {
  const [only] = passed([{
    type: "tool_start",
    call_id: "c1",
    name: "bash",
    input: { list: [{ command: `echo ${TOKEN}` }], count: 3 },
    description: `echo ${TOKEN.slice(0, 20)}…`,
  }]);
  const text = JSON.stringify(only);
  assert.ok(!text.includes(TOKEN.slice(0, 12)), text);
  assert.match(text, /"command":"echo \[secret:github_token:\w{8}\]"/);
  assert.match(text, /"count":3/);
});

Deno.test("a masked sink hides a secret that comes in pieces, and keeps calls apart", () => {
  const output = (call_id: string, text: string): EventBody => ({
    type: "tool_output",
    call_id,
    text,
  });
  const events = passed([
    output("c1", `one ${TOKEN.slice(0, 15)}`),
    output("c2", "two\n"),
    output("c1", `${TOKEN.slice(15)} end`),
    { type: "tool_state", call_id: "c1", state: "success" },
    output("c2", "last"),
    {
      type: "turn_end",
      reason: "done",
      turns: 1,
      tool_calls: 2,
      denied: 0,
      duration_ms: 1,
      usage: { prompt_tokens: 0, completion_tokens: 0 },
    },
  ]);
  const textOf = (id: string) =>
    events.map((one) => one.type === "tool_output" && one.call_id === id ? one.text : "").join("");
  assert.match(textOf("c1"), /^one \[secret:github_token:\w{8}\] end$/);
  assert.equal(textOf("c2"), "two\nlast");
  const types = events.map((one) => one.type);
  assert.equal(types.at(-1), "turn_end");
  assert.ok(types.lastIndexOf("tool_output") < types.indexOf("turn_end"));
});

Deno.test("a masked sink ends the model's text before the event that follows it", () => {
  const events = passed([
    { type: "thinking_delta", text: "hm, a key" },
    { type: "text_delta", text: "The answer" },
    { type: "text_delta", text: " is here" },
    { type: "message", message: { role: "assistant", content: "The answer is here", calls: [] } },
  ]);
  const said = events.map((one) => one.type === "text_delta" ? one.text : `<${one.type}>`).join("");
  assert.equal(said, "<thinking_delta>The answer is here<message>");
});

Deno.test("a masked sink does not tell the end of an output that goes on after its call, which a secret may be", () => {
  const end = (running: boolean): EventBody => ({
    type: "tool_end",
    call_id: "c1",
    name: "bash",
    duration_ms: 1,
    result: { success: true, error: "", running },
    preview: [],
  });
  for (const running of [true, false]) {
    const events = passed([
      { type: "tool_output", call_id: "c1", text: `first ${TOKEN.slice(0, 10)}` },
      { type: "tool_state", call_id: "c1", state: "success" },
      end(running),
    ]);
    const text = events.map((one) => one.type === "tool_output" ? one.text : "").join("");
    assert.equal(text, running ? "first " : `first ${TOKEN.slice(0, 10)}`);
    assert.equal(events.at(-1)!.type, "tool_end");
  }
});
