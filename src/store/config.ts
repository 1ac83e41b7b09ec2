/**
 * The user's settings from `~/.ally/config.json`: every key with its type, default and meaning in one
 * table, from which reading, checking and help follow.
 */
import type { ParseError } from "jsonc-parser";
import { UsageError } from "../core/errors.ts";
import type { SandboxMode } from "../core/sandbox.ts";
import { isObject, violations } from "../lib/schema.ts";
import { messageOf } from "../lib/text.ts";

interface Setting {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly help: string;
}

/** All settings; a value in the file must fit its schema. */
const SETTINGS = {
  endpoint: { schema: { type: "string", minLength: 1 }, help: "base URL of the model server" },
  model: { schema: { type: "string", minLength: 1 }, help: "name of the model" },
  context_size: {
    schema: { type: "integer", minimum: 1024 },
    help: "the model's window in tokens",
  },
  max_tokens: { schema: { type: "integer", minimum: 1 }, help: "tokens one reply may have" },
  temperature: { schema: { type: "number", minimum: 0, maximum: 2 }, help: "sampling temperature" },
  max_turns: { schema: { type: "integer", minimum: 1 }, help: "requests one turn may make" },
  max_parallel: {
    schema: { type: "integer", minimum: 1, maximum: 64 },
    help: "calls that may run at once",
  },
  bash_timeout: {
    schema: { type: "integer", minimum: 1, maximum: 600 },
    help: "seconds a command may take",
  },
  banned_commands: {
    schema: { type: "array", items: { type: "string", minLength: 1 } },
    help: "programs that never run, instead of the built-in list; [] bans nothing",
  },
  permissions: {
    schema: { type: "object" },
    help: "what is allowed and denied: {allow: {kind: true or list}, deny: {...}}",
  },
  sandbox: {
    schema: { enum: ["auto", "required", "off"] },
    help: "whether commands run in the OS sandbox: where there is one, in any case, or never",
  },
  file_checks: {
    schema: { type: "boolean" },
    help: "whether changed files are checked for syntax errors",
  },
  keep_sessions: {
    schema: { type: "integer", minimum: 1 },
    help: "sessions kept for each project (200); beyond that the oldest are removed",
  },
  mask_secrets: {
    schema: { type: "boolean" },
    help: "whether the model, sessions and logs get placeholders for secrets",
  },
  retries: {
    schema: { type: "integer", minimum: 0, maximum: 20 },
    help: "times a failed request is sent again",
  },
  request_timeout: {
    schema: { type: "integer", minimum: 1 },
    help: "seconds until the server must have begun its answer",
  },
  idle_timeout: {
    schema: { type: "integer", minimum: 1 },
    help: "seconds of silence within an answer after which it is asked for again",
  },
  reply_timeout: {
    schema: { type: "integer", minimum: 1 },
    help: "seconds one answer may take in all",
  },
} as const satisfies Record<string, Setting>;

export interface Config {
  readonly endpoint?: string;
  readonly model?: string;
  readonly context_size?: number;
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly max_turns?: number;
  readonly max_parallel?: number;
  readonly bash_timeout?: number;
  readonly banned_commands?: readonly string[];
  /** Checked where it is made rules. */
  readonly permissions?: unknown;
  readonly sandbox?: SandboxMode;
  readonly file_checks?: boolean;
  readonly keep_sessions?: number;
  readonly mask_secrets?: boolean;
  readonly retries?: number;
  readonly request_timeout?: number;
  readonly idle_timeout?: number;
  readonly reply_timeout?: number;
}

/**
 * Reads the file; a missing one is an empty one.
 * @throws {UsageError} the file is no JSON (with line and column) or a value does not fit its key
 */
export async function readConfig(
  path: string,
): Promise<{ config: Config; warnings: readonly string[] }> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { config: {}, warnings: [] };
    throw new UsageError(`Cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  const values = await parse(path, text);
  const warnings = Object.keys(values)
    .filter((key) => !Object.hasOwn(SETTINGS, key))
    .map((key) => `${path}: unknown setting '${key}' is ignored`);
  for (const [key, setting] of Object.entries<Setting>(SETTINGS)) {
    if (!Object.hasOwn(values, key)) continue;
    const [wrong] = violations(setting.schema, values[key]);
    if (wrong) {
      throw new UsageError(
        `Cannot use ${path}: '${key}' (${setting.help}) is ${
          JSON.stringify(values[key])
        }. ${wrong.message}`,
      );
    }
  }
  return { config: values as Config, warnings };
}

async function parse(path: string, text: string): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const place = await firstFault(text);
    throw new UsageError(
      `Cannot use ${path}: ${place} it is not valid JSON. Correct it, or remove it.`,
      { cause: error },
    );
  }
  if (!isObject(value)) throw new UsageError(`Cannot use ${path}: it does not hold a JSON object.`);
  return value;
}

/** Where a text stops being JSON, as words; the parser that can tell is loaded only for this. */
export async function firstFault(text: string): Promise<string> {
  const { parse: parseJson } = await import("jsonc-parser");
  const faults: ParseError[] = [];
  parseJson(text, faults, { disallowComments: true });
  const before = text.slice(0, faults[0]?.offset ?? text.length).split("\n");
  return `at line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1}`;
}
