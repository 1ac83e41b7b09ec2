/**
 * Which server and which model a setup takes: those of this machine are found, others are named by the person, with a
 * key where one is wanted. What fails is said, and asked again.
 */
import { loadingNotice } from "../../agent/turn_notes.ts";
import {
  type KnownEndpoint,
  parseBaseUrl,
  resolveEndpoints,
  suggestBaseUrl,
} from "../../app/endpoints.ts";
import { EndpointError, UsageError } from "../../core/errors.ts";
import { messageOf } from "../../lib/text.ts";
import { putChatModelsFirst } from "../../model/chat_models.ts";
import { displayUrl } from "../../model/endpoint.ts";
import { listModels } from "../../model/models.ts";
import { describeServer, findLocalServers, type FoundServer } from "../../model/server_kind.ts";
import { InitCancelled, type InitQuestions } from "./questions.ts";
import { CLOUD_SERVICES } from "./services.ts";
import type { InitContext, ReachedServer, SetupChoice } from "./setup.ts";

const MAX_NAMES = 8;

const ELSEWHERE = "a server elsewhere, or a cloud service";
const NO_SERVER_FOUND = `No model server answers on the usual ports of this machine.
Start one:
  Ollama      https://ollama.com/download, then: ollama pull qwen3:8b
  llama.cpp   llama-server --jinja -m MODEL.gguf
  LM Studio   https://lmstudio.ai, Developer, Start Server`;
const WITHOUT_TERMINAL = `Run ally init again then, or name one elsewhere:
  ally init --endpoint URL --model NAME`;

/** The server and the model to use. @throws {InitCancelled} the person left */
export async function chooseSetup(run: InitContext): Promise<SetupChoice> {
  const { request, options, env } = run;
  const { keyEnv } = request;
  if (keyEnv !== undefined && !env.get(keyEnv)) {
    throw new UsageError(`Cannot use --key-env ${keyEnv}: that variable is not set.`);
  }
  const { endpoint: given } = options.settings;
  const known = given === undefined ? undefined : findConfigured(given, run);
  const reached = given === undefined
    ? await chooseServer(run)
    : await connect(known?.url ?? parseBaseUrl(given, Object.keys(run.config.endpoints ?? {})), {
      run,
      known,
    });
  const { models, ...server } = reached;
  return {
    ...server,
    headers: known?.headers,
    model: await chooseModel(models, run),
    keyEnv: keyEnv ?? server.keyEnv,
    name: request.name ?? known?.name ?? server.name,
  };
}

/** The endpoint that the configuration names so, with its own key and no other. */
function findConfigured(
  given: string,
  { config, env, paths }: InitContext,
): KnownEndpoint | undefined {
  if (!Object.hasOwn(config.endpoints ?? {}, given)) return undefined;
  return resolveEndpoints({ flag: given, config, env, keys: paths.keys }).default;
}

/** Asks a server for its models; a key is asked for where it wants one, and `/v1` added where that helps. */
async function connect(
  url: string,
  { run, known }: { run: InitContext; known?: KnownEndpoint | undefined },
): Promise<ReachedServer> {
  const { ask, options, signal } = run;
  const apiKey = known && run.request.keyEnv === undefined ? known.apiKey : findEnvironmentKey(run);
  const headers = known?.headers;
  const onLoading = (ms: number) => run.say(`  ${loadingNotice(ms).text}`);
  try {
    return { url, apiKey, models: await listModels({ ...known, url, apiKey, onLoading }, signal) };
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    const { kind } = error;
    if (isRefusedKey(error) && ask !== undefined) {
      return await connectWithKey({ url, headers }, { ...run, ask });
    }
    const longer = `${url}/v1`;
    const models = kind !== "unlisted" || /\/v\d+$/.test(url) ? undefined : await listModels(
      { url: longer, apiKey, headers },
      signal,
    ).catch(() => undefined);
    if (models !== undefined) return { url: longer, apiKey, models };
    // A server may answer chats and list nothing: then its model has to be named.
    if (kind !== "unlisted" || options.settings.model === undefined) throw error;
    return { url, apiKey, models: [] };
  }
}

/** Asks for the key until the server takes it. @throws {InitCancelled} the person left */
async function connectWithKey(
  endpoint: Pick<ReachedServer, "url" | "headers">,
  { ask, say, signal }: Omit<InitContext, "ask"> & { ask: InitQuestions },
): Promise<ReachedServer> {
  const question = `The key for ${displayUrl(endpoint.url)}:`;
  for (;;) {
    const key = await ask.secret(question);
    if (!key) continue;
    try {
      const asked = { ...endpoint, apiKey: key, keyHint: "what you typed" };
      const models = await listModels(asked, signal);
      return { url: endpoint.url, key, apiKey: key, models };
    } catch (error) {
      if (!isRefusedKey(error)) throw error;
      say(`${messageOf(error)} Esc leaves.`);
    }
  }
}

function isRefusedKey(error: unknown): error is EndpointError {
  return error instanceof EndpointError && (error.status === 401 || error.status === 403);
}

/** The key that the environment has for the endpoint. */
function findEnvironmentKey({ request: { keyEnv, name }, env }: InitContext): string | undefined {
  const variable = keyEnv ?? (name === undefined ? "OPENAI_API_KEY" : undefined);
  return variable === undefined ? undefined : env.get(variable) || undefined;
}

