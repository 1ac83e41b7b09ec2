/**
 * What there is to review after commands that may write, on the disk for as long as they run: where ally is killed
 * meanwhile, or the machine stops, the next ally makes up for it. It lies where no command sees it, in a directory for
 * each session, which that keeps locked: what nobody has locked nobody will review by itself.
 */
import { join } from "node:path";
import { listNames, requireWrite } from "../lib/fs.ts";
import { tryLockDirectory, withFileLock } from "../lib/locked_file.ts";
import { Semaphore } from "../lib/pool.ts";
import { encodeReview, type UnfinishedReview } from "./review_record.ts";

/** Records have numbers: one that is not whole is of a command that had not begun, and the one before it counts. */
const RECORD = /^(\d+)\.json$/;

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
  /** The last record, if it is there. */
  #saved: { readonly path: string; readonly text: string } | undefined;
  #count = 0;
  #isClosed = false;

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  /** Writes what there is to review now, or removes the record. @throws {Error} with a system code */
  save(): Promise<void> {
    return this.#saving.run(async () => {
      const review = this.#options.look();
      const text = review && JSON.stringify(encodeReview(review));
      const last = this.#saved;
      if (text === last?.text) return;
      requireWrite(this.#options.directory);
      this.#own ??= await this.#open();
      const path = join(this.#own.path, `${++this.#count}.json`);
      if (text !== undefined) await writeDurably(path, text);
      this.#saved = text === undefined ? undefined : { path, text };
      if (last !== undefined) await Deno.remove(last.path);
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
      requireWrite(own.path);
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

/** The records in a session's directory, by their paths, the newest first. */
export function findRecords(session: string): string[] {
  const numberOf = (name: string) => Number(RECORD.exec(name)?.[1]);
  return listNames(session).filter((name) => RECORD.test(name))
    .sort((one, other) => numberOf(other) - numberOf(one))
    .map((name) => join(session, name));
}

/** The name of a file that is new is durable with it: no other name is to be given, which would take as long again. */
async function writeDurably(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    await file.sync();
  } catch (error) {
    await Deno.remove(path);
    throw error;
  }
}
