import assert from "node:assert/strict";
import { join } from "node:path";
import type { Message } from "../../src/core/message.ts";
import { SessionStore } from "../../src/store/sessions.ts";

const user = (content: string): Message => ({ role: "user", content });
const reply = (content: string): Message => ({ role: "assistant", content, calls: [] });
const fail = (text: string) => assert.fail(text);

async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir();
  try {
    await run(join(root, "deep", "sessions"));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function saved(store: SessionStore, messages: readonly Message[]): Promise<string> {
  const session = store.create({ cwd: "/w", onError: fail });
  for (const message of messages) await session.append(message);
  session.close();
  return session.header.id;
}

Deno.test("a session holds each message as it was, and is private", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const messages = [user("Grüße\n\u2028x"), reply("Hello")];
    const id = await saved(store, messages);
    const stored = await store.load(id);
    assert.deepEqual(stored.messages, messages);
    assert.equal(stored.header.cwd, "/w");
    const file = await Deno.stat(join(directory, `${id}.jsonl`));
    assert.equal((file.mode ?? 0) & 0o777, 0o600);
    assert.equal(((await Deno.stat(directory)).mode ?? 0) & 0o777, 0o700);
  }));

Deno.test("what is saved while something else is being written is saved too, in order", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const session = store.create({ cwd: "/w", onError: fail });
    await session.append(user("question"));
    // Each write is in a state of its own when the next message comes.
    const messages = Array.from({ length: 200 }, (_, index) => reply(`${index}`));
    const saves: Promise<void>[] = [];
    for (const [index, message] of messages.entries()) {
      saves.push(session.append(message));
      for (let tick = 0; tick < index % 7; tick++) await new Promise(setImmediate);
    }
    await Promise.all(saves);
    session.close();
    const stored = await store.load(session.header.id);
    assert.deepEqual(stored.messages, [user("question"), ...messages]);
  }));

Deno.test("the last turn is known as long as the conversation is as it was at its end", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const session = store.create({ cwd: "/w", onError: fail });
    const lastTurn = async () => (await store.load(session.header.id)).lastTurn?.prompt;
    const counts = { requests: 1, tool_calls: 0, duration_ms: 5, spent: [] };
    for (const message of [user("first"), reply("second")]) await session.append(message);
    const turn = { type: "turn", prompt: "first", reason: "done", ...counts, end: "" } as const;
    await session.appendEntry(turn);
    await session.appendEntry({ type: "title", title: "Name" });
    assert.equal(await lastTurn(), "first");
    await session.appendEntry({
      type: "compaction",
      covers: 1,
      message: { role: "user", content: "summary" },
    });
    assert.equal(await lastTurn(), undefined);
    await session.appendEntry(turn);
    assert.equal(await lastTurn(), "first");
    await session.append(user("third"));
    assert.equal(await lastTurn(), undefined);
    session.close();
  }));

Deno.test("a session without a message leaves no file", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    store.create({ cwd: "/w", onError: fail }).close();
    assert.equal(await store.latest(), undefined);
  }));

Deno.test("a session that was cut off at any byte opens and goes on", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const messages = [user("first"), reply("second"), user("third")];
    const id = await saved(store, messages);
    const path = join(directory, `${id}.jsonl`);
    const bytes = await Deno.readFile(path);
    for (let length = 1; length <= bytes.length; length += 7) {
      await Deno.writeFile(path, bytes.subarray(0, length));
      const { stored, session } = await store.resume(id, { onError: fail });
      assert.deepEqual(stored.messages, messages.slice(0, stored.messages.length));
      await session.append(reply("after"));
      session.close();
      const again = await store.load(id);
      assert.deepEqual(again.messages, [...stored.messages, reply("after")]);
    }
  }));

Deno.test("what is no message in a session's file is left out and counted", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const id = await saved(store, [user("first")]);
    const bad = ["\0\0\0", "null", "[]", '{"type":"message","message":{"role":"tool"}}', "{"];
    const path = join(directory, `${id}.jsonl`);
    await Deno.writeTextFile(path, bad.map((line) => `${line}\n`).join(""), { append: true });
    const stored = await store.load(id);
    assert.deepEqual(stored.messages, [user("first")]);
    assert.equal(stored.damaged, bad.length);
  }));

Deno.test("latest() is the session written to last; load() takes the beginning of an id", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const first = await saved(store, [user("one")]);
    const second = await saved(store, [user("two")]);
    // A clock that was set tells nothing: the order of use does.
    await Deno.utime(join(directory, `${second}.jsonl`), 1000, 1000);
    assert.equal(await store.latest(), second);
    assert.equal((await store.load(first.slice(0, -1))).header.id, first);
    assert.deepEqual((await store.recent()).map((one) => one.title), ["two", "one"]);
    await assert.rejects(store.load("2"), /2 sessions of this directory begin with '2'/);
    await assert.rejects(store.load("x"), /No session of this directory has the id 'x'/);
  }));

