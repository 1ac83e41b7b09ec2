import assert from "node:assert/strict";
import { Conversation } from "../../src/agent/conversation.ts";
import { maskMessage } from "../../src/agent/masked_message.ts";
import type { AssistantMessage } from "../../src/core/message.ts";
import { Vault } from "../../src/secrets/vault.ts";
import { mixed } from "../support/secret_samples.ts";

const TOKEN = "ghp_" + mixed(36);
const secrets = new Vault({ key: () => new Uint8Array(32) });

Deno.test("maskedMessage() hides secrets in words, thoughts and arguments, and leaves ids alone", () => {
  const text = JSON.stringify({ content: `line\nT=${TOKEN}\n` });
  const message: AssistantMessage = {
    role: "assistant",
    content: `It is ${TOKEN}`,
    thinking: `so ${TOKEN}`,
    calls: [{ id: TOKEN, name: "write", arguments: text }, {
      id: "b",
      name: "write",
      arguments: `{"broken": "${TOKEN}`,
    }],
  };
  const kept = maskMessage(message, secrets);
  const { id, ...rest } = kept.calls[0]!;
  assert.equal(id, TOKEN);
  assert.ok(!JSON.stringify({ ...kept, calls: [rest, kept.calls[1]] }).includes(TOKEN));
  assert.match(rest.arguments, /^\{"content":"line\\nT=\[secret:github_token:\w{8}\]\\n"\}$/);
});

Deno.test("maskedMessage() keeps arguments without a secret to the byte", () => {
  const message: AssistantMessage = {
    role: "assistant",
    content: "",
    calls: [{ id: "a", name: "ls", arguments: '{ "file_path" :"." }' }],
  };
  assert.deepEqual(maskMessage(message, secrets), message);
});

Deno.test("maskedMessage() keeps the text of rescued calls, unless a secret is in it or in a call", () => {
  const withText = (written: string, value: string): AssistantMessage => ({
    role: "assistant",
    content: "I write.",
    written,
    calls: [{
      id: "a",
      name: "write",
      arguments: JSON.stringify({ content: value }),
      rescued: true,
    }],
  });
  assert.equal(maskMessage(withText("\n<call/>", "x"), secrets).written, "\n<call/>");
  assert.equal(maskMessage(withText(`<call ${TOKEN}/>`, "x"), secrets).written, undefined);
  const escaped = TOKEN.replace("g", "\\u0067");
  assert.equal(maskMessage(withText(`<call ${escaped}/>`, TOKEN), secrets).written, undefined);
});

Deno.test("a conversation keeps secrets out of its messages, its notes and what it is resumed from", async () => {
  const saved: unknown[] = [];
  const conversation = new Conversation({
    log: {
      append: (message) => Promise.resolve(void saved.push(message)),
      appendEntry: (note) => Promise.resolve(void saved.push(note)),
    },
    messages: [{ role: "user", content: `old ${TOKEN}` }],
    secrets,
  });
  await conversation.append({ role: "user", content: `new ${TOKEN}` });
  await conversation.state.set("todos", [{ task: `use ${TOKEN}` }]);
  assert.ok(!JSON.stringify([saved, conversation.messages]).includes(TOKEN));
  assert.match(
    JSON.stringify(conversation.state.get("todos")),
    /use \[secret:github_token:\w{8}\]/,
  );
  assert.equal(saved.length, 2);
});
