/**
 * What lies in the workspace, known well enough to be restored: before a command every content is kept,
 * after it the difference says what the command did. Only what shows signs of change is read again, so
 * that a command that changes nothing costs two looks at the tree and starts no process. Called by the
 * workspace around commands.
 */
import { dirname, join } from "node:path";
import { isMissing } from "../lib/fs.ts";
import { formatBytes, messageOf } from "../lib/text.ts";
import { fileSide, type Known, MAX_FILE, objectOf, readKnown, sameSign } from "./known_path.ts";
import type { Objects } from "./objects.ts";
import { type PatchChange, sameSide } from "./patch.ts";
import type { Roots } from "./paths.ts";
import { type Scanned, type Sign, signOf, TooManyPaths, TreeScan } from "./tree_scan.ts";

/** Bytes of all files together whose content is kept. */
const MAX_TOTAL = 256 * 1024 * 1024;
/** What the last session knew, beside the objects. */
const MEMORY = "known.json";

type Paths = ReadonlyMap<string, Known>;

/** All that is known at one moment. */
interface State {
  readonly paths: ReadonlyMap<string, Known>;
  /** Paths of which nothing is known, because they are ignored or may not be looked at. */
  readonly ignored: ReadonlySet<string>;
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
  /** Why there are no snapshots in this session. */
  #off: string | undefined;
  /** What is to be told when a command makes it matter. */
  #untold: string[] = [];
  /** Settles when the last refresh is done: there is one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    options: { objects: Objects; roots: Pick<Roots, "all">; notice: (text: string) => void },
  ) {
    const { objects, roots, notice } = options;
    this.#objects = objects;
    this.#scan = new TreeScan({ roots, excluded: [objects.directory, dirname(objects.directory)] });
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

  /** Makes sure that all can be restored; false if that cannot be had, which is told once. */
  async begin(signal: AbortSignal): Promise<boolean> {
    try {
      // What a command still running has done so far counts as its own when it ends.
      const ready = this.#running > 0 && this.#state !== undefined
        ? Promise.resolve()
        : this.#queue(() => this.#refresh());
      await Promise.race([ready, aborted(signal)]);
      this.#tellAll();
      if (this.#off !== undefined || signal.aborted) return false;
      this.#running++;
      return true;
    } catch (error) {
      this.#tell("Changes by this command cannot be undone", error);
      return false;
    }
  }

  /** What has changed since the last command began or ended; to be called once for each `begin`. */
  async end(): Promise<PatchChange[]> {
    try {
      return await this.#queue(async () => {
        const before = this.#state;
        const after = await this.#refresh();
        return before && after ? await this.#compare(before, after) : [];
      });
    } catch (error) {
      this.#tell("What this command changed cannot be undone", error);
      return [];
    } finally {
      this.#running--;
      this.#tellAll();
    }
  }

  /** Looks at everything and keeps what is new; undefined if snapshots are off. */
  async #refresh(): Promise<State | undefined> {
    if (this.#off !== undefined) return undefined;
    if (!await this.#objects.available()) {
      return this.#turnOff("git is not installed, so what commands change cannot be undone.");
    }
    const known = this.#state?.paths ?? await this.#recall();
    let scanned: Scanned;
    try {
      scanned = await this.#scan.run(this.#closed.signal);
    } catch (error) {
      if (!(error instanceof TooManyPaths)) throw error;
      return this.#turnOff(
        `The workspace has more than ${error.limit} files, so what commands change cannot be undone.`,
      );
    }
    const paths = await this.#look(scanned.found, known);
    const state = { paths, ignored: scanned.ignored };
    const first = this.#state === undefined;
    this.#state = state;
    if (first && differs(known, paths)) this.#memorize(paths);
    return state;
  }

  async #look(signs: ReadonlyMap<string, Sign>, known: Paths): Promise<Paths> {
    const paths = new Map<string, Known>();
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
        paths.set(path, now);
        if (now.side.kind !== "file") continue;
        if (now.side.object === undefined) leftOut++;
        else total += sign.size;
      }
    } finally {
      await writer.close();
    }
    if (leftOut > 0) {
      this.#note(
        "left out",
        `What commands do to ${leftOut} large or unreadable files cannot be undone: contents are kept of files up to ${
          formatBytes(MAX_FILE)
        }, ${formatBytes(MAX_TOTAL)} in all.`,
      );
    }
    return paths;
  }

  async #compare(before: State, after: State): Promise<PatchChange[]> {
    const changes: PatchChange[] = [];
    for (const [path, now] of after.paths) {
      const then = before.paths.get(path)?.side ?? null;
      if (sameSide(then, now.side)) continue;
      // What only ceased to be ignored may have been there before: it is not to be deleted.
      if (then === null && isBelow(path, before.ignored)) continue;
      changes.push({ path, before: then, after: now.side });
    }
    for (const [path, then] of before.paths) {
      if (after.paths.has(path)) continue;
      const sign = signOf(path);
      if (sign === undefined && !isGone(path)) continue;
      // Still there, but ignored from now on.
      if (sign !== undefined && sameSign(sign, then.sign)) continue;
      const now = sign && await this.#lookAtOne(path, sign);
      changes.push({ path, before: then.side, after: now?.side ?? null });
    }
    return changes;
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
  async #recall(): Promise<Paths> {
    const paths = new Map<string, Known>();
    try {
      await Deno.lstat(join(this.#objects.directory, "HEAD"));
      const text = await Deno.readTextFile(join(this.#objects.directory, MEMORY));
      const entries: unknown = JSON.parse(text);
      for (const [path, sign, object] of entries as [string, Sign, string][]) {
        paths.set(path, { sign, side: fileSide(sign, object), settled: true });
      }
      this.#objects.remember(Array.from(paths.values(), ({ side }) => objectOf(side) ?? ""));
    } catch {
      paths.clear();
    }
    return paths;
  }

  #memorize(paths: Paths): void {
    const entries = [...paths].flatMap(([path, { sign, side, settled }]) => {
      const object = objectOf(side);
      return settled && object !== undefined ? [[path, sign, object]] : [];
    });
    if (entries.length === 0 || this.#closed.signal.aborted) return;
    const path = join(this.#objects.directory, MEMORY);
    const temporary = join(this.#objects.directory, `.known-${Deno.pid}.tmp`);
    // At one go, so that an ally that ends meanwhile leaves nothing behind; what is lost is found out again.
    try {
      Deno.writeTextFileSync(temporary, JSON.stringify(entries), { mode: 0o600 });
      Deno.renameSync(temporary, path);
    } catch (error) {
      removeQuietly(temporary);
      throw error;
    }
  }

  #turnOff(why: string): undefined {
    this.#off = why;
    this.#note("off", why);
  }

  #tell(what: string, error: unknown): void {
    if (this.#closed.signal.aborted) return;
    const why = messageOf(error);
    this.#note(why, `${what}: ${why}. Is there space left in ${this.#objects.directory}?`);
    this.#tellAll();
  }

  /** Each subject is told once in a session. */
  #note(subject: string, text: string): void {
    if (this.#told.has(subject)) return;
    this.#told.add(subject);
    this.#untold.push(text);
  }

  #tellAll(): void {
    for (const text of this.#untold.splice(0)) this.#notice(text);
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

function differs(a: Paths, b: Paths): boolean {
  for (const [path, known] of b) {
    if (known.side.kind === "file" && a.get(path) !== known) return true;
  }
  return false;
}

/** Whether nothing is at a path; what may not be looked at may be there. */
function isGone(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch (error) {
    return isMissing(error);
  }
}

/** Whether a path or a directory that it lies in is among some. */
function isBelow(path: string, some: ReadonlySet<string>): boolean {
  if (some.size === 0) return false;
  for (let at = path; at !== dirname(at); at = dirname(at)) if (some.has(at)) return true;
  return false;
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was not made, or the disk is what is wrong.
  }
}