Deno.test("while the disk refuses, messages wait and are saved when it takes them again", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const errors: string[] = [];
    const session = store.create({ cwd: "/w", onError: (text) => errors.push(text) });
    // A file where the directory should be is a disk that refuses.
    await Deno.mkdir(join(directory, ".."), { recursive: true });
    await Deno.writeTextFile(directory, "in the way");
    await session.append(user("one"));
    await session.append(reply("two"));
    assert.equal(errors.length, 1);
    assert.match(errors[0]!, /Cannot save the session .* saved as soon as that works/);
    await Deno.remove(directory);
    await session.append(user("three"));
    session.close();
    const stored = await store.load(session.header.id);
    assert.deepEqual(stored.messages, [user("one"), reply("two"), user("three")]);
    assert.equal(stored.damaged, 0);
  }));

Deno.test("notes are saved in order, and the last of a key is the session's state", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const session = store.create({ cwd: "/w", onError: fail });
    await session.appendEntry({ type: "state", key: "todos", value: [1] });
    await session.append(user("first"));
    await session.appendEntry({ type: "state", key: "todos", value: [1, 2] });
    await session.appendEntry({ type: "state", key: "other", value: null });
    session.close();
    const stored = await store.load(session.header.id);
    assert.deepEqual(stored.messages, [user("first")]);
    assert.deepEqual([...stored.state], [["todos", [1, 2]], ["other", null]]);
    assert.equal(stored.damaged, 0);
  }));

Deno.test("a cleaned-up result reads so when the session is loaded, and stays as it was in the file", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const session = store.create({ cwd: "/w", onError: fail });
    const call = (id: string) => ({ id, name: "read", arguments: "{}" });
    const result = (call_id: string): Message => ({
      role: "tool",
      call_id,
      name: "read",
      content: "long text",
      success: true,
    });
    const messages: Message[] = [
      user("first"),
      { role: "assistant", content: "", calls: [call("a"), call("b")] },
      result("a"),
      result("b"),
    ];
    for (const message of messages) await session.append(message);
    const path = join(directory, `${session.header.id}.jsonl`);
    const before = await Deno.readTextFile(path);
    await session.appendEntry({
      type: "cleanup",
      call_ids: ["a", "gone"],
      content: "[Cleaned up]",
    });
    session.close();
    assert.ok((await Deno.readTextFile(path)).startsWith(before));
    const stored = await store.load(session.header.id);
    assert.deepEqual(stored.messages, [
      ...messages.slice(0, 2),
      { ...result("a"), content: "[Cleaned up]", cleaned: true },
      result("b"),
    ]);
  }));

Deno.test("a note that is none is left out and counted", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const id = await saved(store, [user("first")]);
    const bad = ['{"type":"state"}', '{"type":"cleanup","call_ids":"a","content":"x"}'];
    const path = join(directory, `${id}.jsonl`);
    await Deno.writeTextFile(path, bad.map((line) => `${line}\n`).join(""), { append: true });
    const stored = await store.load(id);
    assert.equal(stored.damaged, 2);
    assert.equal(stored.state.size, 0);
  }));

Deno.test("a damaged session goes on with what can be read, and its file is kept as it was", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const other = await saved(store, [user("other")]);
    const id = await saved(store, [user("first"), reply("second")]);
    const path = join(directory, `${id}.jsonl`);
    const lines = (await Deno.readTextFile(path)).split("\n");
    const broken = [lines[0], "\0\0\0", lines[1], "{no json", lines[2], '{"type":"mess'].join("\n");
    await Deno.writeTextFile(path, broken);
    const { session, stored, damagedCopy } = await store.resume(id, { onError: fail });
    assert.deepEqual(stored.messages, [user("first"), reply("second")]);
    assert.equal(await Deno.readTextFile(damagedCopy ?? ""), broken);
    await session.append(user("third"));
    session.close();
    const again = await store.load(id);
    assert.equal(again.damaged, 0);
    assert.deepEqual(again.messages, [user("first"), reply("second"), user("third")]);
    assert.deepEqual((await store.recent()).map((one) => one.id), [id, other]);
  }));

Deno.test("a session's file of no bytes goes on with a header", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const id = await saved(store, [user("first")]);
    await Deno.writeTextFile(join(directory, `${id}.jsonl`), "");
    const { session } = await store.resume(id, { onError: fail });
    await session.append(user("anew"));
    session.close();
    const stored = await store.load(id);
    assert.deepEqual([stored.header.id, stored.damaged], [id, 0]);
    assert.deepEqual(stored.messages, [user("anew")]);
  }));

