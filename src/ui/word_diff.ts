/**
 * What differs between a line and the one that replaces it, as whole words. Pure.
 */
import { diffArrays } from "diff/lib/diff/array.js";

/** A range of a text; the end is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Words, runs of blanks, and every other character. */
const TOKENS = /[\p{L}\p{N}\p{M}_]+|\s+|[^]/gu;
/** Share of the longer line that must be equal for a difference to be marked. */
const MIN_SIMILARITY = 1 / 3;
/** Lines longer than this are not meant to be read. */
const MAX_COMPARED = 2000;
/** Spans of a line that can still be told apart. */
const MAX_SPANS = 6;

/** The ranges that differ, in both lines; undefined if the lines have little in common. */
export function changedSpans(
  before: string,
  after: string,
): [was: readonly Span[], is: readonly Span[]] | undefined {
  const longer = Math.max(before.length, after.length);
  if (longer > MAX_COMPARED) return undefined;
  const was: Span[] = [];
  const is: Span[] = [];
  const at = { before: 0, after: 0 };
  let same = 0;
  for (const part of diffArrays(before.match(TOKENS) ?? [], after.match(TOKENS) ?? [])) {
    const text = part.value.join("");
    const { length } = text;
    if (part.removed) was.push({ start: at.before, end: at.before + length });
    if (part.added) is.push({ start: at.after, end: at.after + length });
    if (!part.added) at.before += length;
    if (!part.removed) at.after += length;
    if (!part.added && !part.removed) same += text.trim().length;
  }
  if (same < longer * MIN_SIMILARITY) return undefined;
  return [joinSpans(was, before), joinSpans(is, after)];
}

/** Spans with nothing but blanks between them are one, and so are too many. */
function joinSpans(spans: readonly Span[], text: string): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    const touches = last !== undefined && text.slice(last.end, span.start).trim() === "";
    if (touches) joined[joined.length - 1] = { start: last.start, end: span.end };
    else joined.push(span);
  }
  const [first, last] = [joined[0], joined.at(-1)];
  const isMany = first !== undefined && last !== undefined && joined.length > MAX_SPANS;
  return isMany ? [{ start: first.start, end: last.end }] : joined;
}
