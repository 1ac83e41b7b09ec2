import assert from "node:assert/strict";
import type { Message } from "../../src/core/message.ts";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { recordingClient, replayingClient } from "../support/recorded.ts";
import { ask, REQUEST } from "../support/scripted_model.ts";

function user(content: string): Message {
  return { role: "user", content };
}

const system = (content: string): Message => ({ role: "system", content });

function saying(...messages: Message[]) {
  return { ...REQUEST, messages };
}

Deno.test("a replay gives the recorded replies without a server, errors and retries too", async () => {
  await using server = await startScriptedServer({
    replies: [
      { status: 503, text: "warming up", headers: { "retry-after": "7" } },
      { text: "Grüße", breakAfter: 1 },
      { text: "Grüße 😀", calls: [{ id: "a", name: "ls", arguments: {} }] },
    ],
  });
  const recorded = recordingClient(server.url);
  const first = await ask(recorded.model);
  recorded.recorder.end();
  const { model, replay } = replayingClient(recorded.lines);
  const again = await ask(model);
  assert.deepEqual(again.reply, first.reply);
  assert.equal(again.retries.length, 2);
  await replay.end();
  assert.equal(replay.difference, undefined);
});

Deno.test("requests of agents that run side by side get their own replies, in any order", async () => {
  await using server = await startScriptedServer({
    replies: [{ text: "for one" }, { text: "for two" }, { text: "for two again" }],
  });
  const recorded = recordingClient(server.url);
  await ask(recorded.model, saying(user("one")));
  await ask(recorded.model, saying(user("two")));
  await ask(recorded.model, saying(user("two"), user("more")));
  recorded.recorder.end();
  const { model } = replayingClient(recorded.lines);
  const texts = [];
  for (const messages of [[user("two")], [user("two"), user("more")], [user("one")]]) {
    texts.push((await ask(model, saying(...messages))).reply.message.content);
  }
  assert.deepEqual(texts, ["for two", "for two again", "for one"]);
});

Deno.test("a request that differs is an error with turn, line, message and words", async () => {
  await using server = await startScriptedServer({ replies: [{ text: "yes" }] });
  const recorded = recordingClient(server.url);
  recorded.recorder.note({ type: "prompt", text: "x" });
  await ask(recorded.model, saying(system("Be brief and kind to all."), user("x")));
  recorded.recorder.end();
  const { model, replay } = replayingClient(recorded.lines);
  await assert.rejects(ask(model, saying(system("Be brief and kind to few."), user("x"))), {
    name: "RecordingMismatch",
    message: "Turn 1, request 1 is not as recorded (r.jsonl, line 3):\n" +
      "  message 1 (system):\n" +
      "    recorded: system Be brief and kind to all.\n" +
      "    now:      system Be brief and kind to few.",
  });
  assert.equal(replay.difference?.difference.parts[0]?.now, "system Be brief and kind to few.");
});

Deno.test("temperature, model and definitions count, and a missing part is named", async () => {
  await using server = await startScriptedServer({ replies: [{ text: "yes", repeat: 4 }] });
  const recorded = recordingClient(server.url);
  await ask(recorded.model, { ...REQUEST, temperature: 0.5 });
  recorded.recorder.end();
  for (
    const [request, where] of [
      [{ ...REQUEST, temperature: 0.6 }, /temperature:\n {4}recorded: 0\.5\n {4}now: {6}0\.6/],
      [REQUEST, /temperature is missing:\n {4}recorded: 0\.5/],
      [{ ...REQUEST, temperature: 0.5, model: "other" }, /model:\n/],
      [
        { ...REQUEST, temperature: 0.5, messages: [...REQUEST.messages, user("and")] },
        /message 1 \(user\):|message 2 \(user\) is new:/,
      ],
    ] as const
  ) await assert.rejects(ask(replayingClient(recorded.lines).model, request), { message: where });
});

