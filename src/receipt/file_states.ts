/**
 * What the files of a receipt hold now, beside what it says of them: as its run left them, as they were before it, or
 * neither.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import type { PathFact } from "../core/action_log.ts";
import { PLACEHOLDER_START } from "../core/secrets.ts";
import { DirectoryHandle, openFlags } from "../lib/directory_handle.ts";
import { errorCode, isMissing } from "../lib/fs.ts";
import type { ReceiptChange, ReceiptFileLine } from "./lines.ts";

/** Bytes of a file that are hashed: somebody else's receipt may name one without an end. */
const MAX_HASHED = 1024 ** 3;
/** Bytes read at once. */
const CHUNK = 1024 * 1024;

/** A path of a receipt, and how it is now. */
export interface CheckedPath {
  /** Absolute. */
  readonly path: string;
  /** Number of the line that tells of its last change. */
  readonly line: number;
  /** "unknown": it could not be looked at, or its content is not in the receipt. */
  readonly state: "as_recorded" | "as_before" | "changed" | "missing" | "unknown";
  /** What is not as recorded, in words. */
  readonly why?: string;
}

/** What a run made of a path. */
interface PathHistory {
  readonly line: number;
  /** Before its first change. */
  readonly before: PathFact | null;
  /** After its last one. */
  readonly after: PathFact | null;
}

/** Looks at all paths of a receipt, in the order of their names. */
export function checkFiles(
  lines: readonly (ReceiptFileLine & { readonly line?: number })[],
): CheckedPath[] {
  const checked: CheckedPath[] = [];
  for (const [path, history] of [...historiesOf(lines)].sort(([a], [b]) => a < b ? -1 : 1)) {
    checked.push({ path, line: history.line, ...compare(path, history) });
  }
  return checked;
}

function historiesOf(
  lines: readonly (ReceiptFileLine & { readonly line?: number })[],
): Map<string, PathHistory> {
  const changes = new Map<number, ReceiptChange>();
  const histories = new Map<string, PathHistory>();
  for (const one of lines) {
    if (one.type === "change") changes.set(one.change, one);
    for (const { path, before, after } of changes.get(one.change)?.paths ?? []) {
      histories.set(path, {
        line: one.line ?? 0,
        before: histories.has(path) ? histories.get(path)!.before : before,
        after: one.type === "undone" ? before : after,
      });
    }
  }
  return histories;
}

function compare(
  path: string,
  { before, after }: PathHistory,
): Pick<CheckedPath, "state" | "why"> {
  if (path.includes(PLACEHOLDER_START)) {
    return { state: "unknown", why: "its name holds a secret, which the receipt does not tell" };
  }
  let now: PathFact | null;
  try {
    now = factAt(path);
  } catch (error) {
    return { state: "unknown", why: `it cannot be read (${errorCode(error) ?? "no permission"})` };
  }
  const difference = differenceOf(after, now);
  if (difference === undefined) return { state: "as_recorded" };
  if (differenceOf(before, now) === undefined) {
    return { state: "as_before", why: "it is as it was before the run" };
  }
  return { state: now === null ? "missing" : "changed", why: difference };
}

/** What lies at a path, no link followed on the way either. @throws {Error} it may not be read */
function factAt(path: string): PathFact | null {
  try {
    using directory = DirectoryHandle.open(dirname(path));
    const entry = directory.entry(basename(path));
    const stats = fs.lstatSync(entry);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) return { kind: "link", target: fs.readlinkSync(entry) };
    if (stats.isDirectory()) return { kind: "directory", mode };
    const hash = stats.isFile() ? tryHash(entry, stats) : undefined;
    return {
      kind: "file",
      ...hash !== undefined && { sha256: hash },
      size: stats.size,
      modified: stats.mtimeMs,
      mode,
    };
  } catch (error) {
    if (isMissing(error) || errorCode(error) === "ELOOP") return null;
    throw error;
  }
}

/**
 * The hash of as much as the system says is there: what makes its content up while it is read, as files of `/proc` do,
 * has no size. Undefined if it cannot be read, or not without waiting.
 */
function tryHash(path: string, { size }: fs.Stats): string | undefined {
  if (size > MAX_HASHED) return undefined;
  let file: number | undefined;
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = openFlags();
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const hash = createHash("sha256");
    const buffer = new Uint8Array(Math.min(CHUNK, size));
    for (let rest = size; rest > 0;) {
      const read = fs.readSync(file, buffer, 0, Math.min(rest, buffer.length), null);
      if (read === 0) break;
      hash.update(buffer.subarray(0, read));
      rest -= read;
    }
    return hash.digest("hex");
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** What is otherwise than it should be; undefined if nothing is. What a receipt does not tell is not compared. */
function differenceOf(wanted: PathFact | null, now: PathFact | null): string | undefined {
  if (wanted === null) return now === null ? undefined : "it is there, and the run removed it";
  if (now === null) return "it is not there";
  if (wanted.kind !== now.kind) return `it is a ${now.kind}, not a ${wanted.kind}`;
  if (wanted.kind === "link" || now.kind === "link") {
    const isSame = wanted.kind === "link" && now.kind === "link" && wanted.target === now.target;
    return isSame ? undefined : "it leads elsewhere";
  }
  if (wanted.kind === "file" && now.kind === "file") {
    const isSame = wanted.sha256 === undefined
      ? (wanted.size ?? now.size) === now.size
      : wanted.sha256 === now.sha256;
    const isUnread = wanted.sha256 !== undefined && now.sha256 === undefined;
    if (!isSame) return isUnread ? "its content cannot be read" : "its content is another one";
  }
  return wanted.mode === undefined || wanted.mode === now.mode
    ? undefined
    : `its permissions are ${now.mode}, not ${wanted.mode}`;
}
