/**
 * The room that a list may take on a screen of few rows. A terminal that becomes narrower breaks each row in several and
 * takes those that its screen has no room for into its history, where nothing can be erased: the list would stand there
 * once more. Pure.
 */
import { cellWidth } from "./wrap.ts";

/** Rows of a screen from which on a list may take half of them. */
const TALL_ROWS = 16;
/** Columns of the narrowest terminal that anybody has, and those that a row of a list takes at most. */
const LEAST_COLUMNS = 20;
const MOST_CELLS = 2 * LEAST_COLUMNS;

/** Rows, and the cells of each. */
interface ListRoom {
  readonly rows: number;
  readonly columns: number;
}

/** What a list may take beside other rows, so that all of them have room however narrow the terminal becomes. */
export function listRoom(
  screen: { readonly columns: number; readonly rows: number },
  around: readonly string[],
): ListRoom {
  const columns = Math.max(1, screen.columns - 1);
  if (screen.rows >= TALL_ROWS) return { rows: screen.rows, columns };
  const broken = (cells: number) => Math.max(1, Math.ceil(cells / LEAST_COLUMNS));
  const used = around.reduce((sum, row) => sum + broken(cellWidth(row)), 0);
  const cells = Math.min(columns, MOST_CELLS);
  return { rows: Math.max(1, Math.floor((screen.rows - used) / broken(cells))), columns: cells };
}

/** Whether a screen has so few rows that nothing is to be shown for its looks. */
export function isLow({ rows }: { readonly rows: number }): boolean {
  return rows < TALL_ROWS;
}
