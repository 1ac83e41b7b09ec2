/**
 * What is kept of a program's output: an excerpt in bounded memory, and the whole in a file once it is too
 * long for that.
 */
import { Excerpt } from "./excerpt.ts";
import { PrivateFile } from "./fs.ts";
import { formatBytes, messageOf } from "./text.ts";

/** Bytes after which a log file is closed, so that a runaway program cannot fill the disk. */
const MAX_LOG = 2 ** 30;
const LINE_END = 10;

/** How much of an output is kept, and who gets it as it comes. */
export interface CaptureOptions {
  /** Gets the decoded output as it arrives. */
  readonly onOutput?: ((chunk: string) => void) | undefined;
  /** Characters kept; beyond that the middle is cut. @default 30000 */
  readonly maxOutput?: number | undefined;
  /** File made (0600, directory 0700) for the whole output as soon as it is too long to keep. */
  readonly logPath?: string | undefined;
}

/** Output as far as it was kept. */
export interface CapturedOutput {
  readonly output: string;
  /** True if the middle of the output was cut. */
  readonly truncated: boolean;
  /** Of the whole output; set if it was cut. */
  readonly lines?: number;
  readonly logPath?: string;
}

/** Receives the output piece by piece. */
export class Capture {
  readonly #excerpt: Excerpt;
  readonly #onOutput: ((chunk: string) => void) | undefined;
  readonly #log: Log | undefined;
  #lineEnds = 0;
  #endsLine = true;

  constructor(options: CaptureOptions) {
    this.#excerpt = new Excerpt(options.maxOutput ?? 30_000);
    this.#onOutput = options.onOutput;
    this.#log = options.logPath === undefined ? undefined : new Log(options.logPath);
  }

  /** No bytes at all end a stream. */
  add(bytes: Uint8Array<ArrayBuffer>, decoder: TextDecoder): void {
    const text = decoder.decode(bytes, { stream: bytes.length > 0 });
    this.#excerpt.add(text);
    this.#lineEnds += countLineEnds(bytes);
    if (bytes.length > 0) this.#endsLine = bytes.at(-1) === LINE_END;
    this.#log?.add(bytes, this.#excerpt.isCut);
    if (text !== "") this.#onOutput?.(text);
  }

  /** What is kept by now. */
  result(): CapturedOutput {
    const log = this.#excerpt.isCut ? this.#log : undefined;
    return {
      output: this.#excerpt.text(log?.note),
      truncated: this.#excerpt.isCut,
      ...(this.#excerpt.isCut && { lines: this.#lineEnds + (this.#endsLine ? 0 : 1) }),
      ...(log?.isAvailable && { logPath: log.path }),
    };
  }

  /** Closes the log, when no more output will come. */
  close(): void {
    this.#log?.close();
  }
}

/** An iterator takes ten times as long, and a program may write gigabytes. */
function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === LINE_END) count++;
  return count;
}

/** The whole output: held while it is short, from then on written to a file byte by byte. */
class Log {
  readonly path: string;
  #buffered: Uint8Array<ArrayBuffer>[] = [];
  #file: PrivateFile | undefined;
  #size = 0;
  #problem: string | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Whether the file is there and worth naming. */
  get isAvailable(): boolean {
    return this.#problem === undefined;
  }

  /** Where the whole is, or why it is not. */
  get note(): string {
    if (this.#problem !== undefined) return `the whole could not be kept: ${this.#problem}`;
    const what = this.#size >= MAX_LOG ? `the first ${formatBytes(MAX_LOG)}` : "the whole output";
    return `${what} is in ${this.path}`;
  }

  /** Takes a chunk; `long` says that the output has become too long to be held. */
  add(bytes: Uint8Array<ArrayBuffer>, long: boolean): void {
    if (this.#problem !== undefined || this.#size >= MAX_LOG) return;
    if (!long) {
      this.#buffered.push(bytes.slice());
      return;
    }
    try {
      this.#file ??= PrivateFile.create(this.path);
      for (const chunk of [...this.#buffered, bytes]) this.#write(this.#file, chunk);
      this.#buffered = [];
    } catch (error) {
      this.#problem = messageOf(error);
      this.#buffered = [];
      // Half a log misleads and takes room on a full disk.
      this.#file?.discard();
      this.#file = undefined;
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #write(file: PrivateFile, bytes: Uint8Array<ArrayBuffer>): void {
    const part = bytes.subarray(0, MAX_LOG - this.#size);
    this.#size += part.length;
    file.append(part);
  }
}
