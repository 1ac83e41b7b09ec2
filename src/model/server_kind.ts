/**
 * Which server program answers at an address, recognized by what only it answers, and the ports on which the
 * usual ones listen.
 */
import type { Endpoint } from "./endpoint.ts";
import { listOf, objectOf, textOf } from "./fields.ts";
import { getJson, urlBeside } from "./get_json.ts";
import { listModels } from "./models.ts";

/** The server programs that are recognized. */
export type ServerKind = "ollama" | "lmstudio" | "llamacpp" | "vllm" | "other";

/** A server that answered. */
export interface FoundServer {
  readonly kind: ServerKind;
  /** "Ollama 0.12.3" */
  readonly name: string;
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  /** Those in memory come first. */
  readonly models: readonly string[];
  /** The models in memory, as far as the server says. */
  readonly loaded: readonly string[];
}

const OLLAMA_PORT = "11434";
/** Where local servers listen unless told otherwise. */
export const LOCAL_PORTS: readonly number[] = [
  Number(OLLAMA_PORT),
  9931, // llama-server
  8080, // llama-server before 0.7
  8081,
  1234, // LM Studio
  1337, // Jan
  8000, // vLLM
  5001, // KoboldCpp
  4000, // LiteLLM
  30000, // SGLang
];

/** Milliseconds for a local server to say what it is. */
const TIMEOUT_MS = 1_500;

const NAMES: Readonly<Record<ServerKind, string>> = {
  ollama: "Ollama",
  lmstudio: "LM Studio",
  llamacpp: "llama.cpp",
  vllm: "vLLM",
  other: "a model server",
};

/** What a server is, with its version if it says. Queries run in parallel, for 1.5 seconds at most. */
export async function identifyServer(
  endpoint: Endpoint,
  options: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<{ kind: ServerKind; name: string }> {
  const { timeoutMs = TIMEOUT_MS, signal } = options;
  const get = (path: string) =>
    getJson(endpoint, { url: urlBeside(endpoint, path), timeoutMs, signal });
  const [ollama, props, studio, version, models] = await Promise.all([
    get("/api/version"),
    get("/props"),
    get("/api/v0/models"),
    get("/version"),
    get("/v1/models"),
  ]);
  const owners = listOf(models?.["data"]).map((one) => textOf(objectOf(one)?.["owned_by"]) ?? "");
  const owned = (owner: RegExp) => owners.some((one) => owner.test(one));
  const found = (kind: ServerKind, number?: string) => ({
    kind,
    name: [NAMES[kind], ...(number === undefined ? [] : [number])].join(" "),
  });
  if (objectOf(props?.["default_generation_settings"])) {
    return found("llamacpp", textOf(props?.["build_info"]));
  }
  if (textOf(ollama?.["version"])) return found("ollama", textOf(ollama?.["version"]));
  if (listOf(studio?.["data"]).some(isStudioEntry)) return found("lmstudio");
  if (owned(/^vllm$/i)) return found("vllm", textOf(version?.["version"]));
  if (owned(/^llamacpp$/i)) return found("llamacpp");
  if (owned(/^(lm-?studio|organization_owner)$/i)) return found("lmstudio");
  if (owned(/^library$/i)) return found("ollama");
  return found("other");
}

/** LM Studio reports for each model whether it is loaded, and how large its window may be. */
function isStudioEntry(entry: unknown): boolean {
  const fields = objectOf(entry);
  return fields?.["state"] !== undefined || fields?.["max_context_length"] !== undefined;
}

/** The model servers that run on this machine, found in parallel and without any key; those with loaded models first. */
export async function findLocalServers(
  options: {
    ports?: readonly number[];
    /** Where Ollama's own variable says that it listens: an address, a port or both. */
    ollamaHost?: string | undefined;
    signal?: AbortSignal;
    /** Waits for servers that are loading a model. @default they are left out */
    onLoading?: (url: string, ms: number) => void;
  } = {},
): Promise<FoundServer[]> {
  const { ports = LOCAL_PORTS, ollamaHost, signal, onLoading } = options;
  const own = ollamaHost === undefined ? undefined : ollamaUrl(ollamaHost);
  const urls = new Set([
    ...own === undefined ? [] : [own],
    ...ports.map((port) => `http://localhost:${port}/v1`),
  ]);
  const found = await Promise.all([...urls].map(async (url): Promise<FoundServer[]> => {
    const models = await listModels({
      url,
      timeoutMs: TIMEOUT_MS,
      ...onLoading !== undefined && { onLoading: (ms) => onLoading(url, ms) },
    }, signal).catch(() => undefined);
    if (models === undefined) return [];
    const { kind, name } = await identifyServer({ url }, { signal });
    const inMemory = await fetchLoaded({ url }, { kind, signal });
    const loaded = models.filter((model) =>
      inMemory === "all" || inMemory.has(model) || inMemory.has(`${model}:latest`)
    );
    const others = models.filter((model) => !loaded.includes(model));
    return [{ kind, name, url, models: [...loaded, ...others], loaded }];
  }));
  const isReady = ({ loaded }: FoundServer) => loaded.length > 0;
  return [...found.flat().filter(isReady), ...found.flat().filter((one) => !isReady(one))];
}

/** The base URL of Ollama where OLLAMA_HOST names its address; undefined if it names none. */
function ollamaUrl(host: string): string | undefined {
  const text = /^\d+$/.test(host) ? `:${host}` : host;
  const url = URL.parse(
    text.includes("://") ? text : `http://${text.startsWith(":") ? `localhost${text}` : text}`,
  );
  if (url === null) return undefined;
  // It listens on every address there, and is asked at one.
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "localhost";
  const port = url.port === "" && !text.includes("://") ? OLLAMA_PORT : url.port;
  return `${url.protocol}//${url.hostname}${port === "" ? "" : `:${port}`}/v1`;
}

/** What and where a server is, and what it has: "Ollama 0.12.3 at http://localhost:11434/v1, loaded: qwen3:8b". */
export function describeServer({ name, url, models, loaded }: FoundServer): string {
  const [first, ...others] = loaded;
  if (first === undefined) return `${name} at ${url}, models: ${models.length}`;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `${name} at ${url}, loaded: ${first}${more}`;
}

/** Which models a server has in memory. */
async function fetchLoaded(
  endpoint: Endpoint,
  { kind, signal }: { kind: ServerKind; signal: AbortSignal | undefined },
): Promise<ReadonlySet<string> | "all"> {
  const list = async (path: string) => {
    const url = urlBeside(endpoint, path);
    const answer = await getJson(endpoint, { url, timeoutMs: TIMEOUT_MS, signal });
    return listOf(answer?.["data"] ?? answer?.["models"]).map((entry) => objectOf(entry) ?? {});
  };
  const namesOf = (entries: readonly Readonly<Record<string, unknown>>[], field: string) =>
    new Set(entries.map((entry) => textOf(entry[field])).filter((name) => name !== undefined));
  switch (kind) {
    case "ollama":
      return namesOf(await list("/api/ps"), "name");
    case "lmstudio":
      return namesOf(
        (await list("/api/v0/models")).filter(({ state }) => state === "loaded"),
        "id",
      );
    case "llamacpp": {
      // One that serves several models says of each how it stands; one that serves one model has it in memory.
      const entries = await list("/v1/models");
      if (!entries.some(({ status }) => status !== undefined)) return "all";
      return namesOf(
        entries.filter(({ status }) => objectOf(status)?.["value"] === "loaded"),
        "id",
      );
    }
    case "vllm":
      return "all";
    case "other":
      return new Set();
  }
}
