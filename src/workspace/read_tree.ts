/**
 * Makes of what a scan saw what is known of every path: what shows no change is taken over, and of all else the
 * content is stored, unless a repository of the project has it already.
 */
import { childPath } from "../lib/directory_listing.ts";
import type { PathSignature } from "../lib/path_signature.ts";
import { type FindBorrowed, lendContents } from "./git_contents.ts";
import { isSameSignature, type KnownPath, objectOf, readKnownPath } from "./known_path.ts";
import { KnownTree } from "./known_tree.ts";
import type { ObjectStore, ObjectWriter } from "./objects.ts";
import type { TimeSlice } from "../lib/time_slice.ts";
import type { ScanResult } from "./tree_scan.ts";

/** Bytes of all contents together that are stored. */
export const MAX_TOTAL = 256 * 1024 * 1024;
/** Files to be read above which git is asked first. */
export const MANY_FILES = 200;

/** What is known of the scanned paths. */
export interface ReadTree {
  readonly tree: KnownTree;
  /** Files whose content is not stored. */
  readonly leftOut: number;
  /** Bytes stored for these paths. */
  readonly bytes: number;
  /** Files with several names. */
  readonly linked: Set<string>;
  /** Whether contents were read, and are stored now. */
  readonly isStored: boolean;
}

/** What was known of a path before. */
export type FindKnown = (directory: string, name: string) => KnownPath | undefined;

/** What a tree is read with. */
export interface ReadOptions {
  /** What was known of a path before; undefined if nothing is known of any. */
  readonly old: FindKnown | undefined;
  /** Answers what git has, if it was asked already. */
  readonly lent?: (() => Promise<FindBorrowed>) | undefined;
  readonly objects: ObjectStore;
  readonly roots: readonly string[];
  /** Bytes that may be stored. */
  readonly room: number;
  /** Ends with an abort. */
  readonly slice: TimeSlice;
}

interface UnknownPath {
  readonly directory: string;
  readonly name: string;
  readonly signature: PathSignature;
}

/** Reads what is new among scanned paths. @throws {Error} git failed @throws {DOMException} aborted */
export async function readTree(
  found: ScanResult["found"],
  options: ReadOptions,
): Promise<ReadTree> {
  const { objects, slice, lent } = options;
  const reading = new Reading(options);
  let unknown = await reading.takeKnown(found, await lent?.());
  if (lent === undefined && unknown.length > MANY_FILES) {
    const findBorrowed = await (await lendContents(options))();
    unknown = unknown.filter((one) => !reading.borrow(one, findBorrowed(one.directory)));
  }
  const writer = objects.writer();
  try {
    for (const one of unknown) {
      await reading.read(one, writer);
      await slice.pause();
    }
  } finally {
    await writer.close();
  }
  return reading;
}

/** A tree on its way. */
class Reading implements ReadTree {
  readonly tree = new KnownTree();
  readonly #options: ReadOptions;
  readonly linked = new Set<string>();
  leftOut = 0;
  bytes = 0;
  isStored = false;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  /** Takes over what shows no change, and what git has; the rest must be read. */
  async takeKnown(
    found: ScanResult["found"],
    findBorrowed: FindBorrowed | undefined,
  ): Promise<UnknownPath[]> {
    const { old, slice } = this.#options;
    const unknown: UnknownPath[] = [];
    for (const [directory, entries] of found) {
      const into = this.tree.addDirectory(directory);
      const borrowed = findBorrowed?.(directory);
      for (const [name, signature] of entries) {
        const before = old?.(directory, name);
        const known = before?.stable && isSameSignature(before.signature, signature)
          ? before
          : borrowed?.(name, signature);
        if (known === undefined) unknown.push({ directory, name, signature });
        else this.#add(into, { directory, name, known });
      }
      await slice.pause();
    }
    return unknown;
  }

  /** Takes over a file that git has; false if it has not. */
  borrow(
    { directory, name, signature }: UnknownPath,
    borrowed: ReturnType<FindBorrowed>,
  ): boolean {
    const known = borrowed?.(name, signature);
    if (known === undefined) return false;
    this.#add(this.tree.addDirectory(directory), { directory, name, known });
    return true;
  }

  /** Reads what is at a path, and stores it. */
  async read({ directory, name, signature }: UnknownPath, writer: ObjectWriter): Promise<void> {
    const room = this.#options.room - this.bytes;
    const old = this.#options.old?.(directory, name);
    const path = childPath(directory, name);
    const known = await readKnownPath(path, { signature, old, writer, room });
    if (known === undefined) return;
    this.#add(this.tree.addDirectory(directory), { directory, name, known });
    this.isStored ||= objectOf(known.side) !== undefined;
  }

  #add(
    into: Map<string, KnownPath>,
    { directory, name, known }: { directory: string; name: string; known: KnownPath },
  ): void {
    into.set(name, known);
    if (isLinked(known.signature)) this.linked.add(childPath(directory, name));
    if (known.isBorrowed) return;
    if (known.side.kind === "file" && known.side.object === undefined) this.leftOut++;
    this.bytes += storedBytes(known);
  }
}

/** Whether a file can be written through another name. */
export function isLinked({ kind, names }: PathSignature): boolean {
  return kind === "file" && names > 1;
}

/** Bytes that are stored for a path by ally itself. */
export function storedBytes({ side, signature, isBorrowed = false }: KnownPath): number {
  return isBorrowed || objectOf(side) === undefined ? 0 : signature.size;
}
