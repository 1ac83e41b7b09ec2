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

/** The times of a signature. */
type Times = Pick<PathSignature, "modified" | "changed">;

/** The same as Deno tells it. */
export interface FileTimes {
  readonly mtime: Date | null;
  readonly ctime: Date | null;
}

/** When what the system tells of was last changed. */
export function timesOf({ mtime, ctime }: FileTimes): Times {
  return { modified: mtime?.getTime() ?? 0, changed: ctime?.getTime() ?? 0 };
}

/**
 * The last moment at which a path may have come to what its times say, in milliseconds. Its time of modification can be set,
 * and that of its last change, which cannot, Deno tells in whole seconds (2.9.6): within one it may change unseen.
 */
export function latestChange({ modified, changed }: Times): number {
  return Math.max(modified, changed + 999);
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
