/**
 * A unified diff as a person reads it: line numbers, coloured changes and code, no file headers, hunks set apart.
 * Long lines are wrapped, never cut: a person decides on them.
 */
import { plural } from "../lib/text.ts";
import type { Highlight } from "./highlight.ts";
import { escapeControls, safeLines } from "./safe_text.ts";
import { parseStyled, plainText, sliceStyled, type StyledText } from "./styled_text.ts";
import type { Layout, Theme } from "./theme.ts";
import { changedSpans, type Span } from "./word_diff.ts";
import { fit, wrapCode } from "./wrap.ts";

interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  /** In the new file, for a removed line in the old one. */
  readonly number: number;
  readonly text: string;
  /** What differs from the line that it replaces or that replaces it. */
  readonly differs?: readonly Span[] | undefined;
  /** The text with the colours of its language. */
  readonly styled?: StyledText;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Draws the hunks of a unified diff, in the colours of a language. */
export function renderDiff(
  diff: string,
  options: Layout & { highlight: Highlight; language: string },
): string[] {
  const lines = colourLines(markChangedSpans(parseDiff(diff)), options);
  const digits = String(Math.max(0, ...lines.map((line) => line.number))).length;
  return lines.flatMap((line) => renderLine(line, { ...options, digits }));
}

/** Colours what was and what is by itself, hunk by hunk, so that each line is read among its neighbours. */
function colourLines(
  lines: readonly DiffLine[],
  { highlight, language }: { highlight: Highlight; language: string },
): DiffLine[] {
  const coloured = [...lines];
  const colour = (places: readonly number[]) => {
    const code = places.map((place) => lines[place]?.text ?? "").join("\n");
    for (const [row, text] of highlight(code, language).split("\n").entries()) {
      const place = places[row];
      const line = place === undefined ? undefined : lines[place];
      if (place !== undefined && line) coloured[place] = { ...line, styled: parseStyled(text) };
    }
  };
  let start = 0;
  for (let end = 0; end <= lines.length; end++) {
    if (end < lines.length && lines[end]?.kind !== "gap") continue;
    const places = Array.from({ length: end - start }, (_, row) => start + row);
    colour(places.filter((place) => lines[place]?.kind !== "added"));
    colour(places.filter((place) => lines[place]?.kind !== "removed"));
    start = end + 1;
  }
  return coloured;
}

/** How many lines a unified diff adds and removes. */
export function countChanges(diff: string): { added: number; removed: number } {
  const lines = parseDiff(diff);
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let inside = false;
  for (const line of safeLines(escapeControls(diff))) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      const [start, next] = [startOf(hunk[1], hunk[2]), startOf(hunk[3], hunk[4])];
      const left = `${plural(start - before, "unchanged line")}`;
      if (inside) lines.push({ kind: "gap", number: 0, text: left });
      before = start;
      after = next;
      inside = true;
    } else if (inside) {
      const text = line.slice(1);
      if (line.startsWith("+")) lines.push({ kind: "added", number: after++, text });
      else if (line.startsWith("-")) lines.push({ kind: "removed", number: before++, text });
      else if (!line.startsWith("\\")) {
        lines.push({ kind: "same", number: after++, text });
        before++;
      }
    }
  }
  return lines;
}

/** The line at which one side of a hunk begins; where it has no lines, its header names the one before. */
function startOf(line: string | undefined, count: string | undefined): number {
  return Number(line) + (count === "0" ? 1 : 0);
}

/** Marks what differs within lines that were replaced by as many. */
function markChangedSpans(lines: readonly DiffLine[]): DiffLine[] {
  const marked = [...lines];
  for (let start = 0; start < marked.length; start++) {
    const removed = runLength(marked, { start, kind: "removed" });
    if (removed === 0) continue;
    const added = runLength(marked, { start: start + removed, kind: "added" });
    for (let index = start; removed === added && index < start + removed; index++) {
      const [before, after] = [marked[index]!, marked[index + added]!];
      const [was, is] = changedSpans(before.text, after.text) ?? [];
      marked[index] = { ...before, differs: was };
      marked[index + added] = { ...after, differs: is };
    }
    start += removed + added - 1;
  }
  return marked;
}

function runLength(
  lines: readonly DiffLine[],
  { start, kind }: { start: number; kind: DiffLine["kind"] },
): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end - start;
}

function renderLine(
  line: DiffLine,
  { theme, columns, digits }: Layout & { digits: number },
): string[] {
  const { kind } = line;
  if (kind === "gap") {
    const text = `${" ".repeat(digits)} ${theme.glyphs.ellipsis} ${line.text}`;
    return [theme.paint("dim", fit(text, columns))];
  }
  const number = String(line.number).padStart(digits);
  const styled = theme.paintsBackgrounds || kind === "same" ? line.styled : undefined;
  const text = styled ?? parseStyled(line.text);
  let offset = 0;
  return wrapCode(line.text, columns - digits - 3).map((plain, row) => {
    const range = { start: offset, end: offset += plain.length };
    const lead = row === 0 ? number : " ".repeat(digits);
    if (kind === "same") {
      const shown = sliceStyled(text, range.start, range.end);
      return `${theme.paint("dim", lead)}   ${shown}`.trimEnd();
    }
    const sign = row > 0 ? " " : kind === "added" ? "+" : "-";
    const spans = line.differs ?? [];
    return theme.paintChange(
      kind,
      `${lead} ${sign} ${paintRow(text, { kind, range, spans, theme })}`,
    );
  });
}

/** A row of a changed line with its differences marked. */
function paintRow(
  text: StyledText,
  { kind, range, spans, theme }: {
    kind: "added" | "removed";
    range: Span;
    spans: readonly Span[];
    theme: Theme;
  },
): string {
  let at = range.start;
  let row = "";
  for (const span of spans) {
    const start = Math.max(at, span.start);
    const end = Math.min(range.end, span.end);
    if (start >= end) continue;
    row += sliceStyled(text, at, start);
    // Colours of a language are hard to read on the background of a difference.
    row += theme.paintDifference(kind, plainText(text).slice(start, end));
    at = end;
  }
  return row + sliceStyled(text, at, range.end);
}
