/**
 * Snapshots of the workspace round a command: all contents are stored before it, and the difference afterwards says
 * what the command did. Only files that show signs of change are read again: a command that changes nothing costs two
 * scans of the tree and starts no process.
 */
import { dirname, join } from "node:path";
import { isMissing } from "../lib/fs.ts";
import { formatBytes, messageOf } from "../lib/text.ts";
import {
  fileSide,
  isSameSignature,
  type KnownPath,
  MAX_FILE,
  objectOf,
  readKnownPath,
} from "./known_path.ts";
import type { ObjectStore } from "./objects.ts";
import { isSameSide, type PatchChange } from "./patch.ts";
import type { Roots } from "./paths.ts";
import {
  type PathSignature,
  type ScanResult,
  signatureOf,
  TooManyPaths,
  TreeScan,
} from "./tree_scan.ts";

/** Bytes of all contents together that are stored. */
const MAX_TOTAL = 256 * 1024 * 1024;
/** Name of the file with what the last session knew, beside the objects. */
const STATE_FILE = "known.json";

type KnownPaths = ReadonlyMap<string, KnownPath>;

/** All that is known at one moment. */
interface SnapshotState {
  readonly paths: ReadonlyMap<string, KnownPath>;
  /** Paths of which nothing is known, because they are ignored or may not be looked at. */
  readonly ignored: ReadonlySet<string>;
}

/** The states of a workspace before and after commands. */
export class Snapshots {
  readonly #objects: ObjectStore;
  readonly #scan: TreeScan;
  readonly #notice: (text: string) => void;
  readonly #reported = new Set<string>();
  readonly #closed = new AbortController();
  #state: SnapshotState | undefined;
  #running = 0;
  /** Why there are no snapshots in this session. */
  #disabledReason: string | undefined;
  /** Notices to give when a command makes them matter. */
  #pendingNotices: string[] = [];
  /** Settles when the last refresh is done: there is one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    options: { objects: ObjectStore; roots: Pick<Roots, "all">; notice: (text: string) => void },
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

  /** Stops work in the background. */
  close(): void {
    this.#closed.abort();
  }

  /** Makes sure that all can be restored; false if it cannot, and the user is told why once. */
  async begin(signal: AbortSignal): Promise<boolean> {
    try {
      // What another running command has done so far is recorded when that one ends.
      const ready = this.#running > 0 && this.#state !== undefined
        ? Promise.resolve()
        : this.#queue(() => this.#refresh());
      await Promise.race([ready, waitForAbort(signal)]);
      this.#flushNotices();
      if (this.#disabledReason !== undefined || signal.aborted) return false;
      this.#running++;
      return true;
    } catch (error) {
      this.#reportError("Changes by this command cannot be undone", error);
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
      this.#reportError("What this command changed cannot be undone", error);
      return [];
    } finally {
      this.#running--;
      this.#flushNotices();
    }
  }

  /** Scans everything and stores what is new; undefined if snapshots are off. */
  async #refresh(): Promise<SnapshotState | undefined> {
    if (this.#disabledReason !== undefined) return undefined;
    if (!await this.#objects.isAvailable()) {
      return this.#disable("git is not installed, so what commands change cannot be undone.");
    }
    const known = this.#state?.paths ?? await this.#loadState();
    let scanned: ScanResult;
    try {
      scanned = await this.#scan.run(this.#closed.signal);
    } catch (error) {
      if (!(error instanceof TooManyPaths)) throw error;
      return this.#disable(
        `The workspace has more than ${error.limit} files, so what commands change cannot be undone.`,
      );
    }
    const paths = await this.#readPaths(scanned.found, known);
    const state = { paths, ignored: scanned.ignored };
    const first = this.#state === undefined;
    this.#state = state;
    if (first && hasNewContent(known, paths)) this.#saveState(paths);
    return state;
  }

