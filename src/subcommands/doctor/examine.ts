/**
 * Tests one model on one endpoint, one check after another, and sums up the results as the model's profile.
 */
import { loadingNotice } from "../../agent/turn_notes.ts";
import type { KnownEndpoint } from "../../app/endpoints.ts";
import type { ModelProfile } from "../../core/endpoint.ts";
import { EndpointError } from "../../core/errors.ts";
import type { Model } from "../../core/model.ts";
import { cutEnd, formatCount, formatShortDuration, messageOf, plural } from "../../lib/text.ts";
import { type ClientLimits, createModel } from "../../model/client.ts";
import { listModels } from "../../model/models.ts";
import { identifyServer, type ServerKind } from "../../model/server_kind.ts";
import { fetchWindow, isHosted, type ServerWindow } from "../../model/window.ts";
import { checkCache } from "./cache_check.ts";
import { probeAnswer, type ProbeOptions, probeParallel, probeTools } from "./probes.ts";
import type { Check } from "./report.ts";
import { checkWindow } from "./window_check.ts";
import { probeWindow, type WindowFinding } from "./window_probe.ts";

/** Which model is examined, and how results are reported. */
export interface ExamineOptions {
  /** @default the server's first */
  readonly model: string | undefined;
  /** The window in tokens, according to the configuration. */
  readonly configuredSize: number | undefined;
  /** How the server is asked. */
  readonly limits: ClientLimits;
  /** Leaves out the long prompts. */
  readonly quick: boolean;
  readonly signal: AbortSignal;
  readonly onCheck: (check: Check) => void;
  /** Shows what is being done; an empty text removes it. */
  readonly onProgress: (text: string) => void;
}

/** What was found, beside the checks. */
interface ExamineResult {
  readonly server: string;
  readonly model: string;
  /** Undefined if the model could not be tried. */
  readonly profile: ModelProfile | undefined;
}

/** Milliseconds that one short request may take, the loading of the model included, and a long one. */
const SHORT_TIMEOUT_MS = 180_000;
const LONG_TIMEOUT_MS = 300_000;
/** Tokens of the longest prompt that is tried in any case. */
const MAX_PROBE_TOKENS = 32_768;
/** Milliseconds that a longer one may take, where a server on your own hardware claims a larger window. */
const LONG_PROMPT_TIMEOUT_MS = 120_000;
const MAX_NAMES = 8;

/** @throws {EndpointError} the server cannot be reached, or answers with nothing but errors */
export async function examine(
  endpoint: KnownEndpoint,
  options: ExamineOptions,
): Promise<ExamineResult> {
  const { signal, onCheck, onProgress } = options;
  onProgress("asking the server");
  const [listed, { kind, name: server }] = await Promise.all([
    listModelsIfAny(endpoint, options),
    identifyServer(endpoint, { signal }),
  ]);
  onCheck(checkServer(server, listed));
  const models = listed ?? [];
  const model = options.model ?? models[0];
  const check = checkModel(model, models);
  onCheck(check);
  if (model === undefined || check.status === "failed") {
    return { server, model: model ?? "", profile: undefined };
  }
  const profile = await tryModel(endpoint, { ...options, model, server, kind });
  return { server, model, profile };
}

/** Tries what a model and its server can do. @throws as `examine` */
async function tryModel(
  endpoint: KnownEndpoint,
  options: ExamineOptions & { model: string; server: string; kind: ServerKind },
): Promise<ModelProfile> {
  const { model, server, kind, signal, onCheck, onProgress } = options;
  const refused = new Set<string>();
  const port = createModel({
    ...endpoint,
    ...options.limits,
    onFallback: (_model, fallback) => refused.add(fallback),
  });
  const probe = { model, signal, timeoutMs: SHORT_TIMEOUT_MS };
  onProgress("waiting for an answer; the model may have to be loaded first");
  const answer = await probeAnswer(port, probe);
  checkAnswer(answer).forEach(onCheck);
  const tools = await checkTools(port, { ...options, probe });
  const declared = await fetchWindow(endpoint, { model, signal });
  const measured = options.quick ? undefined : await measureWindow(port, {
    ...options,
    // Where tokens cost money, they are not spent on that.
    maxWaitMs: isHosted(endpoint) || endpoint.prices !== undefined ? 0 : LONG_PROMPT_TIMEOUT_MS,
    probe: { ...probe, timeoutMs: LONG_TIMEOUT_MS },
    declared,
    reasoning: answer.reasoning,
  });
  onCheck(checkWindow({ ...options, kind, declared, measured, quick: options.quick }));
  onProgress("trying the cache");
  const { quick } = options;
  const caching = await checkCache(endpoint, port, { ...probe, kind, declared, quick });
  caching.forEach(onCheck);
  checkRefusals(refused).forEach(onCheck);
  const { streaming, usage, reasoning, firstTokenMs, tokensPerSecond } = answer;
  return {
    checked: new Date().toISOString(),
    server,
    streaming,
    usage,
    reasoning,
    without: [...refused],
    first_token_ms: firstTokenMs,
    ...tokensPerSecond !== undefined && { tokens_per_second: tokensPerSecond },
    ...tools,
    ...declared.digest !== undefined && { digest: declared.digest },
    ...toProfileWindow(declared, measured),
  };
}

/** The server's models; undefined if it lists none and one is named. */
async function listModelsIfAny(
  endpoint: KnownEndpoint,
  { model, signal, onProgress }: ExamineOptions,
): Promise<string[] | undefined> {
  const onLoading = (ms: number) => onProgress(loadingNotice(ms).text);
  try {
    return await listModels({ ...endpoint, onLoading }, signal);
  } catch (error) {
    const isUnlisted = error instanceof EndpointError && error.kind === "unlisted";
    if (!isUnlisted || model === undefined) throw error;
    return undefined;
  }
}

