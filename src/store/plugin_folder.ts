/**
 * The folder of installed plugins: one folder a plugin, put there as a whole or not at all. An install that was
 * killed leaves the old plugin or the new one, and the next install removes its leftovers.
 */
import { dirname, join } from "node:path";
import { UsageError } from "../core/errors.ts";
import { isMissing, listNames, reasonOf, tryLstat } from "../lib/fs.ts";
import { unlockAndClose } from "../lib/locked_file.ts";
import type { PluginSourceFile } from "./plugin_archive.ts";

/** Prefixes of folders that are no plugins: new files not yet in place, an old plugin not yet removed. */
const STAGED = ".staged-";
const REPLACED = ".replaced-";

/** Milliseconds after which a folder of an install that goes on is locked. */
const LOCK_GRACE_MS = 2_000;
/** Milliseconds, where locks of folders are not to be had. */
const MAX_INSTALL_MS = 3_600_000;

/** A plugin's files, complete and ready to be moved into place. */
interface StagedPlugin extends AsyncDisposable {
  /** Absolute and canonical. */
  readonly folder: string;
  /** Moves them to their place in the folder of plugins, for a plugin that is there already too. */
  publish(name: string): Promise<void>;
}

/**
 * Writes the files of a plugin beside the installed ones; disposing of it removes what was not published.
 * @throws {UsageError} they cannot be written
 */
export async function stagePlugin(
  directory: string,
  files: readonly PluginSourceFile[],
): Promise<StagedPlugin> {
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  const root = await Deno.realPath(directory);
  const folder = join(root, `${STAGED}${crypto.randomUUID()}`);
  let lock: Deno.FsFile | undefined;
  const remove = async () => {
    lock?.close();
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  };
  try {
    await Deno.mkdir(folder, { mode: 0o700 });
    lock = await lockFolder(folder);
    for (const { path, bytes, executable } of files) {
      const file = join(folder, path);
      await Deno.mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const mode = executable ? 0o700 : 0o600;
      await Deno.writeFile(file, bytes, { createNew: true, mode });
      using handle = await Deno.open(file);
      await handle.sync();
    }
  } catch (error) {
    await remove();
    throw new UsageError(`Cannot install into ${root}: ${reasonOf(error)}.`, { cause: error });
  }
  return {
    folder,
    publish: (name) => replacePlugin(root, { folder, name }),
    [Symbol.asyncDispose]: remove,
  };
}

/** The old plugin stays until the new one is complete; if the new one cannot be put in place, it comes back. */
async function replacePlugin(
  root: string,
  { folder, name }: { folder: string; name: string },
): Promise<void> {
  const target = join(root, name);
  const old = join(root, `${REPLACED}${name}`);
  await Deno.remove(old, { recursive: true }).catch(() => {});
  const had = await moveIfPresent(target, old);
  try {
    await Deno.rename(folder, target);
  } catch (error) {
    if (had) await Deno.rename(old, target);
    throw error;
  }
  await Deno.remove(old, { recursive: true }).catch(() => {});
}

/**
 * Repairs the folder of plugins after an install that was killed: a plugin that was being replaced is
 * put back if its new files are missing, and leftovers are removed.
 */
export async function repairPluginFolder(directory: string): Promise<void> {
  const names = listNames(directory);
  for (const name of names) {
    const path = join(directory, name);
    if (name.startsWith(REPLACED)) {
      const own = name.slice(REPLACED.length);
      if (names.includes(own) || !await moveIfPresent(path, join(directory, own))) {
        await Deno.remove(path, { recursive: true }).catch(() => {});
      }
    } else if (name.startsWith(STAGED) && await isAbandoned(path)) {
      await Deno.remove(path, { recursive: true }).catch(() => {});
    }
  }
}

/** Removes an installed plugin; of a linked one only the link. @throws {UsageError} none has this name */
export async function removePlugin(directory: string, name: string): Promise<void> {
  const old = join(directory, `${STAGED}${crypto.randomUUID()}`);
  const path = join(directory, name);
  if (tryLstat(path)?.isSymlink) return await Deno.remove(path);
  // It is moved out of the way at once, and then removed file by file.
  if (!await moveIfPresent(path, old)) {
    throw new UsageError(`There is no plugin '${name}' in ${directory}.`);
  }
  await Deno.remove(old, { recursive: true });
}

/** True if there was something to move. */
async function moveIfPresent(from: string, to: string): Promise<boolean> {
  try {
    await Deno.rename(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Locks the folder until the process ends, where the system can: Windows cannot. */
async function lockFolder(path: string): Promise<Deno.FsFile | undefined> {
  if (Deno.build.os === "windows") return undefined;
  const folder = await Deno.open(path);
  if (await folder.tryLock(true)) return folder;
  folder.close();
  return undefined;
}

/** Whether no install that still goes on can have made it: it is neither new nor locked. */
async function isAbandoned(path: string): Promise<boolean> {
  const { mtime } = await Deno.stat(path).catch(() => ({ mtime: null }));
  const age = Date.now() - (mtime?.getTime() ?? 0);
  if (Deno.build.os === "windows") return age > MAX_INSTALL_MS;
  const lock = age > LOCK_GRACE_MS ? await lockFolder(path).catch(() => undefined) : undefined;
  if (lock) unlockAndClose(lock);
  return lock !== undefined;
}
