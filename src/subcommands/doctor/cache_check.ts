/**
 * Whether a server keeps what it has read: two requests that begin alike, and what of its configuration makes it read
 * again what it had read.
 */
import { EndpointError } from "../../core/errors.ts";
import type { Model } from "../../core/model.ts";
import { formatCount, formatShortDuration, plural } from "../../lib/text.ts";
import type { Endpoint } from "../../model/endpoint.ts";
import { listOf, objectOf, textOf } from "../../model/fields.ts";
import { getJson, urlBeside } from "../../model/get_json.ts";
import type { ServerKind } from "../../model/server_kind.ts";
import { type ServerWindow, SMALL_WINDOW } from "../../model/window.ts";
import { askModel, type ProbeOptions } from "./probes.ts";
import type { Check } from "./report.ts";

/** What the requests showed. */
interface CacheFinding {
  /** Tokens of the second request; of these, what the server had cached, if it says so. */
  readonly tokens: number;
  readonly cached: number | undefined;
  /** What is cached of requests: what is the same at their beginning, only all of the one before, or nothing. */
  readonly keeps: "beginnings" | "continuations" | "nothing" | "unknown";
  /** Whether what stands behind a part that was taken out is cached too. */
  readonly shifts: boolean;
  /** Milliseconds until the first token of each. */
  readonly firstMs: number;
  readonly secondMs: number;
}

/** Which server, and what is known of it. */
interface CacheOptions extends ProbeOptions {
  readonly kind: ServerKind;
  readonly declared: ServerWindow;
  /** Leaves out the requests, which are long. */
  readonly quick: boolean;
}

const LINE =
  "a lamp, a boat, seven apples, the old road to the harbour and a letter from the north";
/** Lines at the beginning, of the part that the second request leaves out, and behind it. */
const LINES = { beginning: 50, dropped: 8, end: 22 };
/** Share of what should be cached below which it is not. */
const MOST = 0.7;
/** Share of the whole from which on it is. */
const NEARLY_ALL = 0.9;
/** Share of the first request's time in which the second is answered if its beginning is cached. */
const QUICK = 0.6;
/** Milliseconds of a first request that tell something. */
const TELLING_MS = 500;
/** Tokens of an answer: none is needed. */
const MAX_TOKENS = 4;
/** Minutes after which a model that is unloaded was in use a moment ago. */
const SHORT_MINUTES = 10;

/** Tries the cache, and looks at what the server says of its configuration. */
export async function checkCache(
  endpoint: Endpoint,
  port: Model,
  options: CacheOptions,
): Promise<Check[]> {
  const { kind, declared, quick } = options;
  const caching = quick ? [] : [await tryCache(port, options)];
  const unloading = kind === "ollama" ? await fetchUnloading(endpoint, options) : undefined;
  return [
    ...caching,
    ...kind === "llamacpp" ? checkSlots(declared) : [],
    ...checkUnloading(unloading),
  ];
}

/** What the requests show; if they fail, the other findings still stand. */
async function tryCache(port: Model, options: CacheOptions): Promise<Check> {
  try {
    return describeCache(await probeCache(port, options), options.kind);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof EndpointError)) throw error;
    return { id: "cache", status: "skipped", detail: `it could not be tried: ${error.message}` };
  }
}

/** Sends two requests that begin alike; a third one where the second showed nothing cached. */
async function probeCache(port: Model, options: ProbeOptions): Promise<CacheFinding> {
  // Words that no request had before.
  const mark = crypto.randomUUID();
  const part = (name: keyof typeof LINES) =>
    Array.from({ length: LINES[name] }, (_, index) => `${name} ${index}: ${LINE}`).join("\n");
  const [beginning, dropped, end] = [`${mark}\n${part("beginning")}`, part("dropped"), part("end")];
  const ask = (prompt: string) => timeRequest(port, { ...options, prompt });
  const first = await ask(`${beginning}\n${dropped}\n${end}\nReply with the word one.`);
  const prompt = `${beginning}\n${end}\nReply with the word one.`;
  const second = await ask(prompt);
  const { tokens, cached, ms: secondMs } = second;
  const times = { firstMs: first.ms, secondMs };
  if (cached === undefined) {
    const isQuick = secondMs < first.ms * QUICK;
    const keeps = first.ms < TELLING_MS ? "unknown" : isQuick ? "beginnings" : "nothing";
    return { tokens, cached, keeps, shifts: false, ...times };
  }
  const shifts = cached >= tokens * NEARLY_ALL;
  if (cached >= tokens * (beginning.length / prompt.length) * MOST) {
    return { tokens, cached, keeps: "beginnings", shifts, ...times };
  }
  const third = await ask(`${prompt}\n${dropped}\nReply with the word two.`);
  const goesOn = (third.cached ?? 0) >= tokens * MOST;
  return { tokens, cached, keeps: goesOn ? "continuations" : "nothing", shifts, ...times };
}

