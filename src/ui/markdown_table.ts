/**
 * A Markdown table fitted to the screen: columns as wide as their text where that fits, narrowed between words where it
 * does not. Where words would be broken, of which none can be copied, names and values stand as "name: value", and other
 * rows as one record under another. While it arrives its rows stand as they come: a column that fits its text would have all of them drawn again with every word.
 */
import type { Layout, Theme } from "./theme.ts";
import { cellWidth, wrapProse } from "./wrap.ts";
import { wrapBelow } from "./wrap_rows.ts";

/** A table whose cells are already styled. */
interface TableText {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly align: readonly ("left" | "right" | "center" | null)[];
}

/** Cells that the name of something has at most. */
const MAX_NAME = 30;
/** Further in than its name, by so many cells, stands the rest of a value. */
const STEP = 2;

/** Narrower than this, a column of wrapped words cannot be read. */
const MIN_COLUMN = 8;

/** Where a line may end: at blanks, and beside the characters of scripts that have none. */
const BREAKS = /[\s\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffe6]+/;

/** Draws a table in at most `columns` cells. */
export function renderTable(
  table: TableText,
  options: Layout,
): string[] {
  if (options.theme.isSpoken && hasHeads(table)) return renderRecords(table, options);
  const widths = fitWidths(table, options.columns);
  if (widths !== undefined) return renderGrid(table, widths, options);
  return isNamesAndValues(table) ? renderValues(table, options) : renderRecords(table, options);
}

/** Draws a table that may still grow, in at most `columns` cells: what follows is added to its last line, or below it. */
export function renderGrowingTable(
  { header, rows }: TableText,
  { theme, columns }: Layout,
): string[] {
  const { bar, rule } = theme.glyphs;
  const isHeaded = hasHeads({ header });
  const drawRow = (cells: readonly string[]) => {
    const used = cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1);
    return wrapProse(used.join(` ${bar} `), columns);
  };
  return [
    ...isHeaded ? drawRow(header.map((cell) => theme.paint("bold", cell))) : [],
    ...isHeaded ? [rule.repeat(Math.min(columns, cellWidth(header[0] ?? "")))] : [],
    ...rows.flatMap(drawRow),
  ];
}

/** A table of names and values may do without. */
function hasHeads({ header }: Pick<TableText, "header">): boolean {
  return header.some((head) => head !== "");
}

/** The widest cell of each column, or the widest of what a function makes of them. */
function columnWidths(
  { header, rows }: TableText,
  measure: (cell: string) => number = cellWidth,
): number[] {
  return header.map((head, column) =>
    Math.max(1, measure(head), ...rows.map((row) => measure(row[column] ?? "")))
  );
}

/** Takes from the widest column until all fit; undefined if a word would be broken, or a column become too narrow. */
function fitWidths(table: TableText, columns: number): number[] | undefined {
  const widths = columnWidths(table);
  const whole = columnWidths(table, (cell) => Math.max(...cell.split(BREAKS).map(cellWidth)));
  const room = columns - 3 * (widths.length - 1);
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const least = (column: number) => Math.max(MIN_COLUMN, whole[column] ?? 0);
    const widest = Math.max(...widths.filter((width, column) => width > least(column)));
    const column = widths.findIndex((width, at) => width === widest && width > least(at));
    if (column === -1) return undefined;
    widths[column] = widest - 1;
    excess--;
  }
  return widths;
}

function renderGrid(
  table: TableText,
  widths: readonly number[],
  { theme }: { theme: Theme },
): string[] {
  const bar = ` ${theme.glyphs.bar} `;
  const drawRow = (cells: readonly string[], style?: "bold") => {
    const wrapped = widths.map((width, column) => wrapProse(cells[column] ?? "", width));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, row) =>
      widths.map((width, column) => {
        const text = wrapped[column]?.[row] ?? "";
        return pad(style ? theme.paint(style, text) : text, width, table.align[column]);
      }).join(bar).trimEnd());
  };
  const rule = widths.map((width) => theme.glyphs.rule.repeat(width))
    .join(theme.glyphs.rule + (theme.glyphs.bar === "│" ? "┼" : "+") + theme.glyphs.rule);
  const head = hasHeads(table) ? [...drawRow(table.header, "bold"), rule] : [];
  return [...head, ...table.rows.flatMap((row) => drawRow(row))];
}

/** Whether each row is a name and what there is to say of it: such a row is read without its heads. */
function isNamesAndValues({ header, rows }: TableText): boolean {
  const names = rows.map(([name = ""]) => name);
  return header.length === 2 && new Set(names).size === names.length &&
    names.every((name) => name !== "" && cellWidth(name) <= MAX_NAME);
}

/** "name: value" for each row, heads first; a value that has no room beside its name stands below it. */
function renderValues({ header, rows }: TableText, { theme, columns }: Layout): string[] {
  const heads = hasHeads({ header }) ? [header.map((cell) => theme.paint("bold", cell))] : [];
  return [...heads, ...rows].flatMap(([name = "", value = ""]) => {
    const line = `${name}: ${value}`.trimEnd();
    if (cellWidth(line) <= columns) return [line];
    return [...wrapProse(`${name}:`, columns), ...wrapBelow(value, { indent: STEP, columns })];
  });
}

function renderRecords(
  table: TableText,
  { theme, columns }: Layout,
): string[] {
  return table.rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [theme.paint("dim", theme.glyphs.rule.repeat(Math.min(columns, 8)))]),
    ...renderFields(
      table.header.flatMap((head, column) => {
        const text = row[column] ?? "";
        if (head === "") return text === "" ? [] : [text];
        return text === "" ? [] : [`${theme.paint("bold", `${head}:`)} ${text}`];
      }),
      { theme, columns },
    ),
  ]);
}

/** Fields one under the other; short ones share a line, unless they are read out. */
function renderFields(fields: readonly string[], { theme, columns }: Layout): string[] {
  const between = ` ${theme.glyphs.dot} `;
  const lines: string[] = [];
  for (const field of fields) {
    const joined = lines.length > 0 && !theme.isSpoken ? `${lines.at(-1)}${between}${field}` : "";
    if (joined !== "" && cellWidth(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(field);
  }
  return lines.flatMap((line) => wrapProse(line, columns));
}

function pad(
  text: string,
  width: number,
  align: "left" | "right" | "center" | null = null,
): string {
  const blanks = Math.max(0, width - cellWidth(text));
  const left = align === "right" ? blanks : align === "center" ? Math.floor(blanks / 2) : 0;
  return " ".repeat(left) + text + " ".repeat(blanks - left);
}
