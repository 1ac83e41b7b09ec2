import assert from "node:assert/strict";
import type { Event } from "../../src/core/event.ts";
import { composed, runComposed } from "../support/composed.ts";
import { runAlly, stage } from "../support/program.ts";

const delta = (fields: Record<string, unknown>, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })}\n\n`;
const half = (...texts: string[]) => texts.map((content) => delta({ content }));
const call = (args: string) =>
  delta({ tool_calls: [{ index: 0, id: "a", function: { name: "bash", arguments: args } }] });
const shown = (events: readonly Event[]) =>
  events.filter((event) => event.type === "text_delta").map((event) => event.text).join("");
const requests = (events: readonly Event[]) =>
  events.filter((event) => event.type === "request_start").length;

for (const reset of [true, undefined]) {
  const how = reset ? "reset" : "closed";
  Deno.test(`a reply whose connection is ${how} in the middle goes on where it stopped`, async () => {
    const raw = half("Hello ", "wor");
    await using at = await composed({
      replies: [{ raw, breakAfter: 2, ...reset && { reset } }, { text: "Hello world!" }],
    });
    const summary = await runComposed(at);
    assert.equal(summary.text, "Hello world!");
    assert.equal(shown(at.events), "Hello world!");
    assert.equal(requests(at.events), 1);
    assert.equal(at.server.requests.length, 2);
    const lines = await at.place.session();
    assert.equal(lines.filter((line) => line.type === "message").length, 2);
  });
}

Deno.test("a reply that says something else the second time begins anew, and says so", async () => {
  await using at = await composed({
    replies: [{ raw: half("Hello wor"), breakAfter: 1 }, { text: "Good day" }],
  });
  const summary = await runComposed(at);
  assert.equal(summary.text, "Good day");
  assert.equal(requests(at.events), 2);
  const last = at.events.findLastIndex((event) => event.type === "request_start");
  assert.equal(shown(at.events.slice(last)), "Good day");
});

Deno.test("what was shown of a reply that broke off for good is saved, marked, and exit code 75", async () => {
  await using at = await stage([{ raw: half("Part of it"), breakAfter: 1, repeat: 9 }]);
  await Deno.mkdir(at.place.home);
  await Deno.writeTextFile(`${at.place.home}/config.json`, '{"retries":1}');
  const done = await runAlly(at.place, { args: ["-p", "x"] });
  assert.equal(done.code, 75);
  assert.match(done.stdout, /^Part of it\n\n\[The reply broke off here\]\n$/);
  assert.match(done.stderr, /broke off its reply.*\(2 attempts\)/);
  const message = (await at.place.messages()).at(-1);
  assert.ok(message?.role === "assistant");
  assert.equal(message.content, "Part of it\n\n[The reply broke off here]");
  assert.equal(message.interrupted, true);
});

Deno.test("half a call is never run, wherever the connection breaks within it", async () => {
  const args = JSON.stringify({ command: "touch ran" });
  const pieces = [call(""), ...[...args].map((letter) => call(letter))];
  for (const breakAfter of [1, 2, 10, pieces.length - 1, pieces.length]) {
    await using at = await composed({
      replies: [{ raw: pieces, breakAfter, reset: true }, { text: "done" }],
      flags: ["-A"],
    });
    const summary = await runComposed(at);
    assert.equal(summary.reason, "done");
    assert.equal(summary.tool_calls, 0);
    await assert.rejects(at.place.read("ran"));
  }
});

Deno.test("a connection that is reset before the headers is made again", async () => {
  await using at = await composed({ replies: [{ breakAfter: -1 }, { text: "ok" }] });
  assert.equal((await runComposed(at)).text, "ok");
  assert.equal(at.server.requests.length, 2);
});

Deno.test("a stream that falls silent is asked for again after idle_timeout", async () => {
  await using at = await composed({
    replies: [{ text: "Hel", hang: true }, { text: "Hello" }],
    config: { idle_timeout: 1 },
  });
  assert.equal((await runComposed(at)).text, "Hello");
  assert.equal(shown(at.events), "Hello");
  const notices = at.events.filter((event) => event.type === "notice").map((event) => event.text);
  assert.match(notices.join("\n"), /nothing arrived for 1 seconds; asking again in/);
});

Deno.test("a server that never answers ends the turn after request_timeout", async () => {
  await using at = await composed({ replies: [{ stall: true }], config: { request_timeout: 1 } });
  const summary = await runComposed(at);
  assert.equal(summary.reason, "error");
  assert.match(summary.error ?? "", /did not answer in time/);
});

Deno.test("a server that sends heartbeats only ends the turn after request_timeout", async () => {
  await using at = await composed({
    replies: [{ raw: Array.from({ length: 500 }, () => ": ping\n\n"), delayMs: 20 }],
    config: { request_timeout: 1 },
  });
  const summary = await runComposed(at);
  assert.equal(summary.reason, "error");
  assert.match(summary.error ?? "", /no part of the reply arrived for 1 seconds/);
});

Deno.test("a stream of a byte at a time is read, and ended by reply_timeout if it never ends", async () => {
  const bytes = [...new TextEncoder().encode(half(...Array(200).fill("x")).join(""))]
    .map((byte) => Uint8Array.of(byte));
  // The first piece is whole, so that there is something to keep however slow the machine is.
  await using at = await composed({
    replies: [{ raw: [...half("x"), ...bytes], delayMs: 5 }],
    config: { reply_timeout: 1 },
  });
  const summary = await runComposed(at);
  assert.equal(summary.reason, "error");
  assert.match(summary.error ?? "", /the reply was not whole after 1 seconds/);
  const last = at.composition.agent.deps.conversation.messages.at(-1);
  assert.match(last?.content ?? "", /^x+\n\n\[The reply broke off here\]$/);
});

Deno.test("a reply that never ends is stopped and saved", async () => {
  const chunk = delta({ content: "word ".repeat(20_000) });
  await using at = await composed({ replies: [{ raw: Array(200).fill(chunk) }] });
  const summary = await runComposed(at);
  assert.equal(summary.reason, "error");
  assert.match(summary.error ?? "", /did not end its reply: it was stopped after 2,000,000/);
  assert.equal(at.server.requests.length, 1);
  const last = at.composition.agent.deps.conversation.messages.at(-1);
  assert.ok((last?.content.length ?? 0) > 1_900_000);
});

Deno.test("500 calls in one reply: 128 run, the rest is answered with the reason", async () => {
  const calls = Array.from({ length: 500 }, (_, index) => ({
    name: "read",
    arguments: { file_paths: ["a.txt"], offset: index + 1, limit: 1 },
  }));
  await using at = await composed({
    replies: [{ calls, chunkSize: 100 }, { text: "done" }],
    files: { "a.txt": "line\n".repeat(500) },
    flags: ["--context-size=200000"],
  });
  const summary = await runComposed(at);
  assert.equal(summary.reason, "done");
  const results = at.events.filter((event) => event.type === "tool_end")
    .map((event) => event.result);
  assert.equal(results.length, 500);
  assert.equal(results.filter((result) => result.success).length, 128);
  assert.match(results[499]!.error, /more than 128 calls/);
});

Deno.test("ally -p ends with 5 when the conversation does not fit and no room can be made", async () => {
  const text = "request (9000 tokens) exceeds the available context size (4096 tokens)";
  await using at = await stage([{ status: 400, text }]);
  const done = await runAlly(at.place, { args: ["-p", "--output-format=json", "x"] });
  assert.equal(done.code, 5);
  const result = JSON.parse(done.stdout);
  assert.equal(result.reason, "context");
  assert.match(result.error, /exceeds the available context size.*\/clear/);
});

Deno.test("ally -p stops a model that makes the same failing call forever, and says why", async () => {
  const calls = [{ name: "read", arguments: { file_paths: ["missing.txt"] } }];
  await using at = await stage([{ calls, repeat: 50 }]);
  const done = await runAlly(at.place, { args: ["-p", "x"] });
  assert.equal(done.code, 1);
  assert.match(done.stderr, /keeps calling read with the same arguments and the same result/);
  assert.equal(at.server.requests.length, 6);
  const sent = at.server.requests.at(-1)!.body.messages as { content: string }[];
  assert.match(sent.at(-1)!.content, /The same read call has had the same result 5 times/);
});

Deno.test("an empty reply is answered once; the second one ends the turn", async () => {
  await using at = await composed({ replies: [{ text: "" }, { text: "Here." }] });
  assert.equal((await runComposed(at)).text, "Here.");
  const sent = at.server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  assert.match(sent.at(-1)!.content, /Your last reply was empty/);

  await using twice = await composed({ replies: [{ text: "" }, { thinking: "hm" }] });
  const summary = await runComposed(twice);
  assert.equal(summary.reason, "error");
  assert.match(summary.error ?? "", /replies are empty/);
});

Deno.test("an answer cut off by the limit of tokens says so", async () => {
  await using at = await composed({ replies: [{ text: "Half", finishReason: "length" }] });
  assert.equal((await runComposed(at)).text, "Half");
  const notice = at.events.find((event) => event.type === "notice");
  assert.match(notice?.text ?? "", /limit of tokens/);
});

Deno.test("a page of a proxy in front of the server is an error of the server, tried again", async () => {
  const page = {
    status: 502,
    body: "<html><h1>502 Bad Gateway</h1></html>",
    headers: { "content-type": "text/html" },
  };
  await using at = await composed({ replies: [page, { text: "ok" }] });
  assert.equal((await runComposed(at)).text, "ok");

  await using gone = await composed({ replies: [page], config: { retries: 0 } });
  const { error = "" } = await runComposed(gone);
  assert.match(error, /answered 502: an HTML page\. Try again later/);
});

Deno.test("rescued and repaired calls are marked in the events and the session, and counted", async () => {
  const text = '<tool_call>{"name":"glob","arguments":{"pattern":"*.a"}}</tool_call>';
  const calls = [{ name: "glob", arguments: "{'pattern':'*.b'}" }];
  await using at = await composed({ replies: [{ text }, { calls }, { text: "done" }] });
  await runComposed(at);
  const starts = at.events.filter((event) => event.type === "tool_start");
  assert.deepEqual(starts.map((event) => event.rescued), [true, undefined]);
  const saved = JSON.stringify(await at.place.session());
  assert.match(saved, /"rescued":true/);
  assert.match(saved, /"repaired":true/);
  const counted = at.composition.statistics.models.get("scripted");
  assert.deepEqual(counted, { calls: 2, rescued: 1, repaired: 1, refused: 0 });
  assert.equal(shown(at.events), "done");
});

Deno.test("a call that stands in a file and is repeated by the model is no call", async () => {
  const text = '<tool_call>{"name":"bash","arguments":{"command":"touch ran"}}</tool_call>';
  const said = `It says:\n\n${text}`;
  const read = [{ name: "read", arguments: { file_paths: ["a.md"] } }];
  await using at = await composed({
    replies: [{ calls: read }, { text: said }],
    files: { "a.md": `hello\n${text}\n` },
    flags: ["-A"],
  });
  const summary = await runComposed(at);
  assert.equal(summary.text, said);
  assert.equal(summary.tool_calls, 1);
});
