/**
 * The file of a recording: new, for its owner's eyes only, a line at a time. Inside the workspace the model
 * would find it in its searches, and a replay would differ: there it is written elsewhere and moved at the end.
 */
import { dirname } from "node:path";
import { UsageError } from "../core/errors.ts";
import { exists, reasonOf, reasonTaken, tryLstat } from "../lib/fs.ts";

/** Where a recording is written, and who learns about problems. */
interface RecordingFileOptions {
  /** Where the lines are written until the end. @default the file itself */
  readonly temporaryPath?: string | undefined;
  /** Told once that a line cannot be written. */
  readonly onProblem: (message: string) => void;
}

/** One recording being written. */
export class RecordingFile {
  readonly #path: string;
  readonly #temporaryPath: string | undefined;
  readonly #onProblem: (message: string) => void;
  #file: Deno.FsFile | undefined;

  /** @throws {UsageError} there is such a file, or it cannot be made */
  constructor(path: string, { temporaryPath, onProblem }: RecordingFileOptions) {
    this.#path = path;
    this.#temporaryPath = temporaryPath;
    this.#onProblem = onProblem;
    const info = tryLstat(path);
    if (info !== undefined) throw cannotRecord(path, reasonTaken(info));
    if (!exists(dirname(path))) throw cannotRecord(path, `there is no directory ${dirname(path)}`);
    try {
      if (temporaryPath) Deno.mkdirSync(dirname(temporaryPath), { recursive: true, mode: 0o700 });
      this.#file = create(temporaryPath ?? path);
    } catch (cause) {
      throw cannotRecord(path, reasonOf(cause), cause);
    }
  }

  /** Writes one line; warns once if the disk is full. */
  append(line: string): void {
    if (this.#file === undefined) return;
    try {
      let bytes = new TextEncoder().encode(`${line}\n`);
      while (bytes.length > 0) bytes = bytes.subarray(this.#file.writeSync(bytes));
    } catch (error) {
      this.#file.close();
      this.#file = undefined;
      this.#onProblem(`The recording ${this.#path} ends here: ${reasonOf(error)}`);
    }
  }

  /** Puts the file in its place. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
    const from = this.#temporaryPath;
    if (from === undefined || !exists(from)) return;
    try {
      create(this.#path).close();
      try {
        Deno.renameSync(from, this.#path);
      } catch {
        // Another file system.
        Deno.copyFileSync(from, this.#path);
        Deno.removeSync(from);
      }
    } catch (error) {
      this.#onProblem(`The recording stays in ${from}: ${reasonOf(error)}`);
    }
  }
}

function create(path: string): Deno.FsFile {
  return Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
}

function cannotRecord(path: string, why: string, cause?: unknown): UsageError {
  return new UsageError(`Cannot record to ${path}: ${why}.`, { cause });
}
