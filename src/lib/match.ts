/**
 * Finds a piece of text in another although the two differ in ways that a reader does not see, and replaces it.
 * Where the wanted text and its replacement agree, the text stays as it is.
 */
import { commonEnds } from "./diff.ts";
import { dominantLineEnd, withLineEnds } from "./line_ends.ts";

/** What counts as the same: each match of a global pattern is read as what it is folded to. */
export interface Fold {
  /** Global. */
  readonly pattern: RegExp;
  /** At most one character. */
  readonly to: (found: string) => string;
}

/** Every line end is read as `\n`. */
export const LINE_ENDS: Fold = { pattern: /\r\n?/g, to: () => "\n" };

/** A text to find, and its replacement. */
export interface Replacement {
  /** The text to be found. */
  readonly wanted: string;
  /** What to put there. */
  readonly next: string;
}

/** A match, and what to put there. */
export interface Substitution {
  /** Offset of the first character to replace. */
  readonly start: number;
  /** Offset behind the last character to replace. */
  readonly end: number;
  /** Line in which the wanted text begins, 1-based. */
  readonly line: number;
  /** What to put there. */
  readonly text: string;
}

/**
 * All places where the wanted text occurs once both are folded, in order; with `apart` none overlaps
 * another. A replacement gets the line ends of the match, or if it has none those of the text.
 */
export function findFolded(
  text: string,
  { wanted, next }: Replacement,
  options: { fold: Fold; apart: boolean },
): Substitution[] {
  const folded = new FoldedText(text, options.fold);
  const key = new FoldedText(wanted, options.fold).text;
  if (key === "") return [];
  const replacement = next.replaceAll("\r\n", "\n");
  const { head, tail } = commonEnds(plainOf(wanted, key), replacement);
  const middle = replacement.slice(head, replacement.length - tail);
  const dominant = middle.includes("\n") ? dominantLineEnd(text) : undefined;
  const step = options.apart ? key.length : 1;
  const lineAt = lineCounter(text);
  const found: Substitution[] = [];
  for (let at = folded.text.indexOf(key); at !== -1; at = folded.text.indexOf(key, at + step)) {
    const span = { start: folded.startOf(at), end: folded.endOf(at + key.length) };
    const end = folded.endOf(at + key.length - tail);
    const lineEnd = dominant && (dominantLineEnd(text.slice(span.start, span.end)) ?? dominant);
    found.push({
      start: Math.min(folded.startOf(at + head), end),
      end,
      line: lineAt(span.start),
      text: lineEnd === undefined ? middle : withLineEnds(middle, lineEnd),
    });
  }
  return found;
}

/** Makes all substitutions; they are in order and do not overlap. */
export function substitute(text: string, substitutions: readonly Substitution[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: put } of substitutions) {
    parts.push(text.slice(at, start), put);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

/** Counts the lines up to offsets that only grow; the first line is 1. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    for (; at < offset; at++) {
      if (text[at] === "\n" || (text[at] === "\r" && text[at + 1] !== "\n")) line++;
    }
    return line;
  };
}

/** The wanted text with only its line ends folded, if its characters stay at their offsets. */
function plainOf(wanted: string, key: string): string {
  const plain = new FoldedText(wanted, LINE_ENDS).text;
  return plain.length === key.length ? plain : key;
}

/** Where something was folded: its borders in the folded text and in the original. */
interface FoldedSpan {
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

/** A text with a fold applied, which knows the original offset of each of its characters. */
class FoldedText {
  readonly text: string;
  readonly #spans: FoldedSpan[] = [];

  constructor(original: string, fold: Fold) {
    const parts: string[] = [];
    let at = 0;
    let length = 0;
    for (const { 0: found, index } of original.matchAll(fold.pattern)) {
      const to = fold.to(found);
      parts.push(original.slice(at, index), to);
      const from = length + index - at;
      length = from + to.length;
      at = index + found.length;
      if (to.length !== found.length) this.#spans.push({ from, to: length, end: at });
    }
    this.text = at === 0 ? original : parts.join("") + original.slice(at);
  }

  /** The original offset of a place's first character: behind what was folded away before it. */
  startOf(offset: number): number {
    return this.#original(offset, this.#cutsWhile((cut) => cut.to <= offset));
  }

  /** The original offset behind a place's last character: before what was folded away after it. */
  endOf(offset: number): number {
    return this.#original(offset, this.#cutsWhile((cut) => cut.from < offset));
  }

  #original(offset: number, passed: number): number {
    const cut = this.#spans[passed - 1];
    return cut === undefined ? offset : cut.end + offset - cut.to;
  }

  /** How many cuts fulfil a condition that holds up to one of them. */
  #cutsWhile(holds: (cut: FoldedSpan) => boolean): number {
    let low = 0;
    let high = this.#spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const cut = this.#spans[middle];
      if (cut !== undefined && holds(cut)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
