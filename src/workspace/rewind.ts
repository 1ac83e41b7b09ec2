/**
 * Takes back several changes to files as one: first looks whether it can be done at all, then undoes one change
 * after the other.
 */
import { ToolError } from "../core/errors.ts";
import { sha256 } from "../lib/fs.ts";
import { type FileSide, type Patch, type PatchChange, selectNotable, type Side } from "./patch.ts";
import { describePath } from "./paths.ts";
import {
  createContentReader,
  describeFiles,
  joinSome,
  surveySteps,
  undoChange,
  type UndoDeps,
  type UndoneFile,
} from "./undo.ts";
import { previewSteps, type UndoPreview } from "./undo_preview.ts";

/** What a rewind would do to files. */
export interface RewindPreview extends Pick<UndoPreview, "previews" | "deletes"> {
  /** Numbers of the changes that are taken back, the newest first. */
  readonly numbers: readonly number[];
  /** Why it cannot be done; absent if it can. */
  readonly problem?: string;
}

/** What taking back these changes, given the newest first, would do; nothing is changed. */
export async function previewRewind(
  patches: readonly Patch[],
  deps: UndoDeps,
): Promise<RewindPreview> {
  const { numbers, changes, conflicts } = await mergeChanges(patches, deps);
  const { roots } = deps;
  const { steps, changed } = await surveySteps({ changes }, { direction: "undo", roots });
  const wrong = [...new Set([...conflicts, ...changed])];
  if (wrong.length > 0) {
    const problem = `${joinSome(wrong)} changed since by somebody else.`;
    return { numbers, previews: [], deletes: [], problem };
  }
  await using objects = deps.objects?.reader();
  const patch: Patch = { number: numbers[0] ?? 0, time: "", tool: "", call_id: "", changes };
  const read = createContentReader(patch.number, objects);
  const { previews, deletes } = await previewSteps(patch, { steps, roots, read });
  return { numbers, previews, deletes };
}

/**
 * Takes these changes back, given the newest first; each can be made again.
 * @throws {ToolError} user: a file changed since, and nothing was changed; system: it stopped on the way
 */
export async function rewindFiles(
  patches: readonly Patch[],
  deps: UndoDeps,
): Promise<UndoneFile[]> {
  const { roots } = deps;
  const { changes, conflicts } = await mergeChanges(patches, deps);
  const { steps, left, changed } = await surveySteps({ changes }, { direction: "undo", roots });
  const wrong = [...new Set([...conflicts, ...changed])];
  if (wrong.length > 0) {
    throw new ToolError(
      `Cannot take the changes back: ${joinSome(wrong)} changed since; nothing was changed.`,
      { kind: "user", suggestion: "/undo takes back one change after the other." },
    );
  }
  for (const patch of patches) await undoChange(patch, deps);
  return describeFiles({ steps, left, roots });
}

/** The changes after the one with a number that can be taken back, the newest first. */
export async function changesAfter(
  after: number,
  { patches }: Pick<UndoDeps, "patches">,
): Promise<Patch[]> {
  return (await patches.list()).filter(({ number }) => number > after);
}

/** Changes that came one after the other, as one. */
interface MergedChanges {
  readonly numbers: readonly number[];
  /** One for each path: from before the oldest change to after the newest. */
  readonly changes: readonly PatchChange[];
  /** Display paths that somebody else changed between two of the changes. */
  readonly conflicts: readonly string[];
}

/** Changes, given the newest first, as one for each path. */
export async function mergeChanges(
  patches: readonly Patch[],
  deps: UndoDeps,
): Promise<MergedChanges> {
  await using objects = deps.objects?.reader();
  const merged = new Map<string, PatchChange>();
  const conflicts: string[] = [];
  for (const { number, changes } of patches) {
    const read = createContentReader(number, objects);
    // Directories come and go with their files.
    for (const change of selectNotable(changes)) {
      const later = merged.get(change.path);
      if (later !== undefined && !await hasSameContent(later.before, change.after, read)) {
        conflicts.push(describePath(change.path, deps.roots).display);
      }
      merged.set(change.path, { ...change, after: (later ?? change).after });
    }
  }
  return { numbers: patches.map(({ number }) => number), changes: [...merged.values()], conflicts };
}

/** Compares contents: patches of tools hold texts, those of commands name objects. */
async function hasSameContent(
  a: Side | null,
  b: Side | null,
  read: ReturnType<typeof createContentReader>,
): Promise<boolean> {
  if (a === null || b === null) return a === b;
  if (a.kind !== b.kind) return false;
  if (a.kind === "link") return b.kind === "link" && a.target === b.target;
  if (a.kind === "directory" || b.kind !== "file") return true;
  return a.object !== undefined && a.object === b.object
    ? true
    : await hashOf(a, read) === await hashOf(b, read);
}

/** SHA-256 of a side's content; a content that is not stored equals no other. */
async function hashOf(side: FileSide, read: ReturnType<typeof createContentReader>) {
  if (side.hash !== undefined) return side.hash;
  const bytes = await read(side).catch(() => undefined);
  return bytes === undefined ? Symbol("unknown") : sha256(bytes);
}
