/**
 * What an undo patch is: for every path that a change touched, what lay there before and what after. Tools'
 * changes keep the text itself, commands' changes the objects of the snapshot repository.
 */
import { createHash } from "node:crypto";
import { sha256 } from "../lib/fs.ts";
import { isObject } from "../lib/schema.ts";
import { type DecodedText, decodeText, encodeText, type Encoding, isBinary } from "./decode.ts";

/** What lies at a path; every field that is there is compared and restored. */
export type Side = FileSide | LinkSide | DirectorySide;

/** One side of a change: a file. */
export interface FileSide {
  readonly kind: "file";
  /** Permission bits; absent where only the content matters. */
  readonly mode?: number;
  /** SHA-256 of the bytes. */
  readonly hash?: string;
  /** The content as text, with its encoding on disk. */
  readonly text?: string;
  readonly encoding?: Encoding;
  /** The content of a binary file. */
  readonly base64?: string;
  /** The content, as an object of the snapshot repository. */
  readonly object?: string;
  /** Size and time of a file whose content is too large to be kept. */
  readonly size?: number;
  readonly modified?: number;
}

/** One side of a change: a symbolic link. */
interface LinkSide {
  readonly kind: "link";
  readonly target: string;
}

/** One side of a change: a directory. */
export interface DirectorySide {
  readonly kind: "directory";
  readonly mode?: number;
}

/** What a change did at one path; null stands for nothing. */
export interface PatchChange {
  /** Absolute; links in the directories are resolved. */
  readonly path: string;
  readonly before: Side | null;
  readonly after: Side | null;
  /** Unified diff, for people; absent for large texts and for what commands changed. */
  readonly diff?: string | undefined;
}

/** One change, as it is stored. */
export interface Patch {
  readonly number: number;
  /** ISO 8601. */
  readonly time: string;
  readonly tool: string;
  readonly call_id: string;
  /** The command line, if a command made the change. */
  readonly command?: string;
  /** Set if it came about between calls while background tasks ran: by them, or by somebody else. */
  readonly byTask?: boolean;
  readonly changes: readonly PatchChange[];
}

/** The bytes of a file as a side of a patch: as text if encoding it gives the same bytes, else as base64. */
export async function captureSide(
  bytes: Uint8Array,
  known: { hash?: string; decoded?: DecodedText | undefined } = {},
): Promise<FileSide> {
  const hash = known.hash ?? sha256(bytes);
  const decoded = known.decoded ?? (isBinary(bytes) ? undefined : await decodeText(bytes));
  if (decoded !== undefined && await isRoundTrip(decoded, hash)) {
    return { kind: "file", hash, ...decoded };
  }
  return { kind: "file", hash, base64: new Uint8Array(bytes).toBase64() };
}

async function isRoundTrip({ text, encoding }: DecodedText, hash: string): Promise<boolean> {
  // UTF-8 without a replacement character stands for its bytes one to one.
  if (encoding.name === "utf-8" && !text.includes("\ufffd")) return true;
  return sha256(await encodeText(text, encoding)) === hash;
}

/** Whether a side holds, or points to, all that is needed to restore it. */
export function isRestorable(side: Side | null): boolean {
  return side?.kind !== "file" || side.text !== undefined || side.base64 !== undefined ||
    side.object !== undefined;
}

/** The content that a patch itself holds of a file, or undefined if it lies elsewhere. */
export async function readEmbeddedContent(side: FileSide): Promise<Uint8Array | undefined> {
  if (side.base64 !== undefined) return Uint8Array.fromBase64(side.base64);
  if (side.text === undefined || side.encoding === undefined) return undefined;
  return await encodeText(side.text, side.encoding);
}

/** Whether bytes are the content of a file's side. */
export function hasContent(side: FileSide, bytes: Uint8Array): boolean {
  if (side.hash !== undefined) return sha256(bytes) === side.hash;
  return side.object !== undefined && blobId(bytes) === side.object;
}

/** Whether two sides are the same state of a path. */
export function isSameSide(a: Side | null, b: Side | null): boolean {
  if (a === b) return true;
  if (a === null || b === null || a.kind !== b.kind) return false;
  if (a.kind === "link") return a.target === (b as LinkSide).target;
  if (a.kind === "directory") return a.mode === (b as DirectorySide).mode;
  const other = b as FileSide;
  return a.mode === other.mode && a.hash === other.hash && a.object === other.object &&
    a.size === other.size && a.modified === other.modified;
}

/** The changes to name to a person: of files and links, or of directories if there are no others. */
export function selectNotable<T extends { before: Side | null; after: Side | null }>(
  changes: readonly T[],
): readonly T[] {
  const isDirectory = (side: Side | null) => side === null || side.kind === "directory";
  const files = changes.filter(({ before, after }) => !isDirectory(before) || !isDirectory(after));
  return files.length > 0 ? files : changes;
}

/** The name git gives to some bytes. */
export function blobId(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Whether a value read from disk has the form of a patch. */
export function isPatch(value: unknown): value is Patch {
  return isObject(value) && typeof value.number === "number" && Array.isArray(value.changes) &&
    value.changes.every(isChange);
}

function isChange(value: unknown): boolean {
  return isObject(value) && typeof value.path === "string" && typeof value.before === "object" &&
    typeof value.after === "object";
}
