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
  readonly models: readonly string[];
}

/** Where local servers listen unless told otherwise. */
const LOCAL_PORTS: readonly number[] = [11434, 1234, 8080, 8000];

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

/** The model servers that run on this machine, found in parallel and without any key. */
export async function findLocalServers(
  options: { ports?: readonly number[]; signal?: AbortSignal } = {},
): Promise<FoundServer[]> {
  const { ports = LOCAL_PORTS, signal } = options;
  const found = await Promise.all(ports.map(async (port): Promise<FoundServer[]> => {
    const endpoint = { url: `http://localhost:${port}/v1`, timeoutMs: TIMEOUT_MS };
    const models = await listModels(endpoint, signal).catch(() => undefined);
    if (models === undefined) return [];
    return [{ ...await identifyServer(endpoint, { signal }), url: endpoint.url, models }];
  }));
  return found.flat();
}
