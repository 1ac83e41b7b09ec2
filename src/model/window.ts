/**
 * How large a model's context window is, as its server reports it: each kind of server does so elsewhere, and
 * what a model was trained for is not what it runs with.
 */
import type { ServerFeatures } from "../core/endpoint.ts";
import { type Endpoint, urlBelow } from "./endpoint.ts";
import { listOf, numberOf, objectOf, textOf } from "./fields.ts";
import { getJson, urlBeside } from "./get_json.ts";
import { readImageSupport } from "./image_support.ts";
import { featuresOfKind, readFeatures } from "./server_features.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a server says of a model. */
export interface ServerWindow {
  /** Tokens it runs with, and whether the server reports them or they are its default. */
  readonly size?: number | undefined;
  readonly source?: "server" | "default" | undefined;
  /** Tokens the model was trained for. */
  readonly trained?: number | undefined;
  /** Set if the model is not loaded yet: more may be known once it is. */
  readonly unloaded?: true;
  /** What the server has shown that it knows; absent if it showed nothing. */
  readonly features?: ServerFeatures | undefined;
  /** The server's hash of this model. */
  readonly digest?: string | undefined;
  /** Where the server reports it. */
  readonly by?: string | undefined;
  /** Whether the model takes images; absent if the server does not say. */
  readonly images?: boolean | undefined;
}

/** Tokens below which little work can be done. */
export const SMALL_WINDOW = 8_192;

/** Ollama's default window. */
const OLLAMA_DEFAULT = 4096;
const TIMEOUT_MS = 2_000;
const LOAD_MS = 120_000;
/** No window is smaller than this. */
const MIN_SIZE = 256;

/** Services without a server's own API: only their list of models is queried. */
const HOSTED =
  /(^|\.)(openai\.com|openrouter\.ai|anthropic\.com|googleapis\.com|mistral\.ai|groq\.com|deepseek\.com|together\.xyz|x\.ai|azure\.com)$/;

/** Fields of a list of models that may hold the window, most reliable first. */
const LISTED = [
  "max_model_len",
  "context_length",
  "context_window",
  "max_context_length",
  "context_size",
  "max_input_tokens",
];

/** Queries a server in parallel, for 2 seconds at most; what it does not report is absent. Never throws. */
export async function fetchWindow(
  endpoint: Endpoint,
  { model, timeoutMs = TIMEOUT_MS, signal }: {
    model: string;
    timeoutMs?: number;
    signal?: AbortSignal | undefined;
  },
): Promise<ServerWindow> {
  const ask = (url: string, body?: unknown) => getJson(endpoint, { url, body, timeoutMs, signal });
  const beside = (path: string, body?: unknown) => ask(urlBeside(endpoint, path), body);
  const own = isHosted(endpoint) ? [] : [
    beside("/props"),
    beside("/api/ps"),
    beside("/api/show", { model }),
    beside("/api/v0/models"),
  ];
  const [models, props, running, shown, studio] = await Promise.all([
    ask(urlBelow(endpoint.url, "/models")),
    ...own,
  ]);
  const listed = entryOf(models?.["data"] ?? models?.["models"], model);
  const inStudio = entryOf(studio?.["data"], model);
  const images = readImageSupport({ props, shown, studio: inStudio, listed });
  const window = llamaCppWindow(props) ??
    ollamaWindow(shown, { running: entryOf(running?.["models"], model) }) ??
    lmStudioWindow(inStudio) ?? listedWindow(listed, { by: "/v1/models" });
  return { ...window, ...images !== undefined && { images } };
}

/** Whether a server is one of the known services. */
export function isHosted({ url }: Endpoint): boolean {
  return HOSTED.test(URL.parse(url)?.hostname ?? "");
}

