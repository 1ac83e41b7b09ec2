/**
 * Makes of what a scan saw what is known of every path: what shows no change is taken over, and of all else the
 * content is stored, unless a repository of the project has it already.
 */
import { childPath } from "../lib/directory_listing.ts";
import type { PathSignature } from "../lib/path_signature.ts";
import { lendContents, type LentContents } from "./git_contents.ts";
import { type KnownPath, objectOf, readKnownPath } from "./known_path.ts";
import { KnownTree } from "./known_tree.ts";
import { LentFiles } from "./lent_files.ts";
import type { ObjectStore, ObjectWriter } from "./objects.ts";
import type { TimeSlice } from "../lib/time_slice.ts";
import type { FoundEntries, ScanResult } from "./tree_scan.ts";

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

/** What was known before of the entries of a directory. */
export type FindKnown = (directory: string) => ReadonlyMap<string, KnownPath> | undefined;

/** What a tree is read with. */
export interface ReadOptions {
  /** Undefined if nothing was known of any path before. */
  readonly old: FindKnown | undefined;
  /** Answers what git has, if it was asked already. */
  readonly lent?: (() => Promise<LentContents>) | undefined;
  readonly objects: ObjectStore;
  readonly roots: readonly string[];
  /** Bytes that may be stored. */
  readonly room: number;
  /** Ends with an abort. */
  readonly slice: TimeSlice;
}

/** Paths of one directory, by where they are among the entries of the scan. */
interface UnknownPaths {
  readonly found: FoundEntries;
  readonly entries: readonly number[];
}

/** Reads what is new among scanned paths. @throws {Error} git failed @throws {DOMException} aborted */
export async function readTree(scanned: ScanResult, options: ReadOptions): Promise<ReadTree> {
  const { objects, slice, lent } = options;
  const reading = new Reading(scanned, options);
  let unknown = await reading.takeKnown();
  if (lent !== undefined || count(unknown) > MANY_FILES) {
    const contents = await (lent ?? await lendContents(options))();
    unknown = await reading.takeLent(unknown, contents);
  }
  const writer = objects.writer();
  try {
    for (const { found: { directory }, entries } of unknown) {
      for (const at of entries) {
        await reading.read({ directory, at }, writer);
        await slice.pause();
      }
    }
  } finally {
    await writer.close();
  }
  return reading;
}

function count(unknown: readonly UnknownPaths[]): number {
  return unknown.reduce((sum, { entries }) => sum + entries.length, 0);
}

/** A tree on its way. */
class Reading implements ReadTree {
  readonly tree = new KnownTree();
  readonly #scanned: ScanResult;
  readonly #options: ReadOptions;
  readonly linked = new Set<string>();
  leftOut = 0;
  bytes = 0;
  isStored = false;

  constructor(scanned: ScanResult, options: ReadOptions) {
    this.#scanned = scanned;
    this.#options = options;
  }

  /** Takes over what shows no change; the rest. */
  async takeKnown(): Promise<UnknownPaths[]> {
    const { old, slice } = this.#options;
    const { entries, found } = this.#scanned;
    const unknown: UnknownPaths[] = [];
    for (const one of found) {
      const { directory, start, end } = one;
      this.tree.addDirectory(directory);
      const before = old?.(directory);
      const rest: number[] = [];
      for (let at = start; at < end; at++) {
        const name = before && entries.nameAt(at);
        const known = name === undefined ? undefined : before?.get(name);
        if (name !== undefined && known?.stable && entries.isSameAt(at, known.signature)) {
          this.#add(directory, { name, known });
        } else rest.push(at);
      }
      if (rest.length > 0) unknown.push({ found: one, entries: rest });
      await slice.pause();
    }
    return unknown;
  }

  /** Takes over what a repository has; the rest. */
  async takeLent(
    unknown: readonly UnknownPaths[],
    contents: LentContents,
  ): Promise<UnknownPaths[]> {
    const { entries } = this.#scanned;
    const files = new LentFiles(entries, contents.ids);
    const left: UnknownPaths[] = [];
    for (const one of unknown) {
      const { found } = one;
      const find = contents.findIn(found.directory, entries);
      const rest: number[] = [];
      for (const at of one.entries) {
        const place = find?.(at);
        if (place === undefined) rest.push(at);
        else {
          files.add(at, place);
          if (entries.isLinkedAt(at)) this.#addLinked(found.directory, entries.nameAt(at));
        }
      }
      if (rest.length < one.entries.length) {
        this.tree.addPacked(found.directory, { files, range: found });
      }
      if (rest.length > 0) left.push({ found, entries: rest });
      await this.#options.slice.pause();
    }
    return left;
  }

  /** Reads what is at a path, and stores it. */
  async read(
    { directory, at }: { directory: string; at: number },
    writer: ObjectWriter,
  ): Promise<void> {
    const name = this.#scanned.entries.nameAt(at);
    const signature = this.#scanned.entries.signatureAt(at);
    const room = this.#options.room - this.bytes;
    const old = this.#options.old?.(directory)?.get(name);
    const path = childPath(directory, name);
    const known = await readKnownPath(path, { signature, old, writer, room });
    if (known === undefined) return;
    this.#add(directory, { name, known });
    this.isStored ||= objectOf(known.side) !== undefined;
  }

  #add(directory: string, { name, known }: { name: string; known: KnownPath }): void {
    this.tree.add(directory, name, known);
    if (isLinked(known.signature)) this.#addLinked(directory, name);
    if (known.isBorrowed) return;
    if (known.side.kind === "file" && known.side.object === undefined) this.leftOut++;
    this.bytes += storedBytes(known);
  }

  #addLinked(directory: string, name: string): void {
    this.linked.add(childPath(directory, name));
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
