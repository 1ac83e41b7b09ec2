/**
 * Reads git's index: which files are tracked, and how they were when git looked at them last. Versions 2 to 4
 * of the format in git's own `gitformat-index`.
 */
import { PackedNames } from "../lib/packed_names.ts";
import type { ObjectIds } from "./object_ids.ts";

/** One tracked file. Nothing but its path is read before it is asked for: of most files little is. */
export class IndexEntry {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  readonly #view: DataView<ArrayBuffer>;
  readonly #at: number;

  constructor(path: string, { view, at }: { view: DataView<ArrayBuffer>; at: number }) {
    this.path = path;
    this.#view = view;
    this.#at = at;
  }

  /** Kind and permission bits. */
  get mode(): number {
    return this.#view.getUint32(this.#at + 24);
  }

  /** Bytes, modulo 2^32. */
  get size(): number {
    return this.#view.getUint32(this.#at + 36);
  }

  /** Milliseconds since the epoch. */
  get modified(): number {
    return milliseconds(this.#view, this.#at + 8);
  }

  /** Milliseconds since the epoch of the last change to content or attributes; 0 if it was not noted. */
  get changed(): number {
    return milliseconds(this.#view, this.#at);
  }

  /** Modulo 2^32; 0 if it was not noted. */
  get inode(): number {
    return this.#view.getUint32(this.#at + 20);
  }

  /** Appends the name of the object with its content to others, and returns its place. */
  addObjectTo(ids: ObjectIds): number {
    return ids.add(this.#view, this.#at + 40);
  }

  /** True if git was told not to look at the file. */
  get ignored(): boolean {
    const flags = this.#view.getUint16(this.#at + 60);
    const more = (flags & EXTENDED) !== 0 ? this.#view.getUint16(this.#at + FIXED_BYTES) : 0;
    return (flags & ASSUME_VALID) !== 0 || (more & SKIP_WORKTREE) !== 0;
  }
}

const FIXED_BYTES = 62;
/** Bytes of names that are decoded at one go. */
const BLOCK_BYTES = 60_000;
const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;

/** The number of entries of an index, or undefined if the version is not known. */
export function countEntries(bytes: Uint8Array<ArrayBuffer>): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  const isKnown = view.getUint32(0) === 0x44495243 && version >= 2 && version <= 4;
  return isKnown ? view.getUint32(8) : undefined;
}

/** The entries of an index, one by one; none if the version is not known. */
export function* readIndex(bytes: Uint8Array<ArrayBuffer>): Generator<IndexEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const addName = view.getUint32(4) === 4 ? addCompressedName : addFullName;
  const names = new PackedNames();
  let left = countEntries(bytes) ?? 0;
  for (let at = 12; left > 0;) {
    const starts: number[] = [];
    for (; left > 0 && names.length < BLOCK_BYTES; left--) {
      starts.push(at);
      const extended = (view.getUint16(at + 60) & EXTENDED) !== 0;
      at = addName(names, { bytes, at, start: at + FIXED_BYTES + (extended ? 2 : 0) });
    }
    const paths = names.take();
    let index = 0;
    for (const path of paths) yield new IndexEntry(path, { view, at: starts[index++]! });
  }
}

/** Seconds and nanoseconds. */
function milliseconds(view: DataView, at: number): number {
  return view.getUint32(at) * 1000 + Math.floor(view.getUint32(at + 4) / 1e6);
}

/** An entry whose name begins at `start`. */
interface NamedEntry {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly start: number;
}

/** A name up to its NUL; the entry is padded to a multiple of eight bytes. */
function addFullName(names: PackedNames, { bytes, at, start }: NamedEntry): number {
  return at + Math.ceil((names.add(bytes, start) + 1 - at) / 8) * 8;
}

/** How many bytes of the name before to drop, then the rest of the name up to its NUL. */
function addCompressedName(names: PackedNames, { bytes, start }: NamedEntry): number {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let drop = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes[at++] ?? 0;
    drop = ((drop + 1) << 7) | (byte & 0x7f);
  }
  return names.addSimilar(bytes, { start: at, drop }) + 1;
}
