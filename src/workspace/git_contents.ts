/**
 * Which files hold just what git keeps of them, found out without reading them: their contents need not be stored
 * a second time. Judged as git itself does, by size, times and inode, and only where no filter can make a file differ
 * from what git keeps.
 */
import { dirname, join, resolve } from "node:path";
import { tryLstat } from "../lib/fs.ts";
import { type IndexEntry, readIndex } from "./git_index.ts";
import { gitDirectory } from "./git_state.ts";
import { MAX_FILE } from "./known_path.ts";
import type { ObjectStore } from "./objects.ts";
import type { TimeSlice } from "./time_slice.ts";
import { childPath, type PathSignature, type ScanResult } from "./tree_scan.ts";

/** Deno tells the time of a file's last change in whole seconds. */
const CHANGE_TIME_MS = 1000;
const REGULAR = 0o100000;
const KIND = 0o170000;

/** A tracked file, as it was found, and the name of the object that it holds. */
type Candidate = readonly [signature: PathSignature, object: string];

/**
 * The scanned files whose content a repository of the project has, with the names of their objects, which are
 * borrowed. A repository that cannot be read, or that filters files, has none.
 */
export async function borrowContents(
  found: ScanResult["found"],
  options: { objects: ObjectStore; roots: readonly string[]; slice: TimeSlice },
): Promise<ReadonlyMap<PathSignature, string>> {
  const { objects, roots, slice } = options;
  const borrowed = new Map<PathSignature, string>();
  for (const top of new Set(roots.map(findRepository))) {
    const tracked = top === undefined ? undefined : await findUnchanged(top, { found, slice });
    if (tracked === undefined) continue;
    const sizes = new Map(tracked.candidates.map(([{ size }, object]) => [object, size]));
    const there = await objects.borrow(sizes, tracked.objects);
    for (const [signature, object] of tracked.candidates) {
      if (there.has(object) && sizes.get(object) === signature.size) {
        borrowed.set(signature, object);
      }
      if (slice.isOver) await slice.pause();
    }
  }
  return borrowed;
}

/** The directory with `.git` in which a directory lies. */
function findRepository(directory: string): string | undefined {
  for (let at = directory;; at = dirname(at)) {
    if (tryLstat(join(at, ".git")) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The scanned files that git would call unchanged, and where its objects are. */
async function findUnchanged(
  top: string,
  { found, slice }: { found: ScanResult["found"]; slice: TimeSlice },
): Promise<{ candidates: Candidate[]; objects: string } | undefined> {
  try {
    const directory = gitDirectory(top);
    const common = commonDirectory(directory);
    if (/objectformat\s*=\s*sha256/i.test(readText(join(common, "config")))) return undefined;
    if (isFiltering(join(common, "info", "attributes"))) return undefined;
    const index = join(directory, "index");
    const written = Deno.statSync(index).mtime?.getTime() ?? 0;
    const candidates: Candidate[] = [];
    for (const entry of readIndex(Deno.readFileSync(index))) {
      if (entry.path.endsWith(".gitattributes") && isFiltering(join(top, entry.path))) {
        return undefined;
      }
      const slash = entry.path.lastIndexOf("/");
      const parent = slash < 0 ? top : childPath(top, entry.path.slice(0, slash));
      const signature = found.get(parent)?.get(entry.path.slice(slash + 1));
      if (signature && isUnchanged(entry, signature, written)) {
        candidates.push([signature, entry.blob.toHex()]);
      }
      if (slice.isOver) await slice.pause();
    }
    return { candidates, objects: join(common, "objects") };
  } catch {
    return undefined;
  }
}

function isUnchanged(entry: IndexEntry, signature: PathSignature, written: number): boolean {
  return !entry.ignored && (entry.mode & KIND) === REGULAR && signature.kind === "file" &&
    signature.size <= MAX_FILE && entry.size === signature.size &&
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
