/**
 * The branches that rewinds leave behind: kept by the conversation and read from its file by the same rules.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Conversation } from "../../src/agent/conversation.ts";
import { heal } from "../../src/agent/heal.ts";
import type { Branch } from "../../src/core/branches.ts";
import type { Message } from "../../src/core/message.ts";
import { SessionStore } from "../../src/store/sessions.ts";
import { randomNumbers } from "../support/random.ts";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content, calls: [] });

/** A conversation in a session, and what a later process loads of it. */
async function inSession(
  test: (talk: Conversation, load: () => Promise<Conversation>) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "ally-branches-" });
  try {
    const store = new SessionStore({ directory: join(root, "sessions") });
    const session = store.create({ cwd: "/w", onError: assert.fail });
    await test(new Conversation({ log: session }), async () => {
      const stored = await store.load(session.header.id);
      assert.equal(stored.damaged, 0);
      return new Conversation({ ...stored, log: session, messages: heal(stored.messages) });
    });
    session.close();
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const words = ({ messages }: Branch) => messages.map(({ content }) => content).join(" ");
const all = (talk: Conversation) => [words(talk), ...talk.branches.map(words)];

Deno.test("a rewind with new words after it leaves a branch, one that is taken back leaves none", () =>
  inSession(async (talk, load) => {
    for (const message of [user("1"), said("a"), user("2"), said("b")]) await talk.append(message);
    await talk.rewind(2);
    await talk.undoRewind();
    assert.deepEqual(all(talk), ["1 a 2 b"]);
    await talk.rewind(2);
    await talk.rewind(0);
    await talk.append(user("3"));
    assert.deepEqual(all(talk), ["3", "1 a 2 b"]);
    assert.deepEqual(all(await load()), all(talk));
  }));

Deno.test("going to a branch leaves the current one, with what its rewinds had dropped", () =>
  inSession(async (talk, load) => {
    for (const message of [user("1"), said("a")]) await talk.append(message);
    await talk.rewind(0);
    for (const message of [user("2"), said("b")]) await talk.append(message);
    await talk.rewind(1);
    assert.equal(await talk.switchBranch(0), true);
    assert.deepEqual(all(talk), ["1 a", "2 b"]);
    assert.equal(await talk.undoRewind(), 0);
    assert.equal(await talk.switchBranch(7), false);
    await talk.append(user("3"));
    assert.deepEqual(all(talk), ["1 a 3", "2 b"]);
    assert.deepEqual(all(await load()), all(talk));
  }));

Deno.test("a branch keeps its compactions, which can be undone once it is current again", () =>
  inSession(async (talk, load) => {
    for (const message of [user("1"), said("a"), user("2")]) await talk.append(message);
    await talk.compact(2, { role: "user", content: "S", said: ["1"] });
    await talk.rewind(0);
    await talk.append(user("new"));
    assert.equal(await talk.undoCompaction(), 2);
    assert.equal(await talk.switchBranch(0), true);
    const loaded = await load();
    assert.deepEqual(all(loaded), all(talk));
    assert.equal(words(loaded), "S 2");
    assert.equal(await loaded.undoCompaction(), 2);
    assert.equal(words(loaded), "1 a 2");
  }));

Deno.test("whatever is said, dropped, compacted and gone to, the file tells the same branches", async () => {
  const random = randomNumbers(7);
  for (let round = 0; round < 30; round++) {
    await inSession(async (talk, load) => {
      await talk.append(user("first"));
      for (let step = 0; step < 25; step++) {
        const choice = Math.floor(random() * 7);
        const count = Math.floor(random() * (talk.messages.length + 1));
        if (choice <= 2) await talk.append(user(`${round}.${step}`));
        else if (choice === 3) await talk.rewind(count);
        else if (choice === 4) await talk.undoRewind();
        else if (choice === 5) await talk.switchBranch(count);
        else if (count > 0) await talk.compact(count, { role: "user", content: "S", said: [] });
      }
      const loaded = await load();
      assert.deepEqual(loaded.messages, talk.messages);
      assert.deepEqual(loaded.branches, talk.branches);
      assert.deepEqual(loaded.covered, talk.covered);
    });
  }
});
