/**
 * A unified diff as a person reads it: line numbers, coloured changes, no file headers, hunks set apart.
 * Long lines are wrapped, never cut: this is what somebody decides on.
 */
import { escapeControls, safeLines } from "./safe_text.ts";
import type { Theme } from "./theme.ts";
import { fit, wrapCode } from "./wrap.ts";

interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  /** In the new file, for a removed line in the old one. */
  readonly number: number;
  readonly text: string;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Draws the hunks of a unified diff. */
export function renderDiff(diff: string, options: { theme: Theme; columns: number }): string[] {
  const lines = parseDiff(diff);
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

function renderLine(
  line: DiffLine,
  { theme, columns, digits }: { theme: Theme; columns: number; digits: number },
): string[] {
  const { kind } = line;
  if (kind === "gap") {
    return [theme.paint("dim", fit(`${" ".repeat(digits)} ${theme.glyphs.ellipsis}`, columns))];
  }
  const number = String(line.number).padStart(digits);
  return wrapCode(line.text, columns - digits - 3).map((text, row) => {
    const lead = row === 0 ? number : " ".repeat(digits);
    const sign = row > 0 ? " " : kind === "added" ? "+" : "-";
    if (kind === "same") return `${theme.paint("dim", lead)}   ${text}`.trimEnd();
    return theme.paintChange(kind, `${lead} ${sign} ${text}`);
  });
}
