/**
 * A stream of bytes as lines of bounded length. The host reads a plugin's process with it.
 */

/** How lines are read. */
export interface LineOptions {
  /** Bytes that a line may have. */
  readonly max: number;
  readonly onLine: (line: string) => void;
}

/** Reads to the end. @throws {RangeError} a line is longer than it may be */
export async function readLines(
  stream: ReadableStream<Uint8Array>,
  { max, onLine }: LineOptions,
): Promise<void> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const bytes of stream) {
    const parts = decoder.decode(bytes, { stream: true }).split("\n");
    for (const [index, part] of parts.entries()) {
      length += part.length;
      if (length > max) throw new RangeError(`A line has more than ${max} bytes`);
      pieces.push(part);
      if (index === parts.length - 1) continue;
      onLine(pieces.join(""));
      pieces = [];
      length = 0;
    }
  }
  if (length > 0) onLine(pieces.join(""));
}
