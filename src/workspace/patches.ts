/**
 * Undo patches on disk: one numbered JSON file a change, durable before the change touches a file, so
 * that nothing is ever changed that cannot be taken back. The file's name tells how far it has come:
 * `.pending`, `.undoing` and `.redoing` are at work and name the process that works, so that another
 * can finish what a killed one left. Numbers go on across sessions; several processes may share the
 * directory. Called by the commit, by undo, and by the record of commands.
 */
import { join } from "node:path";
import process from "node:process";
import { ToolError } from "../core/errors.ts";
import { errorCode, isMissing } from "../lib/fs.ts";
import { HeldDirectory } from "../lib/held_directory.ts";
import { ioError } from "./io_error.ts";
import { isPatch, type Patch } from "./patch.ts";

/** What is being done to a patch at the moment. */
export type Work = "pending" | "undoing" | "redoing";

type State = "applied" | "undone" | Work;

const STORED = /^(\d{6,})(?:\.(pending|undoing|redoing|undone))?\.json$/;

/** Milliseconds after which a temporary file belongs to nobody. */
const WRITING_MS = 60_000;

/** The process that works on a patch. */
interface Owner {
  readonly pid: number;
  /** Milliseconds since the epoch; tells a process from a later one with the same id. */
  readonly started: number;
}

/** A patch as it lies on disk while or after somebody worked on it. */
export interface StoredPatch extends Patch {
  readonly owner?: Owner;
  /** Begins the names of the temporary files of the work. */
  readonly token?: string;
  /** Its place among the undone ones, and the newest number at that time. */
  readonly undone?: { readonly order: number; readonly newest: number };
}

/** Work on a patch that must be ended. */
export interface OpenWork {
  readonly number: number;
  readonly token: string;
}

interface StoredName {
  readonly name: string;
  readonly number: number;
  readonly state: State;
}

/** The undo patches of a project. */
export class Patches {
  readonly #directory: string;

