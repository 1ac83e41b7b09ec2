/**
 * API keys in files that only their owner may read: others are refused, and new ones are made so. A key never appears
 * in an error.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../core/errors.ts";
import { isMissing, reasonOf, replaceFile } from "../lib/fs.ts";
import { quoteWord } from "../lib/text.ts";

/** Permission bits of everybody but the owner. */
const GROUP_AND_OTHERS = 0o077;
/** Bytes that a key may have. */
const MAX_BYTES = 16_384;

/**
 * The key in a file, or undefined if the file is missing.
 * @throws {UsageError} others may read it (the message says how to close it), or it holds no key
 */
export function readApiKey(path: string): string | undefined {
  let text: string;
  try {
    const { isFile, mode, size } = Deno.statSync(path);
    if (!isFile || size > MAX_BYTES) {
      throw new Error("it is not a regular file, or too large for a key");
    }
    if (mode !== null && Deno.build.os !== "windows" && (mode & GROUP_AND_OTHERS) !== 0) {
      const octal = (mode & 0o777).toString(8).padStart(4, "0");
      throw new Error(
        `others may read it (mode ${octal}). Close it: chmod 600 ${quoteWord(path)}`,
      );
    }
    text = Deno.readTextFileSync(path).trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new UsageError(`Cannot use the key in ${path}: ${reasonOf(error)}`, { cause: error });
  }
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError(
    `Cannot use the key in ${path}: it must be one word on one line. Write the key alone into it.`,
  );
}

/** Stores the key of an endpoint (0600) and returns the file's path. */
export async function writeApiKey(
  directory: string,
  { name, key }: { name: string; key: string },
): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(await Deno.realPath(directory), name);
  await replaceFile(path, new TextEncoder().encode(`${key}\n`), { mode: 0o600 });
  return path;
}
