/**
 * Looks at the disk for the sandbox's profiles: synchronously, because a profile is one moment, and without
 * errors, because a path that this user may not look at counts as missing. What only Deno keeps ally from looking
 * at may be there: then the error is thrown, and there is no profile. Many questions before every command are answered
 * from one look, which is remembered for as long as the directories that were listed stay as they are.
 */
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../lib/fs.ts";

/** Milliseconds: a directory that was changed so shortly ago may change again without its time showing it. */
const TOO_FRESH_MS = 100;

/** What a path names, links not followed; undefined if nothing. */
export function kindOf(path: string): "file" | "directory" | "link" | "other" | undefined {
  try {
    const info = Deno.lstatSync(path);
    if (info.isDirectory) return "directory";
    if (info.isFile) return "file";
    return info.isSymlink ? "link" : "other";
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return undefined;
  }
}

/** Whether this user may read what a path names; true where that cannot be found out. */
export function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    return errorCode(error) !== "EACCES";
  }
}

/** Whether everybody may read what a path names; true where that cannot be found out. */
export function isWorldReadable(path: string): boolean {
  try {
    const { mode, isDirectory } = Deno.statSync(path);
    const needed = isDirectory ? 0o005 : 0o004;
    return mode === null || (mode & needed) === needed;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return true;
  }
}

/** Whether this user reads what is not for everybody; true where Deno does not say. */
export function mayBeRoot(): boolean {
  try {
    return Deno.uid() === 0;
  } catch {
    return true;
  }
}

/** Whether this user could make something in a directory; true where ally may not find out. */
export function mayCreateIn(directory: string): boolean {
  const nothing = join(directory, `.none-${crypto.randomUUID()}`);
  try {
    accessSync(directory, constants.W_OK);
    // Only a write shows whether the file system takes any, and this one changes nothing.
    Deno.renameSync(nothing, nothing);
    return true;
  } catch (error) {
    const code = errorCode(error);
    return code !== "EACCES" && code !== "EPERM" && code !== "EROFS";
  }
}

/** Where a path leads, links resolved; undefined if nowhere. */
export function realPath(path: string): string | undefined {
  if (path === "") return undefined;
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return undefined;
  }
}

/** The text of a small file, empty if there is none. */
export function readSmallFile(path: string): string {
  if (kindOf(path) !== "file") return "";
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** The first line of a small file, without blanks round it; undefined if there is none. */
export function readFirstLine(path: string): string | undefined {
  return readSmallFile(path).split("\n")[0]?.trim() || undefined;
}

/** The names in a directory; undefined if it is there but cannot be listed. */
export function namesIn(path: string): ReadonlySet<string> | undefined {
  try {
    return new Set([...Deno.readDirSync(path)].map(({ name }) => name));
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? new Set() : undefined;
  }
}

/** Whether a directory is there and holds nothing. */
export function isEmpty(path: string): boolean {
  try {
    return Deno.readDirSync(path)[Symbol.iterator]().next().done === true;
  } catch {
    return false;
  }
}

/** Whether a path has a directory to be in, and nothing is there yet but what an earlier sandbox left. */
export function isAbsentOrEmpty(path: string): boolean {
  return kindOf(dirname(path)) === "directory" && (kindOf(path) === undefined || isEmpty(path));
}

/** The disk at one moment. */
export class DiskView {
  readonly #names = new Map<string, ReadonlySet<string> | undefined>();

  /** The directories that were looked at. */
  get directories(): Iterable<string> {
    return this.#names.keys();
  }

  /** The names in a directory; undefined if it is there but cannot be listed. */
  namesIn(directory: string): ReadonlySet<string> | undefined {
    if (!this.#names.has(directory)) this.#names.set(directory, namesIn(directory));
    return this.#names.get(directory);
  }

  /** Whether there is something at an absolute path. */
  has(path: string): boolean {
    const parent = dirname(path);
    if (parent === path) return true;
    if (!this.has(parent)) return false;
    return this.namesIn(parent)?.has(path.slice(parent.length + (parent === "/" ? 0 : 1))) ??
      kindOf(path) !== undefined;
  }

  /** Where a path leads, links resolved; undefined if nowhere. */
  realPath(path: string): string | undefined {
    if (!this.has(path)) return undefined;
    const real = realPath(path);
    // What a link leads to may go while the link stays.
    if (real !== path) this.has(real ?? join(path, "nothing"));
    return real;
  }
}

/** A question whose answer is remembered while it must be the same. */
export function remember<T>(look: (disk: DiskView) => T): () => T {
  let known: { value: T; times: ReadonlyMap<string, number> } | undefined;
  return () => {
    if (known && isUnchanged(known.times)) return known.value;
    known = undefined;
    const disk = new DiskView();
    const began = Date.now();
    const value = look(disk);
    const times = new Map(Array.from(disk.directories, (path) => [path, changedAt(path)]));
    const settled = [...times.values()].every((time) => time < began - TOO_FRESH_MS);
    if (settled) known = { value, times };
    return value;
  };
}

function isUnchanged(times: ReadonlyMap<string, number>): boolean {
  for (const [path, time] of times) if (changedAt(path) !== time) return false;
  return true;
}

/** Milliseconds since the epoch when a directory's names last changed; 0 if there is none. */
function changedAt(directory: string): number {
  try {
    return Deno.statSync(directory).mtime?.getTime() ?? 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return 0;
  }
}