/** Looks for servers on this machine, and says what it finds. */
export async function searchServers(
  { request: { ports }, env, say, signal }: InitContext,
): Promise<FoundServer[]> {
  say("Looking for model servers on this machine ...");
  const found = await findLocalServers({
    signal,
    onLoading: (url, ms) => say(`  ${url}: ${loadingNotice(ms).text}`),
    ...ports === undefined ? { ollamaHost: env.get("OLLAMA_HOST") || undefined } : { ports },
  });
  for (const server of found) say(`  ${describeServer(server)}`);
  if (found.length === 0) say("  none");
  return found;
}

/** A server that the person chooses. */
async function chooseServer(run: InitContext): Promise<ReachedServer> {
  const { ask } = run;
  let found = await searchServers(run);
  if (ask === undefined) {
    if (found[0] !== undefined) return addressOf(found[0]);
    throw new UsageError(`${NO_SERVER_FOUND}\n${WITHOUT_TERMINAL}`);
  }
  while (found.length === 0) {
    const next = await askWhatNow(found, run);
    if (next !== "again") return await reachElsewhere(run, next);
    found = await searchServers(run);
  }
  const labels = [...found.map(describeServer), ELSEWHERE];
  const chosen = await ask.pickOrUrl("Which server?", labels);
  if (typeof chosen === "string") return await reachElsewhere(run, { url: chosen });
  const server = found[chosen];
  return server === undefined ? await reachElsewhere(run) : addressOf(server);
}

/** A found server is known by its address: its name is its program's. */
function addressOf({ url, models }: FoundServer): ReachedServer {
  return { url, models };
}

/** A server that no search found: at this URL, or still to be named. */
interface Elsewhere {
  readonly url?: string;
}

/** Says what can be done where no server can answer, and asks. @throws {InitCancelled} the person leaves */
export async function askWhatNow(
  found: readonly FoundServer[],
  { ask, say }: InitContext,
): Promise<"again" | Elsewhere> {
  if (found.length === 0) say(NO_SERVER_FOUND);
  for (const { name, kind } of found) {
    say(`${name} has no model${kind === "ollama" ? "; get one with: ollama pull qwen3:8b" : ""}`);
  }
  const chosen = await ask?.pickOrUrl("And now?", ["look again", ELSEWHERE, "leave"]);
  if (chosen === 0) return "again";
  if (chosen === 1) return {};
  if (typeof chosen === "string") return { url: chosen };
  throw new InitCancelled();
}

/** A server that the person names: asks until one answers. */
export async function reachElsewhere(
  run: InitContext,
  { url }: Elsewhere = {},
): Promise<ReachedServer> {
  for (let given = url;; given = undefined) {
    const reached = await orSay(() => nameServer(run, given), run);
    if (reached !== undefined) return reached;
  }
}

/** A service with its key, or an address; undefined if the person goes back. */
async function nameServer(
  run: InitContext,
  given: string | undefined,
): Promise<ReachedServer | undefined> {
  const { ask, env, say, signal } = run;
  if (ask === undefined) throw new InitCancelled();
  const titles = [...CLOUD_SERVICES.map(({ title }) => title), "another one: enter its URL"];
  const chosen = given ?? await ask.pickOrUrl("Which service?", titles);
  if (typeof chosen === "string") return await reachTypedUrl({ ...run, ask }, chosen);
  const service = CLOUD_SERVICES[chosen];
  if (service === undefined) return await reachTypedUrl({ ...run, ask });
  const { name, url, keyEnv } = service;
  const apiKey = env.get(keyEnv) || undefined;
  if (apiKey !== undefined) {
    say(`Taking the key from ${keyEnv}.`);
    return { name, url, apiKey, keyEnv, models: await listModels({ url, apiKey }, signal) };
  }
  say(`A key for ${service.title} is made at ${service.keyPage}`);
  return { ...await connectWithKey({ url }, { ...run, ask }), name };
}

/** A server by its address, which stays in the line to be mended until it answers; undefined if the person goes back. */
async function reachTypedUrl(
  run: InitContext & { ask: InitQuestions },
  given?: string,
): Promise<ReachedServer | undefined> {
  const question = "URL of an OpenAI-compatible server, as http://localhost:8080/v1; Esc goes back";
  let typed = given ?? await run.ask.line(question);
  while (typed !== "") {
    const reached = await orSay(() => connect(parseBaseUrl(typed), { run }), run);
    if (reached !== undefined) return reached;
    typed = await run.ask.line(question, suggestBaseUrl(typed) ?? typed);
  }
  return undefined;
}

/** Does what may fail for a server or what was typed, and says why it did; it is then undefined. */
async function orSay<T>(work: () => Promise<T>, { say }: InitContext): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EndpointError) && !(error instanceof UsageError)) throw error;
    say(messageOf(error));
    return undefined;
  }
}

/** The model that is named, the only one, or the one that the person picks. */
export async function chooseModel(
  listed: readonly string[],
  { options, env, ask }: InitContext,
): Promise<string> {
  const models = putChatModelsFirst(listed);
  const named = options.settings.model ?? (env.get("ALLY_MODEL") || undefined);
  if (named !== undefined) {
    if (models.length === 0 || models.includes(named) || models.includes(`${named}:latest`)) {
      return named;
    }
    const some = models.slice(0, MAX_NAMES).join(", ");
    throw new UsageError(`The server has no model '${named}'. It has: ${some}`);
  }
  const [first] = models;
  if (first === undefined) {
    if (ask) return await askForModel(ask);
    throw new UsageError("The server lists no models. Name one with --model NAME.");
  }
  if (ask === undefined || models.length === 1) return first;
  return models[await ask.pick("Which model?", models)] ?? first;
}

async function askForModel(ask: InitQuestions): Promise<string> {
  for (;;) {
    const name = await ask.line("The server lists no models. Name of the model");
    if (name !== "") return name;
  }
}
