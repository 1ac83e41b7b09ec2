/**
 * Finding a piece of text in another and replacing it. A `\n` in the wanted text also matches `\r\n`,
 * because a model cannot see the difference. Knows nothing of ally; called by the edit tool.
 */
import { dominantLineEnd, withLineEnds } from "./line_ends.ts";

/** One place where the wanted text was found. */
export interface Occurrence {
  /** Offset of the first character. */
  readonly start: number;
  /** Offset behind the last character. */
  readonly end: number;
  /** Line of the first character, 1-based. */
  readonly line: number;
}

/** All places where `wanted` occurs in `text`, in order and without overlap. */
export function findOccurrences(text: string, wanted: string): Occurrence[] {
  if (wanted === "") return [];
  const exact = !wanted.includes("\n") || !(text.includes("\r\n") || wanted.includes("\r\n"));
  if (exact) return numberLines(text, findExact(text, wanted));
  return numberLines(text, findAcrossLineEnds(text, wanted));
}

type Span = Pick<Occurrence, "start" | "end">;

function findExact(text: string, wanted: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    spans.push({ start: at, end: at + wanted.length });
  }
  return spans;
}

/** Searches with `\n` for every `\r\n`, then moves each offset behind the `\r`s that were left out. */
function findAcrossLineEnds(text: string, wanted: string): Span[] {
  const spans = findExact(withLineEnds(text, "\n"), withLineEnds(wanted, "\n"));
  let removed = 0;
  let cursor = text.indexOf("\r\n");
  const original = (offset: number): number => {
    while (cursor !== -1 && cursor - removed < offset) {
      removed++;
      cursor = text.indexOf("\r\n", cursor + 2);
    }
    return offset + removed;
  };
  return spans.map(({ start, end }) => ({ start: original(start), end: original(end) }));
}

function numberLines(text: string, spans: readonly Span[]): Occurrence[] {
  let line = 1;
  let at = 0;
  return spans.map((span) => {
    for (; at < span.start; at++) {
      if (text[at] === "\n" || (text[at] === "\r" && text[at + 1] !== "\n")) line++;
    }
    return { ...span, line };
  });
}

/**
 * Puts `replacement` in every place given. Its line ends become those of the place, or where that has
 * none those the text uses most.
 */
export function replaceOccurrences(
  text: string,
  occurrences: readonly Occurrence[],
  replacement: string,
): string {
  const dominant = replacement.includes("\n") ? dominantLineEnd(text) : undefined;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of occurrences) {
    const lineEnd = dominantLineEnd(text.slice(start, end)) ?? dominant;
    parts.push(text.slice(at, start), lineEnd ? withLineEnds(replacement, lineEnd) : replacement);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}
