/**
 * Which paths a repository tracks, told by its index: no program runs.
 */
import { join, sep } from "node:path";
import { contains, directoriesAbove } from "../lib/contains.ts";
import { exists, listNames, readSmallFileSync } from "../lib/fs.ts";
import { namedTrees } from "../sandbox/named_trees.ts";
import { sharedDirectory } from "../sandbox/repository.ts";
import { looksLikeRepository } from "../sandbox/repository_directories.ts";
import { gitDirectory, readGitText } from "./git_state.ts";
import { countEntries, GitIndex } from "../lib/git_index.ts";

/** Bytes of an index that is read. */
const MAX_INDEX_BYTES = 200_000_000;
/** The kind of a directory whose files a sparse index leaves out. */
const DIRECTORY = 0o040000;

/**
 * Those of canonical paths that the repository in which a directory lies tracks, themselves or something below; all
 * that lie in it, if its index cannot be read. Never throws.
 */
export function trackedPaths(paths: readonly string[], directory: string): readonly string[] {
  const top = findTop(directory);
  if (top === undefined) return [];
  const trees = [top, ...treesNamedAt(top) ?? ["/"]];
  const within = paths.filter((path) => trees.some((tree) => contains(tree, path)));
  if (within.length === 0) return [];
  try {
    const git = directoryAt(top);
    if (!exists(join(git, "index"))) return [];
    const index = readIndex(git);
    if (index === undefined || trees.includes("/")) return within;
    return trees.flatMap((tree) => {
      const inner = within.filter((path) => contains(tree, path));
      return inner.length === 0 ? [] : findTracked(inner, { index, top: tree });
    });
  } catch {
    return within;
  }
}

/**
 * The working trees elsewhere that the repository in which a directory lies has by its settings: paths of commands that
 * begin outside of these are meant from there. Undefined if it cannot be told which they are. Never throws.
 */
export function treesNamedFor(directory: string): readonly string[] | undefined {
  const top = findTop(directory);
  return top === undefined ? [] : treesNamedAt(top);
}

/** The directory with `.git` in which a directory lies, or the repository's own, whichever git finds first. */
function findTop(directory: string): string | undefined {
  return [directory, ...directoriesAbove(directory)].find((at) =>
    exists(join(at, ".git")) || looksLikeRepository(at)
  );
}

/** Where the repository that git finds in a directory keeps its state. @throws {Error} it cannot be told */
function directoryAt(top: string): string {
  return exists(join(top, ".git")) ? gitDirectory(top) : top;
}

function treesNamedAt(top: string): readonly string[] | undefined {
  try {
    const git = directoryAt(top);
    return namedTrees([git, sharedDirectory(git) ?? git]);
  } catch {
    return undefined;
  }
}

/** The index of a repository; undefined if it is of a kind that is not known. @throws {Error} it cannot be read */
function readIndex(git: string): GitIndex | undefined {
  // An index may be split in two, and objects may have longer names.
  if (listNames(git).some((name) => name.startsWith("sharedindex."))) return undefined;
  const config = readGitText(join(sharedDirectory(git) ?? git, "config"));
  if (/objectformat\s*=\s*sha256/i.test(config)) return undefined;
  const bytes = readSmallFileSync(join(git, "index"), { maxBytes: MAX_INDEX_BYTES });
  return countEntries(bytes) === undefined ? undefined : GitIndex.read(bytes);
}

/** What git was told not to look at counts as not tracked. */
function findTracked(
  paths: readonly string[],
  { index, top }: { index: GitIndex; top: string },
): string[] {
  const sought = paths.map((path) => {
    const name = path.slice(top.length).split(sep).filter((part) => part !== "").join("/");
    return { path, name, bytes: new TextEncoder().encode(name) };
  });
  const found = new Set<string>();
  for (let at = 0; at < index.length; at++) {
    const entry = index.entryAt(at);
    const isDirectory = entry.mode === DIRECTORY;
    for (const { path, name, bytes } of sought) {
      if (found.has(path) || !(isDirectory || index.startsWith(at, bytes))) continue;
      const tracked = index.pathAt(at);
      const isIt = name === "" || tracked === name || tracked.startsWith(`${name}/`) ||
        isDirectory && name.startsWith(tracked);
      if (isIt && !entry.ignored) found.add(path);
    }
  }
  return paths.filter((path) => found.has(path));
}
