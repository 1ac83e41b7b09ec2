/**
 * Names and signatures of very many entries of directories, packed into a few arrays: an object for each would take
 * far more time and room, and of most entries nothing is asked again.
 */
import { isSameSignature, type PathSignature } from "./path_signature.ts";

/** Numbers kept of each entry: size, time of the last write, time of the last change, inode. */
const FIELDS = 4;
const KINDS: readonly PathSignature["kind"][] = ["file", "link", "directory"];
const KIND_SHIFT = 12;
const MODE = (1 << KIND_SHIFT) - 1;

/** Where a name lies. */
export interface NameBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly start: number;
  readonly end: number;
}

/** Entries that follow each other, the last one excluded. */
export interface EntryRange {
  readonly start: number;
  readonly end: number;
}

/** A list of entries that grows. */
export class PackedEntries {
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #length = 0;
  #fields = new Float64Array(FIELDS * 256);
  /** How many names each file has, and its kind and permissions. */
  #links = new Uint32Array(256);
  #modes = new Uint16Array(256);
  /** Where each name ends. */
  #ends = new Uint32Array(256);
  #names = new Uint8Array(4096);
  #namesEnd = 0;

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  /** Appends an entry. */
  add(name: string, signature: PathSignature): void {
    const bytes = this.#encoder.encode(name);
    this.addEncoded({ bytes, start: 0, end: bytes.length }, signature);
  }

  /** Appends an entry whose name is UTF-8. */
  addEncoded({ bytes, start, end }: NameBytes, signature: PathSignature): void {
    const place = this.#length;
    this.#makeRoom(end - start);
    let to = this.#namesEnd;
    for (let at = start; at < end; at++) this.#names[to++] = bytes[at]!;
    this.#ends[place] = this.#namesEnd = to;
    const field = place * FIELDS;
    this.#fields[field] = signature.size;
    this.#fields[field + 1] = signature.modified;
    this.#fields[field + 2] = signature.changed;
    this.#fields[field + 3] = signature.inode;
    this.#links[place] = signature.names;
    this.#modes[place] = (KINDS.indexOf(signature.kind) << KIND_SHIFT) | signature.mode;
    this.#length++;
  }

  /** Where the name of an entry lies, in UTF-8; until the next one is added. */
  nameBytesAt(at: number): NameBytes {
    return { bytes: this.#names, start: this.#startAt(at), end: this.#ends[at]! };
  }

  nameAt(at: number): string {
    return this.#decode(this.#startAt(at), this.#ends[at]!);
  }

  /** The names of some entries that follow each other: decoded at one go, which is much quicker. */
  namesOf({ start, end }: EntryRange): string[] {
    const from = this.#startAt(start);
    const to = this.#startAt(end);
    const text = this.#decode(from, to);
    const names: string[] = [];
    for (let at = start; at < end; at++) {
      // Each byte is a character, unless there are others than those of ASCII.
      const name = text.length === to - from
        ? text.slice(this.#startAt(at) - from, this.#ends[at]! - from)
        : this.nameAt(at);
      names.push(name);
    }
    return names;
  }

  kindAt(at: number): PathSignature["kind"] {
    return KINDS[this.#modes[at]! >> KIND_SHIFT]!;
  }

  sizeAt(at: number): number {
    return this.#fields[at * FIELDS]!;
  }

  /** When it was written last, in milliseconds since the epoch. */
  modifiedAt(at: number): number {
    return this.#fields[at * FIELDS + 1]!;
  }

  /** When it was changed last, in milliseconds since the epoch. */
  changedAt(at: number): number {
    return this.#fields[at * FIELDS + 2]!;
  }

  inodeAt(at: number): number {
    return this.#fields[at * FIELDS + 3]!;
  }

  /** Whether it is a file with other names besides. */
  isLinkedAt(at: number): boolean {
    return this.#links[at]! > 1 && this.kindAt(at) === "file";
  }

  /** Whether the signature of an entry and another one show no change. */
  isSameAt(at: number, signature: PathSignature): boolean {
    return isSameSignature(this.signatureAt(at), signature);
  }

  signatureAt(at: number): PathSignature {
    return {
      kind: this.kindAt(at),
      mode: this.#modes[at]! & MODE,
      size: this.sizeAt(at),
      modified: this.modifiedAt(at),
      changed: this.changedAt(at),
      inode: this.inodeAt(at),
      names: this.#links[at]!,
    };
  }

  #startAt(at: number): number {
    return at === 0 ? 0 : this.#ends[at - 1]!;
  }

  #decode(start: number, end: number): string {
    return this.#decoder.decode(this.#names.subarray(start, end));
  }

  #makeRoom(nameBytes: number): void {
    if (this.#length === this.#modes.length) {
      const length = 2 * this.#length;
      this.#fields = grown(this.#fields, new Float64Array(FIELDS * length));
      this.#links = grown(this.#links, new Uint32Array(length));
      this.#modes = grown(this.#modes, new Uint16Array(length));
      this.#ends = grown(this.#ends, new Uint32Array(length));
    }
    const wanted = this.#namesEnd + nameBytes;
    if (wanted > this.#names.length) {
      this.#names = grown(this.#names, new Uint8Array(2 * wanted));
    }
  }
}

/** Copies an array into a larger one. */
function grown<T extends { set(from: T): void }>(from: T, into: T): T {
  into.set(from);
  return into;
}
