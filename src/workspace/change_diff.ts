/**
 * Changes that were made, as differences for people: what one of them did, and how the files differ from what they
 * were before all that came after one.
 */
import type { Preview } from "../core/permission.ts";
import { countDiffLines, type LineCounts } from "../lib/diff.ts";
import { createNaturalOrder } from "../lib/natural_order.ts";
import { mapLimited } from "../lib/pool.ts";
import { splitLines } from "../lib/text.ts";
import { isSameSide, type PatchChange, selectNotable, type Side } from "./patch.ts";
import { describePath } from "./paths.ts";
import { loadRegular } from "./regular_file.ts";
import type { ReadContent } from "./restore.ts";
import { changesAfter, mergeChanges } from "./rewind.ts";
import { createContentReader, type UndoDeps } from "./undo.ts";
import { decodeIfText, previewDifference } from "./undo_preview.ts";

/** Files compared at the same time. */
const MAX_LOADING = 16;

const WORDS = { made: "made", changed: "changed" };

/** How one file was changed. */
export interface FileDifference extends LineCounts {
  /** As people read it. */
  readonly path: string;
  readonly preview: Preview;
}

/** What the change with a number did. @throws {ToolError} user: there is none */
export async function diffChange(number: number, deps: UndoDeps): Promise<FileDifference[]> {
  const { changes } = await deps.patches.get(number, "show");
  await using objects = deps.objects?.reader();
  const read = createContentReader(number, objects);
  return await mapLimited(selectNotable(changes), {
    limit: MAX_LOADING,
    run: async (change) => {
      const path = describePath(change.path, deps.roots);
      const { before: from, after: to, diff } = change;
      if (diff !== undefined && diff !== "") {
        return count({ kind: "diff", path: path.display, diff });
      }
      const [now, then] = [await readText(from, read), await readText(to, read)];
      return count(await previewDifference(path, { from, to, now, then, words: WORDS }));
    },
  });
}

/** How files differ from what they were before all changes after the one with a number; sorted by path, as people count. */
export async function diffSince(after: number, deps: UndoDeps): Promise<FileDifference[]> {
  const { changes } = await mergeChanges(await changesAfter(after, deps), deps);
  await using objects = deps.objects?.reader();
  const read = createContentReader(after, objects);
  const found = await mapLimited(changes, {
    limit: MAX_LOADING,
    run: (change) => diffFile(change, { deps, read }),
  });
  const compare = createNaturalOrder();
  return found.filter((one) => one !== undefined).toSorted((a, b) => compare(a.path, b.path));
}

/** Compares what a path was with what it is; undefined if it is the same again. */
async function diffFile(
  { path: absolute, before: from, after }: PatchChange,
  { deps: { roots }, read }: { deps: UndoDeps; read: ReadContent },
): Promise<FileDifference | undefined> {
  if (isSameSide(from, after)) return undefined;
  const path = describePath(absolute, roots);
  const file = after?.kind === "file" ? await loadRegular(path, roots) : undefined;
  const to = after?.kind === "file" && file === undefined ? null : after;
  const now = await readText(from, read);
  const then = await decodeIfText(file?.bytes);
  if (from === null && to === null) return undefined;
  if (now !== undefined && now === then && hasSameMode(from, to)) return undefined;
  return count(await previewDifference(path, { from, to, now, then, words: WORDS }));
}

/** Whether two sides have the same permission bits, as far as these are known. */
function hasSameMode(a: Side | null, b: Side | null): boolean {
  const [one, other] = [a, b].map((side) => side?.kind === "file" ? side.mode : undefined);
  return one === undefined || other === undefined || one === other;
}

/** The text of a side, as far as it is kept. */
async function readText(side: Side | null, read: ReadContent): Promise<string | undefined> {
  if (side?.kind !== "file") return undefined;
  return await decodeIfText(await read(side).catch(() => undefined));
}

function count(preview: Preview): FileDifference {
  const path = "path" in preview ? preview.path : "";
  switch (preview.kind) {
    case "diff":
      return { path, preview, ...countDiffLines(preview.diff) };
    case "new_file":
      return { path, preview, added: splitLines(preview.content).length, removed: 0 };
    case "deleted_file":
      return { path, preview, added: 0, removed: preview.lines };
    default:
      return { path, preview, added: 0, removed: 0 };
  }
}
