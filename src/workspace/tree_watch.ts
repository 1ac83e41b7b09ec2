/**
 * Watches the directories of the workspace, so that what a command changed is known without looking at every file.
 * Where it cannot vouch for having seen every event, it says so, and all is scanned instead.
 *
 * A file can be written through another name (a hard link), which is reported for that name alone. While the name is
 * there, the file tells how many it has. What had a name that is gone again, or was made in a directory before that
 * was watched, nobody knows: then every file must be looked at.
 */
import { join } from "node:path";
import { tryLstat } from "../lib/fs.ts";
import { IN, Inotify, type InotifyEvent } from "../lib/inotify.ts";
import { onLocalDisk } from "../lib/local_disk.ts";

/** Paths waiting to be looked at above which a scan is no dearer. */
const MAX_PENDING = 50_000;

const ALWAYS = IN.ONLYDIR | IN.DONT_FOLLOW;
const APPEARED = IN.CREATE | IN.MOVED_TO;
const VANISHED = IN.DELETE | IN.MOVED_FROM;
const NAMES = APPEARED | VANISHED;
const CHANGED = NAMES | IN.MODIFY | IN.ATTRIB | IN.CLOSE_WRITE;

/** What has happened since it was asked for last. */
export interface WatchedChanges {
  /** Paths at which something happened; true where a directory appeared or vanished. */
  readonly paths: ReadonlyMap<string, boolean>;
  /** Files that appeared where git ignores them. */
  readonly ignored: readonly string[];
  /** True if a file may have been changed through a name that is not known. */
  readonly uncertain: boolean;
}

interface WatchedDirectory {
  readonly path: string;
  readonly ignored: boolean;
}

/** The watches on one workspace. */
export class TreeWatch {
  readonly #inotify: Inotify;
  readonly #directories = new Map<number, WatchedDirectory>();
  /** Inodes of the roots: a root that was replaced is no longer the one that is watched. */
  readonly #roots = new Map<string, number | null>();
  #paths = new Map<string, boolean>();
  /** Of these, what has not been told yet. */
  #fresh = new Map<string, boolean>();
  /** Names that came up, with whether git ignores them. */
  #appeared = new Map<string, boolean>();
  /** Renames of which the new name has not been reported, with whether the old one had just come up. */
  #renames = new Map<number, boolean>();
  #uncertain = false;
  /** True from when an event may have been missed until everything was scanned. */
  #incomplete = true;
  #failed = false;
  #closed = false;

  private constructor(inotify: Inotify) {
    this.#inotify = inotify;
  }

  /** Undefined where what happens in these roots cannot be watched. */
  static open(roots: readonly string[]): TreeWatch | undefined {
    const inotify = onLocalDisk(roots) ? Inotify.open() : undefined;
    return inotify && new TreeWatch(inotify);
  }

  /** True once a watch could not be placed: from then on this watch is of no use. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Begins anew: everything is about to be scanned, directory by directory, each watched before it is listed. */
  restart(roots: readonly string[]): void {
    this.drain();
    this.#forget();
    this.#roots.clear();
    for (const root of roots) this.#roots.set(root, tryLstat(root)?.ino ?? null);
    this.#incomplete = false;
  }

  /** Watches a directory; of an ignored one only which names come and go in it. */
  add(path: string, { ignored }: { ignored: boolean }): void {
    if (this.#failed) return;
    const watch = this.#inotify.add(path, ALWAYS | (ignored ? NAMES : CHANGED));
    if (watch !== undefined) this.#directories.set(watch, { path, ignored });
    // What has vanished meanwhile, or may not be listed, needs no watch.
    else if (isListable(path)) this.#failed = true;
  }

  /** Takes the events out of the kernel's queue, which is bounded. */
  drain(): void {
    if (this.#closed) return;
    try {
      for (const event of this.#inotify.read()) this.#note(event);
    } catch {
      this.#failed = true;
    }
  }

  /** What has happened since; undefined if something may have been missed, so that everything must be scanned. */
  take(roots: readonly string[]): WatchedChanges | undefined {
    this.drain();
    if (this.#failed || this.#incomplete || !this.#isSameRoots(roots)) return undefined;
    const appeared = [...this.#appeared];
    const taken = {
      paths: this.#paths,
      ignored: appeared.filter(([, ignored]) => ignored).map(([path]) => path),
      // What was renamed to where nobody looks is as good as gone.
      uncertain: this.#uncertain || this.#renames.values().some((isNew) => isNew),
    };
    this.#forget();
    return taken;
  }

  /** What came to the paths since this was asked last, as far as it was drained; undefined if some may be missed. */
  takeFresh(): ReadonlyMap<string, boolean> | undefined {
    if (this.#failed || this.#incomplete) return undefined;
    const fresh = this.#fresh;
    if (fresh.size > 0) this.#fresh = new Map();
    return fresh;
  }

  /** Has all of the paths told again. */
  renewFresh(): void {
    this.#fresh = new Map(this.#paths);
  }

  /** Says that what was taken has not been looked at. */
  invalidate(): void {
    this.#incomplete = true;
  }

  /** Ends all watches. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#failed = true;
    this.#inotify.close();
  }

  #note({ watch, mask, name, cookie }: InotifyEvent): void {
    if ((mask & (IN.Q_OVERFLOW | IN.UNMOUNT)) !== 0) this.#incomplete = true;
    if ((mask & IN.IGNORED) !== 0) this.#directories.delete(watch);
    const directory = this.#directories.get(watch);
    if (directory === undefined || name === "" || this.#incomplete) return;
    const path = join(directory.path, name);
    this.#noteName(path, { mask, cookie, ignored: directory.ignored });
    if (!directory.ignored) {
      const moved = (mask & IN.ISDIR) !== 0 && (mask & NAMES) !== 0;
      const before = this.#paths.get(path);
      this.#paths.set(path, moved || before === true);
      if (before === undefined || (moved && !before)) this.#fresh.set(path, moved);
    }
    if (this.#paths.size + this.#appeared.size > MAX_PENDING) this.#incomplete = true;
  }

  /** Keeps account of names that come and go. */
  #noteName(
    path: string,
    { mask, cookie, ignored }: { mask: number; cookie: number; ignored: boolean },
  ): void {
    const isNew = this.#appeared.has(path);
    if ((mask & IN.MOVED_FROM) !== 0) this.#renames.set(cookie, isNew);
    // A name that came up is gone, or stands for another file.
    else if ((mask & NAMES) !== 0 && isNew) this.#uncertain = true;
    if ((mask & VANISHED) !== 0) this.#appeared.delete(path);
    if ((mask & APPEARED) === 0) return;
    const isRenamed = (mask & IN.MOVED_TO) !== 0 && this.#renames.delete(cookie);
    if ((mask & IN.ISDIR) === 0) this.#appeared.set(path, ignored);
    else if (!isRenamed) this.#uncertain = true;
  }

  #forget(): void {
    this.#paths = new Map();
    this.#fresh = new Map();
    this.#appeared = new Map();
    this.#renames = new Map();
    this.#uncertain = false;
  }

  #isSameRoots(roots: readonly string[]): boolean {
    return roots.length === this.#roots.size &&
      roots.every((root) => this.#roots.get(root) === (tryLstat(root)?.ino ?? null));
  }
}

function isListable(path: string): boolean {
  try {
    if (!Deno.lstatSync(path).isDirectory) return false;
    Deno.readDirSync(path)[Symbol.iterator]().next();
    return true;
  } catch {
    return false;
  }
}
