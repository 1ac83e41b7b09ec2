/**
 * Whole results that had to be cut for the model, as files of the project that it can read on in. They are
 * of use for a session; `prune.ts` removes the oldest when there are too many.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";

/** Makes the function that keeps a text and says where; undefined where it cannot be kept. */
export function createOutputSaver(
  directory: string,
): (text: string) => Promise<string | undefined> {
  return async (text) => {
    const path = join(directory, `result-${randomBytes(6).toString("hex")}.txt`);
    try {
      await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
      await Deno.writeTextFile(path, text, { mode: 0o600, createNew: true });
      return path;
    } catch {
      // The result is cut all the same; only reading on is not possible.
      return undefined;
    }
  };
}
