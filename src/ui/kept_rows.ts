/**
 * Rows that a terminal has taken into its history, as tmux does with the first ones of a screen that is made narrower:
 * which they are, and how much of a text they show already. Pure.
 */
import { openStyles } from "./row_writer.ts";
import { cellWidth, wrapCode } from "./wrap.ts";

// deno-lint-ignore no-control-regex
const STYLES = /\x1b\[[\d;]*m/g;
// deno-lint-ignore no-control-regex
const PIECES = /\x1b\[[\d;]*m|[^]/gu;

/** How far some lines have been shown. */
interface Shown {
  /** Whole lines. */
  readonly lines: number;
  /** Characters of the line after them, its styles among them. */
  readonly length: number;
}

/** Rows of lines that a terminal has wrapped at so many columns. */
export function countRows(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + wrapCode(line, Math.max(1, columns)).length, 0);
}

/**
 * The rows that stay as they are because so many are out of reach, as lines and counted. A line is kept whole, since
 * the terminal wraps it anew with its hidden part; the one in whose row the cursor is may be cut.
 */
export function keepRows(
  lines: readonly string[],
  { columns, hidden, cursorRow }: { columns: number; hidden: number; cursorRow: number },
): { readonly kept: readonly string[]; readonly count: number } {
  const kept: string[] = [];
  let count = 0;
  for (const line of lines) {
    if (count >= hidden) break;
    const rows = wrapCode(line.replace(STYLES, ""), Math.max(1, columns));
    const isWhole = count + rows.length <= cursorRow;
    const stays = isWhole ? rows : rows.slice(0, hidden - count);
    kept.push(stays.join(""));
    count += stays.length;
  }
  return { kept, count };
}

/** The lines without what the kept ones show, and what was left out: whole lines, and cells of the next one, which stays set in. */
export function omitShown(
  lines: readonly string[],
  kept: readonly string[],
): { readonly rest: readonly string[]; readonly lines: number; readonly cells: number } {
  let shown: Shown = { lines: 0, length: 0 };
  for (const line of kept) {
    const next = findEnd(lines, line.replace(/\s/g, ""), shown);
    if (next === undefined) break;
    shown = next;
  }
  const [line = "", ...after] = lines.slice(shown.lines);
  const before = line.slice(0, shown.length);
  const indent = /^ */.exec(before)?.[0] ?? "";
  const rest = indent + openStyles(before) + line.slice(shown.length);
  return {
    rest: shown.lines < lines.length ? [rest, ...after] : [],
    lines: shown.lines,
    cells: cellWidth(before) - indent.length,
  };
}

/** Where a text ends that lines show from some place on, however they are broken; undefined if they show another. */
function findEnd(lines: readonly string[], text: string, from: Shown): Shown | undefined {
  let left = text;
  for (let at = from.lines; at < lines.length; at++) {
    let length = at === from.lines ? from.length : 0;
    for (const [piece] of (lines[at] ?? "").slice(length).matchAll(PIECES)) {
      const isSeen = piece.length <= 2 && /\S/u.test(piece);
      if (isSeen && left === "") return { lines: at, length };
      if (isSeen && !left.startsWith(piece)) return undefined;
      if (isSeen) left = left.slice(piece.length);
      length += piece.length;
    }
    if (left === "") return { lines: at + 1, length: 0 };
  }
  return undefined;
}
