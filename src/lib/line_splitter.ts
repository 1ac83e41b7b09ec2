/**
 * Cuts bytes that arrive in pieces into lines of bounded length: what has no line end costs a bounded part of the
 * memory.
 */

const LINE_END = 10;

/** What lines may be, and who gets them. */
interface LineOptions {
  /** Bytes that a line may have. */
  readonly maxBytes: number;
  /** Gets each line without its end, empty ones too. */
  readonly onLine: (line: string) => void;
  /** Called once for each line that is longer, as soon as that is known; it is left out. May throw. */
  readonly onOverlong?: () => void;
}

/** Puts lines together from pieces. */
export class LineSplitter {
  readonly #options: LineOptions;
  /** The beginning of a line whose end is yet to come. */
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Takes the next bytes; the caller may use their memory again. */
  push(bytes: Uint8Array): void {
    let start = 0;
    for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, start)) {
      this.#add(bytes.subarray(start, at));
      this.#finish();
      start = at + 1;
    }
    if (start < bytes.length) this.#add(bytes.slice(start));
  }

  /** Hands over what follows the last line end; false if nothing does. */
  end(): boolean {
    if (this.#length === 0) return false;
    this.#finish();
    return true;
  }

  #add(piece: Uint8Array): void {
    const { maxBytes, onOverlong } = this.#options;
    const wasOverlong = this.#length > maxBytes;
    this.#length += piece.length;
    if (this.#length <= maxBytes) {
      this.#pieces.push(piece);
    } else if (!wasOverlong) {
      this.#pieces = [];
      onOverlong?.();
    }
  }

  #finish(): void {
    const pieces = this.#pieces;
    const overlong = this.#length > this.#options.maxBytes;
    this.#pieces = [];
    this.#length = 0;
    if (overlong) return;
    const decoder = new TextDecoder();
    const parts = pieces.map((piece) => decoder.decode(piece, { stream: true }));
    this.#options.onLine(parts.join("") + decoder.decode());
  }
}

/** Cuts a stream into lines, to its end. @throws what `onOverlong` throws, and the stream is cancelled */
export async function splitStream(
  stream: AsyncIterable<Uint8Array>,
  options: LineOptions,
): Promise<void> {
  const splitter = new LineSplitter(options);
  for await (const bytes of stream) splitter.push(bytes);
  splitter.end();
}
