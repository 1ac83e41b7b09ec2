/**
 * Which files hold just what git keeps of them, found out without reading them: their contents need not be stored
 * a second time. Judged as git itself does, by size, times and inode, and only where no filter can make a file differ
 * from what git keeps.
 */
import { join, resolve } from "node:path";
import { contains } from "../lib/contains.ts";
import { childPath } from "../lib/directory_listing.ts";
import type { PathSignature } from "../lib/path_signature.ts";
import { type IndexEntry, readIndex } from "./git_index.ts";
import { findRepository, gitDirectory } from "./git_state.ts";
import { BorrowedPath, type KnownPath, MAX_FILE } from "./known_path.ts";
import { ObjectIds } from "./object_ids.ts";
import type { ObjectStore } from "./objects.ts";
import type { TimeSlice } from "../lib/time_slice.ts";

/** Deno tells the time of a file's last change in whole seconds. */
const CHANGE_TIME_MS = 1000;
const REGULAR = 0o100000;
const KIND = 0o170000;

/** What a repository tracks below the roots, as git looked at it last. */
interface TrackedFiles {
  readonly entries: readonly IndexEntry[];
  /** The names of their contents, in the same order. */
  readonly ids: ObjectIds;
  /** By directory and name, where they are among the entries. */
  readonly places: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** When git looked at them, in milliseconds since the epoch. */
  readonly written: number;
  /** Directory of its objects. */
  readonly objects: string;
}

/** What contents are borrowed with. */
interface BorrowOptions {
  readonly objects: ObjectStore;
  readonly roots: readonly string[];
  readonly slice: TimeSlice;
  /** Tracked files below which asking git is not worth it. @default 0 */
  readonly least?: number;
}

/** Finds out of files in a directory, by name, whether a repository has what they hold; undefined if it has nothing there. */
export type FindBorrowed = (
  directory: string,
) => ((name: string, signature: PathSignature) => KnownPath | undefined) | undefined;

/**
 * Asks the repositories of the project what they have; what files share with one is borrowed from it. The answer comes
 * while files are scanned. A repository that cannot be read, or that filters files, has nothing.
 */
export async function lendContents(options: BorrowOptions): Promise<() => Promise<FindBorrowed>> {
  const { objects, roots, slice, least = 0 } = options;
  const asked: { tracked: TrackedFiles; sizes: Promise<readonly number[]> }[] = [];
  for (const top of new Set(roots.map(findRepository))) {
    const tracked = top === undefined ? undefined : await readTracked(top, { roots, slice });
    if (tracked === undefined || tracked.entries.length <= least) continue;
    const sizes = objects.borrow(tracked.ids, tracked.objects);
    // Whoever asks for the answer is told of it.
    sizes.catch(() => {});
    asked.push({ tracked, sizes });
  }
  return async () => {
    const lenders = await Promise.all(
      asked.map(async ({ tracked, sizes }) => ({ tracked, sizes: await sizes })),
    );
    return (directory) => {
      const here = lenders.filter(({ tracked }) => tracked.places.has(directory));
      if (here.length === 0) return undefined;
      return (name, signature) => {
        for (const { tracked: { entries, ids, places, written }, sizes } of here) {
          const place = places.get(directory)?.get(name);
          if (place === undefined || sizes[place] !== signature.size) continue;
          if (isUnchanged(entries[place]!, signature, written)) {
            return new BorrowedPath(signature, { ids, place });
          }
        }
        return undefined;
      };
    };
  };
}

/** The files that git would take from its objects as they are. */
async function readTracked(
  top: string,
  { roots, slice }: { roots: readonly string[]; slice: TimeSlice },
): Promise<TrackedFiles | undefined> {
  try {
    const directory = gitDirectory(top);
    const common = commonDirectory(directory);
    if (/objectformat\s*=\s*sha256/i.test(readText(join(common, "config")))) return undefined;
    if (isFiltering(join(common, "info", "attributes"))) return undefined;
    const index = join(directory, "index");
    const written = Deno.statSync(index).mtime?.getTime() ?? 0;
    const ids = new ObjectIds();
    const entries: IndexEntry[] = [];
    const places = new Map<string, Map<string, number>>();
    const placesIn = (prefix: string) => {
      const path = prefix === "" ? top : childPath(top, prefix.slice(0, -1));
      if (!roots.some((root) => contains(root, path))) return undefined;
      const known = places.get(path) ?? new Map<string, number>();
      places.set(path, known);
      return known;
    };
    let last: { prefix: string; into: Map<string, number> | undefined } | undefined;
    for (const entry of readIndex(Deno.readFileSync(index))) {
      if (entry.path.endsWith(".gitattributes") && isFiltering(join(top, entry.path))) {
        return undefined;
      }
      if (slice.step()) await slice.pause();
      if (entry.ignored || (entry.mode & KIND) !== REGULAR || entry.size > MAX_FILE) continue;
      const start = entry.path.lastIndexOf("/") + 1;
      const prefix = entry.path.slice(0, start);
      // The files of one directory follow each other.
      if (prefix !== last?.prefix) last = { prefix, into: placesIn(prefix) };
      if (last.into === undefined) continue;
      entries.push(entry);
      last.into.set(entry.path.slice(start), entry.addObjectTo(ids));
    }
    return { entries, ids, places, written, objects: join(common, "objects") };
  } catch {
    return undefined;
  }
}

function isUnchanged(entry: IndexEntry, signature: PathSignature, written: number): boolean {
  return signature.kind === "file" && entry.size === signature.size &&
    entry.modified === signature.modified &&
    isSameSecond(entry.changed, signature.changed) &&
    entry.inode === signature.inode % 2 ** 32 &&
    // What changes while git looks may escape it.
    Math.max(entry.modified, entry.changed) < written;
}

function isSameSecond(a: number, b: number): boolean {
  return Math.floor(a / CHANGE_TIME_MS) === Math.floor(b / CHANGE_TIME_MS);
}

/** Where the objects are: of a worktree in the directory of the repository that it belongs to. */
function commonDirectory(directory: string): string {
  const named = readText(join(directory, "commondir")).trim();
  return named === "" ? directory : resolve(directory, named);
}

/** A filter may be one that keeps the size; what ends lines or encodes otherwise shows in the size. */
function isFiltering(attributes: string): boolean {
  return /\bfilter\b/.test(readText(attributes));
}

function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
