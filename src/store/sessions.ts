/**
 * Sessions on disk: one append-only file of JSON lines each, a header and then every message and entry as it came;
 * entries take effect when the file is read. A crash costs at most the line being written; lines that cannot be read
 * are left out, and a copy of the damaged file is kept. A session is written by one process at a time, which holds a
 * lock on its file.
 */
import { join } from "node:path";
import { UsageError } from "../core/errors.ts";
import type { ImagePart } from "../core/image.ts";
import { imagesOf, type Message } from "../core/message.ts";
import type { Entry, SessionLog } from "../core/session_log.ts";
import { reasonOf, requireWrite, tryLstat } from "../lib/fs.ts";
import { unlockAndClose } from "../lib/locked_file.ts";
import { plural } from "../lib/text.ts";
import {
  appendLine,
  imagesFolder,
  isInUse,
  openForAppend,
  repairSessionFile,
  rethrowInUse,
  truncateTo,
  writeAll,
} from "./session_file.ts";
import { readUseOrder } from "./session_order.ts";
import type { StoredSession } from "./session_reader.ts";
import { headerLine, newHeader, type SessionHeader } from "./session_header.ts";
import type { SessionFileStats } from "./session_index.ts";
import type { SearchableSummary } from "./session_summary.ts";

/** Milliseconds until a disk that refused is tried again, if no message comes before. */
const RETRY_MS = 5_000;

/** Entries that alone are worth no file: they are saved with the first message. */
const DEFERRED_ENTRIES: ReadonlySet<unknown> = new Set([
  "state",
  "title",
  "system_prompt",
  "call",
  "turn",
]);

/** A session that goes on. */
export interface ResumedSession {
  readonly stored: StoredSession;
  readonly session: Session;
  /** Where a damaged file is kept as it was. */
  readonly damagedCopy?: string;
}

/** The sessions of one project. */
export class SessionStore {
  readonly #directory: string;
  readonly #masked: string | undefined;
  readonly #images: TakenImages;

  constructor(options: {
    /** It need not exist. */
    directory: string;
    /** Version of the rules by which what is saved was masked. @default it was not */
    masked?: string | undefined;
    /** Those that messages will hold. @default none */
    images?: TakenImages;
  }) {
    this.#directory = options.directory;
    this.#masked = options.masked;
    this.#images = options.images ?? new Map();
  }

