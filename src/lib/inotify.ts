/**
 * Linux's inotify through the C library: events of single directories in the order in which they happened, none lost
 * without a word. `Deno.watchFs` cannot be used where that matters: it drops events that are not read at once, and
 * does not tell when the kernel's queue overflowed.
 */

/** What an event says, and what a watch asks for. */
export const IN = {
  MODIFY: 0x2,
  ATTRIB: 0x4,
  CLOSE_WRITE: 0x8,
  MOVED_FROM: 0x40,
  MOVED_TO: 0x80,
  CREATE: 0x100,
  DELETE: 0x200,
  UNMOUNT: 0x2000,
  Q_OVERFLOW: 0x4000,
  IGNORED: 0x8000,
  ONLYDIR: 0x1000000,
  DONT_FOLLOW: 0x2000000,
  ISDIR: 0x40000000,
} as const;

const IN_NONBLOCK = 0o4000;
const IN_CLOEXEC = 0o2000000;
const FIONREAD = 0x541bn;
const BUFFER_BYTES = 65_536;
const HEADER_BYTES = 16;
/** Bytes of the longest path that Linux takes, with its NUL. */
const PATH_BYTES = 4096;

const SYMBOLS = {
  inotify_init1: { parameters: ["i32"], result: "i32" },
  inotify_add_watch: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  // The kernel lets it wait some 10 ms.
  close: { parameters: ["i32"], result: "i32", nonblocking: true },
} as const satisfies Deno.ForeignLibraryInterface;

/** One event. */
export interface InotifyEvent {
  /** Number of the watch, -1 for an overflow. */
  readonly watch: number;
  /** Bits of `IN`. */
  readonly mask: number;
  /** The same for both events of a rename. */
  readonly cookie: number;
  /** Name of the entry; empty for the directory itself. */
  readonly name: string;
}

/** One queue of events. */
export class Inotify {
  readonly #library: Deno.DynamicLibrary<typeof SYMBOLS>;
  readonly #descriptor: number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  readonly #path = new Uint8Array(PATH_BYTES);
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  private constructor(library: Deno.DynamicLibrary<typeof SYMBOLS>, descriptor: number) {
    this.#library = library;
    this.#descriptor = descriptor;
  }

  /** Opens a queue; undefined where there is no inotify, where native code may not be called, or at a limit. */
  static open(): Inotify | undefined {
    if (Deno.build.os !== "linux") return undefined;
    if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return undefined;
    let library: Deno.DynamicLibrary<typeof SYMBOLS>;
    try {
      library = Deno.dlopen("libc.so.6", SYMBOLS);
    } catch {
      return undefined;
    }
    const descriptor = library.symbols.inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (descriptor >= 0) return new Inotify(library, descriptor);
    library.close();
    return undefined;
  }

  /** Watches a directory, or changes what is asked of it; the watch's number, or undefined if that failed. */
  add(directory: string, mask: number): number | undefined {
    const { read, written } = this.#encoder.encodeInto(directory, this.#path);
    if (read < directory.length || written === PATH_BYTES) return undefined;
    this.#path[written] = 0;
    const watch = this.#library.symbols.inotify_add_watch(this.#descriptor, this.#path, mask);
    return watch < 0 ? undefined : watch;
  }

  /** All events so far; what a process did before it ended is among them. @throws {Error} they cannot be read */
  *read(): Generator<InotifyEvent> {
    while (this.#available() > 0) {
      const { symbols } = this.#library;
      const count = Number(symbols.read(this.#descriptor, this.#buffer, BigInt(BUFFER_BYTES)));
      if (count <= 0) throw new Error("inotify's events cannot be read");
      yield* this.#parse(count);
    }
  }

  /** Ends all watches. */
  close(): void {
    void this.#library.symbols.close(this.#descriptor).then(() => this.#library.close());
  }

  #available(): number {
    const count = new Int32Array(1);
    const bytes = new Uint8Array(count.buffer);
    if (this.#library.symbols.ioctl(this.#descriptor, FIONREAD, bytes) < 0) {
      throw new Error("inotify's queue cannot be looked at");
    }
    return count[0] ?? 0;
  }

  *#parse(count: number): Generator<InotifyEvent> {
    const view = new DataView(this.#buffer.buffer);
    for (let at = 0; at < count;) {
      const length = view.getUint32(at + 12, true);
      const start = at + HEADER_BYTES;
      const padded = this.#buffer.subarray(start, start + length);
      const end = padded.indexOf(0);
      yield {
        watch: view.getInt32(at, true),
        mask: view.getUint32(at + 4, true),
        cookie: view.getUint32(at + 8, true),
        name: this.#decoder.decode(end < 0 ? padded : padded.subarray(0, end)),
      };
      at = start + length;
    }
  }
}
