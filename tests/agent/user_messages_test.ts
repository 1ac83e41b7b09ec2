import assert from "node:assert/strict";
import { Agent } from "../../src/agent/agent.ts";
import { AnswerCheck } from "../../src/agent/answer_check.ts";
import { userPoints } from "../../src/agent/user_messages.ts";
import { harness } from "../support/agent_harness.ts";

Deno.test("what ally says in the user's place is none of the user's messages", async () => {
  await using made = await harness({
    replies: [{ text: "" }, { text: "five" }, { text: "5" }, { text: "6" }],
  });
  const { deps } = made.agent;
  const createAnswerCheck = () => new AnswerCheck({ type: "number" });
  const agent = new Agent({ ...deps, current: made.current, createAnswerCheck });
  assert.equal((await agent.run("How many?")).text, "5");
  assert.equal((await agent.run("And now?")).text, "6");
  const { messages } = made.current.conversation;
  assert.equal(messages.filter(({ role }) => role === "user").length, 4);
  assert.deepEqual(userPoints(messages).map(({ text }) => text), ["How many?", "And now?"]);
});
