import assert from "node:assert/strict";
import { join } from "node:path";
import { Conversation } from "../../src/agent/conversation.ts";
import { heal } from "../../src/agent/heal.ts";
import type { Message } from "../../src/core/message.ts";
import { SessionStore } from "../../src/store/sessions.ts";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string, ...ids: string[]): Message => ({
  role: "assistant",
  content,
  calls: ids.map((id) => ({ id, name: "ls", arguments: "{}" })),
});
const result = (call_id: string): Message => ({
  role: "tool",
  call_id,
  name: "ls",
  content: "a",
  success: true,
});

/** A conversation in a session, and what a later process loads of it. */
async function inSession(
  test: (talk: Conversation, load: () => Promise<Conversation>) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "ally-rewind-" });
  try {
    const store = new SessionStore({ directory: join(root, "sessions") });
    const session = store.create({ cwd: "/w", onError: assert.fail });
    await test(new Conversation({ log: session }), async () => {
      const stored = await store.load(session.header.id);
      return new Conversation({
        ...stored,
        log: session,
        messages: heal(stored.messages),
        covered: stored.covered.map(heal),
        rewound: stored.rewound.map(heal),
      });
    });
    session.close();
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const words = (talk: Conversation) => talk.messages.map(({ content }) => content);

Deno.test("rewinds and their undoing are loaded as they were left", () =>
  inSession(async (talk, load) => {
    const all = [
      user("1"),
      said("", "a", "b"),
      result("a"),
      result("b"),
      said("x"),
      user("2"),
      said("y"),
    ];
    for (const message of all) await talk.append(message);
    await talk.rewind(5);
    await talk.rewind(0);
    assert.deepEqual(words(await load()), []);
    assert.equal(await talk.undoRewind(), 5);
    assert.deepEqual(words(await load()), words(talk));
    const loaded = await load();
    assert.equal(await loaded.undoRewind(), 2);
    assert.deepEqual(words(loaded), ["1", "", "a", "a", "x", "2", "y"]);
    assert.equal(await loaded.undoRewind(), 0);
  }));

Deno.test("once something is said a rewind stands, and call ids that were dropped are not used again", () =>
  inSession(async (talk, load) => {
    for (const message of [user("1"), said("", "a"), result("a")]) await talk.append(message);
    await talk.rewind(0);
    const again = talk.withUniqueIds(said("", "a") as never);
    assert.deepEqual(again.calls.map(({ id }) => id), ["a_2"]);
    await talk.append(user("other"));
    assert.equal(await talk.undoRewind(), 0);
    assert.deepEqual(words(await load()), ["other"]);
    assert.equal(await (await load()).undoRewind(), 0);
  }));

Deno.test("a rewind within a session whose calls have lost their results counts as the healed one does", () =>
  inSession(async (talk, load) => {
    for (const message of [user("1"), said("", "a", "b"), result("a")]) await talk.append(message);
    const healed = await load();
    await healed.append(user("2"));
    await healed.rewind(4);
    assert.deepEqual((await load()).messages, healed.messages);
    await assert.rejects(() => healed.rewind(2), /parted from its results/);
  }));

Deno.test("a rewind after a compaction keeps what stands in, and the compaction can still be undone", () =>
  inSession(async (talk, load) => {
    for (const message of [user("1"), said("x"), user("2"), said("y")]) await talk.append(message);
    await talk.compact(2, { role: "user", content: "summary", said: ["1"] });
    await talk.rewind(1);
    assert.deepEqual(words(await load()), ["summary"]);
    assert.equal(await talk.undoCompaction(), 2);
    assert.deepEqual(words(await load()), ["1", "x"]);
    assert.deepEqual(words(await load()), words(talk));
  }));

Deno.test("a session's name is loaded with it, and stands in lists", () =>
  inSession(async (talk, load) => {
    await talk.append(user("first words"));
    await talk.rename("The plan");
    await talk.rename("The better plan");
    assert.equal((await load()).title, "The better plan");
  }));
