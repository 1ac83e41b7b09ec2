/**
 * A text that is written as it arrives, and rows below it that change. The text is only ever added to, and between two
 * writes the cursor waits at its end: every terminal takes the cursor along when it lays out its screen anew, so that
 * nothing of the text is erased or written twice, whatever the size is by then. What is below is erased from there.
 */
import { countRows } from "./kept_rows.ts";
import { cleanOutput } from "./links.ts";
import { type Cursor, RowWriter, sameCursor, sameRows } from "./row_writer.ts";
import {
  ERASE_BELOW,
  ERASE_LINE,
  INDEX,
  MODES,
  moveCursor,
  RESTORE_CURSOR,
  SAVE_CURSOR,
} from "./sequences.ts";
import type { Terminal } from "./terminal.ts";
import { cellWidth } from "./wrap.ts";

/** Rows that may change one after the other without anybody seeing it. */
const UNSEEN_ROWS = 2;
/** Characters whose width all terminals agree on. */
const PLAIN = /^[ -~\p{L}\p{N}\u2010-\u2027\u2190-\u21ff\u2500-\u259f]*$/u;
const START: Cursor = { row: 0, column: 0 };

/** What is seen below the text. */
export interface FlowView {
  /** The first one begins with what stays of it, and goes on in the row where the text ends. */
  readonly lines: readonly string[];
  /** The part of the first line that belongs to the text and stays. @default none */
  readonly open?: string;
  /** Where the cursor is seen among the lines. @default it is not */
  readonly cursor?: Cursor | undefined;
}

/** A growing text, and changing rows below its end. */
export class FlowRegion {
  readonly #terminal: Terminal;
  /** The last row of the text, as far as it is written. */
  #open = "";
  /** The rows drawn from that one on, which is the first of them. */
  #rows: readonly string[] = [""];
  /** Among them, from the first row; where the text ends unless it is seen elsewhere. */
  #cursor = START;
  #isCursorSeen = true;
  /** Size of the terminal when they were drawn. */
  #size = { columns: 0, rows: 0 };
  #generation = 0;
  /** What is to be written once the size has settled. */
  #waiting: readonly string[] = [];
  #next: FlowView = { lines: [] };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Adds lines to the text and shows `view` at its end, in one write; without lines the text ends with an empty row. */
  update(standing: readonly string[], view: FlowView): void {
    this.#waiting = [...this.#waiting, ...standing];
    this.#next = view;
    const { settlesInMs, canRedraw } = this.#terminal;
    if (settlesInMs === 0 || view.lines.length === 0 || !canRedraw) this.#write();
    else this.#timer ??= setTimeout(() => this.#settle(), settlesInMs);
  }

