/**
 * Whether git has changed branches, tags or the HEAD of the repositories that the roots lie in, told by the files and
 * directories that it keeps them in: nothing is read but names and times.
 */
import { join } from "node:path";
import { tryLstat } from "../lib/fs.ts";
import { entriesOf } from "../sandbox/inspect.ts";
import { repositoryDirectories } from "../sandbox/repository.ts";

/** Directories of refs that are looked at. */
const MAX_DIRECTORIES = 500;

/** Tells later whether refs have changed since, of the repositories that these directories lie in. */
export function watchRefs(roots: readonly string[]): () => boolean {
  const before = stateOf(roots);
  return () => stateOf(roots) !== before;
}

function stateOf(roots: readonly string[]): string {
  return roots.flatMap(repositoryDirectories).flatMap((directory) => [
    stampOf(join(directory, "HEAD")),
    stampOf(join(directory, "packed-refs")),
    stampOf(join(directory, "reftable", "tables.list")),
    ...directoriesBelow(join(directory, "refs")).map(stampOf),
  ]).join("\n");
}

/** Each ref is renamed into its directory, which that changes. */
function directoriesBelow(top: string): string[] {
  const found = [top];
  for (const directory of found) {
    for (const [name, kind] of entriesOf(directory) ?? []) {
      if (kind === "directory" && found.length < MAX_DIRECTORIES) found.push(join(directory, name));
    }
  }
  return found;
}

function stampOf(path: string): string {
  const stats = tryLstat(path);
  return stats === undefined ? "" : `${path} ${stats.ino} ${stats.size} ${stats.mtime?.getTime()}`;
}
