import { CLIENT_LIMITS } from "../support/settings.ts";
import assert from "node:assert/strict";
import { EndpointError } from "../../src/core/errors.ts";
import type { Delta, Model } from "../../src/core/model.ts";
import { createModel } from "../../src/model/client.ts";
import {
  type ReplyFunction,
  type ScriptedReply,
  startScriptedServer,
} from "../../src/modes/demo/scripted_server.ts";
import { ask, LS, REQUEST, setUp } from "../support/scripted_model.ts";

/** Asks and aborts when the first delta of a kind arrives. */
async function askUntil(model: Model, kind: Delta["kind"]) {
  const controller = new AbortController();
  return await model.reply(REQUEST, {
    signal: controller.signal,
    onDelta: (delta) => delta.kind === kind && controller.abort(),
  });
}

const CUT_OFF = { role: "assistant", calls: [], interrupted: true } as const;

const HM = {
  model: "m",
  place: { in: "fields" as const, fields: { reasoning_content: "hm" } },
};

Deno.test("a reply streams thinking and text, then has calls, usage and the finish reason", async () => {
  const usage = { prompt_tokens: 11, completion_tokens: 5 };
  const call = { id: "a", name: "ls", arguments: { path: "." } };
  await using t = await setUp([{ text: "Grüße 😀", thinking: "hm", calls: [call], usage }]);
  const { reply, deltas } = await ask(t.model);
  assert.deepEqual(reply, {
    message: {
      role: "assistant",
      content: "Grüße 😀",
      thinking: "hm",
      reasoning: HM,
      calls: [{ id: "a", name: "ls", arguments: '{"path":"."}' }],
    },
    usage: { promptTokens: 11, completionTokens: 5 },
    finishReason: "tool_calls",
    sent: [
      { where: "model", value: "m" },
      { where: "reasoning_effort", value: undefined },
      { where: "thinking", value: undefined },
      { where: "chat_template_kwargs", value: undefined },
      { where: "tools", value: undefined },
      { where: "message 1 (user)", value: { role: "user", content: "hi" } },
    ],
  });
  assert.deepEqual(deltas, [
    { kind: "thinking", text: "hm" },
    { kind: "text", text: "Grüße 😀" },
  ]);
});

Deno.test("a request asks for usage, and its bytes begin the next request's", async () => {
  await using t = await setUp([{ text: "one" }, { text: "two" }]);
  const request = { ...REQUEST, tools: [LS] };
  const { reply } = await ask(t.model, request);
  const messages = [...REQUEST.messages, reply.message, { role: "user", content: "go" } as const];
  await ask(t.model, { ...request, messages });
  const [first, second] = t.server.requests;
  assert.ok(first && second);
  assert.deepEqual(first.body["stream_options"], { include_usage: true });
  assert.equal(Object.keys(first.body).at(-1), "messages");
  assert.ok(second.text.startsWith(first.text.replace(/\]\}$/, "")));
});

Deno.test("the key is sent as a bearer token, and without one no Authorization header", async () => {
  await using t = await setUp([{ text: "a" }, { text: "b" }]);
  await ask(t.model);
  const { url } = t.server;
  await ask(
    createModel({ ...CLIENT_LIMITS, url: url, apiKey: "sk-1", headers: { "x-team": "7" } }),
  );
  const [without, withKey] = t.server.requests;
  assert.equal(without?.headers.has("authorization"), false);
  assert.equal(withKey?.headers.get("authorization"), "Bearer sk-1");
  assert.equal(withKey?.headers.get("x-team"), "7");
});

for (const status of [400, 422]) {
  Deno.test(`a server that answers stream_options with ${status} is asked without, from then on`, async () => {
    const refuse: ReplyFunction = ({ body }) =>
      "stream_options" in body
        ? { status, body: '{"detail":[{"loc":["body","stream_options"],"msg":"extra"}]}' }
        : { text: "ok" };
    await using t = await setUp([refuse, refuse, refuse]);
    assert.equal((await ask(t.model)).reply.message.content, "ok");
    assert.equal((await ask(t.model)).reply.message.content, "ok");
    const asked = t.server.requests.map(({ body }) => "stream_options" in body);
    assert.deepEqual(asked, [true, false, false]);
  });
}

Deno.test("an answer that is no stream is taken whole", async () => {
  const message = { role: "assistant", content: "whole" };
  const body = JSON.stringify({ choices: [{ message, finish_reason: "stop" }] });
  await using t = await setUp([{ body }]);
  const { reply, deltas } = await ask(t.model);
  assert.equal(reply.message.content, "whole");
  assert.deepEqual(deltas, [{ kind: "text", text: "whole" }]);
});

Deno.test("a stream with a finish reason but no [DONE] is whole", async () => {
  const choice = { delta: { content: "ok" }, finish_reason: "stop" };
  await using t = await setUp([{ sse: [JSON.stringify({ choices: [choice] })] }]);
  const { reply, retries } = await ask(t.model);
  assert.equal(reply.message.content, "ok");
  assert.deepEqual(retries, []);
});

