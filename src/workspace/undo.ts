/**
 * Taking changes back and making them again: byte for byte, with links and permission bits, and only while
 * every path is still what the change made of it. Also ends what a killed process left half done. Never runs
 * while a commit does.
 */
import { ToolError } from "../core/errors.ts";
import type { ResolvedPath } from "../core/files.ts";
import { mapLimited } from "../lib/pool.ts";
import { messageOf } from "../lib/text.ts";
import { ioError } from "./io_error.ts";
import type { ObjectReader, ObjectStore } from "./objects.ts";
import {
  captureSide,
  type FileSide,
  hasContent,
  isRestorable,
  type Patch,
  type PatchChange,
  readEmbeddedContent,
  selectNotable,
} from "./patch.ts";
import type { PatchStore, StoredPatch, Work } from "./patches.ts";
import { describePath, type Roots } from "./paths.ts";
import { loadRegular } from "./regular_file.ts";
import {
  isInState,
  type ReadContent,
  removeTemporaryFiles,
  restore,
  type Step,
} from "./restore.ts";

/** Files read at the same time. */
const MAX_LOADING = 16;

/** A change that was taken back or made again. */
export interface UndoResult {
  /** Number of its patch. */
  readonly number: number;
  /** Name of the tool that had made the change. */
  readonly tool: string;
  readonly files: readonly UndoneFile[];
}

/** What undo or redo did to one path. */
export interface UndoneFile {
  readonly path: ResolvedPath;
  /** "left": its content had been too large to be kept. */
  readonly action: "restored" | "removed" | "recreated" | "left";
}

/** Which way a patch is taken. */
export type Direction = "undo" | "redo";

/** What undoing works with. */
export interface UndoDeps {
  readonly roots: Roots;
  readonly patches: PatchStore;
  /** Holds the content of what commands changed, if anything does. */
  readonly objects: ObjectStore | undefined;
}

/**
 * Takes back a change.
 * @throws {ToolError} user: a file changed since; system: cannot write
 */
export async function undoChange(patch: Patch, deps: UndoDeps): Promise<UndoResult> {
  const { steps, left } = await planSteps(patch, { direction: "undo", ...deps });
  const changes = await captureReplaced(patch.changes, { steps, roots: deps.roots });
  await applyPatch("undoing", { patch: { ...patch, changes }, steps, deps });
  return describeResult(patch, { steps, left, roots: deps.roots });
}

/** Makes a change again that was undone. @throws {ToolError} as `undoChange` */
export async function redoChange(patch: Patch, deps: UndoDeps): Promise<UndoResult> {
  const { steps, left } = await planSteps(patch, { direction: "redo", ...deps });
  await applyPatch("redoing", { patch, steps, deps });
  return describeResult(patch, { steps, left, roots: deps.roots });
}

/** The patch that undo or redo would take now. @throws {ToolError} user: there is none */
export async function findNextPatch(
  direction: Direction,
  { patches, number }: { patches: PatchStore; number: number | undefined },
): Promise<Patch> {
  if (direction === "undo" && number !== undefined) return await patches.get(number, direction);
  const patch = direction === "undo" ? await patches.newest() : (await patches.listRedoable())[0];
  if (patch !== undefined) return patch;
  throw new ToolError(
    direction === "undo"
      ? "Cannot undo: no change is left to take back."
      : "Cannot redo: nothing was undone since the last change.",
    { kind: "user" },
  );
}

/**
 * The steps that take a patch one way, without what is there already.
 * @throws {ToolError} user: a path is not what the change left
 */
export async function planSteps(
  patch: Patch,
  { direction, roots }: { direction: Direction; roots: Roots },
): Promise<{ steps: Step[]; left: string[] }> {
  const { steps, left, changed } = await surveySteps(patch, { direction, roots });
  if (changed.length === 0) return { steps, left };
  throw new ToolError(
    `Cannot ${direction} change ${patch.number}: ${
      joinSome(changed)
    } changed since; nothing was changed.`,
    { kind: "user", suggestion: `Take the later change of ${changed[0]} back first.` },
  );
}

/** The first five of many names. */
export function joinSome(names: readonly string[]): string {
  return names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "");
}

/** As `planSteps`, but paths that are not what the change left are listed in `changed` instead of an error. */
export async function surveySteps(
  patch: Pick<Patch, "changes">,
  { direction, roots }: { direction: Direction; roots: Roots },
): Promise<{ steps: Step[]; left: string[]; changed: string[] }> {
  const steps: Step[] = [];
  const left: string[] = [];
  const changed: string[] = [];
  for (const change of patch.changes) {
    const step = stepOf(change, direction);
    const { display } = describePath(step.path, roots);
    try {
      if (await isInState(step.path, step.to, roots)) continue;
      if (!isRestorable(step.to)) left.push(step.path);
      else if (await isInState(step.path, step.from, roots)) steps.push(step);
      else changed.push(display);
    } catch (error) {
      throw error instanceof ToolError ? error : ioError(`look at ${display}`, error);
    }
  }
  return { steps, left, changed };
}

