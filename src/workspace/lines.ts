/**
 * Reads some lines of a file as a stream, so that a file of any size costs little memory. A scan to the end also
 * hashes the file, so that it counts as read.
 */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { ToolError } from "../core/errors.ts";
import type { LineRange } from "../core/files.ts";
import { splitLines } from "../lib/text.ts";
import { type ChunkDecoder, createChunkDecoder } from "./decode.ts";

const CHUNK_BYTES = 65_536;
/** Characters that the lines of one call may hold together. */
const MAX_COLLECTED = 32 * 1024 * 1024;

/** Lines found in a stream. */
interface ScannedLines {
  readonly lines: readonly string[];
  /** Lines in the file; absent if the scan stopped early. */
  readonly total?: number;
  /** SHA-256 of the file's bytes; absent if the scan stopped early. */
  readonly hash?: string;
}

/**
 * Reads the lines of a range; with `toEnd` false the scan stops once it has them.
 * @throws {ToolError} user: the lines are too long to hold
 */
export async function scanLines(
  handle: FileHandle,
  range: LineRange,
  options: { toEnd: boolean },
): Promise<ScannedLines> {
  const hash = createHash("sha256");
  const collector = new LineCollector(range);
  const buffer = new Uint8Array(CHUNK_BYTES);
  let decode: ChunkDecoder | undefined;
  while (options.toEnd || !collector.complete) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES);
    const piece = buffer.subarray(0, bytesRead);
    decode ??= await createChunkDecoder(piece);
    collector.push(decode(piece, bytesRead === 0));
    if (bytesRead === 0) {
      return { lines: collector.lines, total: collector.end(), hash: hash.digest("hex") };
    }
    hash.update(piece);
  }
  return { lines: collector.lines };
}

/** The lines of a range of a text that is held already. */
export function sliceLines(text: string, range: LineRange): { lines: string[]; total: number } {
  const all = splitLines(text);
  const start = firstLine(range) - 1;
  return {
    lines: all.slice(start, range.limit > 0 ? start + range.limit : undefined),
    total: all.length,
  };
}

/** The first line of a range, 1-based; an offset of 0 means the first. */
export function firstLine(range: LineRange): number {
  return Math.max(1, range.offset);
}

/** Takes a text piece by piece and keeps the lines of a range; ends are `\n`, `\r\n` or `\r`. */
class LineCollector {
  readonly lines: string[] = [];
  readonly #first: number;
  readonly #last: number;
  /** Number of the line being collected. */
  #number = 1;
  #begun = false;
  #text = "";
  #afterReturn = false;
  #collected = 0;

  constructor(range: LineRange) {
    this.#first = firstLine(range);
    this.#last = range.limit > 0 ? this.#first + range.limit - 1 : Infinity;
  }

  get complete(): boolean {
    return this.#number > this.#last;
  }

  push(piece: string): void {
    if (piece === "") return;
    let at = this.#afterReturn && piece.startsWith("\n") ? 1 : 0;
    const ends = /\r\n|\n|\r/g;
    ends.lastIndex = at;
    for (let end = ends.exec(piece); end !== null; end = ends.exec(piece)) {
      this.#add(piece.slice(at, end.index));
      this.#close();
      at = ends.lastIndex;
    }
    this.#afterReturn = piece.endsWith("\r");
    if (at < piece.length) this.#add(piece.slice(at));
  }

  /** Closes the last line and returns how many there were. */
  end(): number {
    if (this.#begun) this.#close();
    return this.#number - 1;
  }

  #add(text: string): void {
    this.#begun = true;
    if (this.#number < this.#first || this.#number > this.#last) return;
    this.#collected += text.length;
    if (this.#collected > MAX_COLLECTED) {
      throw new ToolError(
        `Cannot hold lines ${this.#first} to ${this.#number}: they are too long.`,
        {
          kind: "user",
          suggestion: "Ask for fewer lines, or cut them with a command such as cut -c1-2000.",
        },
      );
    }
    this.#text += text;
  }

  #close(): void {
    if (this.#number >= this.#first && this.#number <= this.#last) this.lines.push(this.#text);
    this.#text = "";
    this.#begun = false;
    this.#number++;
  }
}
