/**
 * A line that is being edited, as rows below its prompt sign: the part of it around the cursor that there is room
 * for. Pure.
 */
import type { Cursor } from "./row_writer.ts";
import type { TextBuffer } from "./text_buffer.ts";
import { cursorAt, layoutText, type Row } from "./text_layout.ts";
import type { Layout, Theme } from "./theme.ts";
import { cellWidth, fit } from "./wrap.ts";

/** How a line is drawn. */
interface LineViewOptions extends Layout {
  /** A word before the prompt sign. */
  readonly mode?: string | undefined;
}

/** What is shown of a line, and where the cursor is seen in it. */
export interface DrawnLine {
  readonly lines: readonly string[];
  /** Among them. */
  readonly cursor: Cursor;
}

/** A line as it is drawn. */
export interface LineView {
  /** All rows, drawn. */
  readonly lines: readonly string[];
  /** Among them. */
  readonly cursor: Cursor;
  /** The same rows as parts of the text; `lines` may have some before them. */
  readonly rows: readonly Row[];
  /** Cells before each row. */
  readonly indent: number;
}

/** Below so many columns there is no room for a mode, nor for a blank after the sign. */
const LEAST_COLUMNS = 6;

/** The sign of the prompt. */
export function promptSign({ theme, mode }: { theme: Theme; mode?: string | undefined }): string {
  const sign = theme.paint("accent", theme.glyphs.prompt);
  return !mode ? `${sign} ` : `${theme.paint("warning", mode)} ${sign} `;
}

/** The sign alone; in a single column the text takes its place. */
function narrowSign(text: string, { theme, columns }: Layout): string {
  return columns === 1 && text !== "" ? "" : promptSign({ theme }).trimEnd();
}

/** Draws a line. */
export function renderLine(
  { text, cursor, labelOf }: Pick<TextBuffer, "text" | "cursor" | "labelOf">,
  { theme, columns, mode }: LineViewOptions,
): LineView {
  const isNarrow = columns < LEAST_COLUMNS;
  const whole = promptSign({ theme, mode });
  // A long mode has a row of its own.
  const isApart = !isNarrow && mode !== undefined && mode !== "" && cellWidth(whole) > columns / 2;
  const sign = isNarrow
    ? narrowSign(text, { theme, columns })
    : isApart
    ? promptSign({ theme })
    : whole;
  // A sign that takes all cells stands where the text will begin.
  const indent = cellWidth(sign) < columns ? cellWidth(sign) : 0;
  const before = isApart ? [theme.paint("warning", fit(mode, columns))] : [];
  const rows = layoutText(text, { columns: columns - indent, labelOf });
  const at = cursorAt(rows, cursor);
  const lines = rows.map(({ shown }, index) =>
    index === 0 ? (sign + shown).trimEnd() : shown === "" ? "" : " ".repeat(indent) + shown
  );
  return {
    lines: [...before, ...lines],
    cursor: { row: before.length + at.row, column: indent + at.column },
    rows,
    indent,
  };
}

/** The first row to show of so many, so that the cursor is seen and as little as possible moves. */
export function windowStart(
  { lines, cursor }: Pick<LineView, "lines" | "cursor">,
  { height, previous }: { height: number; previous: number },
): number {
  const last = Math.max(0, lines.length - height);
  const least = Math.max(0, cursor.row - height + 1);
  return Math.min(last, Math.max(least, Math.min(previous, cursor.row)));
}

/** So many rows from one on; where there are more above or below, an arrow says so. */
export function windowLines(
  { lines, indent }: Pick<LineView, "lines" | "indent">,
  { theme, from, height }: { theme: Theme; from: number; height: number },
): string[] {
  const shown = lines.slice(from, from + height);
  const mark = (index: number, arrow: string) => {
    const text = (shown[index] ?? "").slice(indent);
    shown[index] = theme.paint("dim", arrow) + " ".repeat(indent - 1) + text;
  };
  const [up, down] = theme.unicode ? ["↑", "↓"] : ["^", "v"];
  if (from > 0 && indent > 1) mark(0, up);
  if (from + height < lines.length && shown.length > 1 && indent > 1) mark(shown.length - 1, down);
  return shown;
}
