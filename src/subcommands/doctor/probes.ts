/**
 * Short questions to a model that show what it and its server can do: stream, count tokens, think, call tools,
 * call several at once. Each is bounded in time and tokens.
 */
import { EndpointError } from "../../core/errors.ts";
import type { Model, ModelRequest, Reply } from "../../core/model.ts";
import type { ToolDefinition } from "../../core/tool.ts";

/** What a probe runs with. */
export interface ProbeOptions {
  readonly model: string;
  readonly signal: AbortSignal;
  /** Milliseconds that one request may take. */
  readonly timeoutMs: number;
}

/** What an answer was like. */
interface AnswerFinding {
  readonly text: string;
  readonly streaming: boolean;
  readonly usage: boolean;
  readonly reasoning: boolean;
  readonly firstTokenMs: number;
  /** Undefined if the answer was too short or too quick to measure. */
  readonly tokensPerSecond: number | undefined;
}

/** How a model calls tools. */
interface ToolFinding {
  readonly tools: "native" | "text" | "none";
  /** The text of its reply. */
  readonly text: string;
}

/** Tokens that an answer may have: enough for a model that thinks first. */
const MAX_TOKENS = 400;
/** Characters of one token, where the server does not count. */
const CHARACTERS_PER_TOKEN = 4;
/** Milliseconds over which a rate tells something. */
const MIN_SPAN_MS = 20;

const PROBE_TOOL: ToolDefinition = {
  name: "look_up_weather",
  description: "Look up the weather of a city.",
  parameters: {
    type: "object",
    properties: { city: { type: "string", description: "name of the city" } },
    required: ["city"],
    additionalProperties: false,
  },
  effects: ["read"],
  example: { city: "Oslo" },
};

/** Has the model count, and measures. @throws {EndpointError} it did not answer */
export async function probeAnswer(port: Model, options: ProbeOptions): Promise<AnswerFinding> {
  const start = performance.now();
  const times: number[] = [];
  let thought = false;
  const reply = await askModel(port, {
    ...options,
    prompt: "Count from 1 to 30, separated by blanks. Write nothing else.",
    onPiece: (kind) => {
      times.push(performance.now());
      thought ||= kind === "thinking";
    },
  });
  const { content, thinking = "" } = reply.message;
  const tokens = reply.usage?.completionTokens ||
    Math.ceil((content.length + thinking.length) / CHARACTERS_PER_TOKEN);
  const span = (times.at(-1) ?? start) - (times[0] ?? start);
  return {
    text: content,
    streaming: times.length > 2,
    usage: (reply.usage?.promptTokens ?? 0) > 0,
    reasoning: thought || thinking !== "",
    firstTokenMs: Math.round((times[0] ?? performance.now()) - start),
    tokensPerSecond: span < MIN_SPAN_MS ? undefined : Number((tokens / (span / 1000)).toFixed(1)),
  };
}

/** Has the model call a tool. @throws {EndpointError} it did not answer */
export async function probeTools(port: Model, options: ProbeOptions): Promise<ToolFinding> {
  const prompt = `Call the tool ${PROBE_TOOL.name} for Oslo now. Write nothing else.`;
  const { message } = await askModel(port, { ...options, prompt, tools: [PROBE_TOOL] });
  const call = message.calls.find(({ name, refused }) => name === PROBE_TOOL.name && !refused);
  return {
    tools: call === undefined ? "none" : call.rescued ? "text" : "native",
    text: message.content.trim(),
  };
}

/**
 * Whether the model makes two calls in one reply: by itself, or if the request asks for it, as llama.cpp needs.
 * @throws {EndpointError} it did not answer
 */
export async function probeParallel(
  port: Model,
  options: ProbeOptions,
): Promise<boolean | "asked"> {
  if (await makesTwoCalls(port, options)) return true;
  try {
    return await makesTwoCalls(port, { ...options, parallel: true }) && "asked";
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof EndpointError) return false;
    throw error;
  }
}

async function makesTwoCalls(
  port: Model,
  options: ProbeOptions & { parallel?: boolean },
): Promise<boolean> {
  const prompt = `Call the tool ${PROBE_TOOL.name} twice in this one reply: ` +
    "once for Oslo and once for Lima. Write nothing else.";
  const { message } = await askModel(port, { ...options, prompt, tools: [PROBE_TOOL] });
  return message.calls.filter(({ refused }) => !refused).length >= 2;
}

/** One request of a probe. @throws {EndpointError} it did not answer, or not in time */
export async function askModel(
  port: Model,
  { prompt, tools = [], maxTokens = MAX_TOKENS, parallel = false, ...rest }: ProbeOptions & {
    prompt: string;
    tools?: ModelRequest["tools"];
    maxTokens?: number;
    parallel?: boolean;
    onPiece?: (kind: "text" | "thinking") => void;
  },
): Promise<Reply> {
  const { model, signal, timeoutMs, onPiece } = rest;
  const limit = AbortSignal.timeout(timeoutMs);
  const reply = await port.reply({
    model,
    maxTokens,
    parallel,
    messages: [
      { role: "system", content: "You do exactly what you are told." },
      { role: "user", content: prompt },
    ],
    tools,
  }, {
    signal: AbortSignal.any([signal, limit]),
    onDelta: ({ kind }) => {
      if (kind === "text" || kind === "thinking") onPiece?.(kind);
    },
  });
  signal.throwIfAborted();
  if (limit.aborted) {
    throw new EndpointError(`No complete answer came within ${timeoutMs / 1000} seconds.`);
  }
  return reply;
}