  async #readPaths(
    signatures: ReadonlyMap<string, PathSignature>,
    known: KnownPaths,
  ): Promise<KnownPaths> {
    const paths = new Map<string, KnownPath>();
    const writer = this.#objects.writer();
    let total = 0;
    let leftOut = 0;
    try {
      for (const [path, signature] of signatures) {
        const old = known.get(path);
        const room = MAX_TOTAL - total;
        const now = old?.stable && isSameSignature(old.signature, signature)
          ? old
          : await readKnownPath(path, { signature, old, writer, room });
        if (now === undefined) continue;
        paths.set(path, now);
        if (now.side.kind !== "file") continue;
        if (now.side.object === undefined) leftOut++;
        else total += signature.size;
      }
    } finally {
      await writer.close();
    }
    if (leftOut > 0) {
      this.#addNotice(
        "left out",
        `What commands do to ${leftOut} large or unreadable files cannot be undone: contents are kept of files up to ${
          formatBytes(MAX_FILE)
        }, ${formatBytes(MAX_TOTAL)} in all.`,
      );
    }
    return paths;
  }

  async #compare(before: SnapshotState, after: SnapshotState): Promise<PatchChange[]> {
    const changes: PatchChange[] = [];
    for (const [path, now] of after.paths) {
      const then = before.paths.get(path)?.side ?? null;
      if (isSameSide(then, now.side)) continue;
      // A path that is no longer ignored may have been there before: undo must not delete it.
      if (then === null && isBelow(path, before.ignored)) continue;
      changes.push({ path, before: then, after: now.side });
    }
    for (const [path, then] of before.paths) {
      if (after.paths.has(path)) continue;
      const signature = signatureOf(path);
      if (signature === undefined && !isGone(path)) continue;
      // It is still there, but ignored now.
      if (signature !== undefined && isSameSignature(signature, then.signature)) continue;
      const now = signature && await this.#readPath(path, signature);
      changes.push({ path, before: then.side, after: now?.side ?? null });
    }
    return changes;
  }

  async #readPath(path: string, signature: PathSignature): Promise<KnownPath | undefined> {
    const writer = this.#objects.writer();
    try {
      return await readKnownPath(path, { signature, old: undefined, writer, room: MAX_TOTAL });
    } finally {
      await writer.close();
    }
  }

  /** What an earlier session knew, if its objects are still there. */
  async #loadState(): Promise<KnownPaths> {
    const paths = new Map<string, KnownPath>();
    try {
      await Deno.lstat(join(this.#objects.directory, "HEAD"));
      const text = await Deno.readTextFile(join(this.#objects.directory, STATE_FILE));
      const entries: unknown = JSON.parse(text);
      for (const [path, signature, object] of entries as [string, PathSignature, string][]) {
        paths.set(path, { signature, side: fileSide(signature, object), stable: true });
      }
      this.#objects.remember(Array.from(paths.values(), ({ side }) => objectOf(side) ?? ""));
    } catch {
      paths.clear();
    }
    return paths;
  }

  #saveState(paths: KnownPaths): void {
    const entries = [...paths].flatMap(([path, { signature, side, stable }]) => {
      const object = objectOf(side);
      return stable && object !== undefined ? [[path, signature, object]] : [];
    });
    if (entries.length === 0 || this.#closed.signal.aborted) return;
    const path = join(this.#objects.directory, STATE_FILE);
    const temporary = join(this.#objects.directory, `.known-${Deno.pid}.tmp`);
    // Synchronous, so that nothing is left behind if ally ends meanwhile; a lost state is only found out again.
    try {
      Deno.writeTextFileSync(temporary, JSON.stringify(entries), { mode: 0o600 });
      Deno.renameSync(temporary, path);
    } catch (error) {
      removeQuietly(temporary);
      throw error;
    }
  }

  #disable(why: string): undefined {
    this.#disabledReason = why;
    this.#addNotice("off", why);
  }

  #reportError(what: string, error: unknown): void {
    if (this.#closed.signal.aborted) return;
    const why = messageOf(error);
    this.#addNotice(why, `${what}: ${why}. Is there space left in ${this.#objects.directory}?`);
    this.#flushNotices();
  }

  /** Each subject is told once in a session. */
  #addNotice(subject: string, text: string): void {
    if (this.#reported.has(subject)) return;
    this.#reported.add(subject);
    this.#pendingNotices.push(text);
  }

  #flushNotices(): void {
    for (const text of this.#pendingNotices.splice(0)) this.#notice(text);
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

function hasNewContent(a: KnownPaths, b: KnownPaths): boolean {
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

function waitForAbort(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was never made, or the disk fails.
  }
}
