/**
 * Valid streams, mangled at random: never a hang, never a crash, never a call with arguments other than those
 * that arrived.
 */
import { CLIENT_LIMITS } from "./settings.ts";
import assert from "node:assert/strict";
import { EndpointError } from "../../src/core/errors.ts";
import type { Reply } from "../../src/core/model.ts";
import type { ToolDefinition } from "../../src/core/tool.ts";
import { mapLimited } from "../../src/lib/pool.ts";
import { createModel } from "../../src/model/client.ts";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { type MangledStream, mangledStream } from "./mangled_streams.ts";
import { TEST_SEED } from "./random.ts";

const TOOLS: readonly ToolDefinition[] = ["bash", "write"].map((name) => ({
  name,
  description: "",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effects: ["exec"],
  example: {},
}));

/** Sends so many streams; the test's name has the seed. */
export function testStreams(count: number): void {
  Deno.test(`${count} mangled streams end, and no call says what was not sent (seed ${TEST_SEED})`, async () => {
    const streams = Array.from({ length: count }, (_, index) => mangledStream(TEST_SEED + index));
    await using server = await startScriptedServer({
      replies: streams.map(() => ({ body }) => {
        const number = Number((body.messages as { content: string }[])[0]!.content);
        return { raw: streams[number]!.pieces };
      }),
    });
    const model = createModel({
      ...CLIENT_LIMITS,
      url: server.url,
      retries: 0,
      idleTimeoutMs: 10_000,
    });
    const outcomes = await mapLimited([...streams.keys()], {
      limit: 8,
      run: async (index) => {
        const signal = AbortSignal.timeout(30_000);
        const messages = [{ role: "user", content: String(index) } as const];
        try {
          const reply = await model.reply({ model: "m", messages, tools: TOOLS }, {
            signal,
            onDelta: () => {},
          });
          check(streams[index]!, reply, TEST_SEED + index);
          return "reply";
        } catch (error) {
          if (!(error instanceof EndpointError)) throw error;
          assert.equal(
            streams[index]!.intact,
            false,
            `stream ${TEST_SEED + index}: ${error.message}`,
          );
          return "error";
        }
      },
    });
    assert.equal(outcomes.length, count);
    assert.ok(outcomes.includes("reply"));
    assert.ok(outcomes.includes("error"));
  });
}

function check(stream: MangledStream, { message }: Reply, seed: number): void {
  assert.equal(message.interrupted, undefined, `stream ${seed} hung`);
  if (stream.intact) {
    const text = stream.text.trim() === "" ? "" : stream.text;
    assert.equal(message.content, text, `stream ${seed}`);
    const calls = message.calls.map((call) => ({ name: call.name, arguments: call.arguments }));
    assert.deepEqual(calls, stream.calls, `stream ${seed}`);
  }
  for (const call of message.calls) {
    if (call.refused !== undefined) continue;
    const isSent = call.repaired
      ? [...stream.spelled].some((sent) => bare(sent).startsWith(bare(call.arguments)))
      : stream.spelled.has(call.arguments) ||
        (call.arguments === "{}" && stream.spelled.has(""));
    assert.ok(isSent, `stream ${seed} was not sent ${JSON.stringify(call)}`);
  }
}

/** Without what a repair may change. */
function bare(text: string): string {
  // A line end within a string is spelled out by a repair.
  return text.replace(/\\[nrtbf]|[\s\b,:'"{}[\]\\]/g, "");
}
