import assert from "node:assert/strict";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { MAIN_AGENT } from "../../../src/app/events.ts";
import type { EventBody } from "../../../src/core/event.ts";
import { SessionClient } from "../../../src/modes/acp/session_client.ts";
import { SessionUpdates } from "../../../src/modes/acp/updates.ts";
import { textOf } from "../../support/acp_client.ts";

function made() {
  const sent: SessionUpdate[] = [];
  const client = new SessionClient({} as never, {});
  client.send = (update) => void sent.push(update);
  const updates = new SessionUpdates({
    client,
    findTool: () => undefined,
    cwd: "/",
    state: () => undefined,
  });
  const tell = (...events: EventBody[]) => {
    for (const event of events) updates.sink({ ...event, time: "", agent: MAIN_AGENT });
  };
  return { sent, updates, tell };
}

Deno.test("a warning in the midst of a reply has nothing of the reply said twice", () => {
  const { sent, tell } = made();
  const message = { role: "assistant", content: "Writing.", calls: [] } as const;
  tell(
    { type: "request_start", turn: 1, messages: 2, model: "m" },
    { type: "text_delta", text: "Writing." },
    { type: "notice", level: "warning", text: "a server has ended" },
    { type: "message", message },
  );
  const text = textOf(sent, "agent_message_chunk");
  assert.equal(text, "Writing.Warning: a server has ended\n\n");
});

Deno.test("what a session has cost is not counted twice when it is told anew", () => {
  const { sent, updates, tell } = made();
  const turn: EventBody[] = [
    { type: "context", tokens: 10, size: 100, percent: 10, level: "normal" },
    {
      type: "turn_end",
      reason: "done",
      turns: 1,
      tool_calls: 0,
      denied: 0,
      duration_ms: 1,
      usage: { prompt_tokens: 1, completion_tokens: 1, cost: 2 },
    },
  ];
  tell(...turn);
  updates.startOver();
  tell(...turn);
  const last = sent.at(-1);
  assert.ok(last?.sessionUpdate === "usage_update");
  assert.equal(last.cost?.amount, 2);
});
