/**
 * What holds for this run, each value from its first source: flag, environment, trusted project's config as far
 * as it may say, user's config, default.
 */
import { UsageError } from "../core/errors.ts";
import type { SandboxMode } from "../core/sandbox.ts";
import { DEFAULT_BANNED } from "../permission/banned.ts";
import {
  type Config,
  mergeProjectConfig,
  SETTING_TABLE,
  type ThinkingMode,
} from "../store/config.ts";
import type { TuningConfig } from "../store/tuning_settings.ts";
import { type Endpoints, type KnownEndpoint, resolveEndpoints } from "./endpoints.ts";
import type { Options } from "./options.ts";

/** Milliseconds; undefined where the client's own limit holds. */
export interface Timeouts {
  readonly requestTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly replyTimeoutMs: number | undefined;
}

/** The settings of a run, each from its first source. */
export interface Settings {
  readonly endpoints: Endpoints;
  /** Undefined: the server is asked which models it has. */
  readonly model: string | undefined;
  /** Tokens of every model's window, as a flag or the environment says. */
  readonly contextSize: number | undefined;
  /** The same as the configuration says. */
  readonly configuredSize: number | undefined;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly maxTurns: number;
  /** Requests an agent may make for a task it was given. */
  readonly agentMaxTurns: number;
  readonly maxParallel: number;
  readonly bashTimeout: number;
  /** Programs that never run; undefined: the built-in list. */
  readonly bannedCommands: readonly string[] | undefined;
  readonly retries: number | undefined;
  readonly sandbox: SandboxMode;
  readonly showThinking: ThinkingMode;
  readonly stream: boolean;
  readonly fileChecks: boolean | undefined;
  /** How long a server may take. */
  readonly timeouts: Timeouts;
  /** How the window is used and changes are shown; what is absent has its default. */
  readonly tuning: TuningConfig;
}

/** What holds where nobody says anything. */
export const DEFAULTS = {
  ...Object.fromEntries(
    [...SETTING_TABLE].flatMap(([key, one]) =>
      one.default === undefined ? [] : [[key, one.default]]
    ),
  ),
  banned_commands: DEFAULT_BANNED,
} as
  & Config
  & Required<
    Pick<Config, "max_turns" | "agent_max_turns" | "max_parallel" | "bash_timeout" | "sandbox">
  >;

/** @throws {UsageError} a value cannot be used */
export function resolveSettings(
  options: Options,
  { config: user, project = {}, env, keys }: {
    config: Config;
    /** Of the project's file, if the user has trusted it. */
    project?: Config | undefined;
    env: { get(name: string): string | undefined };
    /** Directory of keys. */
    keys?: string | undefined;
  },
): Settings {
  const merged = mergeProjectConfig(user, { project, defaults: DEFAULTS });
  const config = { ...merged, ...fromEnvironment(env), ...fromFlags(options) };
  const endpoints = resolveEndpoints({ flag: options.endpoint, config: merged, env, keys });
  return {
    endpoints,
    model: options.model ?? (env.get("ALLY_MODEL") || undefined) ??
      modelFor(endpoints.default, merged),
    contextSize: options.contextSize ?? parseContextSize(env.get("ALLY_CONTEXT_SIZE")),
    configuredSize: merged.context_size,
    maxTokens: config.max_tokens,
    temperature: config.temperature,
    maxTurns: config.max_turns ?? DEFAULTS.max_turns,
    agentMaxTurns: config.agent_max_turns ?? DEFAULTS.agent_max_turns,
    maxParallel: config.max_parallel ?? DEFAULTS.max_parallel,
    bashTimeout: config.bash_timeout ?? DEFAULTS.bash_timeout,
    bannedCommands: config.banned_commands,
    retries: config.retries,
    sandbox: config.sandbox ?? DEFAULTS.sandbox,
    showThinking: config.show_thinking ?? "short",
    stream: config.stream ?? true,
    fileChecks: config.file_checks,
    timeouts: {
      requestTimeoutMs: toMilliseconds(config.request_timeout),
      idleTimeoutMs: toMilliseconds(config.idle_timeout),
      replyTimeoutMs: toMilliseconds(config.reply_timeout),
    },
    tuning: config,
  };
}

/** What the flags say of settings. */
export function fromFlags(options: Options): Config {
  const { endpoint, model, contextSize, maxTokens, temperature, maxTurns, sandbox } = options;
  return omitUndefined({
    endpoint,
    model,
    context_size: contextSize,
    max_tokens: maxTokens,
    temperature,
    max_turns: maxTurns,
    sandbox,
  });
}

/** What the environment says of settings. @throws {UsageError} a value cannot be used */
export function fromEnvironment(env: { get(name: string): string | undefined }): Config {
  return omitUndefined({
    endpoint: env.get("OPENAI_BASE_URL") || undefined,
    model: env.get("ALLY_MODEL") || undefined,
    context_size: parseContextSize(env.get("ALLY_CONTEXT_SIZE")),
    max_parallel: parseParallel(env.get("ALLY_MAX_PARALLEL")),
  });
}

function omitUndefined(values: Readonly<Record<string, unknown>>): Config {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function toMilliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

/** The configuration's model goes with its endpoint; another one has its own, or the server's first. */
function modelFor({ name, model }: KnownEndpoint, config: Config): string | undefined {
  return name === undefined || name === config.endpoint ? config.model ?? model : model;
}

function parseContextSize(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1024) return number;
  throw new UsageError(
    `Cannot use ALLY_CONTEXT_SIZE='${text}': it must be a whole number of at least 1024.`,
  );
}

function parseParallel(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 64) return number;
  throw new UsageError(`Cannot use ALLY_MAX_PARALLEL='${text}': it must be a number from 1 to 64.`);
}
