/**
 * Makes of what a scan saw what is known of every path: what shows no change is taken over, and of all else the
 * content is stored, unless a repository of the project has it already.
 */
import { childPath } from "../lib/directory_listing.ts";
import type { PathSignature } from "../lib/path_signature.ts";
import { type FindBorrowed, lendContents } from "./git_contents.ts";
import {
  fileSide,
  isSameSignature,
  type KnownPath,
  objectOf,
  readKnownPath,
} from "./known_path.ts";
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
interface ReadOptions {
  /** What was known of a path before; undefined if nothing is known of any. */
  readonly old: FindKnown | undefined;
  /** What git has, if it was asked already. */
  readonly findBorrowed?: FindBorrowed | undefined;
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
  readonly old: KnownPath | undefined;
}

/** Reads what is new among scanned paths. @throws {Error} git failed @throws {DOMException} aborted */
export async function readTree(
  found: ScanResult["found"],
  options: ReadOptions,
): Promise<ReadTree> {
  const { old, objects, slice } = options;
  const reading = new Reading(options);
  const unknown: UnknownPath[] = [];
  for (const [directory, entries] of found) {
    reading.tree.addDirectory(directory);
    for (const [name, signature] of entries) {
      const before = old?.(directory, name);
      if (before?.stable && isSameSignature(before.signature, signature)) {
        reading.add({ directory, name }, before);
      } else unknown.push({ directory, name, signature, old: before });
    }
    await slice.pause();
  }
  const findBorrowed = unknown.length > MANY_FILES
    ? options.findBorrowed ?? await lendContents(options)
    : undefined;
  const borrowed = await findBorrowed?.(found);
  const writer = objects.writer();
  try {
    for (const one of unknown) {
      const object = borrowed?.get(one.signature);
      if (object !== undefined) {
        const side = fileSide(one.signature, object);
        reading.add(one, { signature: one.signature, side, stable: true });
        if (slice.step()) await slice.pause();
      } else {
        await reading.read(one, writer);
        await slice.pause();
      }
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

  add({ directory, name }: { directory: string; name: string }, known: KnownPath): void {
    this.tree.set(directory, name, known);
    if (known.side.kind === "file" && known.side.object === undefined) this.leftOut++;
    if (isLinked(known.signature)) this.linked.add(childPath(directory, name));
    this.bytes += storedBytes(known, this.#options.objects);
  }

  async read(
    { directory, name, signature, old }: UnknownPath,
    writer: ObjectWriter,
  ): Promise<void> {
    const room = this.#options.room - this.bytes;
    const path = childPath(directory, name);
    const known = await readKnownPath(path, { signature, old, writer, room });
    if (known === undefined) return;
    this.add({ directory, name }, known);
    this.isStored ||= objectOf(known.side) !== undefined;
  }
}

/** Whether a file can be written through another name. */
export function isLinked({ kind, names }: PathSignature): boolean {
  return kind === "file" && names > 1;
}

/** Bytes that are stored for a path by ally itself. */
export function storedBytes({ side, signature }: KnownPath, objects: ObjectStore): number {
  const object = objectOf(side);
  return object === undefined || objects.isBorrowed(object) ? 0 : signature.size;
}
