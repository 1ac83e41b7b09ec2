/**
 * The contents that the changes of a patch need, and those that only a repository of the project has: they may be gone
 * when the change is to be taken back.
 */
import { objectOf } from "./known_path.ts";
import type { ObjectStore } from "./objects.ts";
import type { PatchChange, Side } from "./patch.ts";

/** The ids of what was there before, and of what is there after. */
export function objectsOf(changes: readonly PatchChange[]): string[] {
  return idsOf(changes.flatMap(({ before, after }) => [before, after]));
}

/** The ids of what is stored of some sides. */
export function idsOf(sides: Iterable<Side | null>): string[] {
  return [...sides].flatMap((side) => side === null ? [] : objectOf(side) ?? []);
}

/**
 * Stores what files held before that only a repository of the project has; of what is gone already the changes say so,
 * and are not whole then.
 */
export async function adoptContents(
  changes: PatchChange[],
  objects: ObjectStore,
): Promise<{ changes: PatchChange[]; isWhole: boolean }> {
  const borrowed = idsOf(changes.map(({ before }) => before)).filter((id) =>
    objects.isBorrowed(id)
  );
  const gone = borrowed.length > 0 ? await objects.adopt([...new Set(borrowed)]) : new Set();
  if (gone.size === 0) return { changes, isWhole: true };
  const known = changes.map((change): PatchChange =>
    change.before?.kind === "file" && gone.has(change.before.object ?? "")
      ? { ...change, before: { kind: "file" } }
      : change
  );
  return { changes: known, isWhole: false };
}
