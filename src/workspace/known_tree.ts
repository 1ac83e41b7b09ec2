/**
 * What is known of all paths of a workspace, by directory and name: a directory with all below is found, and removed,
 * without looking at any other path. Files that a repository has lent stay packed until somebody asks what is known of
 * their directory.
 */
import { basename, dirname } from "node:path";
import { childPath } from "../lib/directory_listing.ts";
import type { EntryRange } from "../lib/packed_entries.ts";
import type { KnownPath } from "./known_path.ts";
import type { LentFiles } from "./lent_files.ts";

/** Files of one directory that are packed. */
interface PackedFiles {
  readonly files: LentFiles;
  readonly range: EntryRange;
}

/** What is known of the entries of a directory. */
interface KnownDirectory {
  entries: Map<string, KnownPath>;
  /** Those that are not among the entries yet. */
  packed: readonly PackedFiles[];
}

/** Known paths. */
export class KnownTree {
  readonly #directories = new Map<string, KnownDirectory>();

  /** What is known of a path. */
  get(path: string): KnownPath | undefined {
    return this.entries(dirname(path))?.get(basename(path));
  }

  /** Whether a directory was listed. */
  has(directory: string): boolean {
    return this.#directories.has(directory);
  }

  /** What is known of the entries of a directory. */
  entries(directory: string): ReadonlyMap<string, KnownPath> | undefined {
    return this.#unpacked(directory);
  }

  /** Notes that a directory was listed, until it is removed. */
  addDirectory(directory: string): void {
    this.#listed(directory);
  }

  /** Notes what is known of an entry of a directory. */
  add(directory: string, name: string, known: KnownPath): void {
    this.#listed(directory).entries.set(name, known);
  }

  /** Notes files of a directory of which nothing else is known. */
  addPacked(directory: string, packed: PackedFiles): void {
    const listed = this.#listed(directory);
    listed.packed = [...listed.packed, packed];
  }

  /** Takes a path out, with all below it where that is asked for, and puts it into another tree. */
  moveTo(other: KnownTree, path: string, { deep }: { deep: boolean }): void {
    const directory = dirname(path);
    const name = basename(path);
    const entries = this.#unpacked(directory);
    const known = entries?.get(name);
    if (known !== undefined) other.add(directory, name, known);
    entries?.delete(name);
    if (deep) this.#moveBelow(other, path);
  }

  /** Takes over all that another tree knows. */
  addAll(other: KnownTree): void {
    for (const [directory, theirs] of other.#directories) {
      const { entries } = this.#listed(directory);
      for (const [name, known] of allOf(theirs)) entries.set(name, known);
    }
  }

  /** All paths. */
  *[Symbol.iterator](): Generator<[string, KnownPath]> {
    for (const [directory, known] of this.#directories) {
      for (const [name, one] of allOf(known)) yield [childPath(directory, name), one];
    }
  }

  /** All that is known below a directory. */
  *below(directory: string): Generator<[string, KnownPath]> {
    for (const [name, known] of this.#unpacked(directory) ?? []) {
      const path = childPath(directory, name);
      yield [path, known];
      if (known.signature.kind === "directory") yield* this.below(path);
    }
  }

  /** The paths that are not packed. */
  *unpacked(): Generator<[string, KnownPath]> {
    for (const [directory, { entries }] of this.#directories) {
      for (const [name, known] of entries) yield [childPath(directory, name), known];
    }
  }

  #listed(directory: string): KnownDirectory {
    let known = this.#directories.get(directory);
    if (known === undefined) {
      known = { entries: new Map(), packed: [] };
      this.#directories.set(directory, known);
    }
    return known;
  }

  #unpacked(directory: string): Map<string, KnownPath> | undefined {
    const known = this.#directories.get(directory);
    if (known === undefined) return undefined;
    if (known.packed.length > 0) {
      known.entries = allOf(known);
      known.packed = [];
    }
    return known.entries;
  }

  #moveBelow(other: KnownTree, directory: string): void {
    const entries = this.#unpacked(directory);
    if (entries === undefined) return;
    this.#directories.delete(directory);
    other.addDirectory(directory);
    for (const [name, known] of entries) {
      other.add(directory, name, known);
      if (known.signature.kind === "directory") this.#moveBelow(other, childPath(directory, name));
    }
  }
}

/** All that is known of a directory's entries; those that are packed are the older knowledge. */
function allOf({ entries, packed }: KnownDirectory): Map<string, KnownPath> {
  if (packed.length === 0) return entries;
  const all = new Map(packed.flatMap(({ files, range }) => [...files.pathsIn(range)]));
  for (const [name, known] of entries) all.set(name, known);
  return all;
}
