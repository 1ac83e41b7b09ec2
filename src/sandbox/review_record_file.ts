/**
 * What there is to review after commands that may write, on the disk for as long as they run: where ally is killed
 * meanwhile, or the machine stops, the next ally makes up for it. It lies where no command sees it, in a directory for
 * each session, which that keeps locked: what nobody has locked nobody will review by itself.
 */
import { join } from "node:path";
import { replaceFile } from "../lib/fs.ts";
import { tryLockDirectory, withFileLock } from "../lib/locked_file.ts";
import { Semaphore } from "../lib/pool.ts";
import { encodeReview, type UnfinishedReview } from "./review_record.ts";

/** Name of a session's record in its directory. */
export const RECORD = "review.json";

/** Where a record is, and what is in it. */
interface RecordOptions {
  /** The directory of all sessions. */
  readonly directory: string;
  /** What there is to review if ally ended now; undefined if nothing. */
  readonly look: () => UnfinishedReview | undefined;
}

/** The record of one session. */
export class ReviewRecordFile {
  readonly #options: RecordOptions;
  /** One at a time, each with what is so when it begins. */
  readonly #saving = new Semaphore({ limit: 1 });
  /** The session's directory, canonical, once it is there and locked. */
  #own: { readonly path: string; readonly lock: Disposable } | undefined;
  /** What the file holds. */
  #saved: string | undefined;
  #isClosed = false;

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  /** Writes what there is to review now, or removes the record. @throws {Error} with a system code */
  save(): Promise<void> {
    return this.#saving.run(async () => {
      const review = this.#options.look();
      const text = review && JSON.stringify(encodeReview(review));
      if (text === this.#saved) return;
      this.#own ??= await this.#open();
      const path = join(this.#own.path, RECORD);
      if (text === undefined) await Deno.remove(path);
      else await replaceFile(path, new TextEncoder().encode(text), { mode: 0o600 });
      this.#saved = text;
      if (this.#isClosed) this.close();
    });
  }

  /** Removes the directory, at the latest when all is reviewed. What never is stays, for the next ally. */
  close(): void {
    this.#isClosed = true;
    const own = this.#own;
    if (own === undefined || this.#saved !== undefined) return;
    this.#own = undefined;
    try {
      Deno.removeSync(own.path);
    } catch {
      // The next ally removes it.
    }
    own.lock[Symbol.dispose]();
  }

  /** Under the lock on all of them: what has no lock yet could be taken for left. */
  async #open(): Promise<{ path: string; lock: Disposable }> {
    const session = join(this.#options.directory, `${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`);
    const opened: { path: string; lock: Disposable }[] = [];
    await withFileLock(session, async (path) => {
      await Deno.mkdir(path, { mode: 0o700 });
      const lock = await tryLockDirectory(path);
      if (lock) opened.push({ path, lock });
    });
    const [own] = opened;
    if (!own) throw new Error("it is locked by another process");
    return own;
  }
}
