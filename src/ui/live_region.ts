/**
 * The lines at the bottom of the screen that still change, below those that stay. Standing lines are written once; of
 * live ones only what changed is written again. Where the cursor cannot be moved there are no live lines.
 */
import { type Cursor, RowWriter } from "./row_writer.ts";
import { cleanOutput } from "./links.ts";
import { MODES } from "./sequences.ts";
import type { Terminal } from "./terminal.ts";
import { cellWidth } from "./wrap.ts";

/** Rows that may change one after the other without anybody seeing it. */
const UNSEEN_ROWS = 2;
const START: Cursor = { row: 0, column: 0 };

/** Standing lines above, changing lines below. */
export class LiveRegion {
  readonly #terminal: Terminal;
  #drawn: readonly string[] = [];
  /** Among the drawn lines. */
  #cursor = START;
  /** Where it is seen, if it is. */
  #shownCursor: Cursor | undefined = START;
  /** Width of the terminal when they were drawn. */
  #columns = 0;
  #generation = 0;
  /** Lines that are to stand once the size has settled. */
  #waiting: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Rows for live lines; one is left for the line above. */
  get maxRows(): number {
    return Math.max(1, this.#terminal.rows - 1);
  }

  /**
   * Writes lines that stay and `live` below them, in one write. While the size of the terminal changes nobody knows in
   * which rows the live lines are: they are left alone until it has settled. The cursor is hidden, or seen at a place
   * among the live lines.
   */
  update(standing: readonly string[], live: readonly string[], cursor?: Cursor): void {
    clearTimeout(this.#timer);
    const all = [...this.#waiting, ...standing];
    const wait = this.#drawn.length > 0 && live.length > 0 ? this.#terminal.settlesInMs : 0;
    this.#waiting = wait > 0 ? all : [];
    if (wait > 0) this.#timer = setTimeout(() => this.update([], live, cursor), wait);
    else this.#write(all, live, cursor);
  }

  /** Takes it that nothing of the live lines is on the screen any more, and that the cursor begins an empty row. */
  forget(): void {
    this.#drawn = [];
    this.#cursor = START;
    this.#shownCursor = START;
  }

  #write(standing: readonly string[], live: readonly string[], cursor?: Cursor): void {
    const { canRedraw, generation, columns, linkKey } = this.#terminal;
    const clean = (line: string) => cleanOutput(line, linkKey);
    if (this.#generation !== generation) {
      this.#generation = generation;
      this.forget();
    }
    const shown = (canRedraw ? live.slice(-this.maxRows) : []).map(clean);
    const cut = live.length - shown.length;
    const seen = shown.length === 0
      ? START
      : cursor && { ...cursor, row: Math.max(0, cursor.row - cut) };
    if (
      standing.length === 0 && sameLines(shown, this.#drawn) &&
      sameCursor(seen, this.#shownCursor)
    ) return;
    // Where nothing is live, the cursor waits on an empty line.
    const wanted = [...standing.map(clean), ...(shown.length > 0 ? shown : [""])];
    const before = seen === undefined && this.#shownCursor !== undefined ? MODES.cursor.off : "";
    const after = seen !== undefined && this.#shownCursor === undefined ? MODES.cursor.on : "";
    const erased = this.#isWrapped([...this.#drawn, ...wanted]) ? this.#erase() : "";
    const writer = new RowWriter(this.#cursor, this.#drawn.length);
    writer.rewrite(this.#drawn, wanted);
    const first = wanted.length - Math.max(1, shown.length);
    if (seen !== undefined) writer.goTo({ row: first + seen.row, column: seen.column });
    this.#drawn = shown;
    this.#cursor = { ...writer.cursor, row: writer.cursor.row - first };
    this.#shownCursor = seen;
    this.#columns = columns;
    const text = before + erased + writer.text + after;
    if (text === "") return;
    const isSeen = canRedraw && (erased !== "" || writer.changed > UNSEEN_ROWS);
    this.#terminal.control(isSeen ? MODES.synchronized.on + text + MODES.synchronized.off : text);
  }

  /** Erases the live lines; the cursor is at the start of an empty row. */
  clear(): void {
    this.update([], []);
  }

  /** Whether one of these lines takes more than one row, or did not when it was drawn. */
  #isWrapped(lines: readonly string[]): boolean {
    const { columns } = this.#terminal;
    if (this.#drawn.length > 0 && this.#columns !== columns) return true;
    return lines.some((line) => line.length > columns && cellWidth(line) > columns);
  }

  /**
   * Erases what was drawn and goes to where it began, in rows of the current width: a terminal made narrower has
   * wrapped it. Row by row, since some terminals keep a screen that is erased from its first row in their history.
   */
  #erase(): string {
    const { row, column } = this.#cursor;
    const above = this.#countRows(this.#drawn.slice(0, row)) + this.#rowOf(column);
    const count = Math.max(this.#countRows(this.#drawn), above + 1);
    const rows = Math.min(count, this.#terminal.rows);
    const writer = new RowWriter({ row: rows - (count - above), column: 1 }, rows);
    writer.erase(rows);
    this.#drawn = [];
    this.#cursor = START;
    // At the very edge the cursor may be in this row or in the next one, where a blank brings it.
    const isAtEdge = column > 0 && column % Math.max(1, this.#terminal.columns) === 0;
    return (isAtEdge ? " " : "") + writer.text;
  }

  #countRows(lines: readonly string[]): number {
    return lines.reduce((sum, line) => sum + this.#rowOf(cellWidth(line) - 1) + 1, 0);
  }

  /** The row in which so many cells after a line's beginning are. */
  #rowOf(cells: number): number {
    return Math.max(0, Math.floor(cells / Math.max(1, this.#terminal.columns)));
  }
}

function sameCursor(a: Cursor | undefined, b: Cursor | undefined): boolean {
  return a?.row === b?.row && a?.column === b?.column;
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
