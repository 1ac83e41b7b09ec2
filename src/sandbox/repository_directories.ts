/**
 * The directories of git's in a repository: its own, those of its submodules, and those of its other working trees.
 */
import { join } from "node:path";
import { entriesOf, isNoText, kindOf } from "./inspect.ts";
import { isWhole } from "./whole_repositories.ts";

/** A repository's own directory, or in it that of a submodule or of another working tree. */
export type DirectoryUse = "own" | "module" | "worktree";

/** Files with settings in them. */
export const CONFIGS = ["config", "config.worktree"];
/** What others than git obey there: settings of lazygit, and the mark by which shells of some trust programs of the tree. */
export const OBEYED_BY_OTHERS = ["lazygit.yml", "safe"];
/** Where old versions of git kept the addresses of remotes: all of them still obey these. */
export const ADDRESSES = ["branches", "remotes"];
/** Directories of submodules and working trees that are looked at. */
export const MAX_INNER = 5000;

/** The directories of git's that belong to repositories, these included. No link is followed. */
export function findDirectories(own: readonly string[]): Map<string, DirectoryUse> {
  const found = new Map<string, DirectoryUse>(own.map((path) => [path, "own"]));
  const waiting = own.map((path): [string, boolean] => [path, true]);
  for (let at = waiting.pop(); at !== undefined && found.size < MAX_INNER; at = waiting.pop()) {
    const [directory, isGits] = at;
    if (isGits) {
      for (const path of directoriesBelow(join(directory, "worktrees"))) {
        if (found.get(path) === "worktree") continue;
        found.set(path, "worktree");
        // It has submodules of its own.
        waiting.push([path, true]);
      }
    }
    for (const path of directoriesBelow(isGits ? join(directory, "modules") : directory)) {
      // The name of a submodule may have several parts.
      const isModule = isNoText(path) ||
        [...CONFIGS, "HEAD", "hooks"].some((name) => kindOf(join(path, name)) !== undefined);
      if (isModule && !found.has(path)) found.set(path, "module");
      waiting.push([path, isModule]);
      // Only in a whole one does git look for no others that are called so.
      if (isModule && !isNoText(path) && !isWhole(path)) waiting.push([path, false]);
    }
  }
  return found;
}

/** Whether a directory has what every repository's own has, in whatever state. */
export function looksLikeRepository(directory: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => kindOf(join(directory, name)) !== undefined);
}

function directoriesBelow(path: string): string[] {
  if (kindOf(path) !== "directory") return [];
  return [...entriesOf(path) ?? []].filter(([, kind]) => kind === "directory")
    .map(([name]) => join(path, name));
}
