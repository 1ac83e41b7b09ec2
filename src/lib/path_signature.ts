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
    modified: info.mtime?.getTime() ?? 0,
    changed: info.ctime?.getTime() ?? 0,
    inode: info.ino ?? 0,
    names: info.nlink ?? 1,
  };
}
