/**
 * The settings of `config.json`, the user's and a project's: every key with its type, its meaning and what a
 * project may do to it in one table, from which reading, checking, merging and help follow.
 */
import { distance } from "fastest-levenshtein";
import type { EndpointProfile, Prices } from "../core/endpoint.ts";
import { UsageError } from "../core/errors.ts";
import type { SandboxMode } from "../core/sandbox.ts";
import { isMissing, readSmallFile } from "../lib/fs.ts";
import { isObject, violations } from "../lib/schema.ts";
import { cutEnd, messageOf } from "../lib/text.ts";
import { ENDPOINTS_SCHEMA, PRICES_SCHEMA } from "./endpoint_schema.ts";
import { parseJsonFile } from "./json_file.ts";
import type { ProjectRule, Setting } from "./setting.ts";
import { TUNING_SETTINGS, type TuningConfig } from "./tuning_settings.ts";

/** How much of the model's thinking a person sees. */
export type ThinkingMode = "full" | "short" | "off";

/** Bytes that a configuration may have. */
const MAX_BYTES = 1_000_000;

/** All settings; a value in the file must fit its schema. */
const SETTINGS = {
  endpoint: {
    schema: { type: "string", minLength: 1 },
    help: "base URL of the model server, or the name of one of endpoints",
    project: "never",
    otherwise: "OpenAI if OPENAI_API_KEY is set, else http://localhost:11434/v1",
  },
  endpoints: {
    schema: ENDPOINTS_SCHEMA,
    help:
      "servers by name: {NAME: {url, key_env, key_file, model, context_size, headers, prices}}; " +
      "one alone: endpoints.NAME, endpoints.NAME.url, ...",
    project: "never",
  },
  prices: {
    schema: PRICES_SCHEMA,
    help: "money for a million tokens: {input, output, cached_input}, or such an object by model",
    project: "never",
  },
  model: {
    schema: { type: "string", minLength: 1 },
    help: "name of the model",
    project: "free",
    otherwise: "the first that the server lists",
  },
  context_size: {
    schema: { type: "integer", minimum: 1024 },
    help: "the model's window in tokens",
    project: "free",
    default: 16_384,
  },
  max_tokens: {
    schema: { type: "integer", minimum: 1 },
    help: "tokens one reply may have",
    project: "free",
    otherwise: "as the server decides",
  },
  temperature: {
    schema: { type: "number", minimum: 0, maximum: 2 },
    help: "sampling temperature",
    project: "free",
    otherwise: "as the server decides",
  },
  max_turns: {
    schema: { type: "integer", minimum: 1 },
    help: "requests one turn may make",
    project: "tighten",
    default: 100,
  },
  agent_max_turns: {
    schema: { type: "integer", minimum: 1 },
    help: "requests an agent may make for one task it was given",
    project: "tighten",
    default: 50,
  },
  max_parallel: {
    schema: { type: "integer", minimum: 1, maximum: 64 },
    help: "calls that may run at once, and agents",
    project: "tighten",
    default: 4,
  },
  bash_timeout: {
    schema: { type: "integer", minimum: 1, maximum: 600 },
    help: "seconds a command may take",
    project: "free",
    default: 120,
  },
  banned_commands: {
    schema: { type: "array", items: { type: "string", minLength: 1 } },
    help: "programs that never run, instead of the built-in list; [] bans nothing",
    project: "tighten",
    otherwise: "the built-in list",
  },
  permissions: {
    schema: { type: "object" },
    help: "what is allowed and denied: {allow: {kind: true or list}, deny: {...}}",
    project: "tighten",
    otherwise: "reading the workspace is free, all else asks",
  },
  sandbox: {
    schema: { enum: ["auto", "required", "off"] },
    help: "whether commands run in the OS sandbox: where there is one, in any case, or never",
    project: "never",
    default: "auto",
  },
  file_checks: {
    schema: { type: "boolean" },
    help: "whether changed files are checked for syntax errors",
    project: "free",
    default: true,
  },
  keep_sessions: {
    schema: { type: "integer", minimum: 1 },
    help: "sessions kept for each project; beyond that the oldest are removed",
    project: "never",
    default: 200,
  },
  mask_secrets: {
    schema: { type: "boolean" },
    help: "whether the model, sessions and logs get placeholders for secrets",
    project: "never",
    default: true,
  },
  show_thinking: {
    schema: { enum: ["full", "short", "off"] },
    help:
      "how much of the model's thinking stays on the screen: all, its first lines (short), nothing",
    project: "never",
    default: "short",
  },
  stream: {
    schema: { type: "boolean" },
    help: "whether replies are shown as they come; false for servers that cannot send them so",
    project: "free",
    default: true,
  },
  retries: {
    schema: { type: "integer", minimum: 0, maximum: 20 },
    help: "times a failed request is sent again",
    project: "free",
    default: 4,
  },
  request_timeout: {
    schema: { type: "integer", minimum: 1 },
    help: "seconds until the server must have begun its answer",
    project: "free",
    default: 1800,
  },
  idle_timeout: {
    schema: { type: "integer", minimum: 1 },
    help: "seconds of silence within an answer after which it is asked for again",
    project: "free",
    default: 300,
  },
  reply_timeout: {
    schema: { type: "integer", minimum: 1 },
    help: "seconds one answer may take in all",
    project: "free",
    default: 7200,
  },
  ...TUNING_SETTINGS,
} as const satisfies Record<string, Setting>;

/** Every key there is, with what is known of it, in the order in which they are listed. */
export const SETTING_TABLE: ReadonlyMap<string, Setting> = new Map(
  Object.entries<Setting>(SETTINGS),
);

