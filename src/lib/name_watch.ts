/**
 * Tells in which of many directories names have come or gone, without a look at each. Linux only, and only on disks
 * of this machine.
 */
import { IN, Inotify } from "./inotify.ts";
import { onLocalDisk } from "./local_disk.ts";

/** A directory that was removed is reported itself: another one may have its path. */
const MASK = IN.ONLYDIR | IN.DONT_FOLLOW |
  IN.CREATE | IN.DELETE | IN.MOVED_FROM | IN.MOVED_TO;

/** The watches on some directories. */
export class NameWatch {
  readonly #inotify: Inotify;
  readonly #directories = new Map<number, string>();
  #failed = false;

  private constructor(inotify: Inotify) {
    this.#inotify = inotify;
  }

  /** Undefined where what happens below these directories cannot be watched. */
  static open(directories: readonly string[]): NameWatch | undefined {
    const inotify = onLocalDisk(directories) ? Inotify.open() : undefined;
    return inotify && new NameWatch(inotify);
  }

  /** Watches a directory, before it is listed; false if that failed. */
  add(directory: string): boolean {
    const watch = this.#inotify.add(directory, MASK);
    if (watch !== undefined) this.#directories.set(watch, directory);
    return watch !== undefined;
  }

  /** Says that a directory is there that could not be watched. */
  fail(): void {
    this.#failed = true;
  }

  /** The directories that have changed since the last time; undefined if some may have changed unseen. */
  take(): ReadonlySet<string> | undefined {
    const changed = new Set<string>();
    try {
      for (const { watch, mask } of this.#inotify.read()) {
        if ((mask & (IN.Q_OVERFLOW | IN.UNMOUNT)) !== 0) this.#failed = true;
        const directory = this.#directories.get(watch);
        if (directory !== undefined) changed.add(directory);
        if ((mask & IN.IGNORED) !== 0) this.#directories.delete(watch);
      }
    } catch {
      this.#failed = true;
    }
    return this.#failed ? undefined : changed;
  }

  /** Ends all watches. */
  close(): void {
    this.#inotify.close();
  }
}
