/**
 * ally as a library: a working directory with settings and permissions, in which turns are run. Nothing of it is kept
 * in the process, so that any number can be at work at the same time.
 */
import { resolve } from "node:path";
import type { SpendingLimits } from "../../agent/spending.ts";
import { createEnvironment } from "../../app/environment.ts";
import type { HostProcess } from "../../app/host_process.ts";
import type { Options } from "../../app/options.ts";
import { systemIo } from "../../app/system_io.ts";
import type { EventSink } from "../../core/event.ts";
import { ACCESS_KINDS, type AccessKind } from "../../core/access.ts";
import type { AskPermission, Targets } from "../../core/permission.ts";
import type { Tool } from "../../core/tool.ts";
import type { JsonObject } from "../../lib/schema.ts";
import type { Rules } from "../../permission/rules.ts";
import type { Config } from "../../store/settings_table.ts";
import { RunningTurn } from "./turn.ts";
import type { Turn } from "./turn_result.ts";

/** Targets of one kind; `false` is none, as where the kind is left out. */
export type PermittedTargets = Targets | false;

/** What is done or refused without asking, in the words of `ally help permissions`; what is denied stays denied. */
export interface Permissions {
  /** By kind: `true` for all of it, or paths, programs, hosts, variables. @default nothing */
  readonly allow?: Readonly<Partial<Record<AccessKind, PermittedTargets>>>;
  /** The same. @default nothing */
  readonly deny?: Readonly<Partial<Record<AccessKind, PermittedTargets>>>;
  /** Whether everything inside the workspace is allowed. @default false */
  readonly allowAll?: boolean;
}

/** Where and how turns are run. */
export interface AllyOptions {
  /** The working directory. @default that of the process */
  readonly cwd?: string;
  /** More directories of the workspace, relative to the first one. @default none */
  readonly addDirs?: readonly string[];
  /** Settings by their names (`ally help settings`), before all other sources: `{ model: "qwen3", max_turns: 20 }`. */
  readonly settings?: Config;
  /** What is allowed and what is denied without asking. @default the workspace can be read, and nothing else done */
  readonly permissions?: Permissions;
  /** Whether turns only read. @default false */
  readonly plan?: boolean;
  /** Whether the files of the project, such as `ALLY.md` and `.ally`, act. @default if they were trusted before */
  readonly trustProject?: boolean;
  /** Names of plugins that may run. @default those allowed before */
  readonly allowedPlugins?: readonly string[];
  /** Folders of plugins that are not installed, relative to the working directory. @default none */
  readonly pluginDirs?: readonly string[];
  /** Added to the system prompt. @default nothing */
  readonly appendSystemPrompt?: string;
  /** Whether sessions are saved. @default true */
  readonly session?: boolean;
  /** The environment of ally and, without its secrets, of commands. @default that of the process */
  readonly env?: Readonly<Record<string, string>>;
  /** File to record the traffic with the model to. @default it is not recorded */
  readonly record?: string;
  /** Recording that answers in place of a model. @default a model answers */
  readonly replay?: string;
  /** The process, for a caller that gives it to ally: what is denied is then given up by it. @default it is shared */
  readonly io?: HostProcess;
}

/** What holds for one turn. */
export interface TurnOptions {
  /** Text that follows the prompt, as it is: an `@` in it attaches no file. @default none */
  readonly input?: string;
  /** Files of images that go with the prompt, relative to the working directory. @default none */
  readonly images?: readonly string[];
  /** Tools beside ally's own, made by `defineTool`; they run in this process, and need permission by their effects. @default none */
  readonly tools?: readonly Tool[];
  /** Gets every event at once. An error that it throws ends the turn and is thrown again by it. */
  readonly onEvent?: EventSink;
  /** Answers what no rule decides, for all calls of one reply at once. @default each such call is denied */
  readonly ask?: AskPermission;
  /** JSON Schema that the answer is to fit; the value is in the result. @default any answer will do */
  readonly schema?: JsonObject;
  /** Ends the turn when it is aborted; the result then has the reason "interrupted". */
  readonly signal?: AbortSignal;
  /** What the turn may spend, agents that work for it included. @default as the settings say */
  readonly budget?: SpendingLimits;
  /** Whether to go on with the last session of the working directory. @default false */
  readonly continue?: boolean;
  /** Id of a session to go on with; `true` refuses, and says which there are. @default a new session */
  readonly resume?: string | true;
  /** Id of a session to go on with a copy of. @default a new session */
  readonly fork?: string;
  /** File for a receipt of the turn, relative to the working directory. @default none is written */
  readonly receipt?: string;
}

