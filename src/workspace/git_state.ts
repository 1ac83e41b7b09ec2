/**
 * What git would say of the working directory, read from its files: no program runs, so nothing that a
 * repository configures (hooks, filters, fsmonitor) can act.
 */
import { dirname, isAbsolute, join, resolve } from "node:path";
import { mayRead, readSmallFileSync, tryLstat } from "../lib/fs.ts";
import { safeStart } from "../lib/excerpt.ts";
import { stripControls } from "../lib/text.ts";
import { countEntries, GitIndex, type IndexEntry } from "../lib/git_index.ts";
import { ObjectIds } from "../lib/object_ids.ts";
import { blobId } from "./patch.ts";

/** A repository at one moment. */
interface GitState {
  /** Name of the branch, or the beginning of the commit where none is checked out. */
  readonly branch: string;
  /** Tracked files that differ from what was staged; undefined if there are too many to look at. */
  readonly changed: number | undefined;
}

/** Tracked files that are looked at: about 4 ms, for which every start waits. */
const MAX_ENTRIES = 500;
/** Bytes of an index that is read: of so few files it is smaller. */
const MAX_INDEX_BYTES = 1_000_000;
/** Files of unchanged size whose content is compared, and their size in bytes. */
const MAX_COMPARED = 20;
const MAX_BYTES = 1_000_000;
/** Bytes of a file of git's with a line or a few. */
const MAX_TEXT_BYTES = 1_000_000;
const LINK = 0o120000;
const SUBMODULE = 0o160000;

/** Branch and changes of the repository with this root; undefined if that cannot be found out. Never throws. */
export function readGitState(root: string): GitState | undefined {
  const branch = readGitBranch(root);
  if (branch === undefined) return undefined;
  try {
    return { branch, changed: countChanged(root, join(gitDirectory(root), "index")) };
  } catch {
    return undefined;
  }
}

/** The branch that is checked out, or the beginning of the commit where none is. Never throws. */
export function readGitBranch(root: string): string | undefined {
  try {
    const head = readGitText(join(gitDirectory(root), "HEAD")).trim();
    const name = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ??
      (/^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 10) : undefined);
    return name && safeStart(stripControls(name).replace(/\s+/g, " "), 100);
  } catch {
    return undefined;
  }
}

/** The directory with `.git` in which a directory lies. */
export function findRepository(directory: string): string | undefined {
  for (let at = directory;; at = dirname(at)) {
    if (tryLstat(join(at, ".git")) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Where a repository keeps its state: a worktree or submodule has a file that names the directory. @throws {Error} */
export function gitDirectory(root: string): string {
  const path = join(root, ".git");
  if (Deno.statSync(path).isDirectory) return path;
  const named = /^gitdir: (.+)$/m.exec(readGitText(path))?.[1]?.trim() ?? "";
  const directory = isAbsolute(named) ? named : resolve(root, named);
  if (!mayRead(directory)) throw new Error("The directory of git may not be read.");
  return directory;
}

/** A text of git's own. @throws {Error} it is no regular file, or too large */
export function readGitText(path: string): string {
  return new TextDecoder().decode(readSmallFileSync(path, { maxBytes: MAX_TEXT_BYTES }));
}

function countChanged(root: string, index: string): number | undefined {
  const stats = tryLstat(index);
  if (stats === undefined) return 0;
  if (stats.size > MAX_INDEX_BYTES) return undefined;
  const bytes = readSmallFileSync(index, { maxBytes: MAX_INDEX_BYTES });
  if ((countEntries(bytes) ?? Infinity) > MAX_ENTRIES) return undefined;
  let compared = 0;
  const mayCompare = () => compared++ < MAX_COMPARED;
  const tracked = GitIndex.read(bytes);
  let changed = 0;
  for (let at = 0; at < tracked.length; at++) {
    if (isChanged(root, tracked.entryAt(at), mayCompare)) changed++;
  }
  return changed;
}

function isChanged(root: string, entry: IndexEntry, mayCompare: () => boolean): boolean {
  if (entry.ignored || entry.mode === SUBMODULE) return false;
  // Names in the index have no dots and no doubled slashes to be resolved.
  const path = `${root}/${entry.path}`;
  const stats = tryLstat(path);
  if (stats === undefined) return true;
  if (stats.isSymlink !== (entry.mode === LINK)) return true;
  if (stats.isSymlink) return false;
  if (!stats.isFile || stats.size % 2 ** 32 !== entry.size) return true;
  if (stats.mtime?.getTime() === entry.modified) return false;
  // Touched: only the content tells.
  if (stats.size > MAX_BYTES || !mayCompare()) return true;
  const ids = new ObjectIds();
  return blobId(Deno.readFileSync(path)) !== ids.at(entry.addObjectTo(ids));
}
