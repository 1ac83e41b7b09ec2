/**
 * The lines of a session's file, whatever has become of it: read piece by piece, so that a line without
 * end costs a bounded part of the memory and no other line.
 */

/** Bytes of the longest line that is read. */
const MAX_LINE = 64 * 1024 * 1024;
const CHUNK = 64 * 1024;
const LINE_END = 10;

/** What a file holds, as far as it can be read. */
export interface SessionLines {
  readonly lines: readonly string[];
  /** Lines that were too long to be read. */
  readonly overlong: number;
  /** True if the last line has no line end. */
  readonly torn: boolean;
}

/** Reads a file's lines, or those that end within its first `most` bytes. @throws {Error} it cannot be read */
export async function readLines(
  path: string,
  { most = Infinity }: { most?: number } = {},
): Promise<SessionLines> {
  using file = await Deno.open(path);
  const collector = new Collector();
  const buffer = new Uint8Array(CHUNK);
  for (let total = 0; total < most;) {
    const count = await file.read(buffer);
    if (count === null) return collector.end();
    collector.add(buffer.subarray(0, count));
    total += count;
  }
  return collector.lines;
}

/** Puts lines together from pieces. */
class Collector {
  readonly #lines: string[] = [];
  #overlong = 0;
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #length = 0;

  get lines(): SessionLines {
    return { lines: this.#lines, overlong: this.#overlong, torn: false };
  }

  add(bytes: Uint8Array<ArrayBuffer>): void {
    let start = 0;
    for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, start)) {
      this.#keep(bytes.subarray(start, at));
      this.#finish();
      start = at + 1;
    }
    this.#keep(bytes.subarray(start));
  }

  end(): SessionLines {
    const torn = this.#length > 0;
    if (torn) this.#finish();
    return { ...this.lines, torn };
  }

  #keep(piece: Uint8Array<ArrayBuffer>): void {
    this.#length += piece.length;
    if (this.#length > MAX_LINE) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece.slice());
  }

  #finish(): void {
    if (this.#length > MAX_LINE) {
      this.#overlong++;
    } else {
      const decoder = new TextDecoder();
      const parts = this.#pieces.map((piece) => decoder.decode(piece, { stream: true }));
      this.#lines.push(parts.join("") + decoder.decode());
    }
    this.#pieces = [];
    this.#length = 0;
  }
}
