/**
 * The lines at the bottom of the screen that still change, below those that stay. Standing lines are written once; of
 * live ones only what changed is written again. Where the cursor cannot be moved there are no live lines.
 */
import { countRows, keepRows, omitShown } from "./kept_rows.ts";
import { type Cursor, RowWriter, sameCursor, sameRows } from "./row_writer.ts";
import { isLow } from "./list_room.ts";
import { cleanOutput } from "./links.ts";
import { CLEAR_SCREEN, MODES } from "./sequences.ts";
import type { Terminal } from "./terminal.ts";
import { cellWidth } from "./wrap.ts";

/** Rows that may change one after the other without anybody seeing it. */
const UNSEEN_ROWS = 2;
/** Rows that are given to live lines on any screen that has them, and on one that nobody makes half as wide. */
const LEAST_ROWS = 5;
const NARROW = { columns: 40, rows: 8 };
const START: Cursor = { row: 0, column: 0 };

/** Live lines, and where the cursor is seen among them. */
interface Live {
  readonly lines: readonly string[];
  readonly cursor: Cursor | undefined;
}

/** How a region treats what it shows. */
interface RegionOptions {
  /**
   * Whether rows that the terminal has taken into its history are not shown again, as those of a text that will stand
   * there. @default false
   */
  readonly isText?: boolean;
  /**
   * Whether live lines that a terminal made narrower has moved down stay so low, below empty rows, that one made half
   * as wide again has room for them all. Rows that are empty below them count there as if they were full. Once
   * something is written above, the empty rows are gone. @default false
   */
  readonly staysLow?: boolean;
}

/** Standing lines above, changing lines below. */
export class LiveRegion {
  readonly #terminal: Terminal;
  #drawn: readonly string[] = [];
  /** Among the drawn lines. */
  #cursor = START;
  /** Where it is seen, if it is. */
  #shownCursor: Cursor | undefined = START;
  /** What was drawn above them and is in the terminal's history now, out of reach. */
  #kept: readonly string[] = [];
  /** Size of the terminal when they were drawn. */
  #columns = 0;
  #rows = 0;
  #generation = 0;
  /** Lines that are to stand, and those below them, once it is known where the drawn ones are. */
  #waiting: readonly string[] = [];
  #next: Live = { lines: [], cursor: undefined };
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the screen is cleared before the next write. */
  #clearsScreen = false;
  readonly #isText: boolean;
  readonly #staysLow: boolean;
  /** Rows from the first live one to the end of the screen, if that is known just now. */
  #foundRows = 0;
  /** Rows of the live lines when they were drawn there, and those of them that are still empty above the others. */
  #height = 0;
  #emptyRows = 0;

  constructor(terminal: Terminal, { isText = false, staysLow = false }: RegionOptions = {}) {
    this.#terminal = terminal;
    this.#isText = isText;
    this.#staysLow = staysLow;
  }

  /** Rows for live lines; one is left for the line above. */
  get maxRows(): number {
    return Math.max(1, this.#terminal.rows - 1);
  }

  /**
   * Rows for lines that have to be seen once however the size changes: a terminal made half as wide breaks each of them
   * in two, and takes those that its screen has no room for into its history, out of reach.
   */
  get safeRows(): number {
    const { columns, rows } = this.#terminal;
    const least = columns < NARROW.columns ? NARROW.rows : LEAST_ROWS;
    return Math.min(this.maxRows, Math.max(least, Math.floor(rows / 2)));
  }

  /**
   * Writes lines that stay and `live` below them, in one write. While the size of the terminal changes nobody knows in
   * which rows the live lines are: they are left alone until it has settled. The cursor is hidden, or seen at a place
   * among the live lines.
   */
  update(standing: readonly string[], live: readonly string[], cursor?: Cursor): void {
    this.#waiting = [...this.#waiting, ...standing];
    this.#next = { lines: live, cursor };
    const isKnown = this.#drawn.length === 0 ? !this.#isSought : !this.#isMoved;
    if (isKnown && !this.#clearsScreen || live.length === 0) this.#write();
    else this.#writeOnceSettled();
  }

  /**
   * Clears the screen and draws the live lines anew at its top, once it is known where they are: a terminal that keeps
   * what was on the screen has them once.
   */
  clearScreen(): void {
    if (!this.#terminal.canRedraw) return;
    this.#clearsScreen = true;
    this.#writeOnceSettled();
  }

  /** Takes it that nothing of the live lines is on the screen any more, and that the cursor begins an empty row. */
  #forget(): void {
    this.#drawn = [];
    this.#kept = [];
    this.#height = 0;
    this.#cursor = START;
    this.#shownCursor = START;
  }

  /** Whether the first lines are to be drawn where nothing is left below them, of which nobody knows yet where it is. */
  get #isSought(): boolean {
    return this.#staysLow && !this.#isText && isLow(this.#terminal);
  }

  /** Whether the drawn lines may be in other rows than those they were drawn in. */
  get #isMoved(): boolean {
    const { settlesInMs, columns, rows, generation } = this.#terminal;
    const isResized = settlesInMs > 0 || this.#columns !== columns || this.#rows !== rows;
    return isResized && this.#generation === generation;
  }

