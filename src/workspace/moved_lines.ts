/**
 * Which lines of a file have other numbers than those the model was shown, after changes made since. Only what
 * is certain counts: a line keeps its number if nothing before it changed, or if the text has as many lines as
 * before and nothing behind it changed.
 */
import type { LineSpan } from "../core/files.ts";
import { commonEnds } from "../lib/diff.ts";
import { splitLines } from "../lib/text.ts";

/** The lines whose numbers are uncertain after a change, given those that were so before it. */
export function findMovedLines(
  change: { readonly before: string | null; readonly after: string | null },
  already: LineSpan | undefined,
): LineSpan | undefined {
  // After writing a whole file the model knows its lines.
  if (change.before === null || change.after === null) return undefined;
  const before = splitLines(change.before);
  const after = splitLines(change.after);
  const { head, tail } = commonEnds(before, after);
  const moved = after.length !== before.length
    ? { first: head + 1, last: Infinity }
    : { first: head + 1, last: after.length - tail };
  // A changed line that is still one line moves no other.
  if (moved.first >= moved.last) return already;
  if (already === undefined) return moved;
  return {
    first: Math.min(moved.first, already.first),
    last: Math.max(moved.last, already.last),
  };
}
