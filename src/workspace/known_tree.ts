/**
 * What is known of all paths of a workspace, by directory and name: a directory with all below is found, and removed,
 * without looking at any other path.
 */
import { basename, dirname } from "node:path";
import { childPath } from "../lib/directory_listing.ts";
import type { KnownPath } from "./known_path.ts";

/** Known paths. */
export class KnownTree {
  readonly #directories = new Map<string, Map<string, KnownPath>>();

  /** What is known of a path. */
  get(path: string): KnownPath | undefined {
    return this.#directories.get(dirname(path))?.get(basename(path));
  }

  /** What is known of the entries of a directory. */
  entries(directory: string): ReadonlyMap<string, KnownPath> | undefined {
    return this.#directories.get(directory);
  }

  /** Notes that a directory was listed, until it is removed; what is known of its entries, to be added to. */
  addDirectory(directory: string): Map<string, KnownPath> {
    let entries = this.#directories.get(directory);
    if (entries === undefined) this.#directories.set(directory, entries = new Map());
    return entries;
  }

  /** Takes a path out, with all below it where that is asked for, and puts it into another tree. */
  moveTo(other: KnownTree, path: string, { deep }: { deep: boolean }): void {
    const directory = dirname(path);
    const name = basename(path);
    const entries = this.#directories.get(directory);
    const known = entries?.get(name);
    if (known !== undefined) other.addDirectory(directory).set(name, known);
    entries?.delete(name);
    if (deep) this.#moveBelow(other, path);
  }

  /** Takes over all that another tree knows. */
  addAll(other: KnownTree): void {
    for (const [directory, entries] of other.#directories) {
      const into = this.addDirectory(directory);
      for (const [name, known] of entries) into.set(name, known);
    }
  }

  /** All paths. */
  *[Symbol.iterator](): Generator<[string, KnownPath]> {
    for (const [directory, entries] of this.#directories) {
      for (const [name, known] of entries) yield [childPath(directory, name), known];
    }
  }

  #moveBelow(other: KnownTree, directory: string): void {
    const entries = this.#directories.get(directory);
    if (entries === undefined) return;
    this.#directories.delete(directory);
    const into = other.addDirectory(directory);
    for (const [name, known] of entries) {
      into.set(name, known);
      if (known.side.kind === "directory") this.#moveBelow(other, childPath(directory, name));
    }
  }
}
