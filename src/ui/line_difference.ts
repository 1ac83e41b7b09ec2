/**
 * What differs between a line and the one that replaces it: one stretch of whole words, or nothing to point at if
 * the lines have little in common. Called by the view of diffs.
 */

/** A stretch of a text; the end is not part of it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Words, blanks, and each other character for itself. */
const TOKENS = /[\p{L}\p{N}\p{M}_]+|\s+|[^]/gu;
/** Share of the longer line that must be the same. */
const MIN_SIMILARITY = 1 / 3;
/** Lines longer than this are no text that somebody reads. */
const MAX_LENGTH = 2000;

/** The stretches that differ, of the line before and of the one after; one of them may be empty. */
export function changedSpans(before: string, after: string): [was: Span, is: Span] | undefined {
  const longer = Math.max(before.length, after.length);
  if (longer > MAX_LENGTH) return undefined;
  const was = before.match(TOKENS) ?? [];
  const is = after.match(TOKENS) ?? [];
  const most = Math.min(was.length, is.length);
  let head = 0;
  while (head < most && was[head] === is[head]) head++;
  let tail = 0;
  while (tail < most - head && was.at(-1 - tail) === is.at(-1 - tail)) tail++;
  const start = was.slice(0, head).join("").length;
  const rest = was.slice(was.length - tail).join("").length;
  const same = before.slice(0, start) + before.slice(before.length - rest);
  if (same.trim().length < longer * MIN_SIMILARITY) return undefined;
  return [{ start, end: before.length - rest }, { start, end: after.length - rest }];
}
