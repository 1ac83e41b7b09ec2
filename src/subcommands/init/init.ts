/**
 * `ally init`: finds the model servers of this machine, lets the person choose a server and a model, tries one tool
 * call, and writes the configuration in one step. Without a terminal, flags take the place of answers.
 */
import { loadingNotice } from "../../agent/turn_notes.ts";
import { type KnownEndpoint, parseBaseUrl, resolveEndpoints } from "../../app/endpoints.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { clientLimitsOf } from "../../app/tuning.ts";
import { EndpointError, UsageError } from "../../core/errors.ts";
import { formatCount, messageOf } from "../../lib/text.ts";
import { createModel } from "../../model/client.ts";
import { displayUrl } from "../../model/endpoint.ts";
import { listModels } from "../../model/models.ts";
import { describeServer, findLocalServers, type FoundServer } from "../../model/server_kind.ts";
import { fetchWindow, SMALL_WINDOW } from "../../model/window.ts";
import { readApiKey, writeApiKey } from "../../store/api_keys.ts";
import { readConfig } from "../../store/config.ts";
import { changeConfig } from "../../store/config_edit.ts";
import { type AllyPaths, allyPaths } from "../../store/paths.ts";
import { type Config, DEFAULTS } from "../../store/settings_table.ts";
import { openTerminal, type Terminal } from "../../ui/terminal.ts";
import { wrapIndented } from "../../ui/wrap.ts";
import { probeTools } from "../doctor/probes.ts";
import type { InitRequest } from "./command.ts";
import { InitCancelled, type InitQuestions, openInitPrompter } from "./questions.ts";

/** What was chosen, before anything of it is written. */
interface SetupChoice {
  readonly url: string;
  readonly model: string;
  /** What the server was asked with, if it wants a key. */
  readonly apiKey: string | undefined;
  readonly headers: KnownEndpoint["headers"];
  /** Typed by the person: it goes to a file of its own. */
  readonly key: string | undefined;
  readonly keyEnv: string | undefined;
  readonly name: string | undefined;
}

interface InitContext {
  readonly request: InitRequest;
  readonly options: Options;
  readonly paths: AllyPaths;
  readonly config: Config;
  readonly env: { get(name: string): string | undefined };
  readonly say: (line: string) => void;
  /** Undefined without a terminal. */
  readonly ask: InitQuestions | undefined;
  readonly signal: AbortSignal;
  /** Whether a session begins right after. */
  readonly isFirstStart: boolean;
}

/** Milliseconds that the first call may take: the model may have to be loaded. */
const TRIAL_TIMEOUT_MS = 180_000;
const MAX_NAMES = 8;

/** Sets ally up and returns the exit code. If the person leaves, nothing is changed. */
export async function runInit(
  { request, options, terminal: given }: {
    request: InitRequest;
    options: Options;
    /** That of a session which begins right after. */
    terminal?: Terminal;
  },
  io: Io,
): Promise<number> {
  const { out: print } = openStandardStreams(io);
  const terminal = given ?? openTerminal(io, { color: options.color });
  const columns = terminal.isInteractive ? terminal.columns - 1 : Infinity;
  const out = (text: string) =>
    text.split("\n").flatMap((line) => wrapIndented(line, columns)).forEach((line) => print(line));
  const { env } = io;
  const paths = allyPaths(options.cwd, env);
  const { config, warnings } = await readConfig(paths.config);
  for (const warning of warnings) out(warning);
  const asking = request.yes ? undefined : openInitPrompter(terminal, io);
  const signal = asking?.signal ?? new AbortController().signal;
  const run: InitContext = {
    request,
    options,
    paths,
    config,
    env,
    say: out,
    ask: asking?.questions,
    signal,
    isFirstStart: given !== undefined,
  };
  try {
    const choice = await chooseSetup(run);
    await tryModel(choice, run);
    return await writeSetup(choice, run) ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (!(error instanceof InitCancelled)) throw error;
    out("Nothing was written.");
    return EXIT.interrupted;
  } finally {
    asking?.close();
  }
}

