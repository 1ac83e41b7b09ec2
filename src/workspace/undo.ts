/**
 * Taking a commit back from its undo patch: byte for byte, and only while every file is still what the
 * commit made of it. Called by the workspace, never while a commit runs.
 */
import { ToolError } from "../core/errors.ts";
import type { ResolvedPath } from "../core/files.ts";
import { sha256 } from "../lib/fs.ts";
import { encodeText } from "./decode.ts";
import { ioError } from "./io_error.ts";
import type { Patch, PatchChange, Patches } from "./patches.ts";
import { describePath, type Roots } from "./paths.ts";
import { loadRegular } from "./regular.ts";
import { type Replacement, StagedBatch } from "./write.ts";

/** A commit that was taken back. */
export interface Undone {
  /** Number of its patch. */
  readonly number: number;
  /** Name of the tool that had made the commit. */
  readonly tool: string;
  readonly files: readonly UndoneFile[];
}

/** What undo did to one file. */
export interface UndoneFile {
  readonly path: ResolvedPath;
  readonly action: "restored" | "removed" | "recreated";
}

/**
 * Takes back the newest commit, or the one with a number.
 * @throws {ToolError} user: there is nothing to undo, or a file changed since; system: cannot write
 */
export async function undoCommit(
  number: number | undefined,
  options: { roots: Roots; patches: Patches },
): Promise<Undone> {
  const { roots, patches } = options;
  for (;;) {
    const patch = number === undefined ? await patches.newest() : await patches.get(number);
    if (patch === undefined) {
      throw new ToolError("Cannot undo: no change is left to take back.", { kind: "user" });
    }
    const replacements = await findReplacements(patch, roots);
    if (replacements.length > 0) await apply(patch, replacements);
    await patches.retire(patch.number);
    // A commit cut short before its first rename left a patch, but no change.
    if (replacements.length > 0 || number !== undefined) return describe(patch, roots);
  }
}

async function findReplacements(patch: Patch, roots: Roots): Promise<Replacement[]> {
  const replacements: Replacement[] = [];
  for (const change of patch.changes) {
    const path = describePath(change.path, roots);
    const previous = await loadRegular(path, roots);
    const hash = previous?.state.hash ?? null;
    if (hash === change.before_hash) continue;
    if (hash !== change.after_hash) {
      throw new ToolError(
        `Cannot undo patch ${patch.number}: ${path.display} changed since; nothing was undone.`,
        { kind: "user", suggestion: `Take the later change of ${path.display} back first.` },
      );
    }
    const next = await bytesBefore(change, patch);
    replacements.push({ path: change.path, previous, next, mode: change.mode ?? undefined });
  }
  return replacements;
}

async function bytesBefore(change: PatchChange, patch: Patch): Promise<Uint8Array | null> {
  if (change.before === null || change.encoding === null) return null;
  const bytes = await encodeText(change.before, change.encoding);
  if (sha256(bytes) === change.before_hash) return bytes;
  throw new ToolError(`Cannot undo patch ${patch.number}: the patch file is damaged.`, {
    kind: "system",
  });
}

async function apply(patch: Patch, replacements: readonly Replacement[]): Promise<void> {
  try {
    using batch = await StagedBatch.stage(replacements);
    await batch.publish();
  } catch (error) {
    throw ioError(`undo patch ${patch.number}`, error);
  }
}

function describe(patch: Patch, roots: Roots): Undone {
  const actions = { create: "removed", modify: "restored", delete: "recreated" } as const;
  return {
    number: patch.number,
    tool: patch.tool,
    files: patch.changes.map((change) => ({
      path: describePath(change.path, roots),
      action: actions[change.kind],
    })),
  };
}
