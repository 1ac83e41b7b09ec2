/**
 * A text that is being edited as rows of the screen: broken at words, with the place of the cursor. Pure. A large text
 * is laid out at each key, so that plain lines take a short way.
 */
import { splitAtMarks } from "./graphemes.ts";
import type { Cursor } from "./row_writer.ts";
import { cellWidth, fit } from "./wrap.ts";

/** An offset at which a character begins, and the cells before it. */
type Stop = readonly [offset: number, cells: number];

/** One row: what it shows, and which part of the text that is. */
export interface Row {
  readonly shown: string;
  readonly from: number;
  readonly to: number;
  /** Where the cursor can be in it. */
  readonly stops: () => readonly Stop[];
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

/** Every character takes one cell. */
const PLAIN = /^[ -~]*$/;

/** The rows of a text; at least one. */
export function layoutText(text: string, options: LayoutOptions): Row[] {
  const columns = Math.max(1, options.columns);
  const rows: Row[] = [];
  const readUnits = unitReader({ ...options, columns });
  let from = 0;
  for (const line of text.split("\n")) {
    if (PLAIN.test(line)) layoutPlain(line, { from, columns, rows });
    else layoutUnits(readUnits(line, from), { end: from + line.length, columns, rows });
    from += line.length + 1;
  }
  return rows;
}

/** Where an offset of the text is; what begins a row is in it, not at the end of the row before. */
export function cursorAt(rows: readonly Row[], offset: number): Cursor {
  const row = Math.max(0, rows.findLastIndex(({ from }) => from <= offset));
  const stop = rows[row]?.stops().findLast(([at]) => at <= offset);
  return { row, column: stop?.[1] ?? 0 };
}

/** The offset nearest to a column of a row. */
export function offsetAt(rows: readonly Row[], { row, column }: Cursor): number {
  const stops = rows[row]?.stops() ?? [];
  return stops.findLast(([, cells]) => cells <= column)?.[0] ?? rows[row]?.from ?? 0;
}

/** Where rows go, and how wide they are. */
interface Target {
  readonly columns: number;
  readonly rows: Row[];
}

function layoutPlain(line: string, { from, columns, rows }: Target & { from: number }): void {
  let start = 0;
  const push = (to: number, isLast: boolean) => {
    const [first, count] = [from + start, to - start + (isLast ? 1 : 0)];
    rows.push({
      shown: line.slice(start, to).trimEnd(),
      from: first,
      to: from + to,
      stops: () => Array.from({ length: count }, (_, index) => [first + index, index] as const),
    });
    start = to;
  };
  while (line.length - start > columns) {
    const edge = start + columns;
    const blank = line.lastIndexOf(" ", edge - 1);
    // A blank that has no room hangs over the edge, where nobody sees it.
    push(line[edge] === " " ? edge + 1 : blank > start ? blank + 1 : edge, false);
  }
  push(line.length, true);
}

function layoutUnits(
  units: readonly Unit[],
  { end, columns, rows }: Target & { end: number },
): void {
  let row: Unit[] = [];
  let cells = 0;
  for (const unit of units) {
    if (cells + unit.cells > columns && row.length > 0 && !unit.isBlank) {
      const at = breakIndex(row, unit);
      rows.push(toRow(row.slice(0, at)));
      row = row.slice(at);
      cells = row.reduce((sum, one) => sum + one.cells, 0);
    }
    row.push(unit);
    cells += unit.cells;
    if (cells > columns && unit.isBlank) {
      rows.push(toRow(row));
      row = [];
      cells = 0;
    }
  }
  rows.push(toRow(row, end));
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
  const from = units[0]?.offset ?? end ?? 0;
  return {
    shown: units.map(({ shown }) => shown).join("").trimEnd(),
    from,
    to: end ?? units.at(-1)?.end ?? from,
    stops() {
      const stops: Stop[] = [];
      let cells = 0;
      for (const unit of units) {
        stops.push([unit.offset, cells]);
        cells += unit.cells;
      }
      return end === undefined ? stops : [...stops, [end, cells]];
    },
  };
}

/** Reads the characters of lines; how wide each is, is found once. */
function unitReader(
  { columns, labelOf }: LayoutOptions,
): (line: string, from: number) => Unit[] {
  const segmenter = new Intl.Segmenter();
  const widths = new Map<string, number>();
  const widthOf = (shown: string) => {
    const known = widths.get(shown) ?? cellWidth(shown);
    widths.set(shown, known);
    return known;
  };
  return (line, from) => {
    const units: Unit[] = [];
    const add = (text: string, shown: string) => {
      const offset = units.at(-1)?.end ?? from;
      units.push({
        offset,
        end: offset + text.length,
        shown,
        cells: widthOf(shown),
        isBlank: text === " " || text === "\t",
      });
    };
    for (const { text, isMark } of splitAtMarks(line)) {
      if (isMark) add(text, fit(labelOf(text), columns));
      else {
        for (const { segment } of segmenter.segment(text)) {
          add(segment, segment === "\t" ? "    " : segment);
        }
      }
    }
    return units;
  };
}
