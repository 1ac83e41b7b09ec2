/**
 * Reads `config.json`, the user's and a project's: checks it against the table of settings, and merges the two as
 * far as a project may say something.
 */
import { UsageError } from "../core/errors.ts";
import { isMissing, readSmallFile, reasonOf } from "../lib/fs.ts";
import { didYouMean, findNear } from "../lib/names.ts";
import { isObject } from "../lib/schema.ts";
import { cutEnd } from "../lib/text.ts";
import { parseJsonFile } from "./json_file.ts";
import { explainMismatch } from "./setting_text.ts";
import { type Config, projectRule, SETTING_TABLE } from "./settings_table.ts";

/** Bytes that a configuration may have. */
const MAX_BYTES = 1_000_000;
/** Characters of a key that is looked for among the settings. */
const MAX_KEY = 60;

/** A configuration as it was written, and what is odd about it. */
interface ParsedConfig {
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
      `Cannot read ${path}: ${reasonOf(error)}. Make it a readable JSON file, or remove it.`,
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
    .map((key) =>
      `${path}: unknown setting '${cutEnd(key, 200)}' is ignored. ${suggestSetting(key)}`.trimEnd()
    );
  return { config: config as Config, warnings };
}

/** What a key that is not known may have meant, as a sentence; "" if nothing is near. */
export function suggestSetting(key: string): string {
  return key.length > MAX_KEY ? "" : didYouMean(findNear(key, SETTING_TABLE.keys()));
}

/** Why a value cannot be a key's, or undefined if it can. */
export function validateSetting(key: string, value: unknown): string | undefined {
  const setting = SETTING_TABLE.get(key);
  const wrong = setting && explainMismatch(setting.schema, value);
  if (setting === undefined || wrong === undefined) return undefined;
  const given = cutEnd(JSON.stringify(value), 200);
  return `'${key}' (${setting.help}) is ${given}. ${wrong}`;
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
    if (rule === "add") merged[key] = joinLists(values[key], value);
  }
  return merged as Config;
}

/** The smaller number, or all of both lists. */
function pickStricter(own: unknown, project: unknown): unknown {
  if (typeof own === "number" && typeof project === "number") return Math.min(own, project);
  if (Array.isArray(own) && Array.isArray(project)) return [...new Set([...own, ...project])];
  return own ?? project;
}

/** The lists of both objects by name; a project's stand first, so that the user's have the last word. */
function joinLists(own: unknown, project: unknown): unknown {
  if (!isObject(own) || !isObject(project)) return own ?? project;
  const lists = Object.entries(project).map(([name, list]) => [
    name,
    [list, own[name] ?? []].flat(),
  ]);
  return { ...own, ...Object.fromEntries(lists) };
}

/** Reads a text as a JSON object. @throws {UsageError} it is none, with line and column */
export async function parseObject(path: string, text: string): Promise<Record<string, unknown>> {
  const value = await parseJsonFile(text, { path });
  if (!isObject(value)) throw new UsageError(`Cannot use ${path}: it does not hold a JSON object.`);
  return value;
}