  /** While somebody changes the size, rows of any width would be wrong. */
  #settle(): void {
    const { settlesInMs } = this.#terminal;
    if (settlesInMs === 0) this.#write();
    else this.#timer = setTimeout(() => this.#settle(), settlesInMs);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { canRedraw, generation, linkKey } = this.#terminal;
    if (this.#generation !== generation) this.#forget(generation);
    const clean = (line: string) => cleanOutput(line, linkKey);
    const standing = this.#waiting.map(clean);
    this.#waiting = [];
    const { lines, open = "", cursor } = canRedraw ? this.#next : { lines: [] };
    const end = clean(open);
    const [first = "", ...others] = lines;
    const rows = this.#fitRows([end + clean(first.slice(open.length)), ...others.map(clean)]);
    const seen = lines.length === 0
      ? { row: 0, column: cellWidth(end) }
      : cursor && { ...cursor, row: Math.max(0, cursor.row - (lines.length - rows.length)) };
    const added = addedText(this.#open, standing, end);
    this.#draw(added, { end, rows, seen });
  }

  /** Writes what is new, and what has changed below it. */
  #draw(
    added: string,
    { end, rows, seen }: {
      end: string;
      rows: readonly string[];
      seen: Cursor | undefined;
    },
  ): void {
    const { canRedraw, columns, rows: height } = this.#terminal;
    const isResized = this.#size.columns !== columns || this.#size.rows !== height;
    const isSame = added === "" && !isResized && sameRows(rows, this.#rows) &&
      sameCursor(seen, this.#isCursorSeen ? this.#cursor : undefined);
    const back = this.#goBack(isResized);
    const isBelow = this.#rows.length > 1;
    const hasRows = isBelow || this.#rows[0] !== this.#open;
    const isErased = hasRows && (isResized || added.includes("\n"));
    this.#size = { columns, rows: height };
    if (isSame) return;
    const erased = isErased ? eraseBelow(this.#open) : "";
    const [row = "", ...others] = isErased ? [this.#open] : this.#rows;
    const below = drawBelow({
      isRowStart: end === "",
      tail: leftOf(row.slice(this.#open.length), added),
      before: others,
      wantedTail: (rows[0] ?? "").slice(end.length),
      after: rows.slice(1),
      columns,
    });
    const hide = seen === undefined && this.#isCursorSeen ? MODES.cursor.off : "";
    const show = seen !== undefined && !this.#isCursorSeen ? MODES.cursor.on : "";
    const at = { row: 0, column: cellWidth(end) };
    const place = seen === undefined || sameCursor(seen, at) ? "" : moveTo(at, seen);
    this.#open = end;
    this.#rows = rows;
    this.#cursor = seen ?? at;
    this.#isCursorSeen = seen !== undefined;
    const text = hide + back + erased + added + below.text + place + show;
    if (text === "") return;
    const isWhole = canRedraw && (isErased && isBelow || below.changed > UNSEEN_ROWS);
    this.#terminal.control(isWhole ? MODES.synchronized.on + text + MODES.synchronized.off : text);
  }

  /**
   * Moves from where the cursor is seen to the end of the text. A terminal made narrower has broken the rows between
   * in several; fewer than there were is nobody's harm, since what is above is left alone.
   */
  #goBack(isResized: boolean): string {
    const { row, column } = this.#cursor;
    const end = cellWidth(this.#open);
    if (row === 0 && column === end) return "";
    const { columns } = this.#terminal;
    const first = Math.floor(end / columns);
    const wrapped = countRows(this.#rows.slice(0, row), columns) + Math.floor(column / columns);
    const up = isResized ? wrapped - first : row;
    const to = isResized ? end % columns : end;
    return (up > 0 ? moveCursor("up", up) : "") + "\r" + (to > 0 ? moveCursor("right", to) : "");
  }

  /** The rows that there is room for: the last ones, and the one in which the text ends. */
  #fitRows(rows: readonly string[]): readonly string[] {
    const most = Math.max(1, this.#terminal.rows - 1);
    return rows.length <= most
      ? rows
      : [...rows.slice(0, 1), ...rows.slice(1).slice(-(most - 1) || rows.length)];
  }

  /** Another program has had the screen: the cursor begins an empty row. */
  #forget(generation: number): void {
    this.#generation = generation;
    this.#open = "";
    this.#rows = [""];
    this.#cursor = START;
    this.#isCursorSeen = true;
  }
}

/** What is added to a row and below it, so that these lines and then the beginning of another one are there. */
function addedText(open: string, standing: readonly string[], end: string): string {
  const [first = end, ...others] = [...standing, end];
  const rest = first.startsWith(open) ? first.slice(open.length) : `\n${first}`;
  return [rest, ...others].join("\n");
}

/** What stands behind an added text where this stood before; undefined if it is a part of it. */
function leftOf(tail: string, added: string): string | undefined {
  if (added === "" || tail === "") return tail;
  return cellWidth(added) >= cellWidth(tail) ? "" : undefined;
}

/** Erases from the end of the text; tmux would keep a screen in its history that is erased from its first cell. */
function eraseBelow(open: string): string {
  return open === "" ? `${ERASE_LINE}${moveCursor("right", 1)}${ERASE_BELOW}\r` : ERASE_BELOW;
}

/**
 * Turns rows into others, from the end of the text on and back to it. No row is broken, however narrow the terminal has
 * become, and the way down is made of line ends: it is as long as the way back, however low it has become.
 */
function drawBelow(
  { isRowStart, tail, before, wantedTail, after, columns }: {
    isRowStart: boolean;
    tail: string | undefined;
    before: readonly string[];
    wantedTail: string;
    after: readonly string[];
    columns: number;
  },
): { readonly text: string; readonly changed: number } {
  const room = after.length > before.length
    ? INDEX.repeat(after.length) + moveCursor("up", after.length)
    : "";
  const writer = new RowWriter(START, { count: after.length + 1, columns, isMeasured: false });
  const isWhole = isRowStart && tail !== undefined;
  writer.rewrite([isWhole ? tail : "", ...before], [isWhole ? wantedTail : "", ...after]);
  const drawn = (isWhole ? "" : changedTail(tail, wantedTail)) + writer.text;
  if (drawn === "") return { text: room, changed: 0 };
  const { off, on } = MODES.wrap;
  return {
    text: `${room}${SAVE_CURSOR}${off}${drawn}${on}${RESTORE_CURSOR}`,
    changed: writer.changed,
  };
}

/** Turns what stands behind the text into something else. */
function changedTail(tail: string | undefined, wanted: string): string {
  if (tail === wanted) return "";
  if (tail === undefined || !PLAIN.test(tail) || !wanted.startsWith(tail)) {
    return (tail === "" ? "" : ERASE_LINE) + wanted;
  }
  return (tail === "" ? "" : moveCursor("right", cellWidth(tail))) + wanted.slice(tail.length);
}

function moveTo(from: Cursor, to: Cursor): string {
  const writer = new RowWriter(from, { count: to.row + 1, isMeasured: false });
  writer.goTo(to);
  return writer.text;
}
