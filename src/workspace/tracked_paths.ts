/**
 * Which paths a repository tracks, told by its index: no program runs.
 */
import { join, sep } from "node:path";
import { contains } from "../lib/contains.ts";
import { exists, listNames, readSmallFileSync } from "../lib/fs.ts";
import { sharedDirectory } from "../sandbox/repository.ts";
import { findRepository, gitDirectory, readGitText } from "./git_state.ts";
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
  const top = findRepository(directory);
  const within = top === undefined ? [] : paths.filter((path) => contains(top, path));
  if (top === undefined || within.length === 0) return [];
  try {
    const git = gitDirectory(top);
    if (!exists(join(git, "index"))) return [];
    const index = readIndex(git);
    return index === undefined ? within : findTracked(within, { index, top });
  } catch {
    return within;
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