Deno.test("directory, date, platform and what results say of time may differ; words may not", async () => {
  await using server = await startScriptedServer({
    replies: [{ text: "see /then/work/a.txt", chunkSize: 4 }],
  });
  const result = (content: string): Message => ({
    role: "tool",
    call_id: "c",
    name: "bash",
    content,
    success: true,
  });
  const call: Message = {
    role: "assistant",
    content: "",
    calls: [{ id: "c", name: "bash", arguments: '{"command":"ls /then/work"}' }],
  };
  const recorded = recordingClient(server.url);
  const facts = "Directory: /then/work\nPlatform: linux. Date: 2026-01-02.";
  const output = "ok 3.2s at 10:11:12, /tmp/x81aZ, commit 4f0a9c1";
  await ask(recorded.model, saying(system(facts), user("x"), call, result(output)));
  recorded.recorder.end();
  const here = { directories: { cwd: "/now" }, platform: "darwin", date: "2026-05-06T00:00:00Z" };
  const now = (words: string) =>
    saying(
      system("Directory: /now\nPlatform: darwin. Date: 2026-05-06."),
      user("x"),
      { ...call, calls: [{ id: "c", name: "bash", arguments: '{"command":"ls /now"}' }] },
      result(words),
    );
  const same = "ok 12ms at 22:01:59, /tmp/q77Bc, commit 99ab12f";
  const { reply } = await ask(replayingClient(recorded.lines, here).model, now(same));
  assert.equal(reply.message.content, "see /now/a.txt");
  const other = replayingClient(recorded.lines, here);
  await assert.rejects(ask(other.model, now("no 12ms")), { message: /message 4 \(result\)/ });
});

Deno.test("names made up anew are tied to those of then, and said by the model as they are now", async () => {
  const then = "[secret:github_token:11111111]";
  const now = "[secret:github_token:22222222]";
  await using server = await startScriptedServer({
    replies: [{ text: "I saw it." }, { text: `Use ${then} now.`, chunkSize: 5 }],
  });
  const recorded = recordingClient(server.url);
  await ask(recorded.model, saying(user(`My token: ${then}`)));
  await ask(recorded.model, saying(user(`My token: ${then}`), user("again")));
  recorded.recorder.end();
  const { model } = replayingClient(recorded.lines);
  await ask(model, saying(user(`My token: ${now}`)));
  const { reply } = await ask(model, saying(user(`My token: ${now}`), user("again")));
  assert.equal(reply.message.content, `Use ${now} now.`);
});

Deno.test("one request more than recorded is told, and one less", async () => {
  await using server = await startScriptedServer({ replies: [{ text: "a" }, { text: "b" }] });
  const recorded = recordingClient(server.url);
  await ask(recorded.model);
  recorded.recorder.end();
  const more = replayingClient(recorded.lines);
  await ask(more.model);
  await assert.rejects(ask(more.model), { message: /request 2 is one more than was recorded/ });
  const less = replayingClient(recorded.lines);
  await less.replay.end();
  assert.match(
    less.replay.difference?.message ?? "",
    /was not made: the run ended 1 request early/,
  );
});

Deno.test("where the person stopped a reply, the replay is stopped too", async () => {
  await using server = await startScriptedServer({ replies: [{ text: "half", hang: true }] });
  const recorded = recordingClient(server.url);
  const stop = new AbortController();
  await recorded.model.reply(REQUEST, {
    signal: stop.signal,
    onDelta: (delta) => delta.kind === "text" && stop.abort(),
  });
  const { model, replay } = replayingClient(recorded.lines);
  const again = new AbortController();
  replay.onCancelled = () => again.abort();
  const { reply } = await ask(model, REQUEST, again.signal);
  assert.equal(reply.message.interrupted, true);
  assert.equal(reply.message.content, "half");
});

Deno.test("a recording holds no key, no cookie and no secret, wherever they were", async () => {
  await using server = await startScriptedServer({
    replies: [{
      text: "the word is hunter22",
      chunkSize: 3,
      headers: { "set-cookie": "sid=hunter22", "x-key": "hunter22" },
    }],
  });
  const mask = (text: string) => text.replaceAll("hunter22", "[secret:x]");
  const address = server.url.replace("//", "//user:hunter22@");
  const recorded = recordingClient(address, mask);
  await ask(recorded.model, saying(user("say hunter22")));
  recorded.recorder.end();
  const all = recorded.lines.slice(1).join("\n");
  assert.ok(!all.includes("hunter22"), all);
  assert.ok(all.includes("[secret:x]"));
});
