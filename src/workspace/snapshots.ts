/**
 * Snapshots of the workspace round a command: what all files hold is known before it, and the difference afterwards
 * says what the command did. Where the workspace can be watched, only what the system reports is looked at again, so
 * that a command costs what it changed; elsewhere, and whenever something may have been missed, the tree is scanned.
 */
import { basename, dirname } from "node:path";
import type { OpenLister } from "../lib/directory_listing.ts";
import { isGone } from "../lib/fs.ts";
import { isSameSignature, type PathSignature, signatureOf } from "../lib/path_signature.ts";
import { formatBytes, messageOf } from "../lib/text.ts";
import type { CommandJournal, JournaledCommand, JournaledPath } from "./command_journal.ts";
import { lendContents } from "./git_contents.ts";
import { type KnownPath, MAX_FILE, objectOf, readKnownPath } from "./known_path.ts";
import { KnownTree } from "./known_tree.ts";
import { leaseObjects } from "./object_lease.ts";
import type { ObjectStore } from "./objects.ts";
import { isSameSide, type Patch, type PatchChange } from "./patch.ts";
import { adoptContents, objectsOf } from "./patch_contents.ts";
import type { Roots } from "./paths.ts";
import {
  type FindKnown,
  isLinked,
  MANY_FILES,
  MAX_TOTAL,
  type ReadOptions,
  type ReadTree,
  readTree,
  storedBytes,
} from "./read_tree.ts";
import { loadKnownFiles, saveKnownFiles } from "./saved_state.ts";
import { Notices } from "./snapshot_notices.ts";
import { TimeSlice } from "../lib/time_slice.ts";
import { isBelow, isBelowOther, selectTargets, withDirectories } from "./look_targets.ts";
import { decidesIgnored, type ScanResult, TooManyPaths, TreeScan } from "./tree_scan.ts";
import { TreeWatch, type WatchedChanges } from "./tree_watch.ts";

/** Milliseconds between two looks at the kernel's queue of events while commands run: it holds some 16,000. */
const DRAIN_MS = 20;

/** All that is known at one moment. */
interface SnapshotState {
  readonly tree: KnownTree;
  /** The directories that were scanned. */
  readonly roots: readonly string[];
  /** Paths of which nothing is known, because they are ignored or may not be looked at. */
  readonly ignored: Set<string>;
  /** Files with several names: what is written through another name is not reported for this one. */
  readonly linked: Set<string>;
  /** Bytes that are stored. */
  bytes: number;
}

/** What snapshots are made with. */
interface SnapshotDeps {
  readonly objects: ObjectStore;
  readonly roots: Pick<Roots, "all">;
  /** Files that ally itself writes in the workspace; absolute. @default there are none */
  readonly ownFiles?: readonly string[];
  /** Tells the user what cannot be undone. */
  readonly notice: (text: string) => void;
  /** The changes that can be undone, newest first: their contents are kept. */
  readonly readPatches: () => Promise<readonly Patch[]>;
  /** Watches the roots; undefined if they cannot be watched. @default by inotify */
  readonly openWatch?: (roots: readonly string[]) => TreeWatch | undefined;
  /** @default directories are only listed */
  readonly openLister?: OpenLister | undefined;
  /** Paths above which there are none. @default that of the scan */
  readonly limit?: number | undefined;
  /** Notes what commands change while they run. @default nothing does */
  readonly journal?: CommandJournal | undefined;
}

/** How changes are looked for. */
interface CollectOptions {
  /** Whether the command was kept inside of the workspace. */
  readonly confined: boolean;
  /** The words of all commands that run. */
  readonly words: string;
}

