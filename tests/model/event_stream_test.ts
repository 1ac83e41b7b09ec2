import assert from "node:assert/strict";
import { readEvents, type StreamEvent } from "../../src/model/event_stream.ts";
import { RequestFailure } from "../../src/model/failure.ts";

const LIMITS = { firstMs: 10_000, idleMs: 10_000 };
const encoder = new TextEncoder();

function streamOf(...parts: Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

async function eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<StreamEvent[]> {
  return await Array.fromAsync(readEvents(body, LIMITS));
}

Deno.test("readEvents() reads the same events wherever the bytes are cut", async () => {
  const text = [
    ': keep-alive\r\n\r\nevent: error\r\ndata: {"a":"ä😀"}\r\n\r\n',
    "data: one\ndata: two\n\n: OPENROUTER PROCESSING\n\nid: 7\nretry: 10\n",
    "data:[DONE]\n\n",
  ].join("");
  const expected = [
    { type: "error", data: '{"a":"ä😀"}' },
    { type: undefined, data: "one\ntwo" },
    { type: undefined, data: "[DONE]" },
  ];
  const bytes = encoder.encode(text);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const body = streamOf(bytes.slice(0, cut), bytes.slice(cut));
    assert.deepEqual(await eventsOf(body), expected, `cut at ${cut}`);
  }
  const single = [...bytes].map((byte) => Uint8Array.of(byte));
  assert.deepEqual(await eventsOf(streamOf(...single)), expected);
});

Deno.test("readEvents() counts a last event without its blank line", async () => {
  const body = streamOf(encoder.encode("data: one\n\ndata: two"));
  assert.deepEqual((await eventsOf(body)).map(({ data }) => data), ["one", "two"]);
});

Deno.test("readEvents() cancels the body when its reader stops early", async () => {
  let cancelled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode("data: one\n\n")),
    cancel: () => void (cancelled = true),
  });
  for await (const event of readEvents(body, LIMITS)) {
    assert.equal(event.data, "one");
    break;
  }
  assert.ok(cancelled);
});

Deno.test("readEvents() gives up on silence after the first bytes, by the idle limit", async () => {
  let cancelled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode("data: one\n\n")),
    cancel: () => void (cancelled = true),
  });
  const events = readEvents(body, { firstMs: 10_000, idleMs: 5 });
  assert.equal((await events.next()).value?.data, "one");
  await assert.rejects(events.next(), (error) => {
    assert.ok(error instanceof RequestFailure);
    assert.equal(error.kind, "lost");
    assert.match(error.message, /nothing arrived for 0.005 seconds/);
    return true;
  });
  assert.ok(cancelled);
});

Deno.test("readEvents() reports a connection that breaks as lost", async () => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.error(new TypeError("error reading a body from connection")),
  });
  await assert.rejects(eventsOf(body), { name: "RequestFailure", kind: "lost" });
});

Deno.test("readEvents() takes no part of a reply for another one where a line lost its beginning", async () => {
  for (const line of [' {"choices":[]}', 'ta: {"choices":[]}']) {
    const body = streamOf(encoder.encode(`data: 1\n\n${line}\n\ndata: 2\n\ndata: [DONE]\n\n`));
    const seen: string[] = [];
    const reading = async () => {
      for await (const { data } of readEvents(body, LIMITS)) seen.push(data);
    };
    await assert.rejects(reading, { name: "RequestFailure", kind: "lost" });
    assert.deepEqual(seen, ["1"]);
  }
});

Deno.test("readEvents() takes a line of its own for an error, and passes over fields that it does not know", async () => {
  const text = 'data: 1\n\nping\nfoo: bar\n\nerror: {"code":500}\n\n';
  assert.deepEqual(await eventsOf(streamOf(encoder.encode(text))), [
    { type: undefined, data: "1" },
    { type: "error", data: '{"code":500}' },
  ]);
});
