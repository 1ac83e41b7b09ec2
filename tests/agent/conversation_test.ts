import assert from "node:assert/strict";
import { Conversation } from "../../src/agent/conversation.ts";
import type { Message } from "../../src/core/message.ts";
import type { Entry } from "../../src/core/session_log.ts";

function result(call_id: string, content: string): Message {
  return { role: "tool", call_id, name: "read", content, success: true };
}

function made(messages: readonly Message[], state?: ReadonlyMap<string, unknown>) {
  const notes: Entry[] = [];
  const log = {
    append: () => Promise.resolve(),
    appendEntry: (note: Entry) => Promise.resolve(void notes.push(note)),
  };
  const conversation = new Conversation({ log, messages, ...(state && { state }) });
  return { conversation, notes };
}

Deno.test("state is what was last set, begins with what was saved, and is saved itself", async () => {
  const { conversation, notes } = made([], new Map([["a", 1]]));
  assert.equal(conversation.state.get("a"), 1);
  assert.equal(conversation.state.get("b"), undefined);
  await conversation.state.set("a", [2]);
  assert.deepEqual(conversation.state.get("a"), [2]);
  assert.deepEqual(notes, [{ type: "state", key: "a", value: [2] }]);
});

Deno.test("a clean-up changes the messages only when it is applied, and then once", async () => {
  const { conversation } = made([result("a", "x".repeat(3800)), result("b", "short")]);
  const [cleaned] = await conversation.results.cleanUp(["a"], "[gone]");
  assert.equal(conversation.reclaimableTokens, cleaned?.tokensSaved);
  assert.deepEqual(conversation.messages[0], result("a", "x".repeat(3800)));
  assert.equal(conversation.applyCleanUps(), 946);
  assert.deepEqual(conversation.messages, [
    { ...result("a", "[gone]"), cleaned: true },
    result("b", "short"),
  ]);
  assert.equal(conversation.applyCleanUps(), 0);
});

Deno.test("a result that is given up anyway is not given up a second time", async () => {
  const { conversation, notes } = made([result("a", "long ".repeat(99)), result("b", "short")]);
  await conversation.results.cleanUp(["a"], "[the model's]");
  await conversation.cleanUpResults([{ callId: "a", note: "[n]" }, { callId: "b", note: "[n]" }]);
  conversation.applyCleanUps();
  const contents = conversation.messages.map(({ content }) => content);
  assert.deepEqual(contents, ["[the model's]", "[n]"]);
  assert.deepEqual(notes.at(-1), { type: "cleanup", call_ids: ["b"], content: "[n]" });
});

Deno.test("a clean-up that is longer than its result frees nothing and costs nothing", async () => {
  const { conversation } = made([result("b", "short")]);
  const [cleaned] = await conversation.results.cleanUp(["b"], "[Cleaned up - not relevant]");
  assert.equal(cleaned?.tokensSaved, 0);
  assert.equal(conversation.applyCleanUps(), 0);
});
