/**
 * Text with aligned columns fitted to a terminal: the last column is broken between words and set in as it began. Where
 * it has too little room for that, each row becomes a record: its first cell, and the others below it.
 */
import { cellWidth, wrapProse } from "./wrap.ts";

/** A line of several columns, which two or more blanks part. */
interface Row {
  readonly indent: number;
  readonly cells: readonly string[];
  /** All before the last cell, with the blanks. */
  readonly head: string;
  readonly last: string;
}

/** Narrower than this, a column of wrapped words cannot be read. */
const MIN_COLUMN = 16;

/** Further in than its row, by so many cells, stands what belongs to it. */
const STEP = 2;

/** Breaks a text into lines of at most `columns` cells; only a word that has no room on a line of its own is broken. */
export function wrapRows(text: string, columns: number): string[] {
  const lines = text.split("\n").map((line) => ({ line, row: parseRow(line) }));
  const areRecords = lines.some(({ line, row }) =>
    row !== undefined && cellWidth(line) > columns && !hasRoom(row, columns)
  );
  return lines.flatMap(({ line, row }) => {
    if (row !== undefined && areRecords) return recordLines(row, columns);
    if (cellWidth(line) <= columns) return [line];
    if (row === undefined) return wrapBelow(line.trimStart(), { indent: indentOf(line), columns });
    const at = cellWidth(row.head);
    return wrapProse(row.last, columns - at)
      .map((part, index) => (index === 0 ? row.head : " ".repeat(at)) + part);
  });
}

function parseRow(line: string): Row | undefined {
  const [, head, last] = /^( *\S.* {2,})(\S.*)$/.exec(line) ?? [];
  if (head === undefined || last === undefined) return undefined;
  return { indent: indentOf(line), cells: line.trim().split(/ {2,}/), head, last };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Whether the last column can be read where it stands. */
function hasRoom({ head, last }: Row, columns: number): boolean {
  const room = columns - cellWidth(head);
  const longest = longestWord(last);
  return room >= MIN_COLUMN && (longest <= room || longest > columns);
}

function recordLines({ indent, cells }: Row, columns: number): string[] {
  const [first = "", ...others] = cells;
  return [
    ...wrapBelow(first, { indent, columns }),
    ...wrapBelow(others.join("  "), { indent: indent + STEP, columns }),
  ];
}

/** Sets a text in, in lines of at most `columns` cells; less far where a word would be broken for it. */
export function wrapBelow(
  text: string,
  { indent, columns }: { indent: number; columns: number },
): string[] {
  const free = Math.max(0, columns - longestWord(text));
  const isTight = free < indent || columns - indent < MIN_COLUMN;
  const blanks = " ".repeat(isTight ? Math.min(indent, STEP, free) : indent);
  return wrapProse(text, columns - blanks.length).map((line) => blanks + line);
}

function longestWord(text: string): number {
  return Math.max(...text.split(" ").map(cellWidth));
}
