/**
 * Reads git's index: which files are tracked, and how they were when git looked at them last. Versions 2 to 4
 * of the format in git's own `gitformat-index`.
 */

/** One tracked file. */
export interface IndexEntry {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  /** Kind and permission bits. */
  readonly mode: number;
  /** Bytes, modulo 2^32. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Milliseconds since the epoch of the last change to content or attributes; 0 if it was not noted. */
  readonly changed: number;
  /** Modulo 2^32; 0 if it was not noted. */
  readonly inode: number;
  /** Name of the object with its content, in hexadecimal. */
  readonly object: string;
  /** True if git was told not to look at the file. */
  readonly ignored: boolean;
}

const FIXED_BYTES = 62;
const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;

/** The number of entries of an index, or undefined if the version is not known. */
export function countEntries(bytes: Uint8Array<ArrayBuffer>): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  const isKnown = view.getUint32(0) === 0x44495243 && version >= 2 && version <= 4;
  return isKnown ? view.getUint32(8) : undefined;
}

/** The entries of an index, one by one; none if the version is not known. */
export function* readIndex(bytes: Uint8Array<ArrayBuffer>): Generator<IndexEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  const count = countEntries(bytes) ?? 0;
  const decoder = new TextDecoder();
  let path = "";
  for (let at = 12, index = 0; index < count; index++) {
    const flags = view.getUint16(at + 60);
    const extended = (flags & EXTENDED) !== 0;
    const more = extended ? view.getUint16(at + FIXED_BYTES) : 0;
    const start = at + FIXED_BYTES + (extended ? 2 : 0);
    const name = version === 4
      ? readCompressedName(bytes, { start, path, decoder })
      : readFullName(bytes, { start, at, decoder });
    path = name.path;
    yield {
      path,
      mode: view.getUint32(at + 24),
      size: view.getUint32(at + 36),
      modified: milliseconds(view, at + 8),
      changed: milliseconds(view, at),
      inode: view.getUint32(at + 20),
      object: bytes.subarray(at + 40, at + 60).toHex(),
      ignored: (flags & ASSUME_VALID) !== 0 || (more & SKIP_WORKTREE) !== 0,
    };
    at = name.end;
  }
}

/** Seconds and nanoseconds. */
function milliseconds(view: DataView, at: number): number {
  return view.getUint32(at) * 1000 + Math.floor(view.getUint32(at + 4) / 1e6);
}

/** A name up to its NUL; the entry is padded to a multiple of eight bytes. */
function readFullName(
  bytes: Uint8Array,
  { start, at, decoder }: { start: number; at: number; decoder: TextDecoder },
) {
  const nul = bytes.indexOf(0, start);
  const path = decoder.decode(bytes.subarray(start, nul));
  return { path, end: at + Math.ceil((nul + 1 - at) / 8) * 8 };
}

/** How many bytes of the name before to drop, then the rest of the name up to its NUL. */
function readCompressedName(
  bytes: Uint8Array,
  { start, path, decoder }: { start: number; path: string; decoder: TextDecoder },
) {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let drop = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes[at++] ?? 0;
    drop = ((drop + 1) << 7) | (byte & 0x7f);
  }
  const nul = bytes.indexOf(0, at);
  const before = new TextEncoder().encode(path);
  const prefix = decoder.decode(before.subarray(0, before.length - drop));
  return { path: prefix + decoder.decode(bytes.subarray(at, nul)), end: nul + 1 };
}
