/**
 * Lists directories of a large tree, with the signatures of what lies in them. Through the C library, where that may
 * be called, an entry is looked up in its open directory, which takes a third of the time that Deno needs to look up
 * each path from the root anew. What is found is the same.
 */
import { sep } from "node:path";
import { tryLstat } from "./fs.ts";
import { openFlags } from "./directory_handle.ts";
import type { PackedEntries } from "./packed_entries.ts";
import { type PathSignature, signatureOf } from "./path_signature.ts";

/** An entry of a directory. */
export interface ListedEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** A directory as it was when it was opened, until the next one is. Its entries are numbered from 0. */
export interface Listing extends Disposable {
  readonly length: number;
  entryAt(at: number): ListedEntry;
  /** Whether there is an entry of this name, which is ASCII. */
  has(name: string): boolean;
  /** Whether the name of an entry begins with a dot. */
  isHidden(at: number): boolean;
  isDirectory(at: number): boolean;
  isLink(at: number): boolean;
  /** False also where the file system does not tell kinds. */
  isSocket(at: number): boolean;
  /**
   * Adds an entry with its signature, no link followed, to others; its kind, or undefined, with nothing added, unless
   * it is a file, a link or a directory whose name is text.
   */
  addTo(entries: PackedEntries, at: number): PathSignature["kind"] | undefined;
}

/** Opens one directory after the other. */
export interface DirectoryLister extends Disposable {
  /** Undefined if it may not be listed. */
  open(directory: string): Listing | undefined;
  /** The signature of a path, no link followed; undefined unless it is a file, a link or a directory. */
  signatureOf(path: string): PathSignature | undefined;
}

/** Gets a lister for a walk through a whole tree. */
export type OpenLister = () => Promise<DirectoryLister>;

/** The quickest lister there is, for many directories. */
export function openLister(): DirectoryLister {
  return NativeLister.open() ?? PORTABLE;
}

/** The path of an entry; quicker than `join`, which matters for every path of a large tree. */
export function childPath(directory: string, name: string): string {
  return directory.endsWith(sep) ? directory + name : directory + sep + name;
}

/** The names of the sockets among the entries. */
export function socketsIn(listing: Listing): string[] {
  const names: string[] = [];
  for (let at = 0; at < listing.length; at++) {
    if (listing.isSocket(at)) names.push(listing.entryAt(at).name);
  }
  return names;
}

/** The names of the links among the entries. */
export function linksIn(listing: Listing): string[] {
  const names: string[] = [];
  for (let at = 0; at < listing.length; at++) {
    if (listing.isLink(at)) names.push(listing.entryAt(at).name);
  }
  return names;
}

/** The names of the directories among the entries. */
export function directoriesIn(listing: Listing): string[] {
  const names: string[] = [];
  for (let at = 0; at < listing.length; at++) {
    if (listing.isDirectory(at)) names.push(listing.entryAt(at).name);
  }
  return names;
}

/** Lists through Deno. */
export const PORTABLE: DirectoryLister = {
  open(directory) {
    let entries: Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(directory)];
    } catch {
      return undefined;
    }
    return {
      length: entries.length,
      entryAt: (at) => entries[at]!,
      has: (name) => entries.some((entry) => entry.name === name),
      isHidden: (at) => entries[at]!.name.startsWith("."),
      isDirectory: (at) => entries[at]!.isDirectory,
      isLink: (at) => entries[at]!.isSymlink,
      isSocket: (at) => {
        const { name, isDirectory, isFile, isSymlink } = entries[at]!;
        return !isDirectory && !isFile && !isSymlink &&
          tryLstat(childPath(directory, name))?.isSocket === true;
      },
      addTo(others, at) {
        const { name } = entries[at]!;
        const signature = signatureOf(childPath(directory, name));
        if (signature !== undefined) others.add(name, signature);
        return signature?.kind;
      },
      [Symbol.dispose]() {},
    };
  },
  signatureOf,
  [Symbol.dispose]() {},
};

