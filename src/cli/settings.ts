/**
 * What holds for this run, each value from its first source: flag, environment, trusted project's config as far
 * as it may say, user's config, default.
 */
import type { SandboxMode } from "../core/sandbox.ts";
import { DEFAULT_BANNED } from "../permission/banned.ts";
import { type Config, mergeProject, type ThinkingMode } from "../store/config.ts";
import { UsageError } from "../core/errors.ts";
import type { Options } from "./args.ts";

/** Milliseconds; undefined where the client's own limit holds. */
export interface Limits {
  readonly requestTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly replyTimeoutMs: number | undefined;
}

export interface Settings {
  readonly endpoint: string;
  readonly apiKey: string | undefined;
  /** Undefined: the server is asked which models it has. */
  readonly model: string | undefined;
  readonly contextSize: number;
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
  readonly limits: Limits;
}

const OPENAI = "https://api.openai.com/v1";
const OLLAMA = "http://localhost:11434/v1";

/** What holds where a project could make it stricter and nobody else says anything. */
const DEFAULTS = {
  max_turns: 100,
  agent_max_turns: 50,
  max_parallel: 4,
  banned_commands: DEFAULT_BANNED,
} satisfies Config;

/** @throws {UsageError} a value cannot be used */
export function settle(
  options: Options,
  { config: user, project = {}, env }: {
    config: Config;
    /** Of the project's file, if the user has trusted it. */
    project?: Config | undefined;
    env: { get(name: string): string | undefined };
  },
): Settings {
  const config = mergeProject(user, { project, defaults: DEFAULTS });
  const apiKey = env.get("OPENAI_API_KEY") || undefined;
  const endpoint = options.endpoint ?? (env.get("OPENAI_BASE_URL") || undefined) ??
    config.endpoint ??
    (apiKey ? OPENAI : OLLAMA);
  return {
    endpoint: checkedUrl(endpoint),
    apiKey,
    model: options.model ?? (env.get("ALLY_MODEL") || undefined) ?? config.model,
    contextSize: options.contextSize ?? config.context_size ?? 16_384,
    maxTokens: options.maxTokens ?? config.max_tokens,
    temperature: options.temperature ?? config.temperature,
    maxTurns: options.maxTurns ?? config.max_turns ?? DEFAULTS.max_turns,
    agentMaxTurns: config.agent_max_turns ?? DEFAULTS.agent_max_turns,
    maxParallel: parallel(env.get("ALLY_MAX_PARALLEL")) ?? config.max_parallel ??
      DEFAULTS.max_parallel,
    bashTimeout: config.bash_timeout ?? 120,
    bannedCommands: config.banned_commands,
    retries: config.retries,
    showThinking: config.show_thinking ?? "short",
    stream: config.stream ?? true,
    sandbox: options.sandbox ?? config.sandbox ?? "auto",
    fileChecks: config.file_checks,
    limits: {
      requestTimeoutMs: milliseconds(config.request_timeout),
      idleTimeoutMs: milliseconds(config.idle_timeout),
      replyTimeoutMs: milliseconds(config.reply_timeout),
    },
  };
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

function checkedUrl(text: string): string {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // Reported below.
  }
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new UsageError(
      `Cannot use the endpoint '${text}': it is not an http or https URL. Give one such as ${OLLAMA}`,
    );
  }
  return text.replace(/\/+$/, "");
}

function parallel(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 64) return number;
  throw new UsageError(`Cannot use ALLY_MAX_PARALLEL='${text}': it must be a number from 1 to 64.`);
}
