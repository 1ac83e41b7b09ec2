/**
 * A text that is being edited as rows of the screen: broken at words, with the place of the cursor. Pure.
 */
import { isMark, nextBoundary } from "./graphemes.ts";
import type { Cursor } from "./row_writer.ts";
import { cellWidth, fit } from "./wrap.ts";

/** One row: what it shows, and which part of the text that is. */
export interface Row {
  readonly shown: string;
  readonly from: number;
  readonly to: number;
  /** Offsets in the text at which a character begins, and the cells before each. */
  readonly stops: readonly (readonly [offset: number, cells: number])[];
}

/** How a text is laid out. */
interface LayoutOptions {
  /** Cells in a row. */
  readonly columns: number;
  /** What a paste's mark looks like. */
  readonly labelOf: (mark: string) => string;
}

/** One character and how it is shown. */
interface Unit {
  readonly offset: number;
  readonly end: number;
  readonly shown: string;
  readonly cells: number;
  readonly isBlank: boolean;
}

/** The rows of a text; at least one. */
export function layoutText(text: string, options: LayoutOptions): Row[] {
  const rows: Row[] = [];
  let from = 0;
  for (const line of text.split("\n")) {
    rows.push(...layoutLine(line, from, options));
    from += line.length + 1;
  }
  return rows;
}

/** Where an offset of the text is; what begins a row is in it, not at the end of the row before. */
export function cursorAt(rows: readonly Row[], offset: number): Cursor {
  const row = Math.max(0, rows.findLastIndex(({ from }) => from <= offset));
  const stop = rows[row]?.stops.findLast(([at]) => at <= offset);
  return { row, column: stop?.[1] ?? 0 };
}

/** The offset nearest to a column of a row. */
export function offsetAt(rows: readonly Row[], { row, column }: Cursor): number {
  const stops = rows[row]?.stops ?? [];
  return stops.findLast(([, cells]) => cells <= column)?.[0] ?? rows[row]?.from ?? 0;
}

function layoutLine(line: string, from: number, options: LayoutOptions): Row[] {
  const columns = Math.max(1, options.columns);
  const rows: Row[] = [];
  let row: Unit[] = [];
  let cells = 0;
  for (const unit of unitsOf(line, from, { ...options, columns })) {
    if (cells + unit.cells > columns && row.length > 0 && !unit.isBlank) {
      const at = breakIndex(row, unit);
      rows.push(toRow(row.slice(0, at)));
      row = row.slice(at);
      cells = row.reduce((sum, one) => sum + one.cells, 0);
    }
    row.push(unit);
    cells += unit.cells;
    // A blank that has no room hangs over the edge, where nobody sees it.
    if (cells > columns && unit.isBlank) {
      rows.push(toRow(row));
      row = [];
      cells = 0;
    }
  }
  const end = from + line.length;
  return [...rows, toRow(row, end)];
}

/** Where a row ends that has no room for a unit: behind the last blank, beside a wide character, else right before it. */
function breakIndex(row: readonly Unit[], next: Unit): number {
  if (next.cells === 2) return row.length;
  for (let at = row.length - 1; at > 0; at--) {
    const { isBlank = false, cells = 1 } = row[at] ?? {};
    if (isBlank || cells === 2) return at + 1;
  }
  return row.length;
}

function toRow(units: readonly Unit[], end?: number): Row {
  const stops: [number, number][] = [];
  let cells = 0;
  for (const unit of units) {
    stops.push([unit.offset, cells]);
    cells += unit.cells;
  }
  const from = units[0]?.offset ?? end ?? 0;
  if (end !== undefined) stops.push([end, cells]);
  return {
    shown: units.map(({ shown }) => shown).join("").trimEnd(),
    from,
    to: end ?? units.at(-1)?.end ?? from,
    stops,
  };
}

function* unitsOf(line: string, from: number, { columns, labelOf }: LayoutOptions): Iterable<Unit> {
  for (let at = 0; at < line.length;) {
    const isPlain = isAscii(line, at) && isAscii(line, at + 1);
    const end = isPlain ? at + 1 : nextBoundary(line, at);
    const character = line.slice(at, end);
    const shown = isMark(character)
      ? fit(labelOf(character), columns)
      : character === "\t"
      ? "    "
      : character;
    const cells = isPlain && character !== "\t" ? 1 : cellWidth(shown);
    yield {
      offset: from + at,
      end: from + end,
      shown,
      cells,
      isBlank: character === " " || character === "\t",
    };
    at = end;
  }
}

/** Whether what stands there joins nothing. */
function isAscii(line: string, at: number): boolean {
  return at >= line.length || line.charCodeAt(at) < 0x7f;
}
