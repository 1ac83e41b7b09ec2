/**
 * Which files hold just what git keeps of them, found out without reading them: their contents need not be stored
 * a second time. Judged as git itself does, by size, times and inode, and only where no filter can make a file differ
 * from what git keeps.
 */
import { join, resolve, sep } from "node:path";
import { contains } from "../lib/contains.ts";
import { readSmallFileSync } from "../lib/fs.ts";
import type { PackedEntries } from "../lib/packed_entries.ts";
import { GitIndex, type IndexEntry } from "../lib/git_index.ts";
import { findRepository, gitDirectory, readGitText } from "./git_state.ts";
import { MAX_FILE } from "./known_path.ts";
import { ObjectIds } from "../lib/object_ids.ts";
import type { ObjectStore } from "./objects.ts";
import type { TimeSlice } from "../lib/time_slice.ts";

/** Deno tells the time of a file's last change in whole seconds. */
const CHANGE_TIME_MS = 1000;
/** Bytes of an index that is read: that of a million files is smaller. */
const MAX_INDEX_BYTES = 200_000_000;
const REGULAR = 0o100000;
const KIND = 0o170000;
const ATTRIBUTES = new TextEncoder().encode(".gitattributes");

/** What a repository tracks below the roots, as git looked at it last. */
interface TrackedFiles {
  readonly top: string;
  readonly index: GitIndex;
  /** For each entry of the index, where the name of its content is among all those asked for; -1 of others. */
  readonly places: Int32Array;
  /** Where its own begin among those. */
  readonly first: number;
  readonly count: number;
  /** When git looked at them, in milliseconds since the epoch. */
  readonly written: number;
  /** Directory of its objects. */
  readonly objects: string;
}

/** A repository that has said what it has: the sizes of the contents. */
interface Lender {
  readonly tracked: TrackedFiles;
  readonly sizes: readonly number[];
}

/** What contents are borrowed with. */
interface BorrowOptions {
  readonly objects: ObjectStore;
  readonly roots: readonly string[];
  readonly slice: TimeSlice;
  /** Tracked files below which asking git is not worth it. @default 0 */
  readonly least?: number;
}

/** What the repositories of the project have. */
export interface LentContents {
  /** Names of contents. */
  readonly ids: ObjectIds;
  /**
   * Tells of the entries of a directory where the name is of what a file holds, undefined of others; undefined if no
   * repository has anything there.
   */
  findIn(
    directory: string,
    entries: PackedEntries,
  ): ((entry: number) => number | undefined) | undefined;
}

/**
 * Asks the repositories of the project what they have; what files share with one is borrowed from it. The answer comes
 * while files are scanned. A repository that cannot be read, or that filters files, has nothing.
 */
export async function lendContents(options: BorrowOptions): Promise<() => Promise<LentContents>> {
  const { objects, roots, slice, least = 0 } = options;
  const ids = new ObjectIds();
  const asked: { tracked: TrackedFiles; sizes: Promise<readonly number[]> }[] = [];
  for (const top of new Set(roots.map(findRepository))) {
    const tracked = top === undefined ? undefined : await readTracked(top, { roots, slice, ids });
    if (tracked === undefined || tracked.count <= least) continue;
    const sizes = objects.borrow(ids.toLines(tracked.first), tracked.objects);
    // Whoever asks for the answer is told of it.
    sizes.catch(() => {});
    asked.push({ tracked, sizes });
  }
  return async () => {
    const lenders = await Promise.all(
      asked.map(async ({ tracked, sizes }) => ({ tracked, sizes: await sizes })),
    );
    return {
      ids,
      findIn(directory, entries) {
        const finders = lenders.filter(({ tracked: { top } }) => contains(top, directory))
          .map((lender) => findUnchanged(lender, { directory, entries }));
        if (finders.length === 0) return undefined;
        return (entry) => {
          for (const find of finders) {
            const place = find(entry);
            if (place !== undefined) return place;
          }
          return undefined;
        };
      },
    };
  };
}

/** Finds files of a directory that hold what a repository has, by where they are among some entries. */
function findUnchanged(
  { tracked: { top, index, places, first, written }, sizes }: Lender,
  { directory, entries }: { directory: string; entries: PackedEntries },
): (entry: number) => number | undefined {
  const find = index.finderIn(prefixIn(top, directory));
  return (entry) => {
    if (entries.kindAt(entry) !== "file") return undefined;
    const at = find(entries.nameBytesAt(entry));
    const place = at === undefined ? -1 : places[at]!;
    if (place < 0 || sizes[place - first] !== entries.sizeAt(entry)) return undefined;
    return isUnchanged(index.entryAt(at!), { entries, entry, written }) ? place : undefined;
  };
}

/** What the paths of a directory's entries begin with in the index of a repository. */
export function prefixIn(top: string, directory: string): string {
  if (directory === top) return "";
  const below = directory.slice(top.endsWith(sep) ? top.length : top.length + 1);
  return `${below.replaceAll(sep, "/")}/`;
}

/** The files that git would take from its objects as they are. */
async function readTracked(
  top: string,
  { roots, slice, ids }: {
    roots: readonly string[];
    slice: TimeSlice;
    ids: ObjectIds;
  },
): Promise<TrackedFiles | undefined> {
  const first = ids.length;
  try {
    const directory = gitDirectory(top);
    const common = commonDirectory(directory);
    if (/objectformat\s*=\s*sha256/i.test(readText(join(common, "config")))) return undefined;
    if (isFiltering(join(common, "info", "attributes"))) return undefined;
    const path = join(directory, "index");
    const written = Deno.statSync(path).mtime?.getTime() ?? 0;
    const index = await GitIndex.readInSlices(
      readSmallFileSync(path, { maxBytes: MAX_INDEX_BYTES }),
      slice,
    );
    const isWhole = roots.some((root) => contains(root, top));
    const prefixes = isWhole ? [] : roots.filter((root) => contains(top, root))
      .map((root) => new TextEncoder().encode(prefixIn(top, root)));
    const places = new Int32Array(index.length).fill(-1);
    for (let at = 0; at < index.length; at++) {
      if (index.endsWith(at, ATTRIBUTES) && isFiltering(join(top, index.pathAt(at)))) {
        return undefined;
      }
      if (slice.step()) await slice.pause();
      const entry = index.entryAt(at);
      if (entry.ignored || (entry.mode & KIND) !== REGULAR || entry.size > MAX_FILE) continue;
      if (!isWhole && !prefixes.some((prefix) => index.startsWith(at, prefix))) continue;
      places[at] = entry.addObjectTo(ids);
    }
    const objects = join(common, "objects");
    return { top, index, places, first, count: ids.length - first, written, objects };
  } catch {
    return undefined;
  }
}

function isUnchanged(
  tracked: IndexEntry,
  { entries, entry, written }: { entries: PackedEntries; entry: number; written: number },
): boolean {
  const { modified, changed } = tracked;
  return tracked.size === entries.sizeAt(entry) && modified === entries.modifiedAt(entry) &&
    isSameSecond(changed, entries.changedAt(entry)) &&
    tracked.inode === entries.inodeAt(entry) % 2 ** 32 &&
    // What changes while git looks may escape it.
    Math.max(modified, changed) < written;
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
    return readGitText(path);
  } catch {
    return "";
  }
}
