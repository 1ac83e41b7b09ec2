/**
 * Links of the workspace that lead where commands write and nobody looks for repositories: into their caches, and into
 * git's own directories. Whoever goes there by one could come into a repository that a command made.
 */
import { dirname, resolve } from "node:path";
import { contains } from "../lib/contains.ts";
import { requireWrite } from "../lib/fs.ts";
import { dependsOnProcess, isNoText, kindOf, placesOnPath, realPath, targetOf } from "./inspect.ts";
import { atRealPath } from "./real_directory.ts";
import { isBareRepository, repositoryDirectories } from "./repository.ts";

const IN_GIT = /\/\.git(?:\/|$)/i;
/** Where git-annex keeps a file, which may be elsewhere now; nothing else is called like that, nor lies below. */
const ANNEXED = /\/\.git\/annex\/objects\/(?:[^/]+\/){2,3}([^/]+--[^/]+)\/\1$/;
/** What images of a system have links to: all that is in `/proc` but what belongs to a process, and its open files. */
const OF_SYSTEM = /^\/proc\/(?:(?!self$|thread-self$)[a-z]+|self\/(?:mounts|fd(?:\/[0-2])?))$/;
/** Links that are named of those that were removed. */
const NAMED = 3;

/** What is known of such links. */
export interface LinksState {
  /** Those that were there before commands, as `keyOf` calls them, and whether they led to a directory then. */
  readonly known: readonly (readonly [key: string, toDirectory: boolean])[];
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

  /** Whether it is such a link, or becomes one where another link is put in its way. */
  mayBeOne(path: string): boolean {
    return leadsBack(targetOf(path) ?? "") || this.#isOne(path);
  }

  /** Whether it leads there, or above it. What is called `.git` is looked at as a repository. */
  #isOne(path: string): boolean {
    if (!isBareRepository(path)) return false;
    const target = targetOf(path);
    // By its name nothing is found where that is no text.
    if (target === undefined) return isNoText(path);
    if (this.#isPlain(path, target)) return false;
    const end = placesOnPath(dirname(path), target).at(-1)!;
    if (ANNEXED.test(end)) return false;
    if (dependsOnProcess(end)) return !OF_SYSTEM.test(target);
    // Others lead there through one that leads above, also those that did not when they were looked at.
    const isAbove = this.#rootOf(end) === undefined &&
      this.#stores.some((store) => contains(end, store));
    return isNoText(end) || isAbove || this.#isInGit(end) ||
      this.#stores.some((store) => contains(store, end));
  }

  /** Whether it leads by no other link to what is in the workspace and not git's. */
  #isPlain(path: string, target: string): boolean {
    const words = resolve(dirname(path), target);
    return !isNoText(target) && !leadsBack(target) && this.#rootOf(words) !== undefined &&
      !this.#isInGit(words) && realPath(path) === words;
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

  /** Takes in as the user's those of some links that lead there. */
  note(paths: readonly string[]): void {
    for (const path of paths) {
      const key = keyOf(path);
      if (!this.#known.has(key) && this.#isOne(path)) this.#known.set(key, leadsToDirectory(path));
    }
  }

  /**
   * Removes those of some links that lead there and are new, or lead to a directory that is. Returns what is to be said of
   * it.
   */
  review(paths: readonly string[]): string[] {
    const strange = paths.filter((path) => {
      const toDirectory = this.#known.get(keyOf(path));
      const isNew = toDirectory === undefined || (!toDirectory && leadsToDirectory(path));
      return isNew && this.#isOne(path);
    });
    if (strange.length === 0) return [];
    const all = strange.map(removed);
    // It is said once of what stays.
    for (const path of strange.filter(isNoText)) this.#known.set(keyOf(path), true);
    const shown = all.slice(0, NAMED).join(", ");
    const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : "";
    return [
      `Links that lead where commands write and nobody looks for repositories are removed: ${shown}${more}.`,
    ];
  }
}

/** A link by its path and by what it says. */
function keyOf(path: string): string {
  return `${path}\0${targetOf(path) ?? ""}`;
}

/** Whether words go back from a directory that they name: to where, is decided by whoever makes that a link. */
function leadsBack(target: string): boolean {
  const names = target.split("/").filter((name) => name !== "" && name !== ".");
  const first = names.findIndex((name) => name !== "..");
  return first >= 0 && names.lastIndexOf("..") > first;
}

function leadsToDirectory(path: string): boolean {
  const real = realPath(path);
  return real !== undefined && kindOf(real) === "directory";
}

/** Removes a link. Returns what is to be said of it. */
function removed(path: string): string {
  const target = targetOf(path);
  if (target === undefined && isNoText(path)) {
    return `${path} (still there, as its name is no text: do not run git there)`;
  }
  return `${path} to ${target}${remove(path) ? "" : " (still there, as it cannot be removed)"}`;
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
