/**
 * Names given, files read and files written in directories that commands may have replaced by links while they ran:
 * each is held open first, with no link followed, so that nothing happens where a link leads.
 */
import { basename, dirname, join } from "node:path";
import { DirectoryHandle } from "../lib/directory_handle.ts";
import { requireWrite } from "../lib/fs.ts";
import { kindOf } from "./inspect.ts";

/** Ending of the name of what was set aside. */
export const ASIDE = "-set-aside";

/**
 * Does something at a path by one that stays valid meanwhile, whatever becomes of the directories above it; undefined,
 * and not done, if one of these is no directory. With `create`, those that are missing are made.
 */
export function atRealPath<T>(
  path: string,
  act: (held: string) => T,
  options: { create?: boolean } = {},
): T | undefined {
  let directory: DirectoryHandle;
  try {
    directory = DirectoryHandle.open(dirname(path), options);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return undefined;
  }
  try {
    return act(directory.entry(basename(path)));
  } finally {
    directory[Symbol.dispose]();
  }
}

/**
 * Renames what is at a path, a link itself and not where it leads; undefined if it cannot be done. It stays in its
 * directory, or goes to another one on the same disk.
 */
export function giveOtherName(path: string, directory = dirname(path)): string | undefined {
  return atRealPath(path, (from) =>
    atRealPath(join(directory, basename(path)), (held) => {
      for (let count = 1; count < 100; count++) {
        const ending = `${ASIDE}${count === 1 ? "" : `-${count}`}`;
        if (kindOf(held + ending) !== undefined) continue;
        try {
          requireWrite(path);
          Deno.renameSync(from, held + ending);
          return join(directory, basename(path) + ending);
        } catch {
          return undefined;
        }
      }
      return undefined;
    }));
}

/** What stands where a directory was, or in place of one above it up to `top`: the first that is none. */
export function findReplaced(directory: string, top: string): string | undefined {
  let path = top;
  for (const name of ["", ...directory.slice(top.length).split("/")]) {
    if (name !== "") path = join(path, name);
    const kind = atRealPath(path, kindOf);
    if (kind !== "directory") return kind === undefined ? undefined : path;
  }
  return undefined;
}
