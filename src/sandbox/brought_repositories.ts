/**
 * Bare repositories that came into the workspace with a clone: files by ordinary names that a repository around them
 * tracks. What their settings and hooks name, somebody else wrote.
 */
import { dirname, relative } from "node:path";
import { hasEntriesAt } from "./index_paths.ts";
import { findRepositories, isBareRepository } from "./repository.ts";

/** Knows them by what they were when they were first seen: no command makes one the user's own. */
export class BroughtRepositories {
  readonly #known = new Map<string, boolean>();

  /** Takes in those of some repositories that are not known yet. */
  note(paths: Iterable<string>): void {
    for (const path of paths) {
      if (isBareRepository(path) && !this.#known.has(path)) this.#known.set(path, isTracked(path));
    }
  }

  has(path: string): boolean {
    return this.#known.get(path) ?? false;
  }
}

function isTracked(path: string): boolean {
  return findRepositories([dirname(path)]).some(({ tree, directories }) =>
    directories.some((directory) => hasEntriesAt(directory, relative(tree, path)))
  );
}
