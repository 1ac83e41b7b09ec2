import assert from "node:assert/strict";
import {
  type ScriptedReply,
  startScriptedServer,
} from "../../../src/modes/demo/scripted_server.ts";
import { until } from "../../support/wait.ts";

async function post(url: string, body: unknown = { model: "m" }, signal?: AbortSignal) {
  const init = { method: "POST", body: JSON.stringify(body), headers: { "x-test": "1" } };
  return await fetch(`${url}/chat/completions`, { ...init, signal: signal ?? null });
}

async function start(...replies: ScriptedReply[]) {
  return await startScriptedServer({ replies });
}

Deno.test("startScriptedServer() streams text in pieces, then finish reason, usage and [DONE]", async () => {
  await using server = await start({ text: "a😀bc", chunkSize: 2 });
  const response = await post(server.url);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const events = (await response.text()).trim().split("\n\n").map((line) => line.slice(6));
  assert.equal(events.pop(), "[DONE]");
  const chunks = events.map((event) => JSON.parse(event));
  const deltas = chunks.flatMap((chunk) => chunk.choices[0]?.delta.content ?? []);
  assert.deepEqual(deltas, ["a😀", "bc"]);
  assert.equal(chunks.at(-2).choices[0].finish_reason, "stop");
  assert.equal(chunks.at(-1).usage.completion_tokens, 2);
});

Deno.test("startScriptedServer() records requests in order, with text and headers", async () => {
  await using server = await start({ text: "a" });
  await (await post(server.url, { n: 1 })).text();
  const last = await (await post(server.url, { n: 2 })).text();
  assert.deepEqual(server.requests.map(({ body }) => body), [{ n: 1 }, { n: 2 }]);
  assert.equal(server.requests[0]?.text, '{"n":1}');
  assert.equal(server.requests[0]?.headers.get("x-test"), "1");
  assert.match(last, /\(end of script\)/);
});

Deno.test("startScriptedServer() repeats a reply, and asks functions for theirs", async () => {
  await using server = await startScriptedServer({
    replies: [
      { status: 503, text: "busy", repeat: 2 },
      ({ body }, index) => ({ body: JSON.stringify([body["n"], index]) }),
    ],
  });
  for (let n = 0; n < 2; n++) {
    const response = await post(server.url);
    assert.equal(response.status, 503);
    assert.deepEqual(await response.json(), { error: { message: "busy" } });
  }
  assert.deepEqual(await (await post(server.url, { n: 7 })).json(), [7, 2]);
});

Deno.test("startScriptedServer() tears the connection after the chunks it was told", async () => {
  await using server = await start({ text: "abcdef", chunkSize: 1, breakAfter: 2 });
  const response = await post(server.url);
  await assert.rejects(response.text(), TypeError);
  assert.equal(server.closedEarly, 0);
});

Deno.test("startScriptedServer() notices clients that leave a hanging or stalled answer", async () => {
  await using server = await start({ text: "a", hang: true }, { stall: true });
  const response = await post(server.url);
  const reader = response.body?.getReader();
  assert.match(new TextDecoder().decode((await reader?.read())?.value), /"content":"a"/);
  await reader?.cancel();
  await server.untilClosedEarly();
  const leaving = new AbortController();
  const stalled = assert.rejects(post(server.url, {}, leaving.signal));
  await until("the second request", () => server.requests.length === 2);
  leaving.abort();
  await stalled;
  await server.untilClosedEarly(2);
  assert.equal(server.closedEarly, 2);
});

Deno.test("startScriptedServer() answers 404 elsewhere and 500 when a reply function throws", async () => {
  await using server = await startScriptedServer({
    replies: [() => {
      throw new Error("script is wrong");
    }],
  });
  const elsewhere = await fetch(`${server.url}/embeddings`);
  assert.equal(elsewhere.status, 404);
  await elsewhere.body?.cancel();
  const response = await post(server.url);
  assert.equal(response.status, 500);
  assert.match(await response.text(), /script is wrong/);
});