async function timeRequest(port: Model, options: ProbeOptions & { prompt: string }) {
  const start = performance.now();
  let ms: number | undefined;
  const { usage } = await askModel(port, {
    ...options,
    maxTokens: MAX_TOKENS,
    onPiece: () => ms ??= performance.now() - start,
  });
  return {
    tokens: usage?.promptTokens ?? 0,
    cached: usage?.cachedTokens,
    ms: ms ?? performance.now() - start,
  };
}

function describeCache(found: CacheFinding, kind: ServerKind): Check {
  const id = "cache";
  const { tokens, cached, keeps, shifts, firstMs, secondMs } = found;
  const counted = cached === undefined
    ? `first tokens after ${formatShortDuration(firstMs)} and ${formatShortDuration(secondMs)}`
    : `${formatCount(cached)} of ${formatCount(tokens)} tokens were cached`;
  const what = "of two requests that begin alike, the second";
  switch (keeps) {
    case "beginnings":
      return kind === "llamacpp" && !shifts
        ? {
          id,
          status: "ok",
          detail: `${what} is read from where they differ: ${counted}`,
          mend:
            "With --cache-reuse 256 llama-server keeps what stands behind a part that was taken out, too.",
        }
        : { id, status: "ok", detail: `${what} is not read from its beginning: ${counted}` };
    case "continuations":
      return {
        id,
        status: "warning",
        detail:
          `${what} is read as a whole: ${counted}. Only a request that goes on where the one ` +
          "before it ended is cached, as with sliding windows (SWA) and recurrent models",
        mend:
          "Start llama-server with more --ctx-checkpoints, or a model with sliding windows with " +
          "--swa-full, where memory allows it.",
      };
    case "nothing":
      return {
        id,
        status: "warning",
        detail: `${what} is read as a whole: ${counted}`,
        mend: enablingOf(kind),
      };
    case "unknown":
      return {
        id,
        status: "ok",
        detail: `the server does not say what it had cached, and is too quick to tell: ${counted}`,
      };
  }
}

/** How a server of this kind is told to keep what it has read. */
function enablingOf(kind: ServerKind): string {
  switch (kind) {
    case "llamacpp":
      return "Start llama-server without --no-cache-prompt, and with a slot (--parallel) for each program that uses it.";
    case "ollama":
      return "Let the model stay in memory (OLLAMA_KEEP_ALIVE=1h), and give each program that uses it a place " +
        "(OLLAMA_NUM_PARALLEL).";
    case "vllm":
      return "Start vLLM with --enable-prefix-caching; with --enable-prompt-tokens-details it says what was cached.";
    case "lmstudio":
    case "other":
      return "Look for a prompt cache in the server's settings: without one every call reads the whole conversation.";
  }
}

/** What the slots mean for agents. */
function checkSlots({ features, size = Infinity }: ServerWindow): Check[] {
  const id = "slots";
  const { slots } = features ?? {};
  if (slots === undefined) return [];
  if (slots === 1) {
    return [{
      id,
      status: "warning",
      detail:
        "one slot: agents that work at once wait for each other, and push the conversation out of the cache",
      mend: "Start llama-server with --parallel 4 --kv-unified: four slots that share the window.",
    }];
  }
  const each = `${plural(slots, "slot")}, ${formatCount(size)} tokens each`;
  if (size >= SMALL_WINDOW) return [{ id, status: "ok", detail: each }];
  return [{
    id,
    status: "warning",
    detail: `${each}: the window is divided among them`,
    mend:
      "Start llama-server with --kv-unified instead of --no-kv-unified, so that each slot can have all of it, or with fewer " +
      "of them (--parallel).",
  }];
}

/** Minutes until Ollama unloads a model that is not used; undefined if it does not say, Infinity for never. */
async function fetchUnloading(
  endpoint: Endpoint,
  { model, signal }: { model: string; signal: AbortSignal },
): Promise<number | "unloaded" | undefined> {
  const url = urlBeside(endpoint, "/api/ps");
  const answer = await getJson(endpoint, { url, timeoutMs: 2_000, signal });
  if (answer === undefined) return undefined;
  const entries = listOf(answer["models"]).map(objectOf);
  const loaded = entries.find((entry) =>
    [model, `${model}:latest`].includes(textOf(entry?.["name"]) ?? "")
  );
  if (loaded === undefined) return "unloaded";
  const until = Date.parse(textOf(loaded["expires_at"]) ?? "");
  return Number.isNaN(until) ? undefined : (until - Date.now()) / 60_000;
}

function checkUnloading(minutes: number | "unloaded" | undefined): Check[] {
  if (minutes === undefined || (minutes !== "unloaded" && minutes >= SHORT_MINUTES)) return [];
  const when = minutes === "unloaded"
    ? "at once after a request"
    : `${plural(Math.max(1, Math.round(minutes)), "minute")} after the last request`;
  return [{
    id: "keep_alive",
    status: "warning",
    detail: `Ollama unloads the model ${when}, and with it all that it has read`,
    mend: "Start Ollama with OLLAMA_KEEP_ALIVE=1h, or -1 for ever.",
  }];
}