/** The settings of a file; every one may be absent. */
export interface Config extends TuningConfig {
  readonly endpoint?: string;
  readonly endpoints?: Readonly<Record<string, EndpointProfile>>;
  readonly prices?: Prices;
  readonly model?: string;
  readonly context_size?: number;
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly max_turns?: number;
  readonly agent_max_turns?: number;
  readonly max_parallel?: number;
  readonly bash_timeout?: number;
  readonly banned_commands?: readonly string[];
  /** Checked where it is made rules. */
  readonly permissions?: unknown;
  readonly sandbox?: SandboxMode;
  readonly file_checks?: boolean;
  readonly keep_sessions?: number;
  readonly mask_secrets?: boolean;
  readonly show_thinking?: ThinkingMode;
  readonly stream?: boolean;
  readonly retries?: number;
  readonly request_timeout?: number;
  readonly idle_timeout?: number;
  readonly reply_timeout?: number;
}

/** A configuration as it was written, and what is odd about it. */
export interface ParsedConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
}

/**
 * Reads the user's file; a missing one is an empty one.
 * @throws {UsageError} it is no regular file, too large, no JSON (with line and column), or a value does not fit
 */
export async function readConfig(path: string): Promise<ParsedConfig> {
  let text: string;
  try {
    text = await readSmallFile(path, { maxBytes: MAX_BYTES });
  } catch (error) {
    if (isMissing(error)) return { config: {}, warnings: [] };
    if (error instanceof Deno.errors.NotCapable) {
      const why = 'Deno\'s permission "read" does not cover it';
      return { config: {}, warnings: [`${path} is left out: ${why}.`] };
    }
    throw new UsageError(
      `Cannot read ${path}: ${messageOf(error)}. Make it a readable JSON file, or remove it.`,
      { cause: error },
    );
  }
  return await parseConfig(path, text);
}

/** Reads a text as a configuration. @throws {UsageError} it is no JSON, or a value does not fit its key */
export async function parseConfig(path: string, text: string): Promise<ParsedConfig> {
  const values = await parseObject(path, text);
  const config: Record<string, unknown> = {};
  for (const key of SETTING_TABLE.keys()) {
    if (!Object.hasOwn(values, key)) continue;
    const wrong = validateSetting(key, values[key]);
    if (wrong !== undefined) throw new UsageError(`Cannot use ${path}: ${wrong}`);
    config[key] = values[key];
  }
  const warnings = Object.keys(values)
    .filter((key) => !SETTING_TABLE.has(key) && key !== "$schema")
    .map((key) => `${path}: unknown setting '${cutEnd(key, 200)}' is ignored${didYouMean(key)}`);
  return { config: config as Config, warnings };
}

/** "; did you mean 'model'?", or nothing if no key is near. */
export function didYouMean(key: string): string {
  const near = [...SETTING_TABLE.keys()]
    .map((name) => ({ name, far: distance(name, key.toLowerCase().replaceAll("-", "_")) }))
    .sort((a, b) => a.far - b.far)[0];
  if (near === undefined || key.length > 60 || near.far > Math.max(2, key.length / 3)) return "";
  return `; did you mean '${near.name}'?`;
}

/** Why a value cannot be a key's, or undefined if it can. */
export function validateSetting(key: string, value: unknown): string | undefined {
  const context = SETTING_TABLE.get(key);
  const [wrong] = context === undefined ? [] : violations(context.schema, value);
  if (context === undefined || wrong === undefined) return undefined;
  const given = cutEnd(JSON.stringify(value), 200);
  const wanted = describeExpected(context.schema);
  const why = wanted === undefined ? wrong.message : `It must be ${wanted}.`;
  return `'${key}' (${context.help}) is ${given}. ${why}`;
}

/** What a person may give, in words; undefined where it has parts of its own. */
function describeExpected(
  { type, minimum, maximum, enum: choices }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (Array.isArray(choices)) return `one of ${choices.join(", ")}`;
  if (type === "boolean") return "true or false";
  if (type !== "integer" && type !== "number") return undefined;
  const kind = type === "integer" ? "a whole number" : "a number";
  if (minimum !== undefined && maximum !== undefined) {
    return `${kind} from ${minimum} to ${maximum}`;
  }
  return minimum === undefined ? kind : `${kind} of at least ${minimum}`;
}

/** What a project may do to a setting; to one that is not known, nothing. */
export function projectRule(key: string): ProjectRule {
  return SETTING_TABLE.get(key)?.project ?? "never";
}

/**
 * The user's settings with a trusted project's on top, as far as each may. `defaults` hold where the user says
 * nothing: nothing is made stricter than they by being left out.
 */
export function mergeProjectConfig(
  user: Config,
  { project, defaults }: { project: Config; defaults: Config },
): Config {
  const values: Readonly<Record<string, unknown>> = { ...defaults, ...user };
  const merged: Record<string, unknown> = { ...user };
  for (const [key, value] of Object.entries<unknown>({ ...project })) {
    const rule = projectRule(key);
    if (rule === "free") merged[key] = value;
    if (rule === "tighten") merged[key] = pickStricter(values[key], value);
  }
  return merged as Config;
}

/** The smaller number, or all of both lists. */
function pickStricter(own: unknown, project: unknown): unknown {
  if (typeof own === "number" && typeof project === "number") return Math.min(own, project);
  if (Array.isArray(own) && Array.isArray(project)) return [...new Set([...own, ...project])];
  return own ?? project;
}

/** Reads a text as a JSON object. @throws {UsageError} it is none, with line and column */
export async function parseObject(path: string, text: string): Promise<Record<string, unknown>> {
  const value = await parseJsonFile(text, { path });
  if (!isObject(value)) throw new UsageError(`Cannot use ${path}: it does not hold a JSON object.`);
  return value;
}
