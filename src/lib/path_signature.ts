/**
 * What the system says of a path. If all of it is equal, the content has not changed.
 */
import { tryLstat } from "./fs.ts";

/** What a path is, and how. */
export interface PathSignature {
  readonly kind: "file" | "link" | "directory";
  /** Permission bits. */
  readonly mode: number;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Milliseconds since the epoch, in whole seconds. */
  readonly changed: number;
  readonly inode: number;
  /** Names that the file has; through each of them it can be changed. */
  readonly names: number;
}

/** When a path was last modified, and last changed in any way, as in its signature. */
type PathTimes = Pick<PathSignature, "modified" | "changed">;

/** The same from what Deno says of a path. */
export function timesOf({ mtime, ctime }: { mtime: Date | null; ctime: Date | null }): PathTimes {
  return { modified: mtime?.getTime() ?? 0, changed: ctime?.getTime() ?? 0 };
}

/**
 * The end of the moment at which a path last changed, in milliseconds since the epoch. The time of its modification can be
 * set; that of its last change cannot, but Deno 2.9.6 gives it in whole seconds.
 */
export function latestChange({ modified, changed }: PathTimes): number {
  return changed > 0 ? changed + 999 : modified;
}

/** Milliseconds by which the times of files lag behind the clock, and more. */
const CLOCK_MARGIN_MS = 100;

/** Whether a path that was looked at then may have changed after that without its times showing it. */
export function isFresh(times: PathTimes, lookedAt = Date.now()): boolean {
  return latestChange(times) >= lookedAt - CLOCK_MARGIN_MS;
}

/** Whether two signatures show no change. */
export function isSameSignature(a: PathSignature, b: PathSignature): boolean {
  return a.kind === b.kind && a.mode === b.mode && a.inode === b.inode &&
    a.changed === b.changed && (a.kind === "directory" ||
      (a.size === b.size && a.modified === b.modified));
}

/** The signature of a path, no link followed; undefined unless it is a file, a link or a directory. */
export function signatureOf(path: string): PathSignature | undefined {
  const info = tryLstat(path);
  const kind = info?.isFile
    ? "file"
    : info?.isSymlink
    ? "link"
    : info?.isDirectory
    ? "directory"
    : undefined;
  if (info === undefined || kind === undefined) return undefined;
  return {
    kind,
    mode: (info.mode ?? 0) & 0o7777,
    size: info.size,
    ...timesOf(info),
    inode: info.ino ?? 0,
    names: info.nlink ?? 1,
  };
}
