/**
 * The model client over a scripted server, without its waits: for tests of the client.
 */
import type { Delta, Model, ModelRequest } from "../../src/core/model.ts";
import type { ToolDefinition } from "../../src/core/tool.ts";
import { createModel, type ModelOptions } from "../../src/model/client.ts";
import {
  type ReplyFunction,
  type ScriptedReply,
  startScriptedServer,
} from "../../src/modes/demo/scripted_server.ts";
import { CLIENT_LIMITS } from "./settings.ts";

/** A request of one user message. */
export const REQUEST: ModelRequest = {
  model: "m",
  messages: [{ role: "user", content: "hi" }],
  tools: [],
};
/** A tool to offer. */
export const LS: ToolDefinition = {
  name: "ls",
  description: "Lists",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effects: ["read"],
  example: {},
};

/** A server with a script, a client that waits for nothing, and the waits it would have made. */
export async function setUp(
  replies: (ScriptedReply | ReplyFunction)[],
  options: Partial<ModelOptions> & { models?: string[] } = {},
) {
  const server = await startScriptedServer({ replies, models: options.models ?? ["m"] });
  const waits: number[] = [];
  const clock = {
    now: () => Date.now(),
    random: () => 0,
    delay: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
  };
  const model = createModel({ ...CLIENT_LIMITS, url: server.url, clock, ...options });
  return { server, model, waits, [Symbol.asyncDispose]: () => server.close() };
}

/** Asks once, and collects what is told meanwhile. */
export async function ask(model: Model, request = REQUEST, signal = new AbortController().signal) {
  const deltas: Delta[] = [];
  const reply = await model.reply(request, { signal, onDelta: (delta) => deltas.push(delta) });
  return { reply, deltas, retries: deltas.filter((delta) => delta.kind === "retry") };
}
