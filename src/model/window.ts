/**
 * How large a server's window is, by its own words: each kind of server says it elsewhere, and what a model was
 * trained for is not what it runs with. Asked at start, by `ally doctor`, and after `/model`.
 */
import { type Endpoint, urlBelow } from "./endpoint.ts";
import { listOf, numberOf, objectOf, textOf } from "./fields.ts";
import { getJson, urlBeside } from "./get_json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a server says of a model. */
export interface ServerWindow {
  /** Tokens it runs with, and whether it says so or only does so when not told otherwise. */
  readonly size?: number | undefined;
  readonly source?: "server" | "default" | undefined;
  /** Tokens the model was made for, where that is more than it runs with. */
  readonly trained?: number | undefined;
  /** Set if the model is not loaded yet, and more may be said once it is. */
  readonly unloaded?: true;
  /** Its own mark of this very model. */
  readonly digest?: string | undefined;
  /** Which of its own words it was. */
  readonly by?: string | undefined;
}

/** What Ollama gives a model unless told otherwise. */
const OLLAMA_DEFAULT = 4096;
const LIMIT_MS = 2_000;
const LOAD_MS = 120_000;
/** No window is smaller than this. */
const LEAST = 256;

/** Services that speak no server's own language: they are asked for their list alone. */
const HOSTED =
  /(^|\.)(openai\.com|openrouter\.ai|anthropic\.com|googleapis\.com|mistral\.ai|groq\.com|deepseek\.com|together\.xyz|x\.ai|azure\.com)$/;

/** Names under which lists of models give the window they run with, from the surest on. */
const LISTED = [
  "max_model_len",
  "context_length",
  "context_window",
  "max_context_length",
  "context_size",
  "max_input_tokens",
];

/** Asks a server, in parallel, for 2 seconds at most; what it does not say is absent. Never throws. */
export async function fetchWindow(
  endpoint: Endpoint,
  { model, limitMs: timeoutMs = LIMIT_MS, signal }: {
    model: string;
    limitMs?: number;
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
  return llamaCppWindow(props) ??
    ollamaWindow(shown, { running: entryOf(running?.["models"], model) }) ??
    lmStudioWindow(entryOf(studio?.["data"], model)) ??
    listedWindow(listed, { by: "/v1/models" }) ?? {};
}

/** Whether a server is one of the known services. */
export function isHosted({ url }: Endpoint): boolean {
  return HOSTED.test(URL.parse(url)?.hostname ?? "");
}

/** Has Ollama load a model, which it must for the next request anyway: then it says what it runs it with. */
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

/** llama.cpp: what each of its slots has. */
function llamaCppWindow(props: Fields | undefined): ServerWindow | undefined {
  const size = sizeOf(objectOf(props?.["default_generation_settings"])?.["n_ctx"]);
  return size === undefined ? undefined : { size, source: "server", by: "/props" };
}

/** Ollama: what a loaded model has, else what its Modelfile says, else what it gives to all. */
function ollamaWindow(
  shown: Fields | undefined,
  { running }: { running: Fields | undefined },
): ServerWindow | undefined {
  // A server that answers everything with some JSON is not taken for Ollama.
  if (!isOllamaShow(shown) && running === undefined) return undefined;
  const info = Object.entries(objectOf(shown?.["model_info"]) ?? {});
  const trained = sizeOf(info.find(([name]) => name.endsWith(".context_length"))?.[1]);
  const digest = textOf(running?.["digest"]) ?? textOf(shown?.["digest"]);
  const told = { trained, digest };
  const loaded = sizeOf(running?.["context_length"]);
  if (loaded !== undefined) return { ...told, size: loaded, source: "server", by: "/api/ps" };
  const set = /^num_ctx\s+(\d+)/m.exec(textOf(shown?.["parameters"]) ?? "")?.[1];
  if (set !== undefined) {
    return { ...told, size: Number(set), source: "server", by: "/api/show, num_ctx" };
  }
  const size = Math.min(OLLAMA_DEFAULT, trained ?? OLLAMA_DEFAULT);
  const unloaded = running === undefined && { unloaded: true as const };
  return { ...told, size, source: "default", by: "Ollama's default", ...unloaded };
}

/** Whether an answer is that of Ollama to `/api/show`. */
function isOllamaShow(answer: Fields | undefined): boolean {
  return objectOf(answer?.["model_info"]) !== undefined ||
    objectOf(answer?.["details"]) !== undefined || textOf(answer?.["modelfile"]) !== undefined;
}

/** LM Studio: what a loaded model has; one that is not loaded yet has no window. */
function lmStudioWindow(entry: Fields | undefined): ServerWindow | undefined {
  const trained = sizeOf(entry?.["max_context_length"]);
  const size = sizeOf(entry?.["loaded_context_length"]);
  if (size !== undefined) return { size, source: "server", trained, by: "/api/v0/models" };
  return trained === undefined ? undefined : { trained };
}

/** An entry of a list of models; a hosted one may have it a level below. */
function listedWindow(entry: Fields | undefined, { by }: { by: string }): ServerWindow | undefined {
  for (const place of [entry, objectOf(entry?.["meta"]), objectOf(entry?.["top_provider"])]) {
    for (const field of [...LISTED, "n_ctx"]) {
      const size = sizeOf(place?.[field]);
      if (size !== undefined) return { size, source: "server", by };
    }
  }
  return undefined;
}

function sizeOf(value: unknown): number | undefined {
  const size = numberOf(value);
  return size !== undefined && Number.isInteger(size) && size >= LEAST ? size : undefined;
}