function checkServer(server: string, models: readonly string[] | undefined): Check {
  const id = "server";
  return models === undefined
    ? { id, status: "warning", detail: `${server}, which does not list its models` }
    : { id, status: "ok", detail: `${server}, ${plural(models.length, "model")}` };
}

function checkModel(model: string | undefined, models: readonly string[]): Check {
  const id = "model";
  const first = models.slice(0, MAX_NAMES).join(", ");
  const some = models.length > MAX_NAMES ? `${first}, ...` : first;
  if (model === undefined) {
    const mend = "Load one into it (Ollama: `ollama pull NAME`), or name one with --model.";
    return { id, status: "failed", detail: "the server lists no model and none is named", mend };
  }
  const isThere = models.length === 0 || models.includes(model) ||
    models.includes(`${model}:latest`);
  if (isThere) return { id, status: "ok", detail: model };
  const detail = `the server has no ${model}; it has ${some}`;
  return { id, status: "failed", detail, mend: "Choose with --model NAME, or run `ally init`." };
}

function checkAnswer(answer: Awaited<ReturnType<typeof probeAnswer>>): Check[] {
  const { streaming, usage, reasoning, firstTokenMs, tokensPerSecond } = answer;
  const rate = tokensPerSecond === undefined
    ? "too short an answer to measure"
    : `${tokensPerSecond} tokens a second`;
  return [
    streaming
      ? { id: "streaming", status: "ok", detail: "the answer comes in pieces" }
      : { id: "streaming", status: "warning", detail: "the answer comes in one piece, at its end" },
    {
      id: "speed",
      status: "ok",
      detail: `first token after ${formatShortDuration(firstTokenMs)}, ${rate}`,
    },
    usage ? { id: "usage", status: "ok", detail: "the server counts tokens" } : {
      id: "usage",
      status: "warning",
      detail: "the server does not count tokens: ally estimates them",
    },
    { id: "reasoning", status: "ok", detail: reasoning ? "it thinks before it answers" : "none" },
  ];
}

async function checkTools(
  port: Model,
  { onCheck, onProgress, probe }: ExamineOptions & { probe: ProbeOptions },
): Promise<Pick<ModelProfile, "tools" | "parallel_calls">> {
  onProgress("asking for a tool call");
  const { tools, text } = await probeTools(port, probe);
  if (tools === "none") {
    onCheck({
      id: "tools",
      status: "failed",
      detail: `it called no tool but said: ${cutEnd(text.replace(/\s+/g, " "), 80) || "nothing"}`,
      mend: "Use a model made for tool calls, or start the server with its template for them " +
        "(llama.cpp: --jinja; vLLM: --enable-auto-tool-choice --tool-call-parser NAME).",
    });
    return { tools };
  }
  onCheck(
    tools === "native" ? { id: "tools", status: "ok", detail: "it calls tools" } : {
      id: "tools",
      status: "ok",
      detail: "it writes calls as text; ally reads them from there",
    },
  );
  onProgress("asking for two calls at once");
  const parallel = await probeParallel(port, probe);
  const detail = parallel === "asked"
    ? "several calls in one reply if the request asks for them; ally does"
    : parallel
    ? "several calls in one reply"
    : "one call per reply: slower, but it works";
  onCheck({ id: "parallel", status: "ok", detail });
  return { tools, parallel_calls: parallel };
}

/** What long prompts show; if they take too long, the other findings still stand. */
async function measureWindow(
  port: Model,
  { probe, declared, reasoning, maxWaitMs, onProgress, signal }: ExamineOptions & {
    probe: ProbeOptions;
    maxWaitMs: number;
    declared: ServerWindow;
    reasoning: boolean;
  },
): Promise<WindowFinding> {
  try {
    return await probeWindow(port, {
      ...probe,
      reported: declared.source === "server" ? declared.size : undefined,
      maxWindow: Math.min(MAX_PROBE_TOKENS, declared.trained ?? MAX_PROBE_TOKENS),
      maxWaitMs,
      reasoning,
      onTry: (tokens) => onProgress(`trying a prompt of ${formatCount(tokens)} tokens`),
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EndpointError)) throw error;
    return { size: undefined, beyond: "not tried", why: messageOf(error) };
  }
}

function toProfileWindow(
  declared: ServerWindow,
  found: WindowFinding | undefined,
): Pick<ModelProfile, "window"> {
  const asked = declared.size === undefined ? {} : { asked: declared.size };
  if (found?.size !== undefined) return { window: { size: found.size, source: "probe", ...asked } };
  const { size, source = "server" } = declared;
  return size === undefined ? {} : { window: { size, source, ...asked } };
}

const REFUSAL_TEXTS: Readonly<Record<string, string>> = {
  system: "it takes no system prompt: ally sends it with the first message",
  tools: "its server takes no tools: ally describes them in the prompt",
  max_tokens: "it takes max_completion_tokens instead of max_tokens",
  temperature: "it takes no temperature",
  stream: "its server does not stream",
  usage: "its server takes no stream_options",
  reasoning: "its server takes no thinking back",
  parallel: "its server takes no parallel_tool_calls",
};

function checkRefusals(refused: ReadonlySet<string>): Check[] {
  return [...refused].map((one) => ({
    id: "request",
    status: "ok",
    detail: REFUSAL_TEXTS[one] ?? one,
  }));
}