const SYMBOLS = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  getdents64: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  statx: { parameters: ["i32", "buffer", "i32", "u32", "buffer"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

const O_CLOEXEC = 0o2000000;
const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const STATX_BASIC_STATS = 0x7ff;
/** Bytes for entries that are read at once. */
const ENTRIES_BYTES = 65_536;
/** Bytes of the longest path that Linux takes, with its NUL. */
const PATH_BYTES = 4096;
const STATX_BYTES = 256;

/** An entry as `getdents64` gives it: where its length, its type and its name are. */
const DIRENT = { LENGTH: 16, TYPE: 18, NAME: 19 } as const;
/** Types of entries. */
const DT = { UNKNOWN: 0, DIRECTORY: 4, LINK: 10, SOCKET: 12 } as const;
const DOT = 46;
const KINDS: ReadonlyMap<number, PathSignature["kind"]> = new Map([
  [0o040000, "directory"],
  [0o100000, "file"],
  [0o120000, "link"],
]);

/** Lists through Linux's C library. */
class NativeLister implements DirectoryLister {
  readonly #library: Deno.DynamicLibrary<typeof SYMBOLS>;
  readonly #path = new Uint8Array(PATH_BYTES);
  readonly #stats = new DataView(new ArrayBuffer(STATX_BYTES));
  readonly #encoder = new TextEncoder();
  #entries = new Uint8Array(ENTRIES_BYTES);

  private constructor(library: Deno.DynamicLibrary<typeof SYMBOLS>) {
    this.#library = library;
  }

  /** Undefined where there is no such library, or where native code may not be called. */
  static open(): NativeLister | undefined {
    if (Deno.build.os !== "linux") return undefined;
    if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return undefined;
    try {
      return new NativeLister(Deno.dlopen("libc.so.6", SYMBOLS));
    } catch {
      return undefined;
    }
  }

  open(directory: string): Listing | undefined {
    const { symbols } = this.#library;
    const { O_RDONLY, O_DIRECTORY } = openFlags();
    const flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    const fd = this.#encode(directory) ? symbols.open(this.#path, flags) : -1;
    if (fd < 0) return undefined;
    const end = this.#readEntries(fd);
    if (end === undefined) {
      symbols.close(fd);
      return undefined;
    }
    return new NativeListing(this.#entries, {
      end,
      stat: (at) => this.#stat(fd, at),
      close: () => void symbols.close(fd),
    });
  }

  signatureOf(path: string): PathSignature | undefined {
    return this.#encode(path) ? this.#statPath(AT_FDCWD) : undefined;
  }

  [Symbol.dispose](): void {
    this.#library.close();
  }

  /** Reads all entries of an open directory; where they end, undefined if they cannot be read. */
  #readEntries(fd: number): number | undefined {
    const { symbols } = this.#library;
    for (let end = 0;;) {
      if (this.#entries.length - end < ENTRIES_BYTES / 2) {
        const larger = new Uint8Array(2 * this.#entries.length);
        larger.set(this.#entries);
        this.#entries = larger;
      }
      const room = end === 0 ? this.#entries : this.#entries.subarray(end);
      const count = Number(symbols.getdents64(fd, room, BigInt(room.length)));
      if (count < 0) return undefined;
      if (count === 0) return end;
      end += count;
    }
  }

  /** The signature of the entry whose name lies at a place. */
  #stat(fd: number, start: number): PathSignature | undefined {
    // The library takes a part of a buffer only as an object of its own, which takes longer than the copy.
    const bytes = this.#entries;
    const path = this.#path;
    let length = 0;
    for (let byte = bytes[start]!; byte !== 0; byte = bytes[start + length]!) path[length++] = byte;
    path[length] = 0;
    return this.#statPath(fd);
  }

  /** The signature of the path in the buffer, which may begin at an open directory. */
  #statPath(fd: number): PathSignature | undefined {
    const { symbols: { statx } } = this.#library;
    const stats = this.#stats;
    if (statx(fd, this.#path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, stats) !== 0) {
      return undefined;
    }
    const mode = stats.getUint16(0x1c, true);
    const kind = KINDS.get(mode & 0o170000);
    if (kind === undefined) return undefined;
    return {
      kind,
      mode: mode & 0o7777,
      size: uint64(stats, 0x28),
      modified: seconds(stats, 0x70) * 1000 + Math.floor(stats.getUint32(0x78, true) / 1e6),
      changed: seconds(stats, 0x60) * 1000,
      inode: uint64(stats, 0x20),
      names: stats.getUint32(0x10, true),
    };
  }

  /** Puts a path with its NUL where the library reads it; false if it is longer than a path can be. */
  #encode(path: string): boolean {
    const { read, written } = this.#encoder.encodeInto(path, this.#path);
    if (read < path.length || written >= PATH_BYTES) return false;
    this.#path[written] = 0;
    return true;
  }
}

