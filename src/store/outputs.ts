/**
 * Whole results that had to be cut for the model, as files of the project that it can read on in. They are
 * of use for a session; what is older than a week is removed when the next one is kept.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";

const MAX_AGE_MS = 7 * 24 * 60 * 60_000;

/** Makes the function that keeps a text and says where; undefined where it cannot be kept. */
export function outputKeeper(directory: string): (text: string) => Promise<string | undefined> {
  let pruned = false;
  return async (text) => {
    const path = join(directory, `result-${randomBytes(6).toString("hex")}.txt`);
    try {
      await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
      if (!pruned) await prune(directory);
      pruned = true;
      await Deno.writeTextFile(path, text, { mode: 0o600, createNew: true });
      return path;
    } catch {
      // The result is cut all the same; only reading on is not possible.
      return undefined;
    }
  };
}

async function prune(directory: string): Promise<void> {
  const oldest = Date.now() - MAX_AGE_MS;
  for await (const { name, isFile } of Deno.readDir(directory)) {
    const path = join(directory, name);
    const { mtime } = await Deno.lstat(path);
    if (isFile && mtime !== null && mtime.getTime() < oldest) await Deno.remove(path);
  }
}
