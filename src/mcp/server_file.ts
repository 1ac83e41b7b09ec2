/**
 * The files that are kept for a server: JSON of one version, written atomically and readable by their owner alone.
 */
import { basename, dirname, join } from "node:path";
import { replaceFile } from "../lib/fs.ts";
import { isObject } from "../lib/schema.ts";

const VERSION = 1;

/** The object under a key of a file; undefined if there is none or it cannot be read. */
export function readServerFile(
  path: string,
  key: string,
): Readonly<Record<string, unknown>> | undefined {
  try {
    // Synchronous: of many servers, while start-up waits, that takes a third of the time.
    const value: unknown = JSON.parse(Deno.readTextFileSync(path));
    const found = isObject(value) && value.version === VERSION ? value[key] : undefined;
    return isObject(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a file; its directory is made when first needed. @throws {Error} it cannot be written */
export async function writeServerFile(
  path: string,
  content: Readonly<Record<string, unknown>>,
): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const real = join(await Deno.realPath(dirname(path)), basename(path));
  const text = JSON.stringify({ version: VERSION, ...content });
  await replaceFile(real, new TextEncoder().encode(text), { mode: 0o600 });
}
