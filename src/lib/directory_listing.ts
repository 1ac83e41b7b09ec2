/**
 * Lists directories of a large tree, with the signatures of what lies in them. Through the C library, where that may
 * be called, an entry is looked up in its open directory, which takes a third of the time that Deno needs to look up
 * each path from the root anew. What is found is the same.
 */
import { sep } from "node:path";
import { PackedNames } from "./packed_names.ts";
import { openFlags } from "./open_flags.ts";
import { type PathSignature, signatureOf } from "./path_signature.ts";

/** An entry of a directory. */
export interface ListedEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** A directory as it was when it was opened. */
interface Listing extends Disposable {
  readonly entries: readonly ListedEntry[];
  /** The signature of an entry, no link followed; undefined unless it is a file, a link or a directory. */
  signatureOf(name: string): PathSignature | undefined;
}

/** Opens one directory after the other. */
export interface DirectoryLister extends Disposable {
  /** Undefined if it may not be listed. */
  open(directory: string): Listing | undefined;
}

/** The quickest lister there is, for many directories. */
export function openLister(): DirectoryLister {
  return NativeLister.open() ?? PORTABLE;
}

/** The path of an entry; quicker than `join`, which matters for every path of a large tree. */
export function childPath(directory: string, name: string): string {
  return directory.endsWith(sep) ? directory + name : directory + sep + name;
}

/** Lists through Deno. */
export const PORTABLE: DirectoryLister = {
  open(directory) {
    let entries: ListedEntry[];
    try {
      entries = [...Deno.readDirSync(directory)];
    } catch {
      return undefined;
    }
    return {
      entries,
      signatureOf: (name) => signatureOf(childPath(directory, name)),
      [Symbol.dispose]() {},
    };
  },
  [Symbol.dispose]() {},
};

const SYMBOLS = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  getdents64: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  statx: { parameters: ["i32", "buffer", "i32", "u32", "buffer"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

const O_CLOEXEC = 0o2000000;
const AT_SYMLINK_NOFOLLOW = 0x100;
const STATX_BASIC_STATS = 0x7ff;
/** Bytes for entries that are read at once. */
const ENTRIES_BYTES = 65_536;
/** Bytes of the longest path that Linux takes, with its NUL. */
const PATH_BYTES = 4096;
const STATX_BYTES = 256;

/** Types of entries, as `getdents64` gives them. */
const DT = { UNKNOWN: 0, DIRECTORY: 4 } as const;
const KINDS: ReadonlyMap<number, PathSignature["kind"]> = new Map([
  [0o040000, "directory"],
  [0o100000, "file"],
  [0o120000, "link"],
]);

/** Lists through Linux's C library. */
class NativeLister implements DirectoryLister {
  readonly #library: Deno.DynamicLibrary<typeof SYMBOLS>;
  readonly #entries = new Uint8Array(ENTRIES_BYTES);
  readonly #path = new Uint8Array(PATH_BYTES);
  readonly #stats = new DataView(new ArrayBuffer(STATX_BYTES));
  readonly #encoder = new TextEncoder();
  readonly #names = new PackedNames();

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
    const entries: ListedEntry[] = [];
    for (;;) {
      const count = Number(symbols.getdents64(fd, this.#entries, BigInt(ENTRIES_BYTES)));
      if (count === 0) break;
      if (count > 0) this.#parse(count, { fd, into: entries });
      else {
        symbols.close(fd);
        return undefined;
      }
    }
    return {
      entries,
      signatureOf: (name) => this.#signatureOf(fd, name),
      [Symbol.dispose]: () => void symbols.close(fd),
    };
  }

  [Symbol.dispose](): void {
    this.#library.close();
  }

  #parse(count: number, { fd, into }: { fd: number; into: ListedEntry[] }): void {
    const bytes = this.#entries;
    const types: number[] = [];
    for (let at = 0; at < count; at += bytes[at + 16]! + bytes[at + 17]! * 256) {
      this.#names.add(bytes, at + 19);
      types.push(bytes[at + 18]!);
    }
    for (const [index, name] of this.#names.take().entries()) {
      if (name === "." || name === "..") continue;
      const type = types[index];
      const isDirectory = type === DT.DIRECTORY ||
        (type === DT.UNKNOWN && this.#signatureOf(fd, name)?.kind === "directory");
      into.push({ name, isDirectory });
    }
  }

  #signatureOf(fd: number, name: string): PathSignature | undefined {
    const stats = this.#stats;
    if (!this.#encode(name)) return undefined;
    const { symbols: { statx } } = this.#library;
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
    const length = this.#encodePlain(path) ?? this.#encodeAny(path);
    if (length === undefined || length >= PATH_BYTES) return false;
    this.#path[length] = 0;
    return true;
  }

  /** The length of an ASCII path, as nearly all are; undefined of others, and of what is too long. */
  #encodePlain(path: string): number | undefined {
    if (path.length >= PATH_BYTES) return undefined;
    for (let at = 0; at < path.length; at++) {
      const code = path.charCodeAt(at);
      if (code >= 0x80) return undefined;
      this.#path[at] = code;
    }
    return path.length;
  }

  #encodeAny(path: string): number | undefined {
    const { read, written } = this.#encoder.encodeInto(path, this.#path);
    return read < path.length ? undefined : written;
  }
}

function uint64(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

/** A time's seconds since the epoch. */
function seconds(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}
