/**
 * Reads git's index: which files are tracked, and how they were when git looked at them last. Versions 2 to 4
 * of the format in git's own `gitformat-index`.
 */
import type { NameBytes } from "./packed_entries.ts";
import type { TimeSlice } from "./time_slice.ts";
import type { ObjectIds } from "./object_ids.ts";

/** One tracked file. Nothing of it is read before it is asked for: of most files little is. */
export class IndexEntry {
  readonly #index: GitIndex;
  readonly #at: number;
  readonly #place: number;

  constructor(index: GitIndex, { at, place }: { at: number; place: number }) {
    this.#index = index;
    this.#at = at;
    this.#place = place;
  }

  /** Relative to the repository, with slashes. */
  get path(): string {
    return this.#index.pathAt(this.#place);
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
    return ids.add(this.#view, this.#at + ID_AT);
  }

  /** True if git was told not to look at the file. */
  get ignored(): boolean {
    const flagsAt = this.#at + ID_AT + this.#index.idBytes;
    const flags = this.#view.getUint16(flagsAt);
    const more = (flags & EXTENDED) !== 0 ? this.#view.getUint16(flagsAt + 2) : 0;
    return (flags & ASSUME_VALID) !== 0 || (more & SKIP_WORKTREE) !== 0;
  }

  get #view(): DataView {
    return this.#index.view;
  }
}

/** Where the name of its object is in an entry; flags follow it, and then the path. */
const ID_AT = 40;
/** Bytes of such a name, unless a repository has longer ones. */
const ID_BYTES = 20;
const HEADER_BYTES = 12;
const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;
/** Of the flags: the length of the path, or this if it is as long or longer. */
const LENGTH = 0xfff;
/** Bytes of all paths that are written out: few can be made to stand for very many. */
const MOST_PATHS = 2 ** 29;
/** Entries read at one go while others wait. */
const BLOCK = 4096;

/** How an index is read. */
interface IndexOptions {
  /** Bytes of the name of an object. @default 20 */
  readonly idBytes?: number;
}

/** An index. Its entries are numbered from 0, in its own order: by their paths. */
export class GitIndex {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** A hash of paths that nobody can foresee, so that no repository can be made to be slow. */
  readonly #seed = crypto.getRandomValues(new Int32Array(1))[0]!;
  /** By the hash of its path: one more than the number of the entry. */
  readonly #table: Int32Array;
  /** How many entries are in it. */
  #hashed = 0;
  /** Where the entries begin. */
  readonly #entries: Uint32Array;
  /** The paths lie in here: those of version 4, which shares their beginnings, are written out. */
  #paths: Uint8Array<ArrayBuffer>;
  #pathsEnd = 0;
  readonly #pathStarts: Uint32Array;
  readonly #pathEnds: Uint32Array;
  readonly #isCompressed: boolean;
  /** Of version 4: how much of the path before begins a path. */
  readonly #shared: Uint32Array;
  readonly view: DataView<ArrayBuffer>;
  /** Bytes of the name of an object. */
  readonly idBytes: number;
  #length = 0;
  #next = HEADER_BYTES;