/** An agent in a working directory. */
export class Ally {
  readonly #options: AllyOptions;
  readonly #io: HostProcess;
  /** Absolute. */
  readonly #cwd: string;

  /** Opens nothing yet: each turn does so by itself. */
  constructor(options: AllyOptions = {}) {
    const system = systemIo();
    this.#options = options;
    this.#io = options.io ?? shareProcess(system, options.env);
    this.#cwd = resolve(options.cwd ?? system.cwd());
  }

  /**
   * Starts a turn. Each is a session of its own, unless its options say which one it goes on with; several may run at
   * the same time. A prompt may be a custom command (`/review src`), address an agent (`@tester ...`), and attach files
   * (`@src/main.ts`). What keeps a turn from beginning rejects it.
   */
  run(prompt: string, options: TurnOptions = {}): Turn {
    const { input = "", tools = [], onEvent, ask, schema, signal } = options;
    return new RunningTurn({
      prompt,
      options: this.#runOptions(prompt, options),
      io: this.#io,
      tools,
      input,
      onEvent,
      ask,
      schema,
      signal,
    });
  }

  #runOptions(prompt: string, turn: TurnOptions): Options {
    const { permissions = {}, settings = {}, ...options } = this.#options;
    const { appendSystemPrompt, record, replay } = options;
    const here = (path: string) => resolve(this.#cwd, path);
    return {
      prompt,
      print: true,
      outputFormat: "text",
      settings: { ...settings, ...budgetSettings(turn.budget) },
      ...appendSystemPrompt !== undefined && { appendSystemPrompt },
      continue: turn.continue ?? false,
      ...turn.resume !== undefined && { resume: turn.resume },
      ...turn.fork !== undefined && { fork: turn.fork },
      ...turn.receipt !== undefined && { receipt: here(turn.receipt) },
      ...turn.images !== undefined && { images: turn.images.map(here) },
      session: options.session ?? true,
      cwd: this.#cwd,
      addDirs: (options.addDirs ?? []).map(here),
      rules: {
        allow: resolveTargets(permissions.allow, here),
        deny: resolveTargets(permissions.deny, here),
        allowAll: permissions.allowAll ?? false,
      },
      allowedPlugins: options.allowedPlugins ?? [],
      pluginDirs: (options.pluginDirs ?? []).map(here),
      trustProject: options.trustProject ?? false,
      plan: options.plan ?? false,
      ...record !== undefined && { record: here(record) },
      ...replay !== undefined && { replay: here(replay) },
      verbose: false,
      debug: false,
      color: false,
    };
  }
}

/** The process that ally is a guest in: a turn changes nothing of it. */
function shareProcess(
  { env, proofs, onExit }: HostProcess,
  variables: Readonly<Record<string, string>> | undefined,
): HostProcess {
  return {
    env: variables === undefined ? env : createEnvironment(variables),
    isShared: true,
    ...(proofs && { proofs }),
    onExit,
    revokePermission: () => {},
    hideEnvironment: () => {},
  };
}

/** Paths are relative to the working directory; other targets are names. */
function resolveTargets(
  targets: Permissions["allow"] = {},
  here: (path: string) => string,
): Rules["allow"] {
  const resolved: Partial<Record<AccessKind, Targets>> = {};
  for (const kind of ACCESS_KINDS) {
    const given = targets[kind];
    if (!given) continue;
    const isPaths = given !== true && (kind === "read" || kind === "write");
    resolved[kind] = isPaths ? given.map(here) : given;
  }
  return resolved;
}

function budgetSettings({ tokens, cost, seconds }: SpendingLimits = {}): Config {
  return {
    ...tokens !== undefined && { max_tokens_total: tokens },
    ...cost !== undefined && { max_cost: cost },
    ...seconds !== undefined && { max_time: seconds },
  };
}