async function chooseSetup(run: InitContext): Promise<SetupChoice> {
  const { request, options, env } = run;
  const { keyEnv } = request;
  if (keyEnv !== undefined && !env.get(keyEnv)) {
    throw new UsageError(`Cannot use --key-env ${keyEnv}: that variable is not set.`);
  }
  const { endpoint: given } = options.settings;
  const known = given === undefined ? undefined : findConfigured(given, run);
  const reached = given === undefined
    ? await chooseServer(await searchServers(run), run)
    : await connect(known?.url ?? parseBaseUrl(given, []), { run, known });
  const model = await chooseModel(reached.models, run);
  const { url, key, apiKey } = reached;
  const name = request.name ?? known?.name;
  return { url, key, apiKey, headers: known?.headers, model, keyEnv, name };
}

/** The endpoint that the configuration names so, with its own key and no other. */
function findConfigured(
  given: string,
  { config, env, paths }: InitContext,
): KnownEndpoint | undefined {
  if (!Object.hasOwn(config.endpoints ?? {}, given)) return undefined;
  return resolveEndpoints({ flag: given, config, env, keys: paths.keys }).default;
}

/** A server that has listed its models. */
interface ReachedServer {
  readonly url: string;
  readonly models: readonly string[];
  readonly apiKey?: string | undefined;
  /** If the person had to give one. */
  readonly key?: string | undefined;
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
    const { kind, status } = error;
    if ((status === 401 || status === 403) && ask !== undefined) {
      const key = await ask.secret(`The key for ${displayUrl(url)}:`);
      return {
        url,
        key,
        apiKey: key,
        models: await listModels({ url, apiKey: key, headers }, signal),
      };
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

/** The key that the environment has for the endpoint. */
function findEnvironmentKey({ request: { keyEnv, name }, env }: InitContext): string | undefined {
  const variable = keyEnv ?? (name === undefined ? "OPENAI_API_KEY" : undefined);
  return variable === undefined ? undefined : env.get(variable) || undefined;
}

async function searchServers({ request, say, signal }: InitContext): Promise<FoundServer[]> {
  say("Looking for model servers on this machine ...");
  const { ports } = request;
  const found = await findLocalServers({
    signal,
    onLoading: (url, ms) => say(`  ${url}: ${loadingNotice(ms).text}`),
    ...ports !== undefined && { ports },
  });
  for (const server of found) say(`  ${describeServer(server)}`);
  if (found.length === 0) say("  none");
  return found;
}

/** Asks until a server answers. */
async function chooseServer(
  found: readonly FoundServer[],
  run: InitContext,
): Promise<ReachedServer> {
  const { say, ask } = run;
  const [first] = found;
  if (ask === undefined) {
    if (first !== undefined) return first;
    throw new UsageError(NO_SERVER_FOUND);
  }
  if (first === undefined) say(NO_SERVER_FOUND);
  const other = "another one: enter its URL";
  const labels = [...found.map(describeServer), other];
  for (;;) {
    const chosen = found[first === undefined ? 0 : await ask.pick("Which server?", labels)];
    if (chosen !== undefined) return chosen;
    const typed = await ask.line("URL of an OpenAI-compatible server, as http://localhost:8080/v1");
    try {
      return await connect(parseBaseUrl(typed, []), { run });
    } catch (error) {
      if (!(error instanceof EndpointError) && !(error instanceof UsageError)) throw error;
      say(messageOf(error));
    }
  }
}

const NO_SERVER_FOUND = `No model server answers on the usual ports of this machine.
Start one, and run ally init again:
  Ollama      https://ollama.com/download, then: ollama pull qwen3:8b
  llama.cpp   llama-server --jinja -m MODEL.gguf
  LM Studio   https://lmstudio.ai, Developer, Start Server
or name one elsewhere: ally init --endpoint URL --model NAME`;

async function chooseModel(
  models: readonly string[],
  { options, ask }: InitContext,
): Promise<string> {
  const named = options.settings.model;
  if (named !== undefined) {
    if (models.length === 0 || models.includes(named) || models.includes(`${named}:latest`)) {
      return named;
    }
    const some = models.slice(0, MAX_NAMES).join(", ");
    throw new UsageError(`The server has no model '${named}'. It has: ${some}`);
  }
  const [first] = models;
  if (first === undefined) {
    if (ask) return await ask.line("The server lists no models. Name of the model");
    throw new UsageError("The server lists no models. Name one with --model NAME.");
  }
  if (ask === undefined || models.length === 1) return first;
  return models[await ask.pick("Which model?", models)] ?? first;
}

/** Shows whether the model can call tools; it is no error if it cannot. */
async function tryModel(
  { url, model, apiKey, headers }: SetupChoice,
  { say, ask, signal }: InitContext,
): Promise<void> {
  say(`Trying ${model} with a tool; it may have to be loaded first ...`);
  const port = createModel({
    ...clientLimitsOf(DEFAULTS),
    url,
    apiKey,
    headers,
    retries: 1,
  });
  try {
    const { tools } = await probeTools(port, { model, signal, timeoutMs: TRIAL_TIMEOUT_MS });
    say(
      tools === "none"
        ? "  it answers, but called no tool: with another model ally can do more (see ally doctor)"
        : "  it answers, and it calls tools",
    );
    const { size } = await fetchWindow({ url, apiKey, headers }, { model, signal });
    if (size !== undefined) {
      const little = size < SMALL_WINDOW
        ? ", which is small: ally doctor says how to enlarge it"
        : "";
      say(`  its window has ${formatCount(size)} tokens${little}`);
    }
  } catch (error) {
    if (signal.aborted) throw new InitCancelled();
    if (!(error instanceof EndpointError) || ask === undefined) throw error;
    say(`  it does not answer: ${messageOf(error)}`);
  }
}

/** Writes what was chosen; false if the person would rather not. */
async function writeSetup(choice: SetupChoice, run: InitContext): Promise<boolean> {
  const { config, paths, ask, say } = run;
  const { url, model, key, keyEnv, name } = choice;
  const keep = name ?? (key === undefined && keyEnv === undefined ? undefined : deriveName(url));
  const before = [config.endpoint, config.model].filter((one) => one !== undefined);
  const what = keep === undefined ? url : `${keep} (${url})`;
  if (ask) {
    const replaces = before.length === 0 ? "" : ` It replaces ${before.join(", ")}.`;
    const question = `Use ${what} with ${model}, in ${paths.config}?${replaces}`;
    const words = { yes: "Write it", no: "Leave everything as it is" };
    if (!await ask.decide(question, { ...words, initial: before.length === 0 })) {
      throw new InitCancelled();
    }
  } else if (before.length > 0 && !run.request.yes) {
    throw new UsageError(
      `${paths.config} names ${before.join(", ")} already. Replace it with ally init --yes.`,
    );
  }
  if (run.signal.aborted) throw new InitCancelled();
  const keyFile = key === undefined || keep === undefined
    ? undefined
    : await saveKey({ name: keep, key }, run);
  await changeConfig(
    paths.config,
    keep === undefined ? { endpoint: url, model } : {
      endpoint: keep,
      model,
      endpoints: {
        ...config.endpoints,
        [keep]: {
          ...config.endpoints?.[keep],
          url,
          ...keyEnv !== undefined && { key_env: keyEnv },
        },
      },
    },
  );
  if (keyFile !== undefined) say(`The key is in ${keyFile}, for you alone.`);
  say(`Written: ${paths.config}`);
  if (!run.isFirstStart) {
    say("Now start ally in one of your projects, or check the setup with: ally doctor");
  }
  return true;
}

/** @throws {InitCancelled} another key is there, and the person would rather keep it */
async function saveKey(
  { name, key }: { name: string; key: string },
  { paths, ask }: InitContext,
): Promise<string> {
  let known: string | undefined;
  try {
    known = readApiKey(`${paths.keys}/${name}`);
  } catch {
    // One that cannot be used is replaced by one that can.
  }
  if (known !== undefined && known !== key && ask) {
    if (!await ask.confirm(`Replace the key of ${name} in ${paths.keys}?`)) {
      throw new InitCancelled();
    }
  }
  return await writeApiKey(paths.keys, { name, key });
}

/** A name for an endpoint: its host's. */
function deriveName(url: string): string {
  const parts = new URL(url).hostname.split(".").filter((part) =>
    !/^(api|www|com|ai|org|io)$/.test(part)
  );
  return parts[0]?.replace(/[^A-Za-z0-9._-]/g, "") || "server";
}
