/**
 * The state of one path in a snapshot: its signature, by which a change would show, and what is stored of it.
 */
import * as fs from "node:fs";
import { openFlags } from "../lib/directory_handle.ts";
import type { PathSignature } from "../lib/path_signature.ts";
import type { ObjectIds } from "../lib/object_ids.ts";
import type { ObjectWriter } from "./objects.ts";
import { isSameSide, type Side } from "./patch.ts";

/** Bytes of the largest file whose content is stored. */
export const MAX_FILE = 10 * 1024 * 1024;
/** Milliseconds within which a file can change twice and look the same: Deno tells the time of a change in seconds. */
const TIMESTAMP_GRANULARITY_MS = 1050;

/** A path whose state is known. */
export interface KnownPath {
  readonly signature: PathSignature;
  readonly side: Side;
  /** False if it was read so soon after a change that a second change could have gone unnoticed. */
  readonly stable: boolean;
  /** True if a repository of the project has the content, and ally has not stored it. @default false */
  readonly isBorrowed?: boolean;
}

/** A file whose content a repository of the project has. Of most there will be no question what they hold. */
export class BorrowedPath implements KnownPath {
  readonly signature: PathSignature;
  readonly #ids: ObjectIds;
  readonly #place: number;

  /** The content's name is at a place of some. */
  constructor(signature: PathSignature, { ids, place }: { ids: ObjectIds; place: number }) {
    this.signature = signature;
    this.#ids = ids;
    this.#place = place;
  }

  get stable(): boolean {
    return true;
  }

  get isBorrowed(): boolean {
    return true;
  }

  get side(): Side {
    return fileSide(this.signature, this.#ids.at(this.#place));
  }
}

/** Reads what lies at a path. Where nothing changed, the old side is returned itself, which is quick to compare. */
export async function readKnownPath(
  path: string,
  options: {
    signature: PathSignature;
    old: KnownPath | undefined;
    writer: ObjectWriter;
    room: number;
  },
): Promise<KnownPath | undefined> {
  const { signature, old, writer, room } = options;
  const stable = Date.now() - signature.changed > TIMESTAMP_GRANULARITY_MS;
  const side = signature.kind === "directory"
    ? { kind: "directory" as const, mode: signature.mode }
    : signature.kind === "link"
    ? await readLink(path)
    : await readFile(path, { signature, writer, room });
  if (side === undefined) return undefined;
  return { signature, stable, side: old && isSameSide(old.side, side) ? old.side : side };
}

async function readLink(path: string): Promise<Side | undefined> {
  try {
    return { kind: "link", target: await Deno.readLink(path) };
  } catch {
    return undefined;
  }
}

async function readFile(
  path: string,
  { signature, writer, room }: { signature: PathSignature; writer: ObjectWriter; room: number },
): Promise<Side> {
  if (signature.size > Math.min(MAX_FILE, room)) return fileSide(signature, undefined);
  const bytes = readRegular(path);
  return fileSide(signature, bytes && await writer.put(bytes));
}

/** The bytes of a regular file, or undefined if it may not be read or is no longer a regular file. */
function readRegular(path: string): Uint8Array<ArrayBuffer> | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = openFlags();
  try {
    // Synchronous: for many small files that is ten times as quick.
    const descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = fs.fstatSync(descriptor);
      if (!stats.isFile() || stats.size > MAX_FILE) return undefined;
      return readAll(descriptor, stats.size);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** All bytes of an open file that should have `size`; undefined if they are too many after all. */
function readAll(descriptor: number, size: number): Uint8Array<ArrayBuffer> | undefined {
  let bytes = new Uint8Array(size + 1);
  for (let end = 0;;) {
    const count = fs.readSync(descriptor, bytes, end, bytes.length - end, null);
    if (count === 0) return bytes.subarray(0, end);
    end += count;
    if (end > MAX_FILE) return undefined;
    if (end < bytes.length) continue;
    const larger = new Uint8Array(Math.min(2 * end, MAX_FILE + 1));
    larger.set(bytes);
    bytes = larger;
  }
}

/** A file with its content's object, or with size and time if its content is not stored. */
export function fileSide(signature: PathSignature, object: string | undefined): Side {
  const { mode, size, modified } = signature;
  return object === undefined
    ? { kind: "file", mode, size, modified }
    : { kind: "file", mode, object };
}

/** Name of the stored content, if there is one. */
export function objectOf(side: Side): string | undefined {
  return side.kind === "file" ? side.object : undefined;
}