Deno.test("a stream with [DONE] but no finish reason is whole", async () => {
  const chunk = JSON.stringify({ choices: [{ delta: { content: "ok" } }] });
  await using t = await setUp([{ sse: [chunk, "[DONE]"] }]);
  assert.equal((await ask(t.model)).reply.message.content, "ok");
});

Deno.test("a stream torn after its finish reason is whole but for its usage", async () => {
  const choice = { delta: { content: "ok" }, finish_reason: "stop" };
  const sse = [JSON.stringify({ choices: [choice] })];
  await using t = await setUp([{ sse, breakAfter: 1 }]);
  const { reply, retries } = await ask(t.model);
  assert.equal(reply.message.content, "ok");
  assert.equal(reply.usage, undefined);
  assert.deepEqual(retries, []);
});

const HALF_CALL = [
  { delta: { content: "half" } },
  { delta: { tool_calls: [{ index: 0, id: "a", function: { name: "ls", arguments: "{}" } }] } },
].map((choice) => JSON.stringify({ choices: [choice] }));

const LOST = /^the connection was lost: /;
const BROKEN: readonly [name: string, reply: ScriptedReply, why: RegExp][] = [
  ["is torn", { sse: HALF_CALL, breakAfter: 2 }, LOST],
  ["ends without a finish reason and [DONE]", { sse: HALF_CALL }, LOST],
  [
    "has an event that is not JSON",
    { sse: [...HALF_CALL, '{"choices":', "[DONE]"] },
    /^the reply could not be read: /,
  ],
  ["falls silent", { sse: HALF_CALL, hang: true }, LOST],
];
for (const [name, broken, why] of BROKEN) {
  Deno.test(`a stream that ${name} is asked for anew, and nothing of it is kept`, async () => {
    await using t = await setUp([broken, { text: "again" }], { idleTimeoutMs: 100 });
    const { reply, retries } = await ask(t.model);
    assert.equal(reply.message.content, "again");
    assert.deepEqual(reply.message.calls, []);
    assert.equal(retries.length, 1);
    assert.match(retries[0]?.why ?? "", why);
    assert.equal(t.server.requests.length, 2);
  });
}

Deno.test("a server error is tried four times again, with doubled waits, each announced", async () => {
  await using t = await setUp([{ status: 503, text: "overloaded", repeat: 5 }]);
  const announced: Delta[] = [];
  const options = {
    signal: new AbortController().signal,
    onDelta: (delta: Delta) => announced.push(delta),
  };
  await assert.rejects(t.model.reply(REQUEST, options), (error) => {
    assert.ok(error instanceof EndpointError);
    assert.equal(error.status, 503);
    assert.match(error.message, /answered 503: overloaded \(5 attempts\)\./);
    return true;
  });
  assert.deepEqual(t.waits, [500, 1000, 2000, 4000]);
  const retry = { kind: "retry", why: "the server answered 503: overloaded" };
  assert.deepEqual(
    announced,
    t.waits.flatMap((waitMs) => [{ ...retry, waitMs }, { kind: "restart" }]),
  );
  assert.equal(t.server.requests.length, 5);
});

Deno.test("a server that is loading its model is waited for as long as an answer may take to begin", async () => {
  await using server = await startScriptedServer({
    replies: [{ status: 503, text: "Loading model", repeat: 50 }],
  });
  let now = 0;
  const clock = {
    now: () => now,
    random: () => 0,
    delay: (ms: number) => Promise.resolve(void (now += ms)),
  };
  const limits = { ...CLIENT_LIMITS, requestTimeoutMs: 20_000, retries: 0 };
  const model = createModel({ ...limits, url: server.url, clock });
  const told: Delta[] = [];
  const options = {
    signal: new AbortController().signal,
    onDelta: (delta: Delta) => told.push(delta),
  };
  await assert.rejects(model.reply(REQUEST, options), /answered 503: Loading model/);
  assert.equal(now, 20_000);
  assert.deepEqual(told, [0, 5_000, 10_000].map((ms) => ({ kind: "loading", ms })));
});

Deno.test("the wait that a server asks for is kept", async () => {
  const limited = { status: 429, headers: { "retry-after": "3" } };
  await using t = await setUp([limited, { text: "ok" }]);
  assert.equal((await ask(t.model)).reply.message.content, "ok");
  assert.deepEqual(t.waits, [3000]);
});

for (const status of [400, 401, 403, 404, 422]) {
  Deno.test(`an answer of ${status} is not tried again`, async () => {
    await using t = await setUp([{ status, text: "no" }]);
    await assert.rejects(ask(t.model), { name: "EndpointError", status });
    assert.equal(t.server.requests.length, 1);
  });
}

Deno.test("an answer of 404 names the models that the server has", async () => {
  const models = ["qwen3:8b", "llama3"];
  await using t = await setUp([{ status: 404, text: "model 'm' not found" }], { models });
  await assert.rejects(ask(t.model), /answered 404: model 'm' not found.*qwen3:8b, llama3/);
});

