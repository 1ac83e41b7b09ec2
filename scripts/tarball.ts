/**
 * Writes .tar.gz files whose bytes follow from their content alone: no time, no owner, no order of a disk.
 */
import { packTar } from "modern-tar";
import { gzipSync } from "node:zlib";

/** A file of an archive. */
export interface ArchiveFile {
  /** With slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable?: boolean;
}

/** When every file was changed: npm writes the same time. */
const MTIME = new Date("1985-10-26T08:15:00Z");
/** Where a gzip header names the system that wrote it, and the value for one that is not known. */
const GZIP_SYSTEM = { offset: 9, unknown: 255 };

/** The archive of these files. */
export async function packFiles(files: readonly ArchiveFile[]): Promise<Uint8Array> {
  const sorted = files.toSorted((a, b) => a.path < b.path ? -1 : 1);
  const tar = await packTar(sorted.map(({ path, bytes, executable = false }) => ({
    header: {
      name: path,
      size: bytes.length,
      type: "file",
      mode: executable ? 0o755 : 0o644,
      mtime: MTIME,
      uid: 0,
      gid: 0,
      uname: "",
      gname: "",
    },
    body: bytes,
  })));
  const packed = gzipSync(tar, { level: 9 });
  packed[GZIP_SYSTEM.offset] = GZIP_SYSTEM.unknown;
  return packed;
}
