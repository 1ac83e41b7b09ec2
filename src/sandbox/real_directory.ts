/**
 * Names given, files read and files written in directories that commands may have replaced by links while they ran:
 * each is held open first, with no link followed, so that nothing happens where a link leads.
 */
import { basename, dirname, join } from "node:path";
import { DirectoryHandle } from "../lib/directory_handle.ts";
import { requireWrite } from "../lib/fs.ts";
import { ASIDE } from "../lib/set_aside.ts";
import { kindOf } from "./inspect.ts";

/** Names that are tried before one that nobody can have taken. */
const COUNTED = 9;

/**
 * Does something at a path by one that stays valid meanwhile, whatever becomes of the directories above it; undefined,
 * and not done, if one of these is no directory. With `create`, those that are missing are made; with `writes`, the
 * directory may be written meanwhile if it is the user's, whatever its mode.
 */
export function atRealPath<T>(
  path: string,
  act: (held: string) => T,
  { writes = false, ...options }: { create?: boolean; writes?: boolean } = {},
): T | undefined {
  let directory: DirectoryHandle;
  try {
    directory = DirectoryHandle.open(dirname(path), options);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return undefined;
  }
  const held = directory.entry(basename(path));
  const mode = writes ? makeWritable(dirname(held)) : undefined;
  try {
    return act(held);
  } finally {
    if (mode !== undefined) changeMode(dirname(held), mode);
    directory[Symbol.dispose]();
  }
}

/** Lets the user write a directory that is held open; the mode that it had, if it was another one. */
function makeWritable(directory: string): number | undefined {
  try {
    const mode = Deno.statSync(directory).mode;
    if (mode === null || (mode & 0o300) === 0o300) return undefined;
    return changeMode(directory, mode | 0o300) ? mode : undefined;
  } catch {
    return undefined;
  }
}

/** False if it is somebody else's. */
function changeMode(path: string, mode: number): boolean {
  try {
    Deno.chmodSync(path, mode & 0o7777);
    return true;
  } catch {
    return false;
  }
}

/**
 * Renames what is at a path, a link itself and not where it leads; undefined if it cannot be done. It stays in its
 * directory, or goes to another one on the same disk.
 */
export function giveOtherName(path: string, directory = dirname(path)): string | undefined {
  const random = `${ASIDE}-${crypto.randomUUID()}`;
  const rename = (from: string, to: string) => {
    const counted = Array.from({ length: COUNTED - 1 }, (_, at) => `${ASIDE}-${at + 2}`);
    const free = [ASIDE, ...counted].find((one) => kindOf(to + one) === undefined);
    // What runs still may take a name that can be foreseen.
    for (const ending of free === undefined ? [random] : [free, random]) {
      try {
        requireWrite(path);
        Deno.renameSync(from, to + ending);
        return join(directory, basename(path) + ending);
      } catch {
        // There is another one, or it cannot be moved.
      }
    }
    return undefined;
  };
  const target = join(directory, basename(path));
  const writes = { writes: true };
  return atRealPath(path, (from) => atRealPath(target, (to) => rename(from, to), writes), writes);
}

/**
 * Gives what is at a path another name, as `giveOtherName` does. Returns where it is now, as it is told; nothing if
 * there is nothing.
 */
export function setPathAside(path: string, directory?: string): string[] {
  const aside = giveOtherName(path, directory);
  if (aside !== undefined) return [aside];
  return atRealPath(path, kindOf) === undefined
    ? []
    : [`${path} (still there, as it cannot be moved: do not run git there)`];
}

/**
 * What a judgement returns; where it fails, what the other way does, by which nothing that is not judged stays.
 * @throws {Deno.errors.NotCapable} ally has given up looking: then it could change nothing either
 */
export function judgeOrElse<T>(judge: () => T, otherwise: () => T): T {
  try {
    return judge();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return otherwise();
  }
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
