/**
 * How much of an unfinished block of Markdown can be written for good: its rows as far as nothing that may follow
 * changes them. Pure.
 */
import { openStyles } from "./row_writer.ts";

/** Draws a text as rows. */
export type DrawRows = (markdown: string) => readonly string[];

/**
 * What closes or changes something that was opened before, by what opens it: emphasis, code, links, tags. Drawn behind a
 * text it tells whether that can still change.
 */
const CLOSERS: readonly (readonly [opener: RegExp, closer: string])[] = [
  [/[*_~]/, " x** x* x__ x_ x~~ x~ x"],
  [/[*_]/, " x*** x___ x"],
  [/`/, " x` x"],
  [/``/, " x`` x"],
  [/\[/, " x](x) x"],
  [/</, ' x"> x'],
  [/</, " x> x"],
];
/** What may open something. */
const SPECIAL = /[*_~`[\]<>!&\\|]/;
/** What a text is broken at: after a blank, and between characters of scripts that have none. */
const WIDE = /[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff60]/;
/** What stands before the first word of a line; a later one may be moved to the next row as a whole. */
const LINE_START = /^[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?$/;
/** What makes a table of the lines around it, or code of those behind it. */
const UNSURE = /\||^\s*(?:```|~~~)/m;
/** What is drawn of a text whatever it is taken for. */
const SAID = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
// deno-lint-ignore no-control-regex
const PIECES = /\x1b\[[\d;]*m|\x1b\][^\x07]*\x07|[^]/gu;

/** The part of a text, of at least `sure` characters, that is drawn the same whatever follows. */
export function stableText(text: string, { sure, draw }: { sure: number; draw: DrawRows }): string {
  if (UNSURE.test(text)) return text.slice(0, sure);
  const first = text.slice(sure).search(SPECIAL);
  const ends = [
    lastBreak(text),
    ...first === -1 ? [] : [lastBreak(text.slice(0, sure + first + 1))],
  ];
  for (const end of ends) {
    if (end <= sure) continue;
    const part = text.slice(0, end);
    if (first === -1 || end <= sure + first || isStable(part, draw)) return part;
  }
  return text.slice(0, sure);
}

function isStable(text: string, draw: DrawRows): boolean {
  const rows = draw(text);
  return CLOSERS.every(([opener, closer]) =>
    !opener.test(text) || beginsWith(draw(text + closer), rows)
  );
}

/** Whether rows begin with others, the last of which may go on. */
export function beginsWith(rows: readonly string[], begin: readonly string[]): boolean {
  const last = begin.length - 1;
  return begin.every((row, index) =>
    index === last ? rows[index]?.startsWith(row) === true : rows[index] === row
  );
}

/** Where the last word begins that may still grow; one of a script without blanks has many parts. */
function lastBreak(text: string): number {
  const begin = Math.max(...[" ", "\n", "\t"].map((blank) => text.lastIndexOf(blank))) + 1;
  const line = text.slice(text.lastIndexOf("\n", begin - 1) + 1, begin);
  if (LINE_START.test(line)) {
    for (let at = text.length - 2; at > begin; at--) {
      if (WIDE.test(text.slice(at - 1, at)) && WIDE.test(text.slice(at, at + 1))) return at;
    }
  }
  return text.slice(0, begin).trimEnd().length;
}

/** Rows without what others show of them, however those are broken: so many characters as these have. */
export function omitWritten(
  rows: readonly string[],
  written: readonly string[],
): readonly string[] {
  if (written.every((row, index) => row === rows[index])) return rows.slice(written.length);
  let left = written.reduce((sum, row) => sum + countCharacters(row), 0);
  let marks = countMarks(written.at(-1) ?? "");
  for (const [index, row] of rows.entries()) {
    let length = 0;
    for (const [piece] of row.matchAll(PIECES)) {
      if (left === 0 && (isSaid(piece) || isMark(piece) && marks-- <= 0)) {
        const shown = row.slice(0, length);
        if (isBlank(shown)) return rows.slice(index);
        return [openStyles(shown) + row.slice(length), ...rows.slice(index + 1)];
      }
      length += piece.length;
      if (isSaid(piece)) left--;
    }
  }
  return [];
}

/** Other characters behind the last of those that are counted. */
function countMarks(row: string): number {
  const pieces = Array.from(row.matchAll(PIECES), ([piece]) => piece);
  return pieces.slice(pieces.findLastIndex(isSaid) + 1).filter(isMark).length;
}

/** Whether some rows show all that others do. */
export function showsAll(written: readonly string[], rows: readonly string[]): boolean {
  const [more, less] = [written, rows].map((all) =>
    all.reduce((sum, row) => sum + countCharacters(row), 0)
  );
  return more! >= less!;
}

function countCharacters(row: string): number {
  return Array.from(row.matchAll(PIECES), ([piece]) => piece)
    .filter(isSaid).length;
}

function isSaid(piece: string): boolean {
  return piece.length <= 2 && SAID.test(piece);
}

/** Whether a beginning of a row only sets it in. */
function isBlank(begin: string): boolean {
  return Array.from(begin.matchAll(PIECES), ([piece]) => piece)
    .every((piece) => piece.length > 2 || piece.trim() === "");
}

function isMark(piece: string): boolean {
  return piece.length <= 2 && /\S/u.test(piece) && !SAID.test(piece);
}