  #writeOnceSettled(): void {
    this.#timer ??= setTimeout(() => void this.#settle(), this.#terminal.settlesInMs);
  }

  /** Asks where the cursor is once the size has settled, and draws. */
  async #settle(): Promise<void> {
    const timer = this.#timer;
    const at = this.#terminal.settlesInMs > 0 ? undefined : await this.#locate();
    if (this.#timer !== timer) return;
    const { settlesInMs } = this.#terminal;
    if (settlesInMs > 0) this.#timer = setTimeout(() => void this.#settle(), settlesInMs);
    else this.#write(at);
  }

  /** Where the cursor is on the screen, if the terminal says so. */
  async #locate(): Promise<Cursor | undefined> {
    const { row, column } = this.#cursor;
    // tmux leaves it at the end of what a row shows.
    this.#cursor = { row, column: Math.min(column, cellWidth(this.#drawn[row] ?? "")) };
    if (this.#isAtEdge) {
      this.#terminal.control(" ");
      this.#cursor = { row, column: this.#cursor.column + 1 };
    }
    return await this.#terminal.askCursor();
  }

  /** Draws what waits, at the place of the cursor if it was asked for. */
  #write(at?: Cursor): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { canRedraw, generation, columns, rows } = this.#terminal;
    if (this.#generation !== generation) {
      this.#generation = generation;
      this.#forget();
    }
    const standing = this.#waiting;
    const live = canRedraw ? this.#next.lines : [];
    this.#waiting = [];
    let erased = at === undefined && !this.#clearsScreen ? "" : this.#erase(at);
    if (this.#clearsScreen) {
      this.#clearsScreen = false;
      erased += CLEAR_SCREEN;
      this.#forget();
      this.#foundRows = this.#isSought ? rows : 0;
    }
    const { wanted, first, seen } = this.#layOut(standing, { ...this.#next, lines: live });
    const shown = live.length > 0 ? wanted.slice(first) : [];
    const isSame = sameRows(shown, this.#drawn) && sameCursor(seen, this.#shownCursor);
    const isChanged = standing.length > 0 || erased !== "" || !isSame;
    if (isChanged && this.#isWrapped([...this.#drawn, ...wanted])) erased += this.#erase();
    this.#columns = columns;
    this.#rows = rows;
    if (!isChanged) return;
    const before = seen === undefined && this.#shownCursor !== undefined ? MODES.cursor.off : "";
    const after = seen !== undefined && this.#shownCursor === undefined ? MODES.cursor.on : "";
    const writer = new RowWriter(this.#cursor, {
      count: this.#drawn.length,
      columns: canRedraw ? columns : 0,
    });
    writer.rewrite(this.#drawn, wanted);
    if (seen !== undefined) writer.goTo({ row: first + seen.row, column: seen.column });
    if (standing.length > 0 || live.length === 0) this.#kept = [];
    this.#drawn = shown;
    this.#cursor = { ...writer.cursor, row: writer.cursor.row - first };
    this.#shownCursor = seen;
    const text = before + erased + writer.text + after;
    if (text === "") return;
    const isSeen = canRedraw && (erased !== "" || writer.changed > UNSEEN_ROWS);
    this.#terminal.control(isSeen ? MODES.synchronized.on + text + MODES.synchronized.off : text);
  }

  /** All lines to be seen, which of them is the first live one, and where the cursor is among the live ones. */
  #layOut(
    standing: readonly string[],
    live: Live,
  ): { wanted: readonly string[]; first: number; seen: Cursor | undefined } {
    const { linkKey } = this.#terminal;
    const all = [...standing, ...live.lines].map((line) => cleanOutput(line, linkKey));
    const cursor = live.cursor && { ...live.cursor, row: standing.length + live.cursor.row };
    const { rest, lines, at } = this.#omitKept(all, live.lines.length > 0 ? cursor : undefined);
    // Where nothing is live, the cursor waits on an empty line.
    if (live.lines.length === 0) {
      this.#height = 0;
      return { wanted: [...rest, ""], first: rest.length, seen: START };
    }
    const first = Math.max(0, standing.length - lines);
    const shown = rest.slice(first).slice(-this.maxRows);
    const cut = rest.length - shown.length;
    const empty = this.#emptyAbove(standing.length > 0 ? 0 : shown.length);
    return {
      wanted: [...rest.slice(0, first), ...empty, ...shown],
      first,
      seen: at && { ...at, row: Math.max(0, at.row - cut) + empty.length },
    };
  }

  /** Empty rows above so many live ones; of these there are fewer when the live ones become more. */
  #emptyAbove(count: number): string[] {
    if (count === 0 || !this.#staysLow) this.#height = 0;
    else if (this.#foundRows > 0) {
      const { rows } = this.#terminal;
      const more = Math.max(0, this.#foundRows + count - rows);
      // On a low screen nothing is left below them.
      this.#height = isLow(this.#terminal) ? Math.max(count, this.#foundRows) : count + more;
      this.#emptyRows = this.#height;
    }
    this.#foundRows = 0;
    this.#emptyRows = Math.min(this.#emptyRows, Math.max(0, this.#height - count));
    return Array.from({ length: this.#emptyRows }, () => "");
  }

  /** A text without what the terminal has kept of it, unless the cursor is there: what is edited has to be seen. */
  #omitKept(
    all: readonly string[],
    cursor: Cursor | undefined,
  ): { rest: readonly string[]; lines: number; at: Cursor | undefined } {
    const nothing = { rest: all, lines: 0, at: cursor };
    if (!this.#isText || this.#kept.length === 0) return nothing;
    const { rest, lines, cells } = omitShown(all, this.#kept);
    if (cursor === undefined) return { rest, lines, at: undefined };
    const row = cursor.row - lines;
    const column = cursor.column - (row === 0 ? cells : 0);
    return row < 0 || column < 0 ? nothing : { rest, lines, at: { row, column } };
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
   * wrapped it. Rows above the screen are kept by the terminal; without the place of the cursor they are taken to be
   * those that the screen has no room for. With it all rows below are erased, where something may have been drawn before
   * the new size was known. Row by row, since some terminals keep a screen that is erased from its
   * first row in their history.
   */
  #erase(at?: Cursor): string {
    const { columns, rows } = this.#terminal;
    const { row, column } = this.#cursor;
    const lines = [...this.#kept, ...this.#drawn];
    const before = [...this.#kept, ...this.#drawn.slice(0, row)];
    const cursorRow = countRows(before, columns) + Math.floor(column / Math.max(1, columns));
    const last = Math.max(countRows(lines, columns) - 1, cursorRow);
    let first = Math.max(countRows(this.#kept, columns), last + 1 - rows);
    let end = last;
    if (at !== undefined) {
      const hidden = Math.max(0, cursorRow - at.row);
      const { kept, count } = keepRows(lines, { columns, hidden, cursorRow });
      // The cursor of a row that has left the screen waits at its first cell: how many left is not known.
      const isLost = at.row === 0 && at.column === 0 && column % columns !== 0;
      this.#kept = isLost ? [] : kept;
      first = count;
      end = cursorRow + rows - 1 - at.row;
    }
    if (at !== undefined) this.#foundRows = end - first + 1;
    const from = Math.max(0, cursorRow - first);
    const count = from + 1 + end - cursorRow;
    const writer = new RowWriter({ row: from, column: 1 }, { count });
    writer.erase(count);
    const blank = at === undefined && this.#isAtEdge ? " " : "";
    this.#drawn = [];
    this.#cursor = START;
    return blank + writer.text;
  }

  /** Whether the cursor may be in this row or in the next one, where a blank brings it. */
  get #isAtEdge(): boolean {
    const { column } = this.#cursor;
    return column > 0 && column % Math.max(1, this.#terminal.columns) === 0;
  }
}