  private constructor(bytes: Uint8Array<ArrayBuffer>, { idBytes = ID_BYTES }: IndexOptions = {}) {
    this.#bytes = bytes;
    this.idBytes = idBytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // No entry is shorter than this: a file that is cut off needs no room for what it does not hold.
    const most = Math.floor(bytes.length / (ID_AT + idBytes));
    const count = Math.min(countEntries(bytes) ?? 0, most);
    this.#isCompressed = this.view.getUint32(4) === 4;
    this.#paths = this.#isCompressed ? new Uint8Array(64 * 1024) : bytes;
    this.#entries = new Uint32Array(count);
    this.#pathStarts = new Uint32Array(count);
    this.#pathEnds = new Uint32Array(count);
    this.#shared = new Uint32Array(this.#isCompressed ? count : 0);
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 1)));
  }

  /** Reads an index; empty if the version is not known. @throws {RangeError} it is cut off, or not as git writes it */
  static read(bytes: Uint8Array<ArrayBuffer>, options: IndexOptions = {}): GitIndex {
    const index = new GitIndex(bytes, options);
    index.#readBlock(Infinity);
    return index;
  }

  /** The same, in slices. @throws {RangeError} as it does @throws {DOMException} aborted */
  static async readInSlices(
    bytes: Uint8Array<ArrayBuffer>,
    slice: TimeSlice,
  ): Promise<GitIndex> {
    const index = new GitIndex(bytes);
    while (index.#readBlock(BLOCK)) await slice.pause();
    while (index.#hashBlock(BLOCK)) await slice.pause();
    return index;
  }

  get length(): number {
    return this.#length;
  }

  entryAt(place: number): IndexEntry {
    return new IndexEntry(this, { at: this.#entries[place]!, place });
  }

  pathAt(place: number): string {
    return this.#decoder.decode(
      this.#paths.subarray(this.#pathStarts[place]!, this.#pathEnds[place]!),
    );
  }

  /** Where the path of an entry lies. */
  pathBytesAt(place: number): NameBytes {
    return {
      bytes: this.#paths,
      start: this.#pathStarts[place]!,
      end: this.#pathEnds[place]!,
    };
  }

  /** Where an entry begins in the file; of the one after the last, where all of them end. */
  startOf(place: number): number {
    return place < this.#length ? this.#entries[place]! : this.#next;
  }

  /** Whether the path of an entry is written as a whole: it shares no beginning with the one before. */
  isWrittenWhole(place: number): boolean {
    return !this.#isCompressed || this.#shared[place] === 0;
  }

  /** Whether the path of an entry begins so. */
  startsWith(place: number, prefix: Uint8Array<ArrayBuffer>): boolean {
    const start = this.#pathStarts[place]!;
    if (this.#pathEnds[place]! - start < prefix.length) return false;
    return isSame(this.#paths, start, { bytes: prefix, start: 0, end: prefix.length });
  }

  /** Whether the path of an entry ends so. */
  endsWith(place: number, ending: Uint8Array<ArrayBuffer>): boolean {
    const start = this.#pathEnds[place]! - ending.length;
    if (start < this.#pathStarts[place]!) return false;
    return isSame(this.#paths, start, { bytes: ending, start: 0, end: ending.length });
  }

  /** What finds the entries of a directory, of which the path is given with a slash at its end, by their names. */
  finderIn(directory: string): (name: NameBytes) => number | undefined {
    this.#hashBlock(Infinity);
    const prefix = new TextEncoder().encode(directory);
    const whole = { bytes: prefix, start: 0, end: prefix.length };
    const begun = hash(this.#seed, whole);
    const mask = this.#table.length - 1;
    return (name) => {
      const length = prefix.length + name.end - name.start;
      let slot = mixed(hash(begun, name)) & mask;
      for (; this.#table[slot] !== 0; slot = (slot + 1) & mask) {
        const place = this.#table[slot]! - 1;
        const start = this.#pathStarts[place]!;
        if (
          this.#pathEnds[place]! - start === length &&
          isSame(this.#paths, start + prefix.length, name) && isSame(this.#paths, start, whole)
        ) return place;
      }
      return undefined;
    };
  }

  /** Reads some more entries; false if there are none left. */
  #readBlock(most: number): boolean {
    const count = countEntries(this.#bytes) ?? 0;
    for (let left = most; left > 0 && this.#length < count; left--) {
      const at = this.#next;
      const place = this.#length;
      const flagsAt = at + ID_AT + this.idBytes;
      const flags = this.view.getUint16(flagsAt);
      this.#entries[place] = at;
      this.#readPath(place, flagsAt + ((flags & EXTENDED) !== 0 ? 4 : 2));
      this.#length++;
      const length = this.#pathEnds[place]! - this.#pathStarts[place]!;
      // By another length git would read on elsewhere.
      if ((flags & LENGTH) !== Math.min(length, LENGTH)) throw new RangeError(DAMAGED);
    }
    return this.#length < count;
  }

  /** Makes some more entries to be found by their paths; false if none are left. */
  #hashBlock(most: number): boolean {
    const mask = this.#table.length - 1;
    for (let left = most; left > 0 && this.#hashed < this.#length; left--) {
      const place = this.#hashed++;
      let slot = mixed(hash(this.#seed, this.pathBytesAt(place))) & mask;
      while (this.#table[slot] !== 0) slot = (slot + 1) & mask;
      this.#table[slot] = place + 1;
    }
    return this.#hashed < this.#length;
  }

  /** Reads a path that begins at a place, up to its NUL, and finds the next entry. */
  #readPath(place: number, start: number): void {
    if (this.#isCompressed) {
      this.#next = this.#readCompressed(place, start);
      return;
    }
    const end = endOfName(this.#bytes, start);
    this.#pathStarts[place] = start;
    this.#pathEnds[place] = end;
    const at = this.#entries[place]!;
    // An entry is padded to a multiple of eight bytes.
    this.#next = at + Math.ceil((end + 1 - at) / 8) * 8;
  }

  /** How many bytes of the path before to drop, then the rest of the path. */
  #readCompressed(place: number, start: number): number {
    const bytes = this.#bytes;
    let at = start;
    let byte = bytes[at++] ?? 0;
    let drop = byte & 0x7f;
    while ((byte & 0x80) !== 0) {
      byte = bytes[at++] ?? 0;
      drop = ((drop + 1) << 7) | (byte & 0x7f);
    }
    const end = endOfName(bytes, at);
    const from = place === 0 ? 0 : this.#pathStarts[place - 1]!;
    const size = this.#pathsEnd - from - drop;
    const to = this.#pathsEnd;
    const needed = to + size + end - at;
    if (drop < 0 || size < 0 || needed > MOST_PATHS) throw new RangeError(DAMAGED);
    this.#shared[place] = size;
    if (needed > this.#paths.length) {
      const larger = new Uint8Array(2 * needed);
      larger.set(this.#paths);
      this.#paths = larger;
    }
    this.#paths.copyWithin(to, from, from + size);
    this.#paths.set(bytes.subarray(at, end), to + size);
    this.#pathStarts[place] = to;
    this.#pathEnds[place] = this.#pathsEnd = needed;
    return end + 1;
  }
}

/** The number of entries of an index, or undefined if the version is not known. */
export function countEntries(bytes: Uint8Array<ArrayBuffer>): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  const isKnown = view.getUint32(0) === 0x44495243 && version >= 2 && version <= 4;
  return isKnown ? view.getUint32(8) : undefined;
}

const DAMAGED = "the index of git is cut off, or damaged";

/** Seconds and nanoseconds. */
function milliseconds(view: DataView, at: number): number {
  return view.getUint32(at) * 1000 + Math.floor(view.getUint32(at + 4) / 1e6);
}

/** Where the NUL after a name is. @throws {RangeError} there is none */
function endOfName(bytes: Uint8Array, start: number): number {
  let end = start;
  while (bytes[end] !== 0) {
    if (end >= bytes.length) throw new RangeError(DAMAGED);
    end++;
  }
  return end;
}

/** Goes on with a hash (FNV-1a). */
function hash(begun: number, { bytes, start, end }: NameBytes): number {
  let value = begun;
  for (let at = start; at < end; at++) value = Math.imul(value ^ bytes[at]!, 0x01000193);
  return value;
}

/** A hash whose lower bits depend on all of it. */
function mixed(value: number): number {
  return value ^ (value >>> 15);
}

/** Whether bytes at a place are those of a part of others. */
function isSame(bytes: Uint8Array, at: number, { bytes: others, start, end }: NameBytes): boolean {
  for (let index = 0; index < end - start; index++) {
    if (bytes[at + index] !== others[start + index]) return false;
  }
  return true;
}