/** Has Ollama load a model, as the next request would anyway: then it reports the window in use. */
export async function loadModel(
  endpoint: Endpoint,
  { model, signal }: { model: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const url = urlBeside(endpoint, "/api/generate");
  await getJson(endpoint, { url, body: { model, stream: false }, timeoutMs: LOAD_MS, signal });
}

/** The entry of a model in a list, whatever field holds its name; Ollama's `:latest` may be left out. */
function entryOf(list: unknown, model: string): Fields | undefined {
  const names = new Set([model, `${model}:latest`]);
  const entries = listOf(list).map(objectOf);
  return entries.find((entry) =>
    ["id", "model", "name"].some((field) => names.has(textOf(entry?.[field]) ?? ""))
  );
}

/** llama.cpp: the window of each slot. */
function llamaCppWindow(props: Fields | undefined): ServerWindow | undefined {
  const size = sizeOf(objectOf(props?.["default_generation_settings"])?.["n_ctx"]);
  if (size === undefined) return undefined;
  return { size, source: "server", by: "/props", features: readFeatures(props) };
}

/** Ollama: the window of a loaded model, else of its Modelfile, else the default. */
function ollamaWindow(
  shown: Fields | undefined,
  { running }: { running: Fields | undefined },
): ServerWindow | undefined {
  // A server that answers every path with some JSON is not Ollama.
  if (!isOllamaShow(shown) && running === undefined) return undefined;
  const info = Object.entries(objectOf(shown?.["model_info"]) ?? {});
  const trained = sizeOf(info.find(([name]) => name.endsWith(".context_length"))?.[1]);
  const digest = textOf(running?.["digest"]) ?? textOf(shown?.["digest"]);
  const known = { trained, digest, features: featuresOfKind("ollama") };
  const loaded = sizeOf(running?.["context_length"]);
  if (loaded !== undefined) return { ...known, size: loaded, source: "server", by: "/api/ps" };
  const set = /^num_ctx\s+(\d+)/m.exec(textOf(shown?.["parameters"]) ?? "")?.[1];
  if (set !== undefined) {
    return { ...known, size: Number(set), source: "server", by: "/api/show, num_ctx" };
  }
  const size = Math.min(OLLAMA_DEFAULT, trained ?? OLLAMA_DEFAULT);
  const unloaded = running === undefined && { unloaded: true as const };
  return { ...known, size, source: "default", by: "Ollama's default", ...unloaded };
}

/** Whether an answer is Ollama's to `/api/show`. */
function isOllamaShow(answer: Fields | undefined): boolean {
  return objectOf(answer?.["model_info"]) !== undefined ||
    objectOf(answer?.["details"]) !== undefined || textOf(answer?.["modelfile"]) !== undefined;
}

/** LM Studio: the window of a loaded model; one that is not loaded has none yet. */
function lmStudioWindow(entry: Fields | undefined): ServerWindow | undefined {
  const trained = sizeOf(entry?.["max_context_length"]);
  const size = sizeOf(entry?.["loaded_context_length"]);
  const features = featuresOfKind("lmstudio");
  if (size !== undefined) {
    return { size, source: "server", trained, by: "/api/v0/models", features };
  }
  return trained === undefined ? undefined : { trained, features };
}

/** An entry of a list of models; hosted services may nest it one level deeper. */
function listedWindow(entry: Fields | undefined, { by }: { by: string }): ServerWindow | undefined {
  const isVllm = /^vllm$/i.test(textOf(entry?.["owned_by"]) ?? "");
  const features = isVllm ? { features: featuresOfKind("vllm") } : {};
  for (const place of [entry, objectOf(entry?.["meta"]), objectOf(entry?.["top_provider"])]) {
    for (const field of [...LISTED, "n_ctx"]) {
      const size = sizeOf(place?.[field]);
      if (size !== undefined) return { size, source: "server", by, ...features };
    }
  }
  return undefined;
}

function sizeOf(value: unknown): number | undefined {
  const size = numberOf(value);
  return size !== undefined && Number.isInteger(size) && size >= MIN_SIZE ? size : undefined;
}
