/**
 * `--record` and `--replay`: records a run's traffic with the model, or serves it from a recording. It decorates
 * `fetch`, the sink, the questions and the commands, which know nothing of it.
 */
import { join } from "node:path";
import { UsageError } from "../core/errors.ts";
import type { ServerFeatures } from "../core/endpoint.ts";
import { type Effort, EFFORT_DIALECTS, type EffortDialect, EFFORTS } from "../core/model.ts";
import type { Secrets } from "../core/secrets.ts";
import { contains } from "../lib/contains.ts";
import { readSmallFile, reasonOf } from "../lib/fs.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { displayUrl } from "../model/endpoint.ts";
import { type Clock, SYSTEM_CLOCK } from "../model/retry.ts";
import { Recorder } from "../recording/record.ts";
import { RecordingFile } from "../recording/record_file.ts";
import { Replay } from "../recording/replay.ts";
import { findCommit } from "../recording/start_commit.ts";
import { gatherFiles } from "../recording/start_files.ts";
import { parseRecording, type Recording, type RunLine } from "../recording/traffic.ts";
import { isServerFeatures } from "../store/model_profiles.ts";
import { type AllyPaths, homeDirectory } from "../store/paths.ts";
import type { Endpoints } from "./endpoints.ts";
import type { Environment } from "./environment.ts";
import type { Options } from "./options.ts";
import { type RecordedOptions, recordedRunOf, type RunConditions } from "./recorded_run.ts";
import type { ConversationStart } from "./sessions.ts";
import type { Settings } from "./settings.ts";
import { UserActionRecorder } from "./user_action_recorder.ts";
import { VERSION } from "./version.ts";

/** What is known about a model, as far as its requests depend on it. */
export interface ModelFacts {
  /** Tokens of its window. */
  readonly size: number;
  /** Parts of a request that its server refuses. */
  readonly without: readonly string[];
  /** Whether it has to be asked for several calls in one reply. */
  readonly asksParallel: boolean;
  /** What its server has shown that it knows. */
  readonly features?: ServerFeatures | undefined;
  /** How much it is to think where nothing else is said, and how its server is told. */
  readonly effort?: Effort | undefined;
  readonly effortBy?: EffortDialect | undefined;
}

/** What a recording or a replay is opened with. */
interface TrafficOptions {
  readonly options: Options;
  readonly cwd: string;
  readonly env: Environment;
  readonly paths: AllyPaths;
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly roots: readonly string[];
  readonly fetch: typeof fetch | undefined;
  readonly run: RunConditions;
  /** Whether files can still be moved at the end of the run. */
  readonly mayMove: boolean;
  readonly warn: (text: string) => void;
}

/** Bytes of a recording: far more than a long session takes. */
const MAX_RECORDING = 128 * 1024 ** 2;

/** Reads a recording. @throws {UsageError} it cannot be read, or is not a recording */
export async function readRecord(path: string): Promise<Recording> {
  let text: string;
  try {
    text = await readSmallFile(path, { maxBytes: MAX_RECORDING });
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotFound ? "there is no such file" : reasonOf(cause);
    throw new UsageError(`Cannot replay ${path}: ${why}.`, { cause });
  }
  return parseRecording(text, path);
}

/** The traffic of one run. */
export class Traffic {
  readonly #parts: TrafficOptions;
  readonly #recorded: Recording | undefined;
  readonly #files: JsonObject | undefined;
  readonly #file: RecordingFile | undefined;
  readonly #recorder: Recorder | undefined;
  /** Present if the run is recorded. */
  readonly userActions: UserActionRecorder | undefined;
  /** Present if a recording is served. */
  readonly replay: Replay | undefined;
  readonly fetch: typeof fetch;
  /** The endpoints of the recorded run in a replay, else of this run. */
  readonly endpoints: Endpoints;
  /** About the models of the recorded run. */
  readonly #facts: ReadonlyMap<string, ModelFacts>;

  /** @throws {UsageError} a file cannot be read, or is not to be written */
  static async open(parts: TrafficOptions): Promise<Traffic> {
    const { record, replay } = parts.options;
    const recorded = replay === undefined ? undefined : await readRecord(replay);
    // Before the run itself changes the directory.
    const files = record === undefined ? undefined : {
      files: await gatherFiles(parts.cwd, parts.secrets),
      git: await findCommit(parts.cwd, parts),
    };
    return new Traffic(parts, { recorded, files });
  }

