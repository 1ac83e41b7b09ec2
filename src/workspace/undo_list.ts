/**
 * The changes that can be taken back, as `/undo list` shows them: which files, how many lines.
 */
import { countChangedLines, countDiffLines, type LineCounts } from "../lib/diff.ts";
import { decodeText, isBinary } from "./decode.ts";
import type { ObjectReader } from "./objects.ts";
import { type Patch, type PatchChange, selectNotable, type Side } from "./patch.ts";
import { describePath, type Roots } from "./paths.ts";

/** Bytes of the largest content whose lines are counted. */
const MAX_COUNTED = 1_000_000;

/** A line of the list. */
export interface ChangeSummary extends LineCounts {
  readonly number: number;
  /** ISO 8601. */
  readonly time: string;
  readonly tool: string;
  /** The command line, if a command made the change. */
  readonly command: string | undefined;
  /** Display paths. */
  readonly files: readonly string[];
}

/** Sums up one patch. */
export async function summarizePatch(
  patch: Patch,
  { roots, objects }: { roots: Roots; objects: ObjectReader | undefined },
): Promise<ChangeSummary> {
  const { number, time, tool, command } = patch;
  let added = 0;
  let removed = 0;
  for (const change of patch.changes) {
    const counts = await countLines(change, objects);
    added += counts.added;
    removed += counts.removed;
  }
  const files = selectNotable(patch.changes).map(({ path }) => describePath(path, roots).display);
  return { number, time, tool, command, files, added, removed };
}

async function countLines(
  { before, after, diff }: PatchChange,
  objects: ObjectReader | undefined,
): Promise<LineCounts> {
  if (diff !== undefined) return countDiffLines(diff);
  const then = await readObjectText(before, objects);
  const now = await readObjectText(after, objects);
  if (then === undefined || now === undefined) return { added: 0, removed: 0 };
  return await countChangedLines(then, now);
}

/** The text of an object, "" for nothing, undefined for what has no lines. */
async function readObjectText(
  side: Side | null,
  objects: ObjectReader | undefined,
): Promise<string | undefined> {
  if (side === null) return "";
  const object = side.kind === "file" ? side.object : undefined;
  const bytes = object === undefined ? undefined : await objects?.read(object);
  if (bytes === undefined || bytes.length > MAX_COUNTED || isBinary(bytes)) return undefined;
  return (await decodeText(bytes)).text;
}
