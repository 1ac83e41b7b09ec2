/**
 * Which program answers at an address, by what only it answers, and the ports where the usual ones are
 * found. `ally init` and `ally doctor` ask.
 */
import type { Endpoint } from "./endpoint.ts";
import { listOf, objectOf, textOf } from "./fields.ts";
import { getJson, urlBeside } from "./get_json.ts";
import { listModels } from "./models.ts";

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

/** Milliseconds that a local server may take to say what it is. */
const LIMIT_MS = 1_500;

const NAMES: Readonly<Record<ServerKind, string>> = {
  ollama: "Ollama",
  lmstudio: "LM Studio",
  llamacpp: "llama.cpp",
  vllm: "vLLM",
  other: "a model server",
};

/** What a server is, with its version where it tells. Asks it in parallel, for 1.5 seconds at most. */
export async function identifyServer(
  endpoint: Endpoint,
  options: { limitMs?: number; signal?: AbortSignal } = {},
): Promise<{ kind: ServerKind; name: string }> {
  const { limitMs: timeoutMs = LIMIT_MS, signal } = options;
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
  const told = (kind: ServerKind, number?: string) => ({
    kind,
    name: [NAMES[kind], ...(number === undefined ? [] : [number])].join(" "),
  });
  if (objectOf(props?.["default_generation_settings"])) {
    return told("llamacpp", textOf(props?.["build_info"]));
  }
  if (textOf(ollama?.["version"])) return told("ollama", textOf(ollama?.["version"]));
  if (listOf(studio?.["data"]).some(isStudioEntry)) return told("lmstudio");
  if (owned(/^vllm$/i)) return told("vllm", textOf(version?.["version"]));
  if (owned(/^llamacpp$/i)) return told("llamacpp");
  if (owned(/^(lm-?studio|organization_owner)$/i)) return told("lmstudio");
  if (owned(/^library$/i)) return told("ollama");
  return told("other");
}

/** LM Studio says of each model whether it is loaded, and how long its window may be. */
function isStudioEntry(entry: unknown): boolean {
  const fields = objectOf(entry);
  return fields?.["state"] !== undefined || fields?.["max_context_length"] !== undefined;
}

/** The model servers of this machine, asked in parallel without any key; those that do not answer are left out. */
export async function findLocalServers(
  options: { ports?: readonly number[]; signal?: AbortSignal } = {},
): Promise<FoundServer[]> {
  const { ports = LOCAL_PORTS, signal } = options;
  const found = await Promise.all(ports.map(async (port): Promise<FoundServer[]> => {
    const endpoint = { url: `http://localhost:${port}/v1`, timeoutMs: LIMIT_MS };
    const models = await listModels(endpoint, signal).catch(() => undefined);
    if (models === undefined) return [];
    return [{ ...await identifyServer(endpoint, { signal }), url: endpoint.url, models }];
  }));
  return found.flat();
}
