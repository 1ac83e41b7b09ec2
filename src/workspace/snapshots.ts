/**
 * What lies in the workspace, known well enough to be restored: before a command every content is kept,
 * after it the difference says what the command did. Only what shows signs of change is read again, so
 * that a command that changes nothing costs two looks at the tree and starts no process. Called by the
 * workspace around commands.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { replaceFile } from "../lib/fs.ts";
import { formatBytes, messageOf } from "../lib/text.ts";
import type { Objects, ObjectWriter } from "./objects.ts";
import { type PatchChange, sameSide, type Side } from "./patch.ts";
import { IGNORE_FILES, type Sign, signOf, TooManyPaths, TreeScan } from "./tree_scan.ts";

/** Bytes of the largest file, and of all files together, whose content is kept. */
const MAX_FILE = 10 * 1024 * 1024;
const MAX_TOTAL = 256 * 1024 * 1024;
/** Milliseconds within which a file can change twice and look the same. */
const COARSE = 50;
/** What the last session knew, beside the objects. */
const MEMORY = "known.json";

/** A path whose state is known. */
interface Known {
  readonly sign: Sign;
  readonly side: Side;
  /** False if it was looked at so soon after its change that another may have gone unseen. */
  readonly settled: boolean;
}

type State = ReadonlyMap<string, Known>;

/** A command that is running. */
export interface Watch {
  /** Milliseconds since the epoch. */
  readonly started: number;
}