  /** A new session; its file appears with its first message. */
  create(options: { cwd: string; onError: (message: string) => void }): Session {
    const masked = this.#masked === undefined ? {} : { masked: this.#masked };
    const header = newHeader({ cwd: options.cwd, ...masked });
    const path = this.#pathOf(header.id);
    const [unsaved, images] = [[headerLine(header)], this.#images];
    return new Session({ path, header, unsaved, images, onError: options.onError });
  }

  /**
   * Loads a session and goes on with it; nobody else can until it is closed.
   * @throws {UsageError} as `load`, or another process has it open
   */
  async resume(
    id: string,
    options: { onError: (message: string) => void },
  ): Promise<ResumedSession> {
    const exact = await this.#find(id);
    const path = this.#pathOf(exact);
    // What cannot be written can still be read: the session then goes on in memory, and says so.
    let file = await openForAppend(path, exact).catch(rethrowInUse);
    try {
      const stored = await this.load(exact);
      const damagedCopy = stored.damaged > 0
        ? await repairSessionFile(path, exact).catch(() => undefined)
        : undefined;
      if (damagedCopy !== undefined) {
        if (file) unlockAndClose(file);
        file = await openForAppend(path, exact).catch(rethrowInUse);
      }
      const unsaved = stored.unterminated && damagedCopy === undefined ? [""] : [];
      if (stored.header.created === "") unsaved.push(headerLine(stored.header));
      if (this.#masked === undefined && stored.masked !== undefined) {
        unsaved.push(JSON.stringify({ type: "unmasked" }));
      }
      const { header } = stored;
      const images = this.#images;
      const session = new Session({ path, header, unsaved, images, file, begun: true, ...options });
      return { stored, session, ...(damagedCopy !== undefined && { damagedCopy }) };
    } catch (error) {
      if (file) unlockAndClose(file);
      throw error;
    }
  }

  /**
   * Goes on with a copy of a session; the session stays as it is. `keeps` goes back to its first messages, as the entry
   * of a rewind counts them.
   * @throws {UsageError} as `load` @throws {Error} the copy cannot be written
   */
  async fork(
    id: string,
    { keeps, ...options }: { keeps?: number | undefined; onError: (message: string) => void },
  ): Promise<ResumedSession> {
    const stored = await this.load(id);
    const { id: forkedFrom, cwd, masked } = stored.header;
    const copy = newHeader({ cwd, ...masked !== undefined && { masked }, forkedFrom });
    const { copyLines } = await import("./session_copy.ts");
    const original = this.#pathOf(forkedFrom);
    const lines = await copyLines(original, { stored, keeps });
    const path = this.#pathOf(copy.id);
    requireWrite(path);
    const { shareImages } = await import("./session_images.ts");
    await shareImages(imagesFolder(original), imagesFolder(path));
    const text = [headerLine(copy), ...lines].map((line) => `${line}\n`).join("");
    await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
    const resumed = await this.resume(copy.id, options);
    // The turns of a copy have cost nothing; what the last one came to holds for the copy too.
    const { lastTurn } = keeps === undefined ? stored : resumed.stored;
    return { ...resumed, stored: { ...resumed.stored, lastTurn } };
  }

  /** Id of the session written to last, if there is one. */
  async latest(): Promise<string | undefined> {
    return (await this.listIdsByUse())[0];
  }

  /** The sessions written to last, newest first. */
  async recent(limit = 10): Promise<SearchableSummary[]> {
    const files = await this.listByUse();
    const all = new Set(files.map(({ id }) => id));
    const { summarizeSessions } = await import("./session_index.ts");
    return await summarizeSessions(this.#directory, { wanted: files.slice(0, limit), all });
  }

  /**
   * Gives a session a name; it does not count as used for that.
   * @throws {UsageError} as `load`, or another process has it open
   */
  async rename(id: string, title: string): Promise<void> {
    const { header: { id: exact }, unterminated } = await this.load(id);
    const record = JSON.stringify({ type: "title", time: new Date().toISOString(), title });
    const line = unterminated ? `\n${record}` : record;
    await appendLine(this.#pathOf(exact), { id: exact, line });
  }

  /**
   * Removes a session, with copies of its damaged file, and returns its whole id.
   * @throws {UsageError} no such session, or another process has it open
   */
  async remove(id: string): Promise<string> {
    const exact = await this.#find(id);
    const path = this.#pathOf(exact);
    requireWrite(path);
    if (await isInUse(path)) {
      throw new UsageError(`Cannot delete session ${exact}: an ally has it open. End that first.`);
    }
    await Deno.remove(path);
    await Deno.remove(imagesFolder(path), { recursive: true }).catch(() => {});
    for await (const { name } of Deno.readDir(this.#directory)) {
      if (name.startsWith(`${exact}.jsonl.damaged`)) await Deno.remove(join(this.#directory, name));
    }
    return exact;
  }

  /**
   * Reads a session by its id or the beginning of it.
   * @throws {UsageError} no such session, or more than one, or one that cannot be read
   */
  async load(id: string): Promise<StoredSession> {
    const exact = await this.#find(id);
    const path = this.#pathOf(exact);
    const { readSession } = await import("./session_reader.ts");
    try {
      return await readSession(path, exact);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(
        `Cannot read the session ${path}: ${reasonOf(error)}. --resume lists the others.`,
        { cause: error },
      );
    }
  }

  /** An image of a session, by its whole id, as a data URL; undefined if its bytes are gone. */
  async imageUrlOf(id: string, image: ImagePart): Promise<string | undefined> {
    const { readImage, toDataUrl } = await import("./session_images.ts");
    const bytes = await readImage(imagesFolder(this.#pathOf(id)), image);
    return bytes && toDataUrl(image, bytes);
  }

  /** Ids that begin with a text, or the only one that is it. */
  async matchIds(id: string): Promise<readonly string[]> {
    const matching = (await this.#ids()).filter((one) => one.startsWith(id));
    return matching.includes(id) ? [id] : matching;
  }

  async #find(id: string): Promise<string> {
    const matching = await this.matchIds(id);
    const [only] = matching;
    if (only === undefined || matching.length > 1) {
      throw new UsageError(
        matching.length > 1
          ? `${matching.length} sessions of this directory begin with '${id}'. Give more of the id.`
          : `No session of this directory has the id '${id}'. ally sessions list shows those there ` +
            "are, with --all those of all directories, which are resumed where they began.",
      );
    }
    return only;
  }

  /** Ids of all sessions, the one used last first. */
  async listIdsByUse(): Promise<string[]> {
    return (await this.listByUse()).map(({ id }) => id);
  }

  /** The files of all sessions, the one used last first. */
  async listByUse(): Promise<SessionFileStats[]> {
    const all = (await this.#ids()).flatMap((id): SessionFileStats[] => {
      const path = this.#pathOf(id);
      // Another ally may have removed it meanwhile.
      const info = tryLstat(path);
      return info ? [{ id, path, time: info.mtime?.getTime() ?? 0, size: info.size }] : [];
    });
    // A file that was opened and never written to is no session.
    const dated = all.filter(({ size }) => size > 0);
    const order = await readUseOrder(this.#directory);
    const used = (id: string) => order.get(id) ?? -1;
    // Ids begin with their time: they settle what the clock of the file system does not.
    return dated.sort((a, b) =>
      used(b.id) - used(a.id) || b.time - a.time || (a.id < b.id ? 1 : -1)
    );
  }

  async #ids(): Promise<string[]> {
    const ids: string[] = [];
    try {
      for await (const entry of Deno.readDir(this.#directory)) {
        if (entry.isFile && entry.name.endsWith(".jsonl")) ids.push(entry.name.slice(0, -6));
      }
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw new Error(
        `Cannot list the sessions in ${this.#directory}: ${reasonOf(error)}. ` +
          "Make it a readable directory, or set ALLY_HOME to another one.",
        { cause: error },
      );
    }
    return ids.sort();
  }

  #pathOf(id: string): string {
    return join(this.#directory, `${id}.jsonl`);
  }
}

/** Images that are not saved yet, by their hashes. */
export type TakenImages = Map<string, Uint8Array<ArrayBuffer>>;

/** The log of one running session. */
export class Session implements SessionLog {
  readonly header: SessionHeader;
  /** Where its images are. */
  readonly imagesFolder: string;
  readonly #images: TakenImages;
  readonly #path: string;
  readonly #onError: (message: string) => void;
  /** Lines that are not on disk yet, without their ends. */
  #unsaved: string[];
  #file: Deno.FsFile | undefined;
  /** Whether there is a message: without one there is nothing to resume, and no file is made. */
  #hasContent: boolean;
  #failing = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(options: {
    path: string;
    header: SessionHeader;
    unsaved: string[];
    images: TakenImages;
    /** Open and locked. @default opened with the first message */
    file?: Deno.FsFile | undefined;
    /** Whether it has been saved before. @default false */
    begun?: boolean;
    onError: (message: string) => void;
  }) {
    this.header = options.header;
    this.#path = options.path;
    this.imagesFolder = imagesFolder(options.path);
    this.#images = options.images;
    this.#unsaved = options.unsaved;
    this.#file = options.file;
    this.#hasContent = options.begun ?? false;
    this.#onError = options.onError;
  }

  /** Saves a message; while the disk refuses, messages wait in memory and are saved with the next. */
  append(message: Message): Promise<void> {
    this.#saveImages(message);
    return this.#save({ type: "message", time: new Date().toISOString(), message });
  }

  /** Saves an entry, in order with the messages. */
  appendEntry({ type, ...fields }: Entry): Promise<void> {
    if ("message" in fields && typeof fields.message === "object") this.#saveImages(fields.message);
    return this.#save({ type, time: new Date().toISOString(), ...fields });
  }

  /** Saves the images of a message before the message itself; what cannot be saved stays in memory. */
  #saveImages(message: Message): void {
    const taken = imagesOf(message).flatMap(({ hash }) => {
      const bytes = this.#images.get(hash);
      return bytes === undefined ? [] : [{ hash, bytes }];
    });
    if (taken.length === 0) return;
    void this.#enqueue(async () => {
      try {
        const { writeImage } = await import("./session_images.ts");
        for (const image of taken) {
          await writeImage(this.imagesFolder, image);
          this.#images.delete(image.hash);
        }
      } catch (error) {
        this.#reportError(error);
      }
    });
  }

  /** Opens the file now: an open file stays writable when the process gives up the permission to write. */
  openNow(): Promise<void> {
    return this.#enqueue(async () => {
      try {
        await this.#open();
      } catch (error) {
        this.#reportError(error);
      }
    });
  }

  /** Waits until all is saved, as far as the disk takes it, and closes the file. */
  async finish(): Promise<void> {
    clearTimeout(this.#retry);
    if (this.#hasContent) await this.#enqueue(() => this.#flush());
    // What was added meanwhile writes to the file too.
    for (let last; last !== this.#queue;) await (last = this.#queue);
    if (this.#hasContent && this.#unsaved.length > 0) {
      const lost = plural(this.#unsaved.length, "line");
      this.#onError(`${lost} of the session ${this.header.id} could not be saved and are lost.`);
    }
    this.close();
  }

  /** Closes the file; a later append opens it again. */
  close(): void {
    clearTimeout(this.#retry);
    if (this.#file) unlockAndClose(this.#file);
    this.#file = undefined;
  }

  #save(record: Readonly<Record<string, unknown>>): Promise<void> {
    this.#unsaved.push(JSON.stringify(record));
    this.#hasContent ||= !DEFERRED_ENTRIES.has(record.type);
    return this.#hasContent ? this.#enqueue(() => this.#flush()) : Promise.resolve();
  }

  /** Runs what uses the file after all that uses it now. */
  #enqueue(run: () => Promise<void>): Promise<void> {
    return this.#queue = this.#queue.then(run);
  }

  async #open(): Promise<Deno.FsFile> {
    return this.#file ??= await openForAppend(this.#path, this.header.id);
  }

  async #flush(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    // Lines added while these are being written are written the next time.
    const lines = [...this.#unsaved];
    let size: number | undefined;
    try {
      const file = await this.#open();
      size = (await file.stat()).size;
      await writeAll(file, `${lines.join("\n")}\n`);
      this.#unsaved = this.#unsaved.slice(lines.length);
      this.#failing = false;
    } catch (error) {
      const isWhole = size === undefined || await truncateTo(this.#file, size);
      // A half-written line that cannot be cut off is ended by a line end, and all is written again later.
      if (!isWhole && lines[0] !== "") this.#unsaved.unshift("");
      this.close();
      this.#retry = setTimeout(() => this.#enqueue(() => this.#flush()), RETRY_MS);
      Deno.unrefTimer(this.#retry);
      this.#reportError(error);
    }
  }

  /** Once, until saving works again. */
  #reportError(error: unknown): void {
    if (!this.#failing) {
      this.#onError(
        `Cannot save the session to ${this.#path}: ${reasonOf(error)}. ` +
          "It goes on in memory and is saved as soon as that works.",
      );
    }
    this.#failing = true;
  }
}
