/**
 * The file of a receipt while it is being written: a line at a time, for its owner's eyes only, at once on the disk,
 * so that a run that is killed leaves all that it had done. Whoever else changes or removes the file is found out:
 * the next line says so, and the file is written again. The hashes are kept in ally's own folder too, where the agent
 * cannot write: a whole chain that somebody else made is not taken for ally's.
 */
import * as fs from "node:fs";
import { UsageError } from "../core/errors.ts";
import {
  mayRead,
  PrivateFile,
  reasonNotMade,
  reasonOf,
  reasonTaken,
  requireWrite,
  sha256,
  tryLstat,
} from "../lib/fs.ts";
import { openFlags } from "../lib/directory_handle.ts";
import { type PathSignature, signatureOf } from "../lib/path_signature.ts";
import type { JsonObject } from "../lib/schema.ts";
import { addLink, EMPTY_CHAIN, type Link } from "./chain.ts";

/** Where a receipt is written, and who learns about problems. */
interface ReceiptFileOptions {
  /** File of the hashes; absent where nothing of the run is kept. */
  readonly hashes?: string | undefined;
  /** Told what went wrong, each problem once. */
  readonly onProblem: (message: string) => void;
}

/** One receipt that is being written. */
export class ReceiptFile {
  readonly #path: string;
  readonly #onProblem: (message: string) => void;
  readonly #encoder = new TextEncoder();
  #fd: number;
  #hashes: PrivateFile | undefined;
  #link = EMPTY_CHAIN;
  readonly #lines: string[] = [];
  /** Bytes that are not on the disk yet. */
  #queue = new Uint8Array();
  /** How many bytes are on the disk. */
  #written = 0;
  /** How the file was after the last line. */
  #left: PathSignature | undefined;
  #problem: string | undefined;
  #isClosed = false;

  /** @throws {UsageError} the file holds something, or cannot be made */
  constructor(path: string, { hashes, onProblem }: ReceiptFileOptions) {
    this.#path = path;
    this.#onProblem = onProblem;
    const info = tryLstat(path);
    if (info !== undefined && !(info.isFile && info.size === 0)) {
      throw cannotWrite(path, reasonTaken(info));
    }
    try {
      requireWrite(path);
      this.#fd = openNew(path, info !== undefined);
    } catch (cause) {
      throw cannotWrite(path, reasonNotMade(path, cause), cause);
    }
    try {
      this.#hashes = hashes === undefined ? undefined : PrivateFile.create(hashes);
    } catch (error) {
      onProblem(`ally cannot keep the hashes of the receipt in ${hashes}: ${reasonOf(error)}`);
    }
  }

  /** The last line. */
  get link(): Link {
    return this.#link;
  }

  /** Why the file is not whole; undefined if it is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Adds a line. What the disk does not take is tried again with the next one. */
  append(body: JsonObject): void {
    if (this.#isClosed) return;
    const foreign = this.#describeForeignChange();
    if (foreign !== undefined) {
      this.#push({ type: "tampered", time: new Date().toISOString(), what: foreign });
      this.#onProblem(
        `The receipt ${this.#path} was ${foreign} while the run went on, not by ally. It is written again, and says so.`,
      );
      this.#startAgain();
    }
    this.#push(body);
    this.#flush();
  }

  /** Adds the last line, and looks at the whole file once more. */
  close(body: JsonObject): void {
    if (this.#isClosed) return;
    this.append(body);
    if (this.#problem === undefined && mayRead(this.#path) && !this.#holdsAll()) {
      this.#onProblem(
        `The receipt ${this.#path} does not hold what ally wrote: somebody else writes to it. ally verify tells where.`,
      );
      this.#problem = "somebody else writes to it";
    }
    this.#isClosed = true;
    closeQuietly(this.#fd);
    this.#hashes?.close();
  }

  #push(body: JsonObject): void {
    const { text, link } = addLink(body, this.#link);
    this.#link = link;
    this.#lines.push(`${text}\n`);
    this.#enqueue(`${text}\n`);
    try {
      this.#hashes?.appendLine(link.hash ?? "");
    } catch {
      // Half a list would only confuse: without one the chain alone is checked.
      this.#hashes?.discard();
      this.#hashes = undefined;
    }
  }

  #enqueue(text: string): void {
    const bytes = this.#encoder.encode(text);
    const queue = new Uint8Array(this.#queue.length + bytes.length);
    queue.set(this.#queue);
    queue.set(bytes, this.#queue.length);
    this.#queue = queue;
  }

  /** What somebody else did to the file since the last line. */
  #describeForeignChange(): string | undefined {
    if (this.#left === undefined || !mayRead(this.#path)) return undefined;
    const now = signatureOf(this.#path);
    if (now === undefined) return "removed";
    const { inode, size, modified, changed } = this.#left;
    if (now.kind !== "file" || now.inode !== inode) return "replaced";
    const isSame = now.size === size && now.modified === modified && now.changed === changed;
    return isSame ? undefined : "changed";
  }

  /** Takes a new file, of which nothing is written yet. */
  #startAgain(): void {
    this.#written = 0;
    this.#queue = new Uint8Array();
    this.#enqueue(this.#lines.join(""));
    try {
      const temporary = `${this.#path}.${crypto.randomUUID()}.tmp`;
      const fd = openNew(temporary, false);
      fs.renameSync(temporary, this.#path);
      closeQuietly(this.#fd);
      this.#fd = fd;
    } catch (error) {
      this.#fail(reasonOf(error));
    }
  }

  #flush(): void {
    try {
      while (this.#queue.length > 0) {
        const count = fs.writeSync(this.#fd, this.#queue, 0, this.#queue.length, this.#written);
        this.#written += count;
        this.#queue = this.#queue.subarray(count);
      }
      this.#problem = undefined;
    } catch (error) {
      this.#fail(reasonOf(error));
    }
    this.#left = mayRead(this.#path) ? signatureOf(this.#path) : undefined;
  }

  #fail(why: string): void {
    if (this.#problem === why) return;
    this.#problem = why;
    this.#onProblem(
      `The receipt ${this.#path} is not whole: ${why}. ally goes on, and writes what is missing once it can.`,
    );
  }

  #holdsAll(): boolean {
    try {
      return sha256(fs.readFileSync(this.#path)) ===
        sha256(this.#encoder.encode(this.#lines.join("")));
    } catch {
      return false;
    }
  }
}

function openNew(path: string, isThere: boolean): number {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = openFlags();
  const how = isThere ? 0 : O_CREAT | O_EXCL;
  return fs.openSync(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | how, 0o600);
}

function closeQuietly(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch {
    // What could not be written was reported when it was.
  }
}

function cannotWrite(path: string, why: string, cause?: unknown): UsageError {
  return new UsageError(`Cannot write the receipt ${path}: ${why}.`, { cause });
}