/** The states of a workspace before and after commands. */
export class Snapshots {
  readonly #objects: Objects;
  readonly #scan: TreeScan;
  readonly #notice: (text: string) => void;
  readonly #told = new Set<string>();
  readonly #closed = new AbortController();
  #state: State | undefined;
  #running = 0;
  #off = false;
  /** Settles when the last refresh is done: there is one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    options: { objects: Objects; roots: readonly string[]; notice: (text: string) => void },
  ) {
    const { objects, roots, notice } = options;
    this.#objects = objects;
    this.#scan = new TreeScan({ roots, excluded: [objects.directory] });
    this.#notice = notice;
  }

  /** Takes the first snapshot in the background, so that the first command need not wait for it. */
  warm(): void {
    if (this.#state === undefined) void this.#queue(() => this.#refresh()).catch(() => {});
  }

  /** Gives up what is going on in the background. */
  close(): void {
    this.#closed.abort();
  }

  /** Makes sure that all can be restored; undefined if that cannot be had, which is told once. */
  async begin(signal: AbortSignal): Promise<Watch | undefined> {
    if (this.#off) return undefined;
    try {
      // What a command still running has done so far counts as its own when it ends.
      const ready = this.#running > 0 && this.#state !== undefined
        ? Promise.resolve()
        : this.#queue(() => this.#refresh());
      await Promise.race([ready, aborted(signal)]);
      if (this.#off || signal.aborted) return undefined;
      this.#running++;
      return { started: Date.now() };
    } catch (error) {
      this.#tell("Changes by this command cannot be undone", error);
      return undefined;
    }
  }

  /** What has changed since the command began, by path. */
  async end(watch: Watch): Promise<PatchChange[]> {
    try {
      return await this.#queue(async () => {
        const before = this.#state ?? new Map();
        const after = await this.#refresh();
        return after === undefined ? [] : await this.#compare(before, { after, watch });
      });
    } catch (error) {
      this.#tell("What this command changed cannot be undone", error);
      return [];
    } finally {
      this.#running--;
    }
  }

  /** Looks at everything and keeps what is new; undefined if snapshots are off. */
  async #refresh(): Promise<State | undefined> {
    if (!await this.#objects.available()) {
      return this.#turnOff("git is not installed, so what commands change cannot be undone.");
    }
    const known = this.#state ?? await this.#recall();
    let signs: Map<string, Sign>;
    try {
      signs = await this.#scan.run(this.#closed.signal);
    } catch (error) {
      if (!(error instanceof TooManyPaths)) throw error;
      return this.#turnOff(
        `The workspace has more than ${error.limit} files, so what commands change cannot be undone.`,
      );
    }
    const state = await this.#look(signs, known);
    const first = this.#state === undefined;
    this.#state = state;
    if (first && differs(known, state)) await this.#memorize(state);
    return state;
  }

  async #look(signs: ReadonlyMap<string, Sign>, known: State): Promise<State> {
    const state = new Map<string, Known>();
    const writer = this.#objects.writer();
    let total = 0;
    let leftOut = 0;
    try {
      for (const [path, sign] of signs) {
        const old = known.get(path);
        const room = MAX_TOTAL - total;
        const now = old?.settled && sameSign(old.sign, sign)
          ? old
          : await readKnown(path, { sign, old, writer, room });
        if (now === undefined) continue;
        state.set(path, now);
        if (now.side.kind !== "file") continue;
        if (now.side.object === undefined) leftOut++;
        else total += sign.size;
      }
    } finally {
      await writer.close();
    }
    if (leftOut > 0) {
      this.#tellOnce(
        `What commands do to ${leftOut} large or unreadable files cannot be undone: contents are kept of files up to ${
          formatBytes(MAX_FILE)
        }, ${formatBytes(MAX_TOTAL)} in all.`,
      );
    }
    return state;
  }

  async #compare(
    before: State,
    { after, watch }: { after: State; watch: Watch },
  ): Promise<PatchChange[]> {
    const changes: PatchChange[] = [];
    for (const [path, now] of after) {
      const then = before.get(path)?.side ?? null;
      if (!sameSide(then, now.side)) changes.push({ path, before: then, after: now.side });
    }
    for (const [path, then] of before) {
      if (after.has(path)) continue;
      const sign = signOf(path);
      // Still there, but ignored from now on.
      if (sign !== undefined && sameSign(sign, then.sign)) continue;
      const now = sign && await this.#lookAtOne(path, sign);
      changes.push({ path, before: then.side, after: now?.side ?? null });
    }
    if (!changes.some(({ path }) => IGNORE_FILES.has(basename(path)))) return changes;
    // What only ceased to be ignored was there before, and is none of the command's work.
    return changes.filter((change) =>
      change.before !== null || bornSince(change.path, watch.started)
    );
  }

  async #lookAtOne(path: string, sign: Sign): Promise<Known | undefined> {
    const writer = this.#objects.writer();
    try {
      return await readKnown(path, { sign, old: undefined, writer, room: MAX_TOTAL });
    } finally {
      await writer.close();
    }
  }

  /** What an earlier session knew, if its objects are still there. */
  async #recall(): Promise<State> {
    const state = new Map<string, Known>();
    try {
      await Deno.lstat(join(this.#objects.directory, "HEAD"));
      const text = await Deno.readTextFile(join(this.#objects.directory, MEMORY));
      const entries: unknown = JSON.parse(text);
      for (const [path, sign, object] of entries as [string, Sign, string][]) {
        state.set(path, { sign, side: fileSide(sign, object), settled: true });
      }
      this.#objects.remember(Array.from(state.values(), ({ side }) => objectOf(side) ?? ""));
    } catch {
      state.clear();
    }
    return state;
  }

  async #memorize(state: State): Promise<void> {
    const entries = [...state].flatMap(([path, { sign, side, settled }]) => {
      const object = objectOf(side);
      return settled && object !== undefined ? [[path, sign, object]] : [];
    });
    if (entries.length === 0) return;
    const path = join(await Deno.realPath(this.#objects.directory), MEMORY);
    await replaceFile(path, new TextEncoder().encode(JSON.stringify(entries)), { mode: 0o600 });
  }

  #turnOff(why: string): undefined {
    this.#off = true;
    this.#tellOnce(why);
  }

  #tell(what: string, error: unknown): void {
    if (this.#closed.signal.aborted) return;
    this.#tellOnce(`${what}: ${messageOf(error)}. Check the free space in ~/.ally.`);
  }

  #tellOnce(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#notice(text);
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** Reads what lies at a path; an unchanged content keeps its side, so that comparing stays quick. */
async function readKnown(
  path: string,
  options: { sign: Sign; old: Known | undefined; writer: ObjectWriter; room: number },
): Promise<Known | undefined> {
  const { sign, old, writer, room } = options;
  const settled = Date.now() - sign.changed > COARSE;
  const side = sign.kind === "directory"
    ? { kind: "directory" as const, mode: sign.mode }
    : sign.kind === "link"
    ? await readLink(path)
    : await readFile(path, { sign, writer, room });
  if (side === undefined) return undefined;
  return { sign, settled, side: old && sameSide(old.side, side) ? old.side : side };
}

async function readLink(path: string): Promise<Side | undefined> {
  try {
    return { kind: "link", target: await Deno.readLink(path) };
  } catch {
    return undefined;
  }
}

async function readFile(
  path: string,
  { sign, writer, room }: { sign: Sign; writer: ObjectWriter; room: number },
): Promise<Side> {
  if (sign.size > Math.min(MAX_FILE, room)) return fileSide(sign, undefined);
  const bytes = await readRegular(path);
  return fileSide(sign, bytes && await writer.put(bytes));
}

/** The bytes of a regular file, or undefined if it may not be read or is something else by now. */
async function readRegular(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > MAX_FILE) return undefined;
      return new Uint8Array(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

function fileSide(sign: Sign, object: string | undefined): Side {
  const { mode, size, modified } = sign;
  return object === undefined
    ? { kind: "file", mode, size, modified }
    : { kind: "file", mode, object };
}

function objectOf(side: Side): string | undefined {
  return side.kind === "file" ? side.object : undefined;
}

function sameSign(a: Sign, b: Sign): boolean {
  return a.kind === b.kind && a.mode === b.mode && a.inode === b.inode &&
    a.changed === b.changed && (a.kind === "directory" ||
      (a.size === b.size && a.modified === b.modified));
}

function differs(a: State, b: State): boolean {
  for (const [path, known] of b) {
    if (known.side.kind === "file" && a.get(path) !== known) return true;
  }
  return false;
}

/** Whether a path came into being after a moment, as far as the system can tell. */
function bornSince(path: string, moment: number): boolean {
  try {
    const born = Deno.lstatSync(path).birthtime?.getTime();
    return born === undefined || born >= moment - COARSE;
  } catch {
    return true;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
