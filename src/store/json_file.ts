/**
 * JSON files of ally's own, which people may look into and edit: read against a schema, changed under a lock that
 * other processes of ally respect. One that cannot be used is named with its place, and never written over.
 */
import type { ParseError } from "jsonc-parser";
import { UsageError } from "../core/errors.ts";
import { isMissing, reasonOf } from "../lib/fs.ts";
import { parseJson, unlessTooDeep } from "../lib/json_text.ts";
import { updateLocked } from "../lib/locked_file.ts";
import { type JsonObject, violations } from "../lib/schema.ts";
import { positionAt, withoutBom } from "../lib/text.ts";

/** A file with content of type `T`. */
interface JsonFileOptions<T> {
  /** It need not exist. */
  readonly path: string;
  /** What the content must fit to be a `T`. */
  readonly schema: JsonObject;
  /** The content of a missing file. */
  readonly empty: T;
  /** What follows when a person removes a damaged file, for the message about it: "every plugin asks anew". */
  readonly ifRemoved: string;
}

/** One such file. */
export class JsonFile<T> {
  readonly #options: JsonFileOptions<T>;

  constructor(options: JsonFileOptions<T>) {
    this.#options = options;
  }

  /** Reads it. @throws {UsageError} it cannot be read or does not fit: what is wrong, where, and what to do */
  read(): Promise<T> {
    return this.#readFrom(this.#options.path);
  }

  /**
   * Replaces the content by what `change` makes of it, while no other process does.
   * @throws {UsageError} as `read` @throws {Error} it cannot be written; it is as it was
   */
  async change(change: (content: T) => T): Promise<void> {
    await updateLocked(
      this.#options.path,
      async (path) => `${JSON.stringify(change(await this.#readFrom(path)), null, 2)}\n`,
    );
  }

  async #readFrom(canonicalPath: string): Promise<T> {
    const { path, schema, empty, ifRemoved } = this.#options;
    let text: string;
    try {
      text = await Deno.readTextFile(canonicalPath);
    } catch (error) {
      if (isMissing(error)) return empty;
      throw new UsageError(`Cannot read ${path}: ${reasonOf(error)}.`, { cause: error });
    }
    const value = await parseJsonFile(text, { path, ifRemoved });
    const [wrong] = violations(schema, value);
    if (wrong === undefined) return value as T;
    const where = wrong.path === "" ? "" : `'${wrong.path}' is wrong. `;
    throw new UsageError(`Cannot use ${path}: ${where}${wrong.message} ${mendOf(ifRemoved)}`);
  }
}

/** What a file holds; undefined if there is none, or it is no JSON. Never throws. */
export function readJsonIfAny(path: string): unknown {
  try {
    return parseJson(Deno.readTextFileSync(path));
  } catch {
    return undefined;
  }
}

/** Parses the text of a file. @throws {UsageError} it is not JSON, with line and column */
export async function parseJsonFile(
  file: string,
  { path, ifRemoved }: { path: string; ifRemoved?: string },
): Promise<unknown> {
  const text = withoutBom(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `Cannot use ${path}: ${await locateError(text)} it is not valid JSON. ${mendOf(ifRemoved)}`,
      { cause: error },
    );
  }
}

function mendOf(ifRemoved: string | undefined): string {
  return `Correct it, or remove it${ifRemoved === undefined ? "" : `: then ${ifRemoved}`}.`;
}

/** Where a text stops being JSON, as words; the parser that can tell is loaded only for this. */
async function locateError(text: string): Promise<string> {
  const { parse } = await import("jsonc-parser");
  const faults: ParseError[] = [];
  unlessTooDeep(() => parse(text, faults, { disallowComments: true }));
  const { line, column } = positionAt(text, faults[0]?.offset ?? text.length);
  return `at line ${line} column ${column}`;
}
