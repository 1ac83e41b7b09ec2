/**
 * Undo patches on disk: one numbered JSON file a commit, durable before the commit touches a file, so
 * that nothing is ever changed that cannot be taken back. Numbers go on across sessions of a project;
 * several processes may share the directory. Called by the workspace.
 */
import { join } from "node:path";
import { ToolError } from "../core/errors.ts";
import { HeldDirectory, isMissing } from "../lib/fs.ts";
import type { Encoding } from "./decode.ts";
import { ioError } from "./io_error.ts";

/** What a commit did to one file. */
export interface PatchChange {
  /** Absolute and canonical. */
  readonly path: string;
  readonly kind: "create" | "modify" | "delete";
  /** The text before, null if there was no file. */
  readonly before: string | null;
  /** How the text before lay on disk. */
  readonly encoding: Encoding | null;
  /** Permission bits before. */
  readonly mode: number | null;
  /** SHA-256 of the bytes before and after, null where there is no file. */
  readonly before_hash: string | null;
  readonly after_hash: string | null;
  /** Unified diff, for people; absent for large texts. */
  readonly diff?: string | undefined;
}

/** One commit, as it is stored. */
export interface Patch {
  readonly number: number;
  /** ISO 8601. */
  readonly time: string;
  readonly tool: string;
  readonly call_id: string;
  readonly changes: readonly PatchChange[];
}

const STORED = /^(\d{6,})(\.undone)?\.json$/;

interface StoredName {
  readonly name: string;
  readonly number: number;
  readonly undone: boolean;
}

/** The undo patches of a project. */
export class Patches {
  readonly #directory: string;

  /** The directory is made when the first patch is recorded. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Stores a patch durably and returns its number.
   * @throws {ToolError} system: it cannot be stored, so the commit must not happen
   */
  async record(patch: Omit<Patch, "number">): Promise<number> {
    try {
      await Deno.mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const last = (await this.#names()).at(-1)?.number ?? 0;
      return await this.#create(patch, last + 1);
    } catch (error) {
      throw ioError(`record the undo patch in ${this.#directory}, so nothing was changed`, error);
    }
  }

  /** Removes the patch of a commit that did not happen. */
  async discard(number: number): Promise<void> {
    await Deno.remove(this.#path(number));
  }

  /** Marks a patch as taken back; its number is not used again. */
  async retire(number: number): Promise<void> {
    await Deno.rename(this.#path(number), join(this.#directory, `${padded(number)}.undone.json`));
    await this.#sync();
  }

  /** The patches that can be taken back, newest first; a torn one is left out. */
  async list(): Promise<Patch[]> {
    const patches: Patch[] = [];
    for (const { number } of await this.#open()) {
      const patch = await this.#load(number);
      if (patch !== undefined) patches.push(patch);
    }
    return patches;
  }

  /** The newest patch that can be taken back, or undefined; a torn one never took effect. */
  async newest(): Promise<Patch | undefined> {
    for (const { number } of await this.#open()) {
      const patch = await this.#load(number);
      if (patch !== undefined) return patch;
    }
    return undefined;
  }

  /**
   * One patch by its number.
   * @throws {ToolError} user: there is none, or it has been taken back
   */
  async get(number: number): Promise<Patch> {
    const stored = (await this.#names()).find((name) => name.number === number);
    const patch = stored === undefined || stored.undone ? undefined : await this.#load(number);
    if (patch !== undefined) return patch;
    const why = stored?.undone ? "it has been undone already" : "there is no such patch";
    throw new ToolError(`Cannot undo patch ${number}: ${why}.`, { kind: "user" });
  }

  async #create(patch: Omit<Patch, "number">, first: number): Promise<number> {
    for (let number = first;; number++) {
      let file: Deno.FsFile;
      try {
        file = await Deno.open(this.#path(number), { write: true, createNew: true, mode: 0o600 });
      } catch (error) {
        if (error instanceof Deno.errors.AlreadyExists) continue;
        throw error;
      }
      try {
        await writeAll(file, new TextEncoder().encode(JSON.stringify({ number, ...patch })));
        await file.sync();
      } catch (error) {
        await Deno.remove(this.#path(number)).catch(() => {});
        throw error;
      } finally {
        file.close();
      }
      await this.#sync();
      return number;
    }
  }

  async #load(number: number): Promise<Patch | undefined> {
    try {
      const value: unknown = JSON.parse(await Deno.readTextFile(this.#path(number)));
      return isPatch(value) ? value : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || isMissing(error)) return undefined;
      throw error;
    }
  }

  async #open(): Promise<StoredName[]> {
    return (await this.#names()).filter((name) => !name.undone).reverse();
  }

  /** All patches ever recorded, oldest first. */
  async #names(): Promise<StoredName[]> {
    const names: StoredName[] = [];
    try {
      for await (const { name } of Deno.readDir(this.#directory)) {
        const match = STORED.exec(name);
        if (match) names.push({ name, number: Number(match[1]), undone: match[2] !== undefined });
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return names.sort((a, b) => a.number - b.number);
  }

  #path(number: number): string {
    return join(this.#directory, `${padded(number)}.json`);
  }

  async #sync(): Promise<void> {
    using directory = HeldDirectory.open(await Deno.realPath(this.#directory));
    directory.sync();
  }
}

function padded(number: number): string {
  return String(number).padStart(6, "0");
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

function isPatch(value: unknown): value is Patch {
  return typeof value === "object" && value !== null && "number" in value &&
    typeof value.number === "number" && "changes" in value && Array.isArray(value.changes);
}
