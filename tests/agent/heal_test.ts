import assert from "node:assert/strict";
import { heal } from "../../src/agent/heal.ts";
import type { Message } from "../../src/core/message.ts";

const user = (content: string): Message => ({ role: "user", content });
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  calls: ids.map((id) => ({ id, name: "ls", arguments: "{}" })),
});
const result = (call_id: string): Message => ({
  role: "tool",
  call_id,
  name: "ls",
  content: "ok",
  success: true,
});
const said = (content: string): Message => ({ role: "assistant", content, calls: [] });

const WHOLE = [
  user("a"),
  calls("1", "2"),
  result("1"),
  result("2"),
  calls("3"),
  result("3"),
  said("done"),
  user("b"),
];

/** Every call answered once, directly after the reply that made it. */
function assertValid(messages: readonly Message[]) {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      assert.equal(message.call_id, open.shift());
      continue;
    }
    assert.deepEqual(open, []);
    if (message.role === "assistant") open = message.calls.map((call) => call.id);
  }
  assert.deepEqual(open, []);
}

Deno.test("heal() leaves a whole history as it is", () => {
  assert.deepEqual(heal(WHOLE), WHOLE);
});

Deno.test("heal() makes a history that was cut off after any message valid", () => {
  for (let length = 0; length <= WHOLE.length; length++) assertValid(heal(WHOLE.slice(0, length)));
});

Deno.test("heal() makes a history valid that misses any one message", () => {
  for (let index = 0; index < WHOLE.length; index++) assertValid(heal(WHOLE.toSpliced(index, 1)));
});

Deno.test("heal() says of a call without a result that it may have run", () => {
  const healed = heal([user("a"), calls("1"), user("b")]);
  assert.equal(healed.length, 4);
  assert.match(healed[2]!.content, /may or may not have run/);
});
