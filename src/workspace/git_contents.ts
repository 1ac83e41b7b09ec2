/**
 * Which files hold just what git keeps of them, found out without reading them: their contents need not be stored
 * a second time. Judged as git itself does, by size, times and inode, and only where no filter can make a file differ
 * from what git keeps.
 */
import { dirname, join, resolve } from "node:path";
import { type IndexEntry, readIndex } from "./git_index.ts";
import { gitDirectory } from "./git_state.ts";
import { childPath, type PathSignature } from "./tree_scan.ts";

/** Milliseconds before git wrote its index within which a change to a file may have escaped it. */
const RACY_MS = 50;
const REGULAR = 0o100000;
const KIND = 0o170000;

/** The tracked files of the repositories that some directories lie in. */
export class GitContents {
  /** Directories with git's objects. */
  readonly objects: readonly string[];
  readonly #repositories: readonly TrackedFiles[];

  private constructor(repositories: readonly TrackedFiles[]) {
    this.#repositories = repositories;
    this.objects = [...new Set(repositories.map(({ objects }) => objects))];
  }

  /** What the indexes say now; a repository that cannot be read, or that filters files, counts as none. */
  static read(roots: readonly string[]): GitContents {
    const tops = new Set(roots.map(findRepository).filter((top) => top !== undefined));
    return new GitContents([...tops].map(readTracked).filter((found) => found !== undefined));
  }

  /** Name of the object that a file holds; undefined if it is not tracked, or may have changed. */
  find(path: string, signature: PathSignature): string | undefined {
    for (const { entries, written } of this.#repositories) {
      const entry = entries.get(path);
      if (entry && isUnchanged(entry, signature, written)) return entry.blob.toHex();
    }
    return undefined;
  }
}

interface TrackedFiles {
  /** By absolute path. */
  readonly entries: ReadonlyMap<string, IndexEntry>;
  /** When the index was written, in milliseconds since the epoch. */
  readonly written: number;
  readonly objects: string;
}

function isUnchanged(entry: IndexEntry, signature: PathSignature, written: number): boolean {
  return !entry.ignored && (entry.mode & KIND) === REGULAR && signature.kind === "file" &&
    entry.size === signature.size && entry.modified === signature.modified &&
    entry.changed === signature.changed && entry.inode === signature.inode % 2 ** 32 &&
    Math.max(entry.modified, entry.changed) + RACY_MS < written;
}

/** The directory with `.git` in which a directory lies. */
function findRepository(directory: string): string | undefined {
  for (let at = directory;; at = dirname(at)) {
    try {
      Deno.lstatSync(join(at, ".git"));
      return at;
    } catch {
      if (dirname(at) === at) return undefined;
    }
  }
}

function readTracked(top: string): TrackedFiles | undefined {
  try {
    const directory = gitDirectory(top);
    const common = commonDirectory(directory);
    if (/objectformat\s*=\s*sha256/i.test(readText(join(common, "config")))) return undefined;
    const path = join(directory, "index");
    const written = Deno.statSync(path).mtime?.getTime() ?? 0;
    const index = readIndex(Deno.readFileSync(path), Infinity);
    if (index === undefined) return undefined;
    const attributes = index.filter((entry) => entry.path.endsWith(".gitattributes"))
      .map((entry) => join(top, entry.path));
    if ([...attributes, join(common, "info", "attributes")].some(isFiltering)) return undefined;
    const entries = new Map(index.map((entry) => [childPath(top, entry.path), entry]));
    return { entries, written, objects: join(common, "objects") };
  } catch {
    return undefined;
  }
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