/** The states of a workspace before and after commands. */
export class Snapshots {
  readonly #objects: ObjectStore;
  readonly #roots: Pick<Roots, "all">;
  readonly #scan: TreeScan;
  readonly #notices: Notices;
  readonly #openWatch: (roots: readonly string[]) => TreeWatch | undefined;
  readonly #readPatches: () => Promise<readonly Patch[]>;
  readonly #closed = new AbortController();
  #lease: Disposable | undefined;
  #state: SnapshotState | undefined;
  /** Null where the workspace cannot be watched, or no longer. */
  #watch: TreeWatch | null | undefined;
  #running = 0;
  readonly #journal: CommandJournal | undefined;
  #draining: { timer: ReturnType<typeof setInterval>; users: number } | undefined;
  /** Why there are no snapshots in this session. */
  #disabledReason: string | undefined;
  /** Settles when the last refresh is done: there is one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SnapshotDeps) {
    const { objects, roots, ownFiles = [], notice, readPatches } = options;
    const { openWatch = TreeWatch.open, openLister, limit, journal } = options;
    this.#readPatches = readPatches;
    this.#journal = journal;
    this.#objects = objects;
    this.#openWatch = openWatch;
    this.#roots = roots;
    const excluded = [objects.directory, dirname(objects.directory), ...ownFiles];
    this.#scan = new TreeScan({ roots, excluded, openLister, limit, seesIgnored: true });
    this.#notices = new Notices(notice);
  }

  /** Takes the first snapshot in the background, so that the first command need not wait for it. Never throws. */
  async warm(): Promise<void> {
    if (this.#state === undefined) await this.#queue(() => this.#refresh()).catch(() => {});
  }

  /** Stops work in the background. */
  close(): void {
    this.#closed.abort();
    clearInterval(this.#draining?.timer);
    this.#lease?.[Symbol.dispose]();
    this.#lease = undefined;
    this.#watch?.close();
    this.#watch = null;
    this.#journal?.close();
  }

  /** Makes sure that all can be restored; false if it cannot, and the user is told why once. */
  async begin(signal: AbortSignal, command?: JournaledCommand): Promise<boolean> {
    try {
      // What another running command has done so far is recorded when that one ends, or was just now.
      const ready = this.#running > 0 && this.#state !== undefined
        ? Promise.resolve()
        : this.#queue(() => this.#refresh());
      await Promise.race([ready, waitForAbort(signal)]);
      this.#notices.flush();
      if (this.#disabledReason !== undefined || signal.aborted) return false;
      this.#running++;
      if (command) this.#journal?.begin(command);
      this.#startDraining();
      return true;
    } catch (error) {
      this.#reportError("Changes by this command cannot be undone", error);
      return false;
    }
  }

  /** As `collect`; to be called once for each `begin`, when the command has ended. */
  async end(how: CollectOptions): Promise<PatchChange[]> {
    try {
      return await this.collect(how);
    } finally {
      this.#running--;
      this.#stopDraining();
    }
  }

  /**
   * What has changed since the last command began or ended, or this was asked last. A command that was not `confined`
   * to the workspace can have given a file another name anywhere and written through that, which no watch sees: after
   * it every file is looked at. What becomes of files that git ignores counts if they were removed, or the words of the
   * commands that run name them: others are what builds and tests write as they go.
   */
  async collect({ confined, words }: CollectOptions): Promise<PatchChange[]> {
    return await this.#collect(() => this.#refresh({ confined }), words);
  }

  /** The same of some paths alone, with the directories that they lie in; what happens there later is seen later. */
  async collectAt(
    paths: readonly string[],
    { words }: Pick<CollectOptions, "words">,
  ): Promise<PatchChange[]> {
    return await this.#collect(() => this.#refreshAt(paths), words);
  }

  async #collect(refresh: () => Promise<PatchChange[]>, words: string): Promise<PatchChange[]> {
    try {
      const changes = await this.#queue(refresh);
      return changes.filter(({ path, after }) =>
        after === null || !this.#isIgnored(path) || names(words, basename(path))
      );
    } catch (error) {
      this.#reportError("What this command changed cannot be undone", error);
      return [];
    } finally {
      this.#notices.flush();
    }
  }

  #isIgnored(path: string): boolean {
    return this.#scan.isIgnoredFile(path) || this.#state?.ignored.has(path) === true;
  }

  /** Finds out what has changed since the last time, and stores what is new. */
  async #refresh({ confined = true } = {}): Promise<PatchChange[]> {
    if (this.#disabledReason !== undefined || this.#closed.signal.aborted) return [];
    if (!await this.#objects.isAvailable()) {
      this.#disabledReason = "git is not installed, so what commands change cannot be undone.";
      this.#notices.add("off", this.#disabledReason);
      return [];
    }
    this.#startDraining();
    try {
      const seen = this.#watch?.take(this.#roots.all);
      const changes = seen && this.#state && !await this.#mustScan(seen)
        ? await this.#update(this.#state, seen, { confined })
        : await this.#scanAll();
      return await this.#adoptContents(changes);
    } catch (error) {
      if (error instanceof TooManyPaths) return this.#giveUp(error);
      // What was seen has been taken out of the queue.
      this.#watch?.invalidate();
      throw error;
    } finally {
      this.#stopDraining();
    }
  }

  async #refreshAt(paths: readonly string[]): Promise<PatchChange[]> {
    const state = this.#state;
    if (state === undefined || this.#closed.signal.aborted) return [];
    const all = withDirectories(paths.filter((path) => !isBelow(path, state.ignored)));
    const { changes } = await this.#look(state, new Map(all.map((path) => [path, false])));
    // What was reported until now is noted first as it was, and then anew.
    this.#watch?.drain();
    this.#keepJournal();
    const { tree } = state;
    const known = all.filter((path) => tree.has(dirname(path)));
    this.#journal?.renew(known.map((path) => ({ path, before: tree.get(path)?.side ?? null })));
    return await this.#adoptContents(changes);
  }

  /** Ends the snapshots of this session, and lets go of what is known. */
  #giveUp({ limit }: TooManyPaths): [] {
    const held = limit.toLocaleString("en");
    this.#disabledReason = `The workspace has more than ${held} files, so that what commands ` +
      "change cannot be undone. Work in a smaller directory: cd, or -C DIR.";
    this.#notices.add("off", this.#disabledReason);
    this.#watch?.close();
    this.#watch = null;
    this.#state = undefined;
    return [];
  }