Deno.test("a session of another format is refused by name, left alone, and listed with the others", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const id = await saved(store, [user("later")]);
    const other = await saved(store, [user("now")]);
    const path = join(directory, `${id}.jsonl`);
    const text = (await Deno.readTextFile(path)).replace('"version":1', '"version":2');
    await Deno.writeTextFile(path, text);
    await assert.rejects(store.resume(id, { onError: fail }), /its format is 2, .* Update ally/);
    assert.equal(await Deno.readTextFile(path), text);
    const listed = new Map((await store.recent()).map((one) => [one.id, one.title]));
    assert.equal(listed.get(other), "now");
    assert.match(listed.get(id) ?? "", /its format is 2/);
  }));

Deno.test("a session that is open is refused, and goes on once it is closed", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const id = await saved(store, [user("first")]);
    const { session } = await store.resume(id, { onError: fail });
    await assert.rejects(store.resume(id, { onError: fail }), /another ally has it open/);
    session.close();
    (await store.resume(id, { onError: fail })).session.close();
  }));

Deno.test("a session goes on at once after close(), even while another thread starts processes", () =>
  inDirectory(async (directory) => {
    // A process being started has copies of all descriptors until its program is loaded.
    const starter = new Worker(
      `data:text/javascript,postMessage("ready");
      for (;;) await Promise.all([1, 2, 3, 4].map(() => new Deno.Command("true").spawn().status));`,
      { type: "module" },
    );
    try {
      await new Promise((resolve) => starter.onmessage = resolve);
      const store = new SessionStore({ directory });
      const id = await saved(store, [user("first")]);
      for (let count = 0; count < 300; count++) {
        (await store.resume(id, { onError: fail })).session.close();
      }
    } finally {
      starter.terminate();
    }
  }));

Deno.test("openNow() while a message is being saved opens the file once", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const session = store.create({ cwd: "/w", onError: fail });
    await Promise.all([session.append(user("first")), session.openNow()]);
    await session.finish();
    assert.deepEqual((await store.load(session.header.id)).messages, [user("first")]);
  }));

Deno.test("what is noted before anything was said leaves no file, and is saved with what is said first", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const session = store.create({ cwd: "/w", onError: fail });
    await session.appendEntry({ type: "title", title: "Name" });
    await session.appendEntry({ type: "state", key: "focus", value: "/w/src" });
    assert.equal(await store.latest(), undefined);
    await session.append(user("one"));
    await session.finish();
    const stored = await store.load(session.header.id);
    assert.equal(stored.title, "Name");
    assert.deepEqual([...stored.state], [["focus", "/w/src"]]);
    const silent = store.create({ cwd: "/w", onError: fail });
    await silent.appendEntry({ type: "title", title: "Nothing" });
    await silent.finish();
    assert.equal(await store.latest(), session.header.id);
  }));

Deno.test("finish() waits for what is added while it saves", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const session = store.create({ cwd: "/w", onError: fail });
    await session.append(user("one"));
    for (let count = 0; count < 20; count++) {
      const finished = session.finish();
      const late = Promise.resolve().then(() => session.append(user("late")));
      await Promise.all([finished, late]);
    }
    await session.finish();
    assert.equal((await store.load(session.header.id)).messages.length, 21);
  }));

Deno.test("finish() waits for what is being saved, tries a disk again that refused, and says what is lost", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const errors: string[] = [];
    const onError = (text: string) => errors.push(text);
    const session = store.create({ cwd: "/w", onError });
    void session.append(user("one"));
    void session.append(reply("two"));
    await session.finish();
    assert.equal((await store.load(session.header.id)).messages.length, 2);
    await Deno.remove(directory, { recursive: true });
    await Deno.writeTextFile(directory, "in the way");
    const refused = store.create({ cwd: "/w", onError });
    await refused.append(user("three"));
    await Deno.remove(directory);
    await refused.finish();
    assert.deepEqual((await store.load(refused.header.id)).messages, [user("three")]);
    await Deno.remove(directory, { recursive: true });
    await Deno.writeTextFile(directory, "in the way");
    const lost = store.create({ cwd: "/w", onError });
    await lost.append(user("four"));
    await lost.finish();
    assert.equal(errors.length, 3);
    assert.match(errors[2]!, /2 lines of the session .* could not be saved and are lost/);
  }));

Deno.test("sessions can be listed while another ally removes some", () =>
  inDirectory(async (directory) => {
    const store = new SessionStore({ directory });
    const stays = await saved(store, [user("stays")]);
    for (let round = 0; round < 50; round++) {
      const ids = Array.from({ length: 20 }, (_, index) => `20260101-000000-${round}-${index}`);
      for (const id of ids) Deno.writeTextFileSync(join(directory, `${id}.jsonl`), "{}\n");
      const listed = store.listIdsByUse();
      for (const id of ids) await Deno.remove(join(directory, `${id}.jsonl`));
      assert.ok((await listed).includes(stays));
    }
  }));
