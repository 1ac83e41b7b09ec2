/**
 * What undo or redo would do, shown to a person beforehand: diffs of text, and words for the rest.
 */
import type { ResolvedPath } from "../core/files.ts";
import type { Preview } from "../core/permission.ts";
import { readableDiff } from "../lib/diff.ts";
import { splitLines } from "../lib/text.ts";
import { decodeText, isBinary } from "./decode.ts";
import { type FileSide, type Patch, selectNotable, type Side } from "./patch.ts";
import { describePath, type Roots } from "./paths.ts";
import { loadRegular } from "./regular_file.ts";
import type { ReadContent, Step } from "./restore.ts";

/** Paths shown one by one; the rest is counted. */
const MAX_SHOWN = 20;
/** Bytes of the largest content that is compared line by line. */
const MAX_COMPARED = 1_000_000;

/** What a person decides on before changes are taken back or made again. */
export interface UndoPreview {
  readonly patch: Patch;
  readonly previews: readonly Preview[];
  /** All that would be changed. */
  readonly paths: readonly ResolvedPath[];
  /** Display paths of files that would be gone. */
  readonly deletes: readonly string[];
}

/** Describes the steps of a patch; nothing is changed. */
export async function previewSteps(
  patch: Patch,
  { steps, roots, read }: { steps: readonly Step[]; roots: Roots; read: ReadContent },
): Promise<UndoPreview> {
  const files = selectNotable(
    steps.map((step) => ({ ...step, before: step.from, after: step.to })),
  );
  const previews: Preview[] = [];
  for (const step of files.slice(0, MAX_SHOWN)) {
    previews.push(await previewStep(step, { roots, read }));
  }
  if (files.length > MAX_SHOWN) {
    const what = `and ${files.length - MAX_SHOWN} more`;
    previews.push({ kind: "other_change", path: "…", what });
  }
  const deletes = files.filter(({ from, to }) => to === null && from?.kind !== "directory")
    .map(({ path }) => describePath(path, roots).display);
  const paths = steps.map(({ path }) => describePath(path, roots));
  return { patch, previews, paths, deletes };
}

async function previewStep(
  step: Step,
  { roots, read }: { roots: Roots; read: ReadContent },
): Promise<Preview> {
  const path = describePath(step.path, roots);
  const { from, to } = step;
  const now = from?.kind === "file"
    ? await decodeIfText((await loadRegular(path, roots))?.bytes)
    : undefined;
  const then = to?.kind === "file" ? await decodeIfText(await read(to)) : undefined;
  return await previewDifference(path, { from, to, now, then, words: UNDO_WORDS });
}

/** What is said of a file whose content is not shown. */
interface DifferenceWords {
  /** Of one that comes into being. */
  readonly made: string;
  /** Of one that gets another content. */
  readonly changed: string;
}

const UNDO_WORDS: DifferenceWords = { made: "made again", changed: "put back" };

/** What becomes of a path, by its sides and, where they are known, its texts. */
export async function previewDifference(
  path: ResolvedPath,
  { from, to, now, then, words }: {
    from: Side | null;
    to: Side | null;
    now: string | undefined;
    then: string | undefined;
    words: DifferenceWords;
  },
): Promise<Preview> {
  if (from === null && then !== undefined) {
    return { kind: "new_file", path: path.display, content: then };
  }
  if (to === null && now !== undefined) {
    return { kind: "deleted_file", path: path.display, lines: splitLines(now).length };
  }
  if (now !== undefined && then !== undefined && now !== then) {
    const diff = await readableDiff(now, then, { path: path.display });
    return { kind: "diff", path: path.display, diff };
  }
  return { kind: "other_change", path: path.display, what: describeStep(from, to, words) };
}

/** The text of a file; undefined if there is none, or none that is compared. */
export async function decodeIfText(bytes: Uint8Array | undefined): Promise<string | undefined> {
  if (bytes === undefined || bytes.length > MAX_COMPARED || isBinary(bytes)) return undefined;
  return (await decodeText(bytes)).text;
}

function describeStep(from: Side | null, to: Side | null, words: DifferenceWords): string {
  if (to === null) return `${nameOf(from)} deleted`;
  if (to.kind === "link") return `link to ${to.target}`;
  if (from?.kind === "file" && to.kind === "file" && hasSameObject(from, to)) {
    return `permissions ${formatMode(from.mode)} to ${formatMode(to.mode)}`;
  }
  return `${nameOf(to)} ${from === null ? words.made : words.changed}`;
}

function nameOf(side: Side | null): string {
  return side?.kind === "link" ? "link" : side?.kind === "directory" ? "directory" : "file";
}

function hasSameObject(a: FileSide, b: FileSide): boolean {
  return a.object !== undefined && a.object === b.object;
}

function formatMode(mode: number | undefined): string {
  return mode === undefined ? "?" : mode.toString(8);
}
