/**
 * The shortest way to turn rows on the screen into others: only what differs is written, and the cursor stays where
 * the last change left it. Pure.
 */
import {
  ERASE_BELOW,
  ERASE_LINE,
  LINK_START,
  moveCursor,
  RESET_STYLE,
  shiftRows,
} from "./sequences.ts";
import { cellWidth } from "./wrap.ts";

/** Where the cursor is among the rows, both counted from 0. */
export interface Cursor {
  readonly row: number;
  readonly column: number;
}

/** Rows down for which line ends are shorter than a move. */
const MAX_LINE_ENDS = 4;
// deno-lint-ignore no-control-regex
const STYLE = /\x1b\[([\d;]*)m/g;
/** Terminals do not agree on how wide these are, so that no column after one is known. */
const PICTURE = /[\p{Extended_Pictographic}\p{Regional_Indicator}\ufe0f\u200d]/u;
/** A character that joins none before it: ASCII, and the letters and points of some scripts. */
const ALONE =
  /^[\0-~\u3001-\u3029\u30fc\uac00-\ud7a3\uff01-\uff60[\p{L}&&[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]]/v;
// deno-lint-ignore no-control-regex
const ESCAPE = /^\x1b\[[\d;]*[A-Za-z]/;
/** What ends a style, and the beginnings of the styles it ends. */
const ENDS: ReadonlyMap<string, RegExp> = new Map([
  ["22", /^[12]$/],
  ["23", /^3$/],
  ["24", /^4$/],
  ["29", /^9$/],
  ["39", /^(?:3[0-8]|9\d)/],
  ["49", /^(?:4[0-8]|10\d)/],
  ["39;49", /^(?:[34][0-8]|9\d|10\d)/],
]);

/** Writes rows over others, each of which takes one row of the screen. */
export class RowWriter {
  /** What is to be sent to the terminal. */
  text = "";
  /** Rows of which something else was seen before. */
  changed = 0;
  #row: number;
  #column: number;
  #last: number;
  readonly #columns: number;
  readonly #isMeasured: boolean;

  /**
   * Begins where the cursor is; `count` rows are there, of so many columns if the cursor may be moved over them. Where
   * the screen may be lower by now than anybody knows, `isMeasured` is false: the cursor moves down by line ends alone.
   */
  constructor(
    { row, column }: Cursor,
    { count, columns = 0, isMeasured = true }: {
      count: number;
      columns?: number;
      isMeasured?: boolean;
    },
  ) {
    this.#row = row;
    this.#column = column;
    this.#last = Math.max(row, count - 1);
    this.#columns = columns;
    this.#isMeasured = isMeasured;
  }

  get cursor(): Cursor {
    return { row: this.#row, column: this.#column };
  }

  /** Turns the rows that are there into the wanted ones. */
  rewrite(before: readonly string[], wanted: readonly string[]): void {
    const drawn = this.#scroll(before, wanted);
    for (const [row, line] of wanted.entries()) {
      const old = drawn[row] ?? "";
      if (old === line && row <= this.#last) continue;
      if (old !== "") this.changed++;
      this.#change(row, { from: old, to: line });
    }
    if (drawn.length > wanted.length) {
      this.goTo({ row: wanted.length, column: 0 });
      this.text += ERASE_BELOW;
    }
  }

  /** Moves rows up where most of the wanted ones are some rows below; returns what is there then. */
  #scroll(drawn: readonly string[], wanted: readonly string[]): readonly string[] {
    const shift = findShift(drawn, wanted);
    if (shift === undefined) return drawn;
    const { first, end, by } = shift;
    this.goTo({ row: first, column: 0 });
    this.text += shiftRows("delete", by);
    if (end < drawn.length) {
      this.goTo({ row: end - by, column: 0 });
      this.text += shiftRows("insert", by);
    }
    this.changed += end - first;
    const empty = Array.from({ length: by }, () => "");
    return [
      ...drawn.slice(0, first),
      ...drawn.slice(first + by, end),
      ...empty,
      ...drawn.slice(end),
    ];
  }

  /** Empties so many rows from the first and goes to the start of it. */
  erase(count: number): void {
    for (let row = count - 1; row >= 0; row--) {
      this.goTo({ row, column: 0 });
      this.text += ERASE_LINE;
    }
  }

  /** Moves the cursor; a row that is not there yet is made. */
  goTo({ row, column }: Cursor): void {
    const steps = row - this.#row;
    if (steps > 0 && (!this.#isMeasured || steps <= MAX_LINE_ENDS || row > this.#last)) {
      const least = this.#isMeasured ? Math.min(steps, MAX_LINE_ENDS) : steps;
      const ends = Math.max(least, row - this.#last);
      if (steps > ends) this.text += moveCursor("down", steps - ends);
      this.text += "\n".repeat(ends);
      this.#column = 0;
    } else if (steps !== 0) {
      this.text += moveCursor(steps < 0 ? "up" : "down", Math.abs(steps));
    }
    this.#last = Math.max(this.#last, row);
    this.#row = row;
    if (this.#column === column) return;
    if (this.#column > 0) this.text += "\r";
    if (column > 0) this.text += moveCursor("right", column);
    this.#column = column;
  }

  #change(row: number, { from, to }: { from: string; to: string }): void {
    const start = commonStart(from, to);
    const end = commonEnd(from.slice(start), to.slice(start));
    const styles = openStyles(to.slice(0, start));
    const old = from.slice(start, from.length - end);
    const middle = to.slice(start, to.length - end);
    this.goTo({ row, column: cellWidth(to.slice(0, start)) });
    if (end > 0 && !hasEscape(old + middle) && cellWidth(old) === cellWidth(middle)) {
      this.text += styles + middle + (styles === "" ? "" : RESET_STYLE);
      this.#column += cellWidth(middle);
      return;
    }
    const width = cellWidth(to);
    const whole = to.slice(start);
    const skipping = width > this.#columns ? whole : skipBlanks(to, start);
    const isFull = cellWidth(from) > this.#column || from.includes(ERASE_LINE);
    const isErased = isFull && skipping.length + ERASE_LINE.length < whole.length;
    if (isErased) this.text += ERASE_LINE;
    this.text += styles + (isErased || !isFull ? skipping : whole);
    this.#column = width;
    if (isErased) return;
    if (cellWidth(from) > width || from.includes(ERASE_LINE)) this.text += ERASE_LINE;
  }
}

/** A row from some place on, for cells that are empty: the cursor is moved over many blanks without a style. */
function skipBlanks(row: string, start: number): string {
  return row.slice(start).replace(/ {6,}(?=\S)/g, (blanks, at: number) => {
    const isStyled = openStyles(row.slice(0, start + at)) !== "";
    return isStyled ? blanks : moveCursor("right", blanks.length);
  });
}

/** Rows by which a text may have moved up between two frames, and how many of it have to be the same. */
const MAX_SHIFT = 4;
const LEAST_MOVED = 4;

/** The rows between those that stay at the top and at the bottom, and by how many they have moved up. */
interface Shift {
  readonly first: number;
  readonly end: number;
  readonly by: number;
}

/** By how many rows a text has moved up; undefined where it has not, or has changed as well. */
function findShift(drawn: readonly string[], wanted: readonly string[]): Shift | undefined {
  const { length } = drawn;
  if (length !== wanted.length || length < LEAST_MOVED) return undefined;
  const first = drawn.findIndex((line, row) => line !== wanted[row]);
  const end = drawn.findLastIndex((line, row) => line !== wanted[row]) + 1;
  for (let by = 1; by <= MAX_SHIFT && first !== -1; by++) {
    const moved = drawn.slice(first + by, end);
    const same = moved.filter((line, index) => line === wanted[first + index]).length;
    if (same >= LEAST_MOVED && same >= moved.length - 2) return { first, end, by };
  }
  return undefined;
}

/** Characters with which both begin, up to where a character of its own begins in both. */
function commonStart(a: string, b: string): number {
  let length = 0;
  if (isUnsure(a) || isUnsure(b)) return 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  while (length > 0 && !isBorder(a, length)) length--;
  while (length > 0 && !isBorder(b, length)) length--;
  return length;
}

/** Whether a row is rather written whole: its columns are not known, or a link would have to be taken up again. */
function isUnsure(row: string): boolean {
  return PICTURE.test(row) || row.includes(LINK_START);
}

/** Characters with which both end, likewise. */
function commonEnd(a: string, b: string): number {
  let length = 0;
  const most = Math.min(a.length, b.length);
  while (length < most && a.at(-1 - length) === b.at(-1 - length)) length++;
  while (length > 0 && !isBorder(b, b.length - length)) length--;
  return length;
}

/** Whether nothing joins what stands before and after: no style is cut, and the character after it stands alone. */
function isBorder(text: string, at: number): boolean {
  const escape = at === 0 ? -1 : text.lastIndexOf("\x1b", at - 1);
  const end = escape + (ESCAPE.exec(text.slice(escape))?.[0].length ?? 0);
  if (escape !== -1 && at <= end) return at === end;
  return at === text.length || ALONE.test(text.slice(at, at + 2));
}

function hasEscape(text: string): boolean {
  return text.includes("\x1b");
}

/** The styles that a text leaves open. */
export function openStyles(text: string): string {
  let open: string[] = [];
  for (const [, code = ""] of text.matchAll(STYLE)) {
    const ended = ENDS.get(code);
    if (code === "" || code === "0") open = [];
    else if (ended !== undefined) open = open.filter((one) => !ended.test(one));
    else open.push(code);
  }
  return open.map((code) => `\x1b[${code}m`).join("");
}

/** Whether a cursor is seen at the same place, or not at all. */
export function sameCursor(a: Cursor | undefined, b: Cursor | undefined): boolean {
  return a?.row === b?.row && a?.column === b?.column;
}

/** Whether rows show the same. */
export function sameRows(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((row, index) => row === b[index]);
}