  private constructor(
    parts: TrafficOptions,
    { recorded, files }: { recorded: Recording | undefined; files: JsonObject | undefined },
  ) {
    const { options: { record: path, lenient }, settings, secrets } = parts;
    this.#parts = parts;
    this.#recorded = recorded;
    this.#files = files;
    const environment = {
      directories: directoriesOf(parts),
      platform: Deno.build.os,
      date: new Date().toISOString(),
    };
    this.endpoints = recorded ? readEndpoints(recorded, settings) : settings.endpoints;
    this.#facts = new Map(recorded ? readModelFacts(recorded) : []);
    const { default: primary, named } = this.endpoints;
    const endpoints = [primary, ...named].map(({ url }) => url);
    this.replay = recorded && new Replay({ recording: recorded, environment, endpoints, lenient });
    this.fetch = this.replay?.fetch ?? parts.fetch ?? fetch;
    if (path === undefined) return;
    const isInside = parts.roots.some((root) => contains(root, path));
    const name = `recording-${crypto.randomUUID().slice(0, 8)}.jsonl`;
    const file = new RecordingFile(path, {
      temporaryPath: isInside && parts.mayMove ? join(parts.paths.project, name) : undefined,
      onProblem: parts.warn,
    });
    this.#file = file;
    this.#recorder = new Recorder({
      write: (line) => file.append(line),
      endpoints,
      mask: (text) => secrets.remask(text),
      fetch: this.fetch,
    });
    this.fetch = this.#recorder.fetch;
    const recorder = this.#recorder;
    this.userActions = new UserActionRecorder({
      record: (line) => this.#writeNote(line),
      requests: () => recorder.requests,
      warn: parts.warn,
    });
  }

  /** The model that was recorded, for a replay. */
  get model(): string | undefined {
    return this.#recorded?.header.model;
  }

  /** What was known of a model in the run that is replayed. */
  factsOf(name: string): ModelFacts | undefined {
    return this.#facts.get(name);
  }

  /** Records what is known about a model that the run uses from now on. */
  recordModel(name: string, facts: ModelFacts): void {
    this.#writeNote({ type: "model", name, ...facts, without: [...facts.without] });
  }

  /** A replay waits for nothing. */
  get clock(): Clock | undefined {
    return this.replay && { ...SYSTEM_CLOCK, delay: () => Promise.resolve() };
  }

  /** Begins the recording once the model is known; returns what the conversation starts from. */
  begin(
    { model, facts, start }: { model: string; facts: ModelFacts; start: ConversationStart },
  ): ConversationStart {
    const { settings, run, options, secrets } = this.#parts;
    const { default: primary, named } = this.endpoints;
    const mask = (text: string) => secrets.remask(text);
    this.#recorder?.begin({
      ally: VERSION,
      time: new Date().toISOString(),
      platform: Deno.build.os,
      directories: mapStrings(directoriesOf(this.#parts), mask),
      endpoint: displayUrl(this.#recorded?.header.endpoint ?? primary.url),
      model,
      run: mapStrings({
        ...run,
        ...primary.name !== undefined && { home: primary.name },
        facts: { ...facts, without: [...facts.without] },
        named: Object.fromEntries(named.map(({ name, url }) => [name, displayUrl(url)])),
        options: pickRunOptions(options, settings),
      }, mask),
    });
    if (this.#files) this.#writeNote({ type: "files", ...this.#files });
    const begun = this.#resolveStart(start);
    if (begun.messages.length > 0) {
      const { prompt, messages, state, covered = [] } = begun;
      this.#writeNote({ type: "start", prompt, messages, state: [...state], covered });
    }
    return begun;
  }

  /** Ends the recording. */
  close(): void {
    this.#recorder?.end();
    this.#file?.close();
  }

  #writeNote(line: RunLine): void {
    this.#recorder?.note(mapStrings(line, (text) => this.#parts.secrets.remask(text)));
  }

  /** In a replay, the messages that the recorded run started from. */
  #resolveStart(start: ConversationStart): ConversationStart {
    const line = this.#recorded?.runLines.find(({ type }) => type === "start");
    if (line === undefined || start.messages.length > 0) return start;
    const here = mapStrings(line, this.replay!.localize);
    const { prompt, messages, state, covered } = here as unknown as {
      prompt?: NonNullable<ConversationStart["prompt"]>;
      messages: ConversationStart["messages"];
      state: [string, unknown][];
      covered: NonNullable<ConversationStart["covered"]>;
    };
    return { ...start, prompt, messages, state: new Map(state), covered };
  }
}

/** The recorded endpoints by name, without any key of this machine. */
function readEndpoints(recording: Recording, { endpoints }: Settings): Endpoints {
  const { home: name, named: addresses } = recordedRunOf(recording);
  if (addresses === undefined) return endpoints;
  const named = Object.entries(addresses).map(([name, url]) => ({ name, url }));
  const primary = named.find((one) => one.name === name) ?? { url: recording.header.endpoint };
  return { default: primary, named };
}

/** What was known about the models: the header says it of the first, a line each of the others. */
function readModelFacts(recording: Recording): [string, ModelFacts][] {
  const all: [unknown, unknown][] = [[recording.header.model, recordedRunOf(recording).facts]];
  for (const { type, name, ...facts } of recording.runLines) {
    if (type === "model") all.push([name, facts]);
  }
  return all.flatMap(([name, facts]) => {
    if (!isObject(facts) || typeof facts.size !== "number") return [];
    const { size, without } = facts;
    const known = {
      size,
      without: Array.isArray(without) ? without.map(String) : [],
      asksParallel: facts.asksParallel === true,
      ...isServerFeatures(facts.features) && { features: facts.features },
      ...readEffort(facts),
    };
    return [[String(name), known]];
  });
}

/** What is known of one model's effort, as far as it is understood here. */
function readEffort({ effort, effortBy }: JsonObject): Pick<ModelFacts, "effort" | "effortBy"> {
  return {
    effort: EFFORTS.find((one) => one === effort),
    effortBy: EFFORT_DIALECTS.find((one) => one === effortBy),
  };
}

/** The directories whose names may differ in another run. */
function directoriesOf({ cwd, env, paths, roots }: TrafficOptions): Record<string, string> {
  const added = roots.filter((root) => root !== cwd);
  return {
    cwd,
    home: homeDirectory(env),
    ally: paths.home,
    project: paths.project,
    ...Object.fromEntries(added.map((root, index) => [`added ${index + 1}`, root])),
  };
}

function pickRunOptions(options: Options, settings: Settings): RecordedOptions {
  const { appendSystemPrompt, addDirs, rules, plan } = options;
  const { values, windows, efforts } = settings;
  return {
    fallbackModel: values.fallback_model,
    contextSize: windows.forced,
    maxTokens: values.max_tokens,
    temperature: values.temperature,
    effort: efforts.forced,
    maxTurns: values.max_turns,
    appendSystemPrompt,
    addDirs,
    rules,
    plan,
  };
}