  /** The directory is made when the first patch is recorded. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Stores the patch of a change that is about to be made, durably, under a new number.
   * @throws {ToolError} system: it cannot be stored, so the change must not happen
   */
  async begin(patch: Omit<Patch, "number">): Promise<OpenWork> {
    try {
      await Deno.mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const stored = { ...patch, ...newWork() };
      const last = (await this.#names()).at(-1)?.number ?? 0;
      return { number: await this.#create(stored, last + 1), token: stored.token };
    } catch (error) {
      throw ioError(`record the undo patch in ${this.#directory}, so nothing was changed`, error);
    }
  }

  /** Notes that a pending change has been made. */
  async finish(number: number): Promise<void> {
    await Deno.rename(this.#path(number, "pending"), this.#path(number, "applied"));
    await this.#sync();
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
    const stored = { ...patch, undone, ...newWork() };
    const path = this.#path(patch.number, work);
    try {
      await this.#write(path, stored);
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
    await this.#sync();
  }

  /** Forgets work that did not happen. */
  async drop(work: Work, number: number): Promise<void> {
    await Deno.remove(this.#path(number, work)).catch(ignoreMissing);
    await this.#sync();
  }

  /** Work that a process which is gone has left half done, newest first. */
  async abandoned(): Promise<{ work: Work; patch: StoredPatch | undefined; number: number }[]> {
    const found = [];
    await this.#sweep();
    for (const { number, state } of (await this.#names()).reverse()) {
      if (state === "applied" || state === "undone") continue;
      const patch = await this.#load(number, state);
      if (patch?.owner === undefined || !isAlive(patch.owner)) {
        found.push({ work: state, patch, number });
      }
    }
    return found;
  }

  /** The patches that can be taken back, newest first; a torn one is left out. */
  async list(): Promise<Patch[]> {
    return await Array.fromAsync(this.#each("applied"));
  }

  /** The newest patch that can be taken back, or undefined. */
  async newest(): Promise<Patch | undefined> {
    return (await this.#each("applied").next()).value ?? undefined;
  }

  /**
   * The undone patches that can be redone, the one to redo next first: those after whose undo nothing
   * new was recorded.
   */
  async redoable(): Promise<Patch[]> {
    const newest = (await this.#names()).at(-1)?.number ?? 0;
    const undone = (await Array.fromAsync(this.#each("undone")))
      .filter((patch) => patch.undone?.newest === newest);
    return undone.sort((a, b) => (b.undone?.order ?? 0) - (a.undone?.order ?? 0));
  }

  /**
   * One patch by its number.
   * @throws {ToolError} user: there is none, or it has been taken back
   */
  async get(number: number): Promise<Patch> {
    const stored = (await this.#names()).filter((name) => name.number === number);
    const undone = stored.some(({ state }) => state === "undone");
    const patch = undone ? undefined : await this.#load(number, "applied");
    if (patch !== undefined) return patch;
    const why = undone ? "it has been undone already" : "there is no such change";
    throw new ToolError(`Cannot undo change ${number}: ${why}.`, {
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
    const names = await this.#names();
    const last = (await this.redoable())[0] as StoredPatch | undefined;
    return { order: (last?.undone?.order ?? 0) + 1, newest: names.at(-1)?.number ?? 0 };
  }

  async #create(patch: Omit<StoredPatch, "number">, first: number): Promise<number> {
    for (let number = first;; number++) {
      const path = this.#path(number, "pending");
      try {
        await this.#write(path, { number, ...patch });
      } catch (error) {
        if (error instanceof Deno.errors.AlreadyExists) continue;
        throw error;
      }
      // Another process may have brought the same number to its end after we looked.
      const taken = (await this.#names()).filter((name) => name.number === number).length > 1;
      if (!taken) {
        await this.#sync();
        return number;
      }
      await Deno.remove(path);
    }
  }

  /** Writes a new file, durably and whole or not at all. @throws {AlreadyExists} */
  async #write(path: string, patch: StoredPatch): Promise<void> {
    const temporary = join(this.#directory, `.${crypto.randomUUID()}.tmp`);
    try {
      const file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
      try {
        const bytes = new TextEncoder().encode(JSON.stringify(patch));
        for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
        await file.sync();
      } finally {
        file.close();
      }
      await place(temporary, path);
    } finally {
      await Deno.remove(temporary).catch(ignoreMissing);
    }
  }

  /** Removes what a killed process left unfinished here. */
  async #sweep(): Promise<void> {
    for (const name of await this.#entries()) {
      if (!/^\..*\.tmp$/.test(name)) continue;
      const path = join(this.#directory, name);
      const info = await Deno.stat(path).catch(() => undefined);
      const age = Date.now() - (info?.mtime?.getTime() ?? 0);
      if (age > WRITING_MS) await Deno.remove(path).catch(ignoreMissing);
    }
  }

  async #load(number: number, state: State): Promise<StoredPatch | undefined> {
    try {
      const value: unknown = JSON.parse(await Deno.readTextFile(this.#path(number, state)));
      return isPatch(value) ? value : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || isMissing(error)) return undefined;
      throw error;
    }
  }

  /** All patches ever recorded, oldest first. */
  async #names(): Promise<StoredName[]> {
    const names: StoredName[] = [];
    for (const name of await this.#entries()) {
      const match = STORED.exec(name);
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
    using directory = HeldDirectory.open(await Deno.realPath(this.#directory));
    directory.sync();
  }
}

function newWork(): { owner: Owner; token: string } {
  return {
    owner: { pid: Deno.pid, started: performance.timeOrigin },
    token: crypto.randomUUID(),
  };
}

/** Whether the process still runs; another one may have got its id, and counts as it. */
function isAlive(owner: Owner): boolean {
  if (owner.pid === Deno.pid) return owner.started === performance.timeOrigin;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

/** Gives a file its name unless that is taken; where there are no hard links, whether or not. */
async function place(temporary: string, path: string): Promise<void> {
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
