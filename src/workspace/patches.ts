/**
 * Undo patches on disk: one numbered JSON file a change, durable before the change touches a file, so that
 * nothing is ever changed that cannot be taken back. The file's name tells how far it has come: `.pending`,
 * `.undoing` and `.redoing` are at work, and locked by the process that works: the system lets the lock go when
 * that process is killed, and then another can finish what it left. Numbers go on across sessions; several
 * processes may share the directory.
 */
import { join } from "node:path";
import { ToolError } from "../core/errors.ts";
import { DirectoryHandle } from "../lib/directory_handle.ts";
import { isMissing, isOwnFile } from "../lib/fs.ts";
import { parseJson } from "../lib/json_text.ts";
import { unlockAndClose } from "../lib/locked_file.ts";
import { ioError } from "./io_error.ts";
import { isPatch, type Patch } from "./patch.ts";

/** What is being done to a patch at the moment. */
export type Work = "pending" | "undoing" | "redoing";

type State = "applied" | "undone" | Work;

const FILE_NAME = /^(\d{6,})(?:\.(pending|undoing|redoing|undone))?\.json$/;

/** A patch on disk, with what work on it has added. */
export interface StoredPatch extends Patch {
  /** Names of the temporary files of the work begin with it. */
  readonly token?: string;
  /** Set when it was undone: its place among the undone patches, and the newest number then. */
  readonly undone?: { readonly order: number; readonly newest: number };
}

/** Work on a patch that has begun and must be finished or dropped. */
interface OpenWork {
  readonly number: number;
  readonly token: string;
}

interface StoredName {
  readonly name: string;
  readonly number: number;
  readonly state: State;
}

/** What became of a change: made, taken back, made again. */
export type PatchEvent =
  | { readonly kind: "changed"; readonly patch: Patch }
  | { readonly kind: "undone" | "redone"; readonly number: number };

/** The undo patches of a project. */
export class PatchStore {
  readonly #directory: string;
  #listener: ((event: PatchEvent) => Promise<void>) | undefined;
  /** Changes that are being made, for the listener. */
  readonly #begun = new Map<number, Patch>();
  /** Files of the patches that this process works on, open and locked, by their numbers. */
  readonly #claimed = new Map<number, Deno.FsFile>();

  /** The directory is made when the first patch is recorded. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Has one listener told of each change once it is made; what made it waits for the listener. */
  setListener(listener: (event: PatchEvent) => Promise<void>): void {
    this.#listener = listener;
  }

