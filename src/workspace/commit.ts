/**
 * Planned changes to bytes on disk: what a change was planned on is compared with what the file holds, the text
 * is encoded as the file is, the undo patch is recorded, and only then is anything replaced. There is one
 * commit at a time.
 */
import * as fs from "node:fs";
import { dirname } from "node:path";
import { ToolError } from "../core/errors.ts";
import type { Change, ResolvedPath } from "../core/files.ts";
import { unifiedDiff } from "../lib/diff.ts";
import { sha256 } from "../lib/fs.ts";
import { decodeText, encodeText, isBinary, UTF_8 } from "./decode.ts";
import type { Encoding } from "./decode.ts";
import { ioError } from "./io_error.ts";
import type { FileState } from "./ledger.ts";
import { lostRootError } from "./lost_root.ts";
import { captureSide, type PatchChange } from "./patch.ts";
import type { PatchStore } from "./patches.ts";
import type { Roots } from "./paths.ts";
import { type LoadedFile, loadRegular } from "./regular_file.ts";
import { removeEmptyDirectories } from "./restore.ts";
import { ChangedMeanwhile, type Replacement, StagedBatch } from "./staged_batch.ts";

/** Characters of both texts together up to which a patch holds a diff. */
const MAX_DIFFED = 100_000;

/** A change ready to be written. */
interface PreparedChange {
  readonly change: Change;
  readonly replacement: Replacement;
  /** The encoding of the file on disk, if there is one. */
  readonly encoding: Encoding | undefined;
  /** SHA-256 of the bytes to write, null for a deletion. */
  readonly hash: string | null;
}

/** What became of one file. */
interface CommittedFile {
  readonly path: ResolvedPath;
  readonly bytes: number;
  /** Undefined for a deleted file. */
  readonly state: FileState | undefined;
}

/**
 * Writes all changes or none.
 * @throws {ToolError} user: a file is not what its change was planned on; system: it cannot be written
 */
export async function commitChanges(
  changes: readonly Change[],
  options: { roots: Roots; patches: PatchStore; tool: string; callId: string },
): Promise<{ patchNumber: number; files: CommittedFile[] }> {
  assertDistinct(changes);
  for (const { path } of changes) {
    const lost = lostRootError(path, options.roots);
    if (lost !== undefined) throw lost;
  }
  const prepared: PreparedChange[] = [];
  for (const change of changes) prepared.push(await prepare(change, options.roots));
  try {
    const noted = await Promise.all(prepared.map(toPatchChange));
    const directories = newDirectories(prepared);
    const { number, token } = await options.patches.begin({
      time: new Date().toISOString(),
      tool: options.tool,
      call_id: options.callId,
      changes: [...directories, ...noted],
    });
    let inodes: (number | undefined)[];
    try {
      using batch = await StagedBatch.stage(prepared.map((one) => one.replacement), { token });
      inodes = await batch.publish();
    } catch (error) {
      removeEmptyDirectories(directories);
      await options.patches.drop("pending", number);
      throw error;
    }
    await options.patches.finish(number);
    return {
      patchNumber: number,
      files: prepared.map((one, at) => toCommittedFile(one, inodes[at])),
    };
  } catch (error) {
    throw toCommitError(error, changes);
  }
}

/** The error for a file that no longer holds what a change was planned on. */
function staleFileError(path: ResolvedPath, how = "it changed since it was read"): ToolError {
  return new ToolError(`Cannot change ${path.display}: ${how}; nothing was written.`, {
    kind: "user",
    suggestion: `Call read with file_paths [${JSON.stringify(path.display)}], then plan anew.`,
  });
}

function assertDistinct(changes: readonly Change[]): void {
  const paths = new Set(changes.map((change) => change.path.absolute));
  if (changes.length === 0 || paths.size < changes.length) {
    throw new RangeError("Cannot commit: each of one or more changes must be of another file");
  }
}

async function prepare(change: Change, roots: Roots): Promise<PreparedChange> {
  const { path, after } = change;
  const previous = await loadRegular(path, roots);
  const encoding = await verify(change, previous);
  const next = after === null ? null : await encodeText(after, encoding ?? UTF_8);
  return {
    change,
    encoding,
    replacement: { path: path.absolute, previous, next },
    hash: next === null ? null : sha256(next),
  };
}

/** Compares the file with what the change was planned on, and gives its encoding. */
async function verify(
  { path, before }: Change,
  previous: LoadedFile | undefined,
): Promise<Encoding | undefined> {
  if (previous === undefined) {
    if (before !== null) throw staleFileError(path, "it has been removed since it was read");
    return undefined;
  }
  if (before === null) throw staleFileError(path, "it has come to exist since this was planned");
  if (isBinary(previous.bytes)) throw staleFileError(path, "it has become a binary file");
  if ((previous.stats.mode & 0o222) === 0 && Deno.build.os !== "windows") {
    throw new ToolError(`Cannot change ${path.display}: it is marked read-only.`, {
      kind: "user",
      suggestion: "Ask the user whether it may be changed; chmod u+w makes it writable.",
    });
  }
  const { text, encoding } = await decodeText(previous.bytes);
  if (text !== before) throw staleFileError(path);
  return encoding;
}

async function toPatchChange(prepared: PreparedChange): Promise<PatchChange> {
  const { change: { path, before, after }, encoding, replacement: { previous } } = prepared;
  const decoded = before === null || encoding === undefined
    ? undefined
    : { text: before, encoding };
  const small = (before?.length ?? 0) + (after?.length ?? 0) <= MAX_DIFFED;
  return {
    path: path.absolute,
    before: previous === undefined ? null : {
      ...await captureSide(previous.bytes, { hash: previous.state.hash, decoded }),
      // A file that stays keeps its permission bits; a deleted one must get them back when it is restored.
      ...(after === null && { mode: previous.stats.mode & 0o7777 }),
    },
    after: prepared.hash === null ? null : { kind: "file", hash: prepared.hash },
    diff: small ? await unifiedDiff(before, after, { path: path.display }) : undefined,
  };
}

/** The directories that do not exist yet, the outermost first. */
function newDirectories(prepared: readonly PreparedChange[]): PatchChange[] {
  const missing = new Set<string>();
  for (const { replacement: { path, next } } of prepared) {
    let at = next === null ? "" : dirname(path);
    for (; at !== "" && at !== dirname(at) && !fs.existsSync(at); at = dirname(at)) missing.add(at);
  }
  return [...missing].sort((a, b) => a.length - b.length)
    .map((path) => ({ path, before: null, after: { kind: "directory" } }));
}

function toCommittedFile(prepared: PreparedChange, inode: number | undefined): CommittedFile {
  const { change: { path }, replacement: { next }, hash } = prepared;
  const state = hash === null || inode === undefined ? undefined : { hash, inode };
  return { path, bytes: next?.length ?? 0, state };
}

function toCommitError(error: unknown, changes: readonly Change[]): unknown {
  if (error instanceof ToolError) return error;
  if (error instanceof ChangedMeanwhile) {
    const change = changes[error.index];
    if (change !== undefined) return staleFileError(change.path);
  }
  return ioError(`write ${changes.map((change) => change.path.display).join(", ")}`, error);
}
