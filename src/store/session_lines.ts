/**
 * The lines of a session's file, whatever has become of it: a line too long to be read costs no other line.
 */
import { LineSplitter } from "../lib/line_splitter.ts";

/** Bytes of the longest line that is read. */
const MAX_LINE = 64 * 1024 * 1024;
const CHUNK = 512 * 1024;

/** What reading a file to its end has shown. */
export interface LineCounts {
  /** Lines that were too long to be read. */
  readonly overlong: number;
  /** True if the last line has no line end. */
  readonly unterminated: boolean;
}

/** Hands over a file's lines one after the other: none is kept here. @throws {Error} it cannot be read */
export async function forEachLine(
  path: string,
  onLine: (line: string) => void,
): Promise<LineCounts> {
  using file = await Deno.open(path);
  let overlong = 0;
  const splitter = new LineSplitter({ maxBytes: MAX_LINE, onLine, onOverlong: () => overlong++ });
  const buffer = new Uint8Array(CHUNK);
  for (;;) {
    const count = await file.read(buffer);
    if (count === null) return { unterminated: splitter.end(), overlong };
    splitter.push(buffer.subarray(0, count));
  }
}
