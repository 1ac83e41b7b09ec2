/**
 * Changes keys of the user's `config.json` and leaves all else in it as it is. Written whole or not at all,
 * for its owner alone; a link stays a link. `ally init` uses it.
 */
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isMissing, replaceFile } from "../lib/fs.ts";
import { isObject } from "../lib/schema.ts";
import { parseConfig } from "./config.ts";

/**
 * Sets keys; undefined removes one. What comes out is checked before anything is written.
 * @throws {UsageError} the file is no JSON, or a value does not fit its key: the file is as it was
 */
export async function writeConfig(
  path: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const before = await read(path);
  if (before !== undefined) await parseConfig(path, before);
  const values: unknown = before === undefined ? {} : JSON.parse(before);
  const merged = { ...(isObject(values) ? values : {}), ...changes };
  const text = `${JSON.stringify(merged, null, 2)}\n`;
  await parseConfig(path, text);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(await realPath(path), new TextEncoder().encode(text), { mode: 0o600 });
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function realPath(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    return join(await Deno.realPath(dirname(path)), basename(path));
  }
}
