import assert from "node:assert/strict";
import { join } from "node:path";
import { Conversation } from "../../src/agent/conversation.ts";
import { heal } from "../../src/agent/heal.ts";
import type { Message } from "../../src/core/message.ts";
import { SessionStore } from "../../src/store/sessions.ts";

const user = (content: string): Message => ({ role: "user", content });
const assistant = (...ids: string[]): Message => ({
  role: "assistant",
  content: ids.length === 0 ? "Done." : "",
  calls: ids.map((id) => ({ id, name: "ls", arguments: "{}" })),
});
const result = (id: string): Message => ({
  role: "tool",
  call_id: id,
  name: "ls",
  content: `result ${id}`,
  success: true,
});

async function inStore(run: (store: SessionStore, directory: string) => Promise<void>) {
  const root = await Deno.makeTempDir({ prefix: "ally-sessions-" });
  const directory = join(root, "sessions");
  try {
    await run(new SessionStore({ directory }), directory);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Goes on with a stored session as a run does. */
async function reopen(store: SessionStore, id: string) {
  const { stored, session } = await store.resume(id, { onError: (text) => assert.fail(text) });
  const messages = heal(stored.messages);
  const covered = stored.covered.map(heal);
  return { session, conversation: new Conversation({ log: session, messages, covered }) };
}

/** A session with clean-ups, two compactions and one taken back; its id. */
async function written(store: SessionStore): Promise<{ id: string; left: readonly Message[] }> {
  const session = store.create({ cwd: "/w", onError: (text) => assert.fail(text) });
  const conversation = new Conversation({ log: session });
  const add = async (...messages: Message[]) => {
    for (const message of messages) await conversation.append(message);
  };
  await add(user("one"), assistant("a", "b"), result("a"), result("b"), assistant());
  await conversation.results.cleanUp(["a"], "[Cleaned up]");
  await add(user("two"), assistant("c"), result("c"), assistant());
  await conversation.compact(5, { role: "user", content: "first summary", said: ["one"] });
  await add(user("three"), assistant("d"), result("d"), assistant());
  await conversation.cleanUpResults([{ callId: "c", note: "[Cleaned up - overtaken]" }]);
  await conversation.compact(5, { role: "user", content: "second summary", said: ["one", "two"] });
  await conversation.undoCompaction();
  await add(user("four"), assistant());
  await conversation.compact(4, { role: "user", content: "third summary" });
  conversation.applyCleanUps();
  session.close();
  return { id: session.header.id, left: conversation.messages };
}

Deno.test("a session with compactions is loaded as it was left", () =>
  inStore(async (store) => {
    const { id, left } = await written(store);
    const { conversation } = await reopen(store, id);
    assert.deepEqual(conversation.messages, left);
    const [summary] = await store.recent();
    assert.equal(summary?.id, id);
    assert.equal(summary?.title, "one");
  }));

Deno.test("compactions can be taken back after a resume, one by one", () =>
  inStore(async (store) => {
    const { id } = await written(store);
    const { conversation, session } = await reopen(store, id);
    assert.ok(await conversation.undoCompaction() > 0);
    assert.equal(conversation.messages[0]?.content, "first summary");
    assert.ok(await conversation.undoCompaction() > 0);
    assert.equal(conversation.messages[0]?.content, "one");
    assert.equal(await conversation.undoCompaction(), 0);
    session.close();
    const again = await reopen(store, id);
    assert.deepEqual(again.conversation.messages, conversation.messages);
    again.session.close();
  }));

Deno.test("a session cut off after any of its lines loads, heals, is compacted and goes on", () =>
  inStore(async (store, directory) => {
    const { id } = await written(store);
    const path = join(directory, `${id}.jsonl`);
    const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
    assert.ok(lines.length > 20);
    for (let count = 1; count <= lines.length; count++) {
      for (const end of ["\n", ""]) {
        await Deno.writeTextFile(path, lines.slice(0, count).join("\n") + end);
        const { conversation, session } = await reopen(store, id);
        assert.deepEqual(heal(conversation.messages), conversation.messages);
        const before = [...conversation.messages];
        if (before.length > 0) {
          await conversation.compact(before.length, { role: "user", content: "s" });
        }
        await conversation.append(user("more"));
        session.close();
        const again = await reopen(store, id);
        const start = before.length > 0 ? [user("s")] : [];
        assert.deepEqual(again.conversation.messages, [...start, user("more")]);
        if (before.length > 0) {
          assert.equal(await again.conversation.undoCompaction(), before.length);
          assert.deepEqual(again.conversation.messages, [...before, user("more")]);
        }
        again.session.close();
      }
    }
  }));

Deno.test("what was said of the fill of the window is void after a compaction, and once results were dropped", () =>
  inStore(async (store) => {
    const session = store.create({ cwd: "/w", onError: (text) => assert.fail(text) });
    const conversation = new Conversation({ log: session });
    const withStatus = (id: string) => ({ ...result(id), status: "CRITICAL: 100% is used" });
    const statuses = async () => {
      const { messages } = await store.load(session.header.id);
      assert.deepEqual(messages, conversation.messages);
      return messages.flatMap((message) => "status" in message ? [message.status] : []);
    };
    for (const message of [user("one"), assistant("a"), result("a"), assistant()]) {
      await conversation.append(message);
    }
    for (const message of [user("two"), assistant("b"), withStatus("b")]) {
      await conversation.append(message);
    }
    assert.deepEqual(await statuses(), ["CRITICAL: 100% is used"]);
    await conversation.compact(4, { role: "user", content: "summary", said: ["one"] });
    assert.deepEqual(await statuses(), []);
    for (const message of [assistant("c"), withStatus("c")]) await conversation.append(message);
    assert.equal((await statuses()).length, 1);
    await conversation.clearStatus();
    assert.deepEqual(await statuses(), []);
    session.close();
  }));

Deno.test("a session is loaded with the system prompt it began with", () =>
  inStore(async (store) => {
    const session = store.create({ cwd: "/w", onError: (text) => assert.fail(text) });
    const conversation = new Conversation({ log: session });
    const prompt = [{ name: "task", text: "You are tested." }];
    await conversation.begin(prompt);
    assert.deepEqual(await store.recent(), []);
    await conversation.append(user("one"));
    session.close();
    assert.deepEqual((await store.load(session.header.id)).prompt, prompt);
  }));
