/**
 * What the lines of a receipt say, and how those that are needed again are read back.
 */
import type { PathChange, PathFact } from "../core/action_log.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";

/** The version of the format, in the first line. */
export const RECEIPT_VERSION = 1;

/** The first line: which run it was. */
export interface ReceiptStart {
  readonly type: "start";
  readonly receipt: typeof RECEIPT_VERSION;
  /** Unique to the run. */
  readonly id: string;
  /** ISO 8601. */
  readonly time: string;
  /** Version of ally. */
  readonly ally: string;
  /** Absolute and canonical. */
  readonly cwd: string;
  /** The working directory and each added one. */
  readonly roots: readonly string[];
  /** Id of the session; null without one. */
  readonly session: string | null;
  readonly model: string;
}

/** A change to files. */
export interface ReceiptChange {
  readonly type: "change";
  /** By this number it can be taken back. */
  readonly change: number;
  /** When it was recorded: ISO 8601. */
  readonly made: string;
  readonly call_id: string;
  readonly paths: readonly PathChange[];
}

/** A change that was taken back, or made again. */
interface ReceiptReversal {
  readonly type: "undone" | "redone";
  readonly change: number;
}

/** What became of the files, in order. */
export type ReceiptFileLine = ReceiptChange | ReceiptReversal;

/** What a finished receipt is, for programs. */
export interface ReceiptSummary {
  /** Absolute. */
  readonly file: string;
  /** How many it has. */
  readonly lines: number;
  /** Hash of the last line: whoever keeps it can tell the receipt from any other. */
  readonly sha256: string | null;
  /** Why it is not whole. */
  readonly problem?: string;
}

/** The first line as it was read; undefined if it is none that this ally understands. */
export function readStart(line: JsonObject | undefined): ReceiptStart | undefined {
  const isStart = line?.type === "start" && line.receipt === RECEIPT_VERSION &&
    isText(line.id) && /^[0-9a-f-]{36}$/.test(line.id) && isText(line.cwd) &&
    Array.isArray(line.roots) && line.roots.every(isText);
  return isStart ? line as unknown as ReceiptStart : undefined;
}

/** The lines that tell of changes to files. */
export function readFileLines(lines: readonly JsonObject[]): ReceiptFileLine[] {
  return lines.filter(isFileLine) as unknown as ReceiptFileLine[];
}

/** Whether the last line says that the run came to its end. */
export function hasEnded(lines: readonly JsonObject[]): boolean {
  return lines.at(-1)?.type === "end";
}

function isFileLine(line: JsonObject): boolean {
  if (typeof line.change !== "number") return false;
  if (line.type === "undone" || line.type === "redone") return true;
  return line.type === "change" && isText(line.made) && isText(line.call_id) &&
    Array.isArray(line.paths) && line.paths.every(isPathChange);
}

function isPathChange(value: unknown): boolean {
  return isObject(value) && isText(value.path) && isFact(value.before) && isFact(value.after);
}

function isFact(value: unknown): value is PathFact | null {
  if (value === null) return true;
  if (!isObject(value)) return false;
  return value.kind === "link"
    ? isText(value.target)
    : value.kind === "file" || value.kind === "directory";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
