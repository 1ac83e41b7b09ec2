import assert from "node:assert/strict";
import {
  ANSWER_LIMITS,
  boundBody,
  readBytes,
  readErrorText,
  readText,
} from "../../src/lib/bounded_body.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A body that gives these pieces and then says nothing, and whether its reader has left. */
function silentAfter(
  pieces: readonly string[],
): { body: ReadableStream<Bytes>; left: () => boolean } {
  const rest = pieces.map((piece) => new TextEncoder().encode(piece));
  let left = false;
  const body = new ReadableStream<Bytes>({
    pull(controller) {
      const next = rest.shift();
      if (next) controller.enqueue(next);
      return next ? undefined : new Promise(() => {});
    },
    cancel: () => void (left = true),
  }, { highWaterMark: 0 });
  return { body, left: () => left };
}

Deno.test("readText() joins the pieces of an answer, and takes one without a body", async () => {
  const bytes = new TextEncoder().encode("Grüße");
  const body = ReadableStream.from([bytes.slice(0, 3), bytes.slice(3)]);
  assert.equal(await readText(new Response(body)), "Grüße");
  assert.equal(await readText(new Response(null)), "");
});

Deno.test("readBytes() takes as many bytes as it may, and leaves at the first one more", async () => {
  const limits = { ...ANSWER_LIMITS, maxBytes: 6 };
  assert.equal((await readBytes(new Response("123456"), limits)).length, 6);
  const { body, left } = silentAfter(["1234", "567"]);
  await assert.rejects(readBytes(new Response(body), limits), {
    name: "BodyLimitError",
    limit: "size",
    message: "it sent more than 6 B, so the rest was not read",
  });
  assert.ok(left());
});

Deno.test("an answer that falls silent, and one that drips for ever, fail by their own limit", async () => {
  const silent = silentAfter(["1"]);
  const idle = { ...ANSWER_LIMITS, idleMs: 1 };
  await assert.rejects(readText(new Response(silent.body), idle), {
    limit: "time",
    message: "it sent nothing for 0.001 seconds",
  });
  assert.ok(silent.left());
  const drip = new ReadableStream<Bytes>({
    pull: (controller) => controller.enqueue(Uint8Array.of(32)),
  });
  await assert.rejects(readText(new Response(drip), { ...ANSWER_LIMITS, totalMs: 1 }), {
    limit: "time",
    message: "its answer was not complete after 0.001 seconds",
  });
});

Deno.test("readErrorText() says why an error cannot be read, and what to check", async () => {
  const broken = new ReadableStream({
    start: (controller) => controller.error(new Error("reset")),
  });
  assert.equal(await readErrorText(new Response(broken)), "reset");
  const long = new Response("x".repeat(ANSWER_LIMITS.maxBytes + 1));
  assert.equal(
    await readErrorText(long),
    "it sent more than 1.0 MB, so the rest was not read; check that the address is right",
  );
});

Deno.test("boundBody() asks for no more than is read, and closes the connection when its reader leaves", async () => {
  const { body, left } = silentAfter(["1", "2"]);
  const reader = boundBody(body, ANSWER_LIMITS).getReader();
  assert.deepEqual((await reader.read()).value, new TextEncoder().encode("1"));
  await reader.cancel();
  assert.ok(left());
});
