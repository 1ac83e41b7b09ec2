/**
 * Locks that end with the process, and small private files that are changed under one and replaced atomically.
 * Everything that several processes share is changed so.
 */
import { basename, dirname, join } from "node:path";
import { requireWrite, StagedFile } from "./fs.ts";

/**
 * Replaces a file by what `change` makes of it, under a lock that ends with the process; undefined leaves it as it
 * is. `change` reads the file itself, at the path it is given; the file is its owner's alone (0600).
 * @throws {Error} what `change` throws, or the file cannot be written; it is as it was
 */
export async function updateLocked(
  path: string,
  change: (canonicalPath: string) => Promise<string | undefined>,
): Promise<void> {
  await withFileLock(path, (canonicalPath) => replace(canonicalPath, change));
}

/** Does something with a file while no other process that asks in this way does. */
export async function withFileLock(
  path: string,
  run: (canonicalPath: string) => Promise<void>,
): Promise<void> {
  // Where the permission to write was given up, Deno would ask for it.
  requireWrite(path);
  await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const canonicalPath = await resolveTarget(path);
  using _lock = await lockDirectory(canonicalPath);
  await run(canonicalPath);
}

async function replace(
  path: string,
  change: (canonicalPath: string) => Promise<string | undefined>,
): Promise<void> {
  const temporary = `.${basename(path)}.tmp`;
  const text = await change(path);
  if (text === undefined) return;
  const bytes = new TextEncoder().encode(text);
  // Under the lock no other process writes one: it was left by a process that was killed.
  await Deno.remove(join(dirname(path), temporary)).catch(() => {});
  using staged = await StagedFile.write(path, bytes, { mode: 0o600, temporary });
  staged.publish();
  staged.sync();
}

/**
 * Holds a directory's lock until it is disposed of, or the process ends; undefined if another process holds it. Not on
 * Windows, which opens no directories.
 */
export async function tryLockDirectory(path: string): Promise<Disposable | undefined> {
  const file = await Deno.open(path);
  try {
    if (await file.tryLock(true)) return { [Symbol.dispose]: () => unlockAndClose(file) };
  } catch (error) {
    file.close();
    throw error;
  }
  file.close();
  return undefined;
}

/** The file itself where the path is a link, so that the link stays. */
async function resolveTarget(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    return join(await Deno.realPath(dirname(path)), basename(path));
  }
}

/** Holds the lock that ends with the process; Windows opens no directories, there a file is locked. */
async function lockDirectory(path: string): Promise<Disposable> {
  const file = Deno.build.os === "windows"
    ? await Deno.open(path.replace(/\.json$/, ".lock"), { write: true, create: true })
    : await Deno.open(dirname(path));
  try {
    await file.lock(true);
    return { [Symbol.dispose]: () => unlockAndClose(file) };
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * Gives up the lock on a file and closes it. Closing alone would not do: a child that another thread starts just now
 * has a copy of the descriptor until its program is loaded, and the lock would last as long.
 */
export function unlockAndClose(file: Deno.FsFile): void {
  try {
    file.unlockSync();
  } catch {
    // An operation is under way, and the lock ends with it.
  } finally {
    file.close();
  }
}