/** Finds content in the patch or among the objects, and verifies it. */
export function createContentReader(
  number: number,
  objects: ObjectReader | undefined,
): ReadContent {
  return async (side: FileSide) => {
    const bytes = await readEmbeddedContent(side) ??
      (side.object === undefined ? undefined : await objects?.read(side.object));
    if (bytes !== undefined && hasContent(side, bytes)) return bytes;
    throw new Error(`what change ${number} keeps is damaged or gone`);
  };
}

/** Work of a process that is gone, and what became of it. */
export interface Recovery {
  readonly number: number;
  /** "command" is one that ran when its ally was killed: what it had done is a change now. */
  readonly work: Work | "command";
  /** Whether some of what a command did is not known. @default false */
  readonly isCut?: boolean;
  /** Why it could not be finished; the next start tries again. */
  readonly problem?: string;
}

/**
 * Ends what processes that are gone left half done: a commit is taken back, an undo or redo is completed, and
 * temporary files are removed.
 */
export async function recoverAbandoned(deps: UndoDeps): Promise<Recovery[]> {
  const ended: Recovery[] = [];
  // If the patches cannot be read, the next command that needs them reports it.
  const abandoned = await deps.patches.claimAbandoned().catch(() => []);
  for (const { work, patch, number } of abandoned) {
    try {
      if (patch !== undefined) await recover(work, { patch, deps });
      if (work === "pending" || patch === undefined) await deps.patches.drop(work, number);
      else await deps.patches.endWork(work, number);
      ended.push({ number, work });
    } catch (error) {
      deps.patches.release(number);
      ended.push({ number, work, problem: messageOf(error) });
    }
  }
  return ended;
}

async function recover(
  work: Work,
  { patch, deps }: { patch: StoredPatch; deps: UndoDeps },
): Promise<void> {
  const token = patch.token ?? crypto.randomUUID();
  removeTemporaryFiles(patch.changes.map((change) => change.path), token);
  const steps: Step[] = [];
  for (const change of patch.changes) {
    const step = stepOf(change, work === "redoing" ? "redo" : "undo");
    // Later changes by others are left alone.
    if (isRestorable(step.to) && await isInState(step.path, step.from, deps.roots)) {
      steps.push(step);
    }
  }
  await using objects = deps.objects?.reader();
  const read = createContentReader(patch.number, objects);
  await restore(steps, { roots: deps.roots, read, token });
}

async function applyPatch(
  work: "undoing" | "redoing",
  { patch, steps, deps }: { patch: Patch; steps: readonly Step[]; deps: UndoDeps },
): Promise<void> {
  const { roots, patches } = deps;
  await using objects = deps.objects?.reader();
  const { token } = await patches.startWork(work, patch);
  try {
    await restore(steps, { roots, token, read: createContentReader(patch.number, objects) });
  } catch (error) {
    removeTemporaryFiles(steps.map((step) => step.path), token);
    await patches.drop(work, patch.number);
    const verb = work === "undoing" ? "undo" : "redo";
    throw ioError(`${verb} change ${patch.number}`, error);
  }
  await patches.endWork(work, patch.number);
}

function stepOf({ path, before, after }: PatchChange, direction: Direction): Step {
  return direction === "undo"
    ? { path, from: after, to: before }
    : { path, from: before, to: after };
}

/** The changes with the content that undo is about to replace, so that it can be redone. */
async function captureReplaced(
  changes: readonly PatchChange[],
  { steps, roots }: { steps: readonly Step[]; roots: Roots },
): Promise<PatchChange[]> {
  const replaced = new Set(steps.map((step) => step.path));
  return await mapLimited(changes, {
    limit: MAX_LOADING,
    run: async (change) => {
      const { path, before, after } = change;
      if (!replaced.has(path) || after?.kind !== "file" || after.hash === undefined) return change;
      const file = await loadRegular(describePath(path, roots), roots);
      if (file === undefined) return change;
      const mode = before === null ? { mode: file.stats.mode & 0o7777 } : {};
      return { ...change, after: { ...await captureSide(file.bytes), ...mode } };
    },
  });
}

function describeResult(
  patch: Patch,
  { steps, left, roots }: { steps: readonly Step[]; left: readonly string[]; roots: Roots },
): UndoResult {
  return { number: patch.number, tool: patch.tool, files: describeFiles({ steps, left, roots }) };
}

/** What steps do to files, for people. */
export function describeFiles(
  { steps, left, roots }: { steps: readonly Step[]; left: readonly string[]; roots: Roots },
): UndoneFile[] {
  const shown = selectNotable(
    steps.map(({ path, from, to }) => ({ path, before: from, after: to })),
  );
  return [
    ...shown.map(({ path, before, after }): UndoneFile => ({
      path: describePath(path, roots),
      action: after === null ? "removed" : before === null ? "recreated" : "restored",
    })),
    ...left.map((path): UndoneFile => ({ path: describePath(path, roots), action: "left" })),
  ];
}
