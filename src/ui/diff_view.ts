/**
 * A unified diff as a person reads it: line numbers, coloured changes, no file headers, hunks set apart.
 * Long lines are wrapped, never cut: this is what somebody decides on.
 */
import { changedSpans, type Span } from "./line_difference.ts";
import { escapeControls, safeLines } from "./safe_text.ts";
import type { Theme } from "./theme.ts";
import { fit, wrapCode } from "./wrap.ts";

interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  /** In the new file, for a removed line in the old one. */
  readonly number: number;
  readonly text: string;
  /** What of the text differs from the line that it replaces, or that replaces it. */
  readonly differs?: Span | undefined;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Draws the hunks of a unified diff. */
export function renderDiff(diff: string, options: { theme: Theme; columns: number }): string[] {
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

/** Lines that were replaced by as many know what differs within them. */
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
  { theme, columns, digits }: { theme: Theme; columns: number; digits: number },
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

/** A row of a changed line, with what of it differs; `start` is where the row begins in the line. */
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