  /**
   * Stores the patch of a change that is about to be made, durably, under a new number.
   * @throws {ToolError} system: it cannot be stored, so the change must not happen
   */
  async begin(patch: Omit<Patch, "number">): Promise<OpenWork> {
    try {
      await Deno.mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const stored = { ...patch, token: crypto.randomUUID() };
      const number = await this.#create(stored, await this.lastNumber() + 1);
      if (this.#listener) this.#begun.set(number, { ...patch, number });
      return { number, token: stored.token };
    } catch (error) {
      throw ioError(`record the undo patch in ${this.#directory}, so nothing was changed`, error);
    }
  }

  /** Notes that a pending change has been made. */
  async finish(number: number): Promise<void> {
    await Deno.rename(this.#path(number, "pending"), this.#path(number, "applied"));
    this.release(number);
    await this.#sync();
    const patch = this.#begun.get(number);
    this.#begun.delete(number);
    if (patch) await this.#listener?.({ kind: "changed", patch });
  }

  /** Stores a change that was made already, as a command makes one; returns its number. */
  async record(patch: Omit<Patch, "number">): Promise<number> {
    const { number } = await this.begin(patch);
    await this.finish(number);
    return number;
  }

  /** Says, durably, that an applied patch is about to be undone, or an undone one redone. */
  async startWork(work: "undoing" | "redoing", patch: Patch): Promise<OpenWork> {
    const undone = work === "undoing" ? await this.#nextUndone() : undefined;
    const stored = { ...patch, undone, token: crypto.randomUUID() };
    const path = this.#path(patch.number, work);
    try {
      this.#claimed.set(patch.number, await this.#write(path, stored));
      await this.#sync();
    } catch (error) {
      throw ioError(`note in ${path} what is about to happen, so nothing was changed`, error);
    }
    return { number: patch.number, token: stored.token };
  }

  /** Notes that the undo or redo has been done. */
  async endWork(work: "undoing" | "redoing", number: number): Promise<void> {
    const [from, to] = work === "undoing"
      ? ["applied", "undone"] as const
      : ["undone", "applied"] as const;
    await Deno.remove(this.#path(number, from)).catch(ignoreMissing);
    await Deno.rename(this.#path(number, work), this.#path(number, to)).catch(ignoreMissing);
    this.release(number);
    await this.#sync();
    await this.#listener?.({ kind: work === "undoing" ? "undone" : "redone", number });
  }

  /** Removes the record of work that did not happen. */
  async drop(work: Work, number: number): Promise<void> {
    await Deno.remove(this.#path(number, work)).catch(ignoreMissing);
    this.#begun.delete(number);
    this.release(number);
    await this.#sync();
  }

  /** Gives up this process's lock on a patch. */
  release(number: number): void {
    const file = this.#claimed.get(number);
    if (file) unlockAndClose(file);
    this.#claimed.delete(number);
  }

  /**
   * Takes over work that a process which is gone left half done, newest first: this process holds it until it is
   * finished, dropped or released.
   */
  async claimAbandoned(): Promise<
    { work: Work; patch: StoredPatch | undefined; number: number }[]
  > {
    const found = [];
    await this.#sweep();
    for (const { number, state } of (await this.#names()).reverse()) {
      if (state === "applied" || state === "undone" || this.#claimed.has(number)) continue;
      const file = await claimFile(this.#path(number, state));
      if (file === undefined) continue;
      this.#claimed.set(number, file);
      found.push({ work: state, patch: parse(await readAll(file)), number });
    }
    return found;
  }

  /** The patches that can be taken back, newest first; a damaged one is left out. */
  async list(): Promise<Patch[]> {
    return await Array.fromAsync(this.#each("applied"));
  }

  /** Number of the newest change ever recorded, taken back or not; 0 if there is none. */
  async lastNumber(): Promise<number> {
    return (await this.#names()).at(-1)?.number ?? 0;
  }

  /** The newest patch that can be taken back, or undefined. */
  async newest(): Promise<Patch | undefined> {
    return (await this.#each("applied").next()).value ?? undefined;
  }

  /**
   * The undone patches that can be redone, the one to redo next first: those after whose undo nothing
   * new was recorded.
   */
  async listRedoable(): Promise<Patch[]> {
    const newest = await this.lastNumber();
    const undone = (await Array.fromAsync(this.#each("undone")))
      .filter((patch) => patch.undone?.newest === newest);
    return undone.sort((a, b) => (b.undone?.order ?? 0) - (a.undone?.order ?? 0));
  }

  /**
   * One patch by its number, to be undone or shown.
   * @throws {ToolError} user: there is none, it is no longer kept, or it has been taken back
   */
  async get(number: number, purpose: "undo" | "show"): Promise<Patch> {
    const names = await this.#names();
    const stored = names.filter((name) => name.number === number);
    const undone = stored.some(({ state }) => state === "undone");
    const patch = undone ? undefined : await this.#load(number, "applied");
    if (patch !== undefined) return patch;
    const why = undone
      ? "it has been undone already"
      : number < (names.at(-1)?.number ?? 0)
      ? "it was made too long ago to be kept"
      : "there is no such change";
    throw new ToolError(`Cannot ${purpose} change ${number}: ${why}.`, {
      kind: "user",
      suggestion: "/undo list shows the changes that can be taken back.",
    });
  }

  async *#each(wanted: "applied" | "undone"): AsyncGenerator<StoredPatch> {
    for (const { number, state } of (await this.#names()).reverse()) {
      const patch = state === wanted ? await this.#load(number, state) : undefined;
      if (patch !== undefined) yield patch;
    }
  }

  async #nextUndone(): Promise<{ order: number; newest: number }> {
    const last = (await this.listRedoable())[0] as StoredPatch | undefined;
    return { order: (last?.undone?.order ?? 0) + 1, newest: await this.lastNumber() };
  }

  async #create(patch: Omit<StoredPatch, "number">, first: number): Promise<number> {
    for (let number = first;; number++) {
      const path = this.#path(number, "pending");
      try {
        this.#claimed.set(number, await this.#write(path, { number, ...patch }));
      } catch (error) {
        if (error instanceof Deno.errors.AlreadyExists) continue;
        throw error;
      }
      // Another process may have finished a patch of the same number since the numbers were read.
      const isShared = (await this.#names()).filter((name) => name.number === number).length > 1;
      if (!isShared) {
        await this.#sync();
        return number;
      }
      await Deno.remove(path);
      this.release(number);
    }
  }

  /** Writes a new file durably, completely or not at all, and keeps it locked. @throws {AlreadyExists} */
  async #write(path: string, patch: StoredPatch): Promise<Deno.FsFile> {
    const temporary = join(this.#directory, `.${crypto.randomUUID()}.tmp`);
    const file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
    try {
      await file.tryLock(true);
      const bytes = new TextEncoder().encode(JSON.stringify(patch));
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
      await file.sync();
      await publishFile(temporary, path);
      return file;
    } catch (error) {
      file.close();
      throw error;
    } finally {
      await Deno.remove(temporary).catch(ignoreMissing);
    }
  }

  /** Removes what a killed process left unfinished here. */
  async #sweep(): Promise<void> {
    for (const name of await this.#entries()) {
      if (!/^\..*\.tmp$/.test(name)) continue;
      const path = join(this.#directory, name);
      const file = await claimFile(path);
      if (file === undefined) continue;
      await Deno.remove(path).catch(ignoreMissing);
      file.close();
    }
  }

  async #load(number: number, state: State): Promise<StoredPatch | undefined> {
    try {
      return parse(await Deno.readTextFile(this.#path(number, state)));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** All patches ever recorded, oldest first. */
  async #names(): Promise<StoredName[]> {
    const names: StoredName[] = [];
    for (const name of await this.#entries()) {
      const match = FILE_NAME.exec(name);
      const state = (match?.[2] ?? "applied") as State;
      if (match) names.push({ name, number: Number(match[1]), state });
    }
    return names.sort((a, b) => a.number - b.number);
  }

  async #entries(): Promise<string[]> {
    try {
      return await Array.fromAsync(Deno.readDir(this.#directory), ({ name }) => name);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  #path(number: number, state: State): string {
    const padded = String(number).padStart(6, "0");
    return join(this.#directory, `${padded}${state === "applied" ? "" : `.${state}`}.json`);
  }

  async #sync(): Promise<void> {
    using directory = DirectoryHandle.open(await Deno.realPath(this.#directory));
    directory.sync();
  }
}

/** Opens and locks the file of abandoned work; undefined if another process holds it. */
async function claimFile(path: string): Promise<Deno.FsFile | undefined> {
  try {
    const file = await Deno.open(path, { read: true, write: true });
    // It may have been finished, and so renamed, since it was opened; of somebody else's nothing is carried out.
    const info = await file.stat();
    const isOpen = await file.tryLock(true) && (await Deno.stat(path)).ino === info.ino;
    if (isOpen && isOwnFile(info)) return file;
    file.close();
  } catch (error) {
    ignoreMissing(error);
  }
}

async function readAll(file: Deno.FsFile): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): StoredPatch | undefined {
  const value = parseJson(text);
  return isPatch(value) ? value : undefined;
}

/** Gives a file its name unless that is taken; without hard links a taken name is overwritten. */
async function publishFile(temporary: string, path: string): Promise<void> {
  try {
    await Deno.link(temporary, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    await Deno.rename(temporary, path);
  }
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