  async #mustScan({ paths }: WatchedChanges): Promise<boolean> {
    for (const path of paths.keys()) if (decidesIgnored(path)) return true;
    return await this.#scan.hasNewRules();
  }

  async #scanAll(): Promise<PatchChange[]> {
    const before = this.#state;
    const saved = before === undefined ? await this.#open() : undefined;
    if (this.#watch === undefined) this.#watch = this.#openWatch(this.#roots.all) ?? null;
    const watch = this.#watch ?? undefined;
    watch?.restart(this.#roots.all);
    // Git looks its objects up while the files are scanned.
    const lent = before === undefined
      ? await lendContents({ ...this.#reading(), least: MANY_FILES })
      : undefined;
    const slice = this.#slice();
    const roots = [...this.#roots.all];
    const scanned = await this.#scan.run({ watch, slice });
    const { ignored } = scanned;
    const { tree, isStored, ...rest } = await this.#read(scanned, {
      old: before ? knownIn(before.tree) : saved && knownOf(saved),
      room: MAX_TOTAL,
      lent,
    });
    this.#state = { tree, roots, ignored, ...rest };
    if (watch?.failed) {
      watch.close();
      this.#watch = null;
    }
    if (before !== undefined) {
      // Of a directory that was added since nothing is known either.
      const added = new Set(roots).difference(new Set(before.roots));
      return this.#compare(before.tree, tree, { ignored: before.ignored.union(added) });
    }
    if (isStored && !this.#closed.signal.aborted) saveKnownFiles(tree, this.#objects);
    return [];
  }

  /** Takes hold of the store; what an earlier session knew. */
  async #open(): Promise<Map<string, KnownPath>> {
    if (this.#lease === undefined) {
      const needed = async () => ({
        ofChanges: (await this.#readPatches()).flatMap(({ changes }) => objectsOf(changes)),
        ofFiles: Array.from(await loadKnownFiles(this.#objects), ([, { side }]) => objectOf(side))
          .filter((id) => id !== undefined),
      });
      const lease = await leaseObjects(this.#objects, { needed });
      if (this.#closed.signal.aborted) lease[Symbol.dispose]();
      this.#closed.signal.throwIfAborted();
      this.#lease = lease;
    }
    return await loadKnownFiles(this.#objects);
  }

  /** Looks only at what the watches reported, at files with several names, and at all files if that is not enough. */
  async #update(
    state: SnapshotState,
    { paths, ignored, uncertain }: WatchedChanges,
    { confined }: { confined: boolean },
  ): Promise<PatchChange[]> {
    const linked = new Set(state.linked);
    const first = new Map([...Array.from(linked, (path) => [path, false] as const), ...paths]);
    const { changes, after } = await this.#look(state, first);
    const isVouched = confined && !uncertain && !ignored.some(hasOtherNames) &&
      after.linked.isSubsetOf(linked);
    if (isVouched) return changes;
    const others = await this.#findChanged(state.tree, first);
    return [...changes, ...(await this.#look(state, others)).changes];
  }

  /** The known files that show a change, some left out. */
  async #findChanged(
    tree: KnownTree,
    except: ReadonlyMap<string, unknown>,
  ): Promise<ReadonlyMap<string, boolean>> {
    const changed = new Map<string, boolean>();
    const slice = this.#slice();
    for (const [path, { signature, stable }] of tree) {
      if (signature.kind !== "file" || except.has(path)) continue;
      const now = signatureOf(path);
      if (!stable || now === undefined || !isSameSignature(signature, now)) {
        changed.set(path, false);
      }
      if (slice.step()) await slice.pause();
    }
    return changed;
  }

  /** Brings what is known of some paths up to date. */
  async #look(
    state: SnapshotState,
    paths: ReadonlyMap<string, boolean>,
  ): Promise<{ changes: PatchChange[]; after: ReadTree }> {
    const targets = selectTargets(paths, state.tree);
    const options = { watch: this.#watch ?? undefined, slice: this.#slice() };
    const scanned = await this.#scan.look(targets, options);
    const room = MAX_TOTAL - state.bytes;
    const after = await this.#read(scanned, { old: knownIn(state.tree), room });
    const before = new KnownTree();
    for (const [path, deep] of targets) state.tree.moveTo(before, path, { deep });
    state.tree.addAll(after.tree);
    const ignored = new Set(state.ignored);
    for (const path of state.ignored) {
      if (targets.has(path) || isBelow(path, targets)) state.ignored.delete(path);
    }
    for (const path of scanned.ignored) state.ignored.add(path);
    for (const [path, known] of before) {
      state.linked.delete(path);
      state.bytes -= storedBytes(known);
    }
    for (const path of after.linked) state.linked.add(path);
    state.bytes += after.bytes;
    return { after, changes: await this.#compare(before, after.tree, { ignored }) };
  }

  async #read(
    scanned: ScanResult,
    options: Pick<ReadOptions, "old" | "room" | "lent">,
  ): Promise<ReadTree> {
    const read = await readTree(scanned, { ...options, ...this.#reading() });
    this.#reportLeftOut(read.leftOut);
    return read;
  }

  #reading() {
    return { objects: this.#objects, roots: this.#roots.all, slice: this.#slice() };
  }

  #slice(): TimeSlice {
    return new TimeSlice(this.#closed.signal);
  }

  async #compare(
    before: KnownTree,
    after: KnownTree,
    { ignored }: { ignored: ReadonlySet<string> },
  ): Promise<PatchChange[]> {
    const changes: PatchChange[] = [];
    for (const [path, now] of after) {
      const known = before.get(path);
      if (known === now) continue;
      const then = known?.side ?? null;
      if (isSameSide(then, now.side)) continue;
      // A path that is no longer ignored may have been there before: undo must not delete it.
      if (then === null && isBelow(path, ignored)) continue;
      changes.push({ path, before: then, after: now.side });
    }
    for (const [path, then] of before) {
      if (after.get(path) !== undefined) continue;
      // Where a directory has become a link, the path may lead to the same file, which was moved.
      const isLost = isBelowOther(path, after);
      const signature = isLost ? undefined : signatureOf(path);
      if (signature === undefined && !isLost && !isGone(path)) continue;
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

  /** Stores what files held before that only a repository of the project has. */
  async #adoptContents(changes: PatchChange[]): Promise<PatchChange[]> {
    const adopted = await adoptContents(changes, this.#objects);
    if (!adopted.isWhole) {
      this.#notices.add(
        "gone",
        "What a command did to files cannot be undone where it also removed their contents from git.",
      );
    }
    return adopted.changes;
  }

  #startDraining(): void {
    if (this.#draining === undefined) {
      const timer = setInterval(() => {
        this.#watch?.drain();
        this.#keepJournal();
      }, DRAIN_MS);
      this.#draining = { timer, users: 0 };
    }
    this.#draining.users++;
  }

  /** Notes what was there before where something has happened. */
  #keepJournal(): void {
    const [journal, state, watch] = [this.#journal, this.#state, this.#watch];
    if (journal === undefined || state === undefined || !watch || this.#running === 0) return;
    const fresh = watch.takeFresh();
    if (fresh === undefined) return journal.cut();
    if (fresh.size > 0) journal.note([...fresh].flatMap((one) => knownBefore(one, state)));
  }

  /** Has what commands changed no longer noted: it is recorded. */
  forgetJournal({ ended }: { ended?: JournaledCommand | undefined } = {}): void {
    // When it is closed, nothing is recorded: the next ally does it.
    if (this.#closed.signal.aborted) return;
    if (ended !== undefined) this.#journal?.end(ended);
    this.#journal?.forget();
    this.#watch?.renewFresh();
  }

  #stopDraining(): void {
    if (this.#draining === undefined || --this.#draining.users > 0) return;
    clearInterval(this.#draining.timer);
    this.#draining = undefined;
  }

  #reportLeftOut(count: number): void {
    if (count === 0) return;
    this.#notices.add(
      "left out",
      `What commands do to ${count} large or unreadable files cannot be undone: contents are kept of files up to ${
        formatBytes(MAX_FILE)
      }, ${formatBytes(MAX_TOTAL)} in all.`,
    );
  }

  #reportError(what: string, error: unknown): void {
    if (this.#closed.signal.aborted) return;
    const why = messageOf(error);
    const place = this.#objects.directory;
    this.#notices.add(why, `${what}: ${why}. Is there space left in ${place}?`);
    this.#notices.flush();
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** What was at a path, and below it where a directory came or went. */
function knownBefore(
  [path, isReplaced]: [path: string, isReplaced: boolean],
  { tree, ignored }: SnapshotState,
): JournaledPath[] {
  const known = tree.get(path);
  if (known === undefined && isBelow(path, ignored)) return [];
  const own = { path, before: known?.side ?? null };
  if (!isReplaced) return [own];
  const inner = tree.below(path).map(([inner, { side }]) => ({ path: inner, before: side }));
  return [{ ...own, isReplaced }, ...inner];
}

/** Whether a file's name stands in a command, not as a part of a longer one. */
function names(command: string, name: string): boolean {
  return new RegExp(`(?<![\\w.-])${RegExp.escape(name)}(?![\\w-])`).test(command);
}

/** Whether a new file has other names, or is gone again. */
function hasOtherNames(path: string): boolean {
  const signature = signatureOf(path);
  return signature === undefined || isLinked(signature);
}

function knownIn(tree: KnownTree): FindKnown {
  return (directory) => tree.entries(directory);
}

function knownOf(paths: ReadonlyMap<string, KnownPath>): FindKnown | undefined {
  if (paths.size === 0) return undefined;
  const tree = new KnownTree();
  for (const [path, known] of paths) tree.add(dirname(path), basename(path), known);
  return knownIn(tree);
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
