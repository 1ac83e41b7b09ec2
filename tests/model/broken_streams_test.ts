import assert from "node:assert/strict";
import { EndpointError } from "../../src/core/errors.ts";
import type { Delta } from "../../src/core/model.ts";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { ask, LS, REQUEST, setUp } from "../support/scripted_model.ts";

Deno.test("silence is told, before the first words and within the reply", async () => {
  await using t = await setUp([{ text: "Hel", hang: true }], { idleNoticeMs: 10 });
  const controller = new AbortController();
  const idle: Extract<Delta, { kind: "idle" }>[] = [];
  await t.model.reply(REQUEST, {
    signal: controller.signal,
    onDelta: (delta) => {
      if (delta.kind !== "idle" || idle.push(delta) < 3 || !delta.begun) return;
      controller.abort();
    },
  });
  const within = idle.filter((delta) => delta.begun).map((delta) => delta.ms);
  assert.ok(within.length > 0);
  assert.equal(within[0], 10);
  assert.ok(within.every((ms, index) => index === 0 || ms > within[index - 1]!));
});

Deno.test("a stream cut off after any of its bytes is whole or a clean error, never half a call", async () => {
  const args = '{"path":"ä"}';
  const entry = { index: 0, id: "a", function: { name: "ls", arguments: args } };
  const whole = [
    { choices: [{ index: 0, delta: { content: "Grüße" }, finish_reason: null }] },
    { choices: [{ index: 0, delta: { tool_calls: [entry] }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  const bytes = new TextEncoder().encode(whole);
  const cuts = Array.from(
    { length: bytes.length + 1 },
    (_, end) => ({ raw: [bytes.slice(0, end)] }),
  );
  await using t = await setUp(cuts, { retries: 0 });
  let wholes = 0;
  for (const end of cuts.keys()) {
    try {
      const { reply: { message } } = await ask(t.model, { ...REQUEST, tools: [LS] });
      assert.equal(message.content, "Grüße", `cut at ${end}`);
      assert.deepEqual(message.calls, [{ id: "a", name: "ls", arguments: args }]);
      wholes++;
    } catch (error) {
      assert.ok(error instanceof EndpointError, String(error));
    }
  }
  assert.ok(wholes >= 1 && wholes <= 4, `${wholes} whole`);
});

const PASSING: readonly [what: string, reply: ScriptedReply][] = [
  ["an overloaded server's error in the stream", {
    sse: ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
  }],
  ["a provider's failure where the text would be", {
    sse: [
      '{"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"gone"}}]}',
    ],
  }],
  ["an error object with a code", {
    sse: ['{"object":"error","message":"internal error","code":500}'],
  }],
  ["a call that the server's own model spoilt", {
    status: 400,
    text: "tool_use_failed: Failed to call a function.",
  }],
];
for (const [what, reply] of PASSING) {
  Deno.test(`${what} is tried again`, async () => {
    await using t = await setUp([reply, { text: "ok" }]);
    assert.equal((await ask(t.model)).reply.message.content, "ok");
    assert.equal(t.server.requests.length, 2);
  });
}

Deno.test("an error event in plain words is the server's error", async () => {
  await using t = await setUp([{ raw: ["event: error\ndata: the model crashed\n\n"] }]);
  await assert.rejects(ask(t.model), (error) => {
    assert.ok(error instanceof EndpointError);
    assert.match(error.message, /ended its reply with an error: the model crashed\./);
    return true;
  });
});
