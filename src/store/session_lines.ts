/**
 * The lines of a session's file, whatever has become of it: read piece by piece, so that a line without
 * end costs a bounded part of the memory and no other line.
 */

/** Bytes of the longest line that is read. */
const MAX_LINE = 64 * 1024 * 1024;
const CHUNK = 512 * 1024;
const LINE_END = 10;

/** What a file holds, as far as it can be read. */
export interface SessionLines {
  readonly lines: readonly string[];
  /** Lines that were too long to be read. */
  readonly overlong: number;
  /** True if the last line has no line end. */
  readonly unterminated: boolean;
}

/** Reads a file's lines. @throws {Error} it cannot be read */
export async function readLines(path: string): Promise<SessionLines> {
  const lines: string[] = [];
  return { lines, ...await forEachLine(path, (line) => lines.push(line)) };
}

/** Hands over a file's lines one after the other: none is kept here. @throws {Error} it cannot be read */
export async function forEachLine(
  path: string,
  onLine: (line: string) => void,
): Promise<Omit<SessionLines, "lines">> {
  using file = await Deno.open(path);
  const collector = new LineAssembler(onLine);
  const buffer = new Uint8Array(CHUNK);
  for (;;) {
    const count = await file.read(buffer);
    if (count === null) return collector.end();
    collector.add(buffer.subarray(0, count));
  }
}

/** Puts lines together from pieces. */
class LineAssembler {
  readonly #onLine: (line: string) => void;
  #overlong = 0;
  /** The beginning of a line whose end is yet to come. */
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #length = 0;

  constructor(take: (line: string) => void) {
    this.#onLine = take;
  }

  add(bytes: Uint8Array<ArrayBuffer>): void {
    let start = 0;
    for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, start)) {
      this.#finish(bytes.subarray(start, at));
      start = at + 1;
    }
    this.#addPiece(bytes.subarray(start).slice());
  }

  end(): Omit<SessionLines, "lines"> {
    const unterminated = this.#length > 0;
    if (unterminated) this.#finish(new Uint8Array());
    return { overlong: this.#overlong, unterminated };
  }

  #addPiece(piece: Uint8Array<ArrayBuffer>): void {
    this.#length += piece.length;
    if (this.#length > MAX_LINE) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #finish(last: Uint8Array<ArrayBuffer>): void {
    this.#addPiece(last);
    if (this.#length > MAX_LINE) {
      this.#overlong++;
    } else {
      const decoder = new TextDecoder();
      const parts = this.#pieces.map((piece) => decoder.decode(piece, { stream: true }));
      this.#onLine(parts.join("") + decoder.decode());
    }
    this.#pieces = [];
    this.#length = 0;
  }
}
