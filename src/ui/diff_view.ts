/**
 * A unified diff as a person reads it: line numbers, coloured changes, no file headers, hunks set apart.
 * Long lines are wrapped, never cut: a person decides on them.
 */
import { escapeControls, safeLines } from "./safe_text.ts";
import type { Layout, Theme } from "./theme.ts";
import { fit, wrapCode } from "./wrap.ts";

/** A range of a text; the end is exclusive. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  /** In the new file, for a removed line in the old one. */
  readonly number: number;
  readonly text: string;
  /** The part of the text that differs from the line that it replaces or that replaces it. */
  readonly differs?: Span | undefined;
}

/** Words, runs of blanks, and every other character. */
const TOKENS = /[\p{L}\p{N}\p{M}_]+|\s+|[^]/gu;
/** Share of the longer line that must be equal for a difference to be marked. */
const MIN_SIMILARITY = 1 / 3;
/** Lines longer than this are not meant to be read. */
const MAX_COMPARED = 2000;

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Draws the hunks of a unified diff. */
export function renderDiff(diff: string, options: Layout): string[] {
  const lines = markChangedSpans(parseDiff(diff));
  const digits = String(Math.max(0, ...lines.map((line) => line.number))).length;
  return lines.flatMap((line) => renderLine(line, { ...options, digits }));
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
      if (inside) lines.push({ kind: "gap", number: 0, text: "" });
      before = Number(hunk[1]);
      after = Number(hunk[2]);
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
    return [theme.paint("dim", fit(`${" ".repeat(digits)} ${theme.glyphs.ellipsis}`, columns))];
  }
  const number = String(line.number).padStart(digits);
  const rows = wrapCode(line.text, columns - digits - 3);
  let offset = 0;
  return rows.map((plain, row) => {
    const start = offset;
    offset += plain.length;
    const text = kind === "same"
      ? plain
      : paintLine(plain, { kind, start, span: line.differs, theme });
    const lead = row === 0 ? number : " ".repeat(digits);
    const sign = row > 0 ? " " : kind === "added" ? "+" : "-";
    if (kind === "same") return `${theme.paint("dim", lead)}   ${text}`.trimEnd();
    return theme.paintChange(kind, `${lead} ${sign} ${text}`);
  });
}

/** A row of a changed line with its difference marked; `start` is where the row begins in the line. */
function paintLine(
  row: string,
  { kind, start, span, theme }: {
    kind: "added" | "removed";
    start: number;
    span: Span | undefined;
    theme: Theme;
  },
): string {
  if (span === undefined) return row;
  const from = Math.max(0, span.start - start);
  const to = Math.min(row.length, span.end - start);
  if (from >= to) return row;
  return row.slice(0, from) + theme.paintDifference(kind, row.slice(from, to)) + row.slice(to);
}

/**
 * The ranges that differ between a line and the one that replaces it, as whole words; one may be empty. Undefined if
 * the lines have little in common.
 */
export function changedSpans(before: string, after: string): [was: Span, is: Span] | undefined {
  const longer = Math.max(before.length, after.length);
  if (longer > MAX_COMPARED) return undefined;
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
