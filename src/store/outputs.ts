/**
 * Whole results that had to be cut for the model, as files in which it can read on. They serve one session; the oldest
 * are removed when there are too many.
 */
import { join } from "node:path";
import { randomHex } from "../lib/text_hash.ts";

/** Makes the function that stores a text and returns its path, or undefined if it cannot be stored. */
export function createOutputSaver(
  directory: string,
): (text: string) => Promise<string | undefined> {
  return async (text) => {
    const path = join(directory, `result-${randomHex(6)}.txt`);
    try {
      await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
      await Deno.writeTextFile(path, text, { mode: 0o600, createNew: true });
      return path;
    } catch {
      // The result is cut all the same; the model cannot read on.
      return undefined;
    }
  };
}
