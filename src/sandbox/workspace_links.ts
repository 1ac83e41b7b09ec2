/**
 * Links of the workspace that lead where commands write and nobody looks for repositories: into their caches, and into
 * git's own directories. Whoever goes there by one could come into a repository that a command made.
 */
import { basename, dirname, resolve } from "node:path";
import { contains } from "../lib/contains.ts";
import { requireWrite } from "../lib/fs.ts";
import { isNoText, kindOf, placesOnPath, realPath, targetOf } from "./inspect.ts";
import { atRealPath } from "./real_directory.ts";
import { repositoryDirectories } from "./repository.ts";

const DOT_GIT = /^\.git$/i;
const IN_GIT = /\/\.git(?:\/|$)/i;
/** Where git-annex keeps a file, which may be elsewhere now; nothing else is called like that, nor lies below. */
const ANNEXED = /\/\.git\/annex\/objects\/(?:[^/]+\/){2,3}([^/]+--[^/]+)\/\1$/;
/** Links that are named of those that were removed. */
const NAMED = 3;

/** What is known of such links. */
export interface LinksState {
  /** Those that were there before commands, and whether they led to a directory then. */
  readonly known: readonly (readonly [path: string, toDirectory: boolean])[];
  /** Directories of what commands keep. */
  readonly stores: readonly string[];
}

/** Knows the links of a workspace that lead there. */
export class WorkspaceLinks {
  readonly #roots: () => readonly string[];
  readonly #stores: readonly string[];
  readonly #known: Map<string, boolean>;

  constructor(roots: () => readonly string[], { known, stores }: LinksState) {
    this.#roots = roots;
    this.#stores = stores;
    this.#known = new Map(known);
  }

  get state(): LinksState {
    return { known: [...this.#known], stores: this.#stores };
  }

  /** Whether it is such a link. What is called `.git` is looked at as a repository. */
  isOne(path: string): boolean {
    if (DOT_GIT.test(basename(path))) return false;
    const target = targetOf(path);
    if (target === undefined) return false;
    const words = resolve(dirname(path), target);
    // Links in its way are looked at themselves.
    if (!isNoText(target) && this.#rootOf(words) !== undefined && !this.#isInGit(words)) {
      return false;
    }
    const end = placesOnPath(dirname(path), target).at(-1)!;
    if (ANNEXED.test(end)) return false;
    return isNoText(end) || this.#isInGit(end) ||
      this.#stores.some((store) => contains(store, end));
  }

  #rootOf(path: string): string | undefined {
    return this.#roots().find((root) => contains(root, path));
  }

  #isInGit(path: string): boolean {
    const root = this.#rootOf(path);
    return root === undefined
      ? this.#roots().flatMap(repositoryDirectories).some((one) => contains(one, path))
      : IN_GIT.test(path.slice(root.length));
  }

  /** Takes links in as the user's. */
  note(paths: readonly string[]): void {
    for (const path of paths) {
      if (!this.#known.has(path)) this.#known.set(path, leadsToDirectory(path));
    }
  }

  /** Removes those of some links that are new, or lead to a directory that is. Returns what is to be said of it. */
  review(paths: readonly string[]): string[] {
    const strange = paths.filter((path) => {
      const toDirectory = this.#known.get(path);
      return toDirectory === undefined || (!toDirectory && leadsToDirectory(path));
    });
    if (strange.length === 0) return [];
    const all = strange.map((path) => ({ path, target: targetOf(path), isGone: remove(path) }));
    const shown = all.slice(0, NAMED).map(({ path, target, isGone }) =>
      `${path} to ${target}${isGone ? "" : " (still there, as it cannot be removed)"}`
    );
    const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : "";
    return [
      `Links that lead where commands write and nobody looks for repositories are removed: ${
        shown.join(", ")
      }${more}.`,
    ];
  }
}

function leadsToDirectory(path: string): boolean {
  const real = realPath(path);
  return real !== undefined && kindOf(real) === "directory";
}

/** Whether a link is gone. */
function remove(path: string): boolean {
  return atRealPath(path, (held) => {
    if (kindOf(held) !== "link") return true;
    try {
      requireWrite(path);
      Deno.removeSync(held);
      return true;
    } catch {
      return false;
    }
  }, { writes: true }) ?? true;
}