/** What a listing is made of. */
interface OpenDirectory {
  /** Where its entries end. */
  readonly end: number;
  /** The signature of the entry whose name begins at a place. */
  readonly stat: (start: number) => PathSignature | undefined;
  readonly close: () => void;
}

/** The entries of an open directory, as the kernel wrote them. */
class NativeListing implements Listing {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #directory: OpenDirectory;
  /** Where the entries begin. */
  readonly #starts: number[] = [];

  constructor(bytes: Uint8Array<ArrayBuffer>, directory: OpenDirectory) {
    this.#bytes = bytes;
    this.#directory = directory;
    for (let at = 0; at < directory.end;) {
      if (!isDots(bytes, at + DIRENT.NAME)) this.#starts.push(at);
      at += bytes[at + DIRENT.LENGTH]! + bytes[at + DIRENT.LENGTH + 1]! * 256;
    }
  }

  get length(): number {
    return this.#starts.length;
  }

  entryAt(at: number): ListedEntry {
    const start = this.#starts[at]! + DIRENT.NAME;
    const name = decodeName(this.#bytes, { start, end: this.#bytes.indexOf(0, start) });
    return { name, isDirectory: this.isDirectory(at) };
  }

  has(name: string): boolean {
    return this.#starts.some((start) => isNamed(this.#bytes, start + DIRENT.NAME, name));
  }

  isHidden(at: number): boolean {
    return this.#bytes[this.#starts[at]! + DIRENT.NAME] === DOT;
  }

  isDirectory(at: number): boolean {
    return this.#is(at, DT.DIRECTORY, "directory");
  }

  isLink(at: number): boolean {
    return this.#is(at, DT.LINK, "link");
  }

  #is(at: number, wanted: number, kind: PathSignature["kind"]): boolean {
    const start = this.#starts[at]!;
    const type = this.#bytes[start + DIRENT.TYPE];
    return type === wanted ||
      (type === DT.UNKNOWN && this.#directory.stat(start + DIRENT.NAME)?.kind === kind);
  }

  isSocket(at: number): boolean {
    return this.#bytes[this.#starts[at]! + DIRENT.TYPE] === DT.SOCKET;
  }

  addTo(entries: PackedEntries, at: number): PathSignature["kind"] | undefined {
    const bytes = this.#bytes;
    const start = this.#starts[at]! + DIRENT.NAME;
    const signature = this.#directory.stat(start);
    if (signature === undefined) return undefined;
    let end = start;
    let bits = 0;
    for (; bytes[end] !== 0; end++) bits |= bytes[end]!;
    if (bits >= 0x80 && !isText(bytes.subarray(start, end))) return undefined;
    entries.addEncoded({ bytes, start, end }, signature);
    return signature.kind;
  }

  [Symbol.dispose](): void {
    this.#directory.close();
  }
}

/** Whether the name that begins at a place is this one, which is ASCII. */
function isNamed(bytes: Uint8Array, start: number, name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    if (bytes[start + at] !== name.charCodeAt(at)) return false;
  }
  return bytes[start + name.length] === 0;
}

/** Whether a name is `.` or `..`. */
function isDots(bytes: Uint8Array, start: number): boolean {
  if (bytes[start] !== DOT) return false;
  return bytes[start + 1] === 0 || (bytes[start + 1] === DOT && bytes[start + 2] === 0);
}

const DECODER_OPTIONS = { ignoreBOM: true };
/** A name of so few bytes is made of its characters more quickly than it is decoded. */
const FEW_BYTES = 64;

function decodeName(
  bytes: Uint8Array<ArrayBuffer>,
  { start, end }: { start: number; end: number },
): string {
  let name = "";
  if (end - start <= FEW_BYTES) {
    let at = start;
    for (; at < end && bytes[at]! < 0x80; at++) name += String.fromCharCode(bytes[at]!);
    if (at === end) return name;
  }
  return new TextDecoder("utf-8", DECODER_OPTIONS).decode(bytes.subarray(start, end));
}

function isText(bytes: Uint8Array<ArrayBuffer>): boolean {
  try {
    new TextDecoder("utf-8", { ...DECODER_OPTIONS, fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function uint64(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

/** A time's seconds since the epoch. */
function seconds(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}