Deno.test("an error within a stream is told in the server's words and not tried again", async () => {
  const sse = [...HALF_CALL, '{"error":{"message":"the grammar is broken","code":400}}'];
  await using t = await setUp([{ sse }]);
  await assert.rejects(ask(t.model), /answered 400: the grammar is broken\./);
  assert.equal(t.server.requests.length, 1);
});

Deno.test("an error within a stream that is the server's own is tried again", async () => {
  const sse = [...HALF_CALL, '{"error":{"message":"provider gone","code":502}}'];
  await using t = await setUp([{ sse }, { text: "ok" }]);
  const { reply } = await ask(t.model);
  assert.equal(reply.message.content, "ok");
  assert.deepEqual(reply.message.calls, []);
});

Deno.test("a web page instead of an answer points to the base URL", async () => {
  const page = {
    body: "<!doctype html><title>Hi</title>",
    headers: { "content-type": "text/html" },
  };
  await using t = await setUp([page]);
  await assert.rejects(
    ask(t.model),
    /did not answer like a chat completion endpoint: an HTML page/,
  );
});

Deno.test("a server that is not there is tried twice again, then named", async () => {
  const t = await setUp([]);
  await t.server.close();
  await assert.rejects(ask(t.model), (error) => {
    assert.ok(error instanceof EndpointError);
    assert.equal(error.status, undefined);
    assert.match(error.message, /refused the connection \(3 attempts\)\..*ollama serve/);
    assert.ok(error.message.startsWith(t.server.url));
    return true;
  });
  assert.deepEqual(t.waits, [500, 1000]);
});

Deno.test("headers that do not come in time end the request", async () => {
  await using t = await setUp([{ stall: true }], { requestTimeoutMs: 100 });
  await assert.rejects(ask(t.model), /did not answer in time/);
  await t.server.untilClosedEarly();
});

Deno.test("an error of the caller's own is neither hidden nor tried again", async () => {
  await using t = await setUp([{ text: "a", hang: true }]);
  const options = {
    signal: new AbortController().signal,
    onDelta: () => {
      throw new RangeError("broken sink");
    },
  };
  await assert.rejects(t.model.reply(REQUEST, options), RangeError);
  await t.server.untilClosedEarly();
  assert.equal(t.server.requests.length, 1);
});

Deno.test("aborting within a stream closes the socket and keeps the text, without calls", async () => {
  const call = { name: "ls", arguments: {} };
  await using t = await setUp([{ text: "part of it", calls: [call], hang: true }]);
  const { message } = await askUntil(t.model, "text");
  assert.deepEqual(message, { ...CUT_OFF, content: "part of it" });
  await t.server.untilClosedEarly();
  assert.equal(t.server.closedEarly, 1);
});

Deno.test("aborting while only thinking has come keeps the thinking", async () => {
  await using t = await setUp([{ thinking: "hm", hang: true }]);
  const { message } = await askUntil(t.model, "thinking");
  assert.deepEqual(message, { ...CUT_OFF, content: "", thinking: "hm", reasoning: HM });
  await t.server.untilClosedEarly();
});

Deno.test("aborting before the headers closes the socket and returns an empty reply", async () => {
  const controller = new AbortController();
  const stall: ReplyFunction = () => {
    controller.abort();
    return { stall: true };
  };
  await using t = await setUp([stall]);
  const { reply } = await ask(t.model, REQUEST, controller.signal);
  assert.deepEqual(reply.message, { ...CUT_OFF, content: "" });
  await t.server.untilClosedEarly();
});

Deno.test("aborting during the wait before a retry ends the wait, and no request follows", async () => {
  await using t = await setUp([{ status: 503, headers: { "retry-after": "60" } }], {
    clock: undefined,
  });
  const { message } = await askUntil(t.model, "retry");
  assert.deepEqual(message, { ...CUT_OFF, content: "" });
  assert.equal(t.server.requests.length, 1);
});

Deno.test("a signal that is aborted already sends nothing", async () => {
  await using t = await setUp([{ text: "a" }]);
  const { reply } = await ask(t.model, REQUEST, AbortSignal.abort());
  assert.deepEqual(reply.message, { ...CUT_OFF, content: "" });
  assert.equal(t.server.requests.length, 0);
});

Deno.test("a call id that the conversation knows is replaced", async () => {
  const call = { id: "call_0", name: "ls", arguments: {} };
  await using t = await setUp([{ calls: [call] }, { calls: [call] }]);
  const first = await ask(t.model);
  const result = { call_id: "call_0", name: "ls", content: "a", success: true };
  const messages = [...REQUEST.messages, first.reply.message, { role: "tool", ...result } as const];
  const second = await ask(t.model, { ...REQUEST, messages });
  assert.equal(first.reply.message.calls[0]?.id, "call_0");
  assert.match(second.reply.message.calls[0]?.id ?? "", /^call_[0-9a-f]{12}$/);
});
