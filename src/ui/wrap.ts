/**
 * Widths and line breaks of terminal text: wide characters count two cells, styles none.
 */
import { expandTabs } from "./safe_text.ts";
import { measureText, wrapText } from "./wide_text.ts";

/** Characters of one cell each that are never joined: ASCII, Latin letters, punctuation, arrows, lines and blocks. */
const PLAIN =
  /^[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u259f\u2713\u2717]*$/;
/** What sets a style. */
// deno-lint-ignore no-control-regex
const STYLE = /\x1b\[[\d;]*m/g;

/** Blanks at the beginning, and the styles before them. */
// deno-lint-ignore no-control-regex
const LEADING_BLANKS = /^((?:\x1b\[[\d;]*m)*) +/;
/** Further in than its line, by so many cells, stands the rest of a line of code. */
const CODE_STEP = 2;
/** With less room, nothing is set in. */
const MIN_CODE = 16;

/** The width of a text in cells; the widest line's if it has several. */
export function cellWidth(text: string): number {
  return plainWidth(text) ?? measureText(text);
}

/** Breaks prose at words into lines of at most `columns` cells; longer words are broken too. */
export function wrapProse(text: string, columns: number): string[] {
  const line = expandTabs(text);
  const isWhole = fits(line, columns) && !/^ | $/.test(line.replace(STYLE, ""));
  return isWhole ? [line] : wrapText(line, Math.max(1, columns), { hard: true });
}

/** Breaks code at exactly `columns` cells and keeps every blank. */
export function wrapCode(text: string, columns: number): string[] {
  const line = expandTabs(text);
  if (fits(line, columns)) return [line];
  return wrapText(line, Math.max(1, columns), { hard: true, trim: false, wordWrap: false });
}

/** Breaks a line of code that is only read: before a word where that can be, what goes on set in further. */
export function wrapCodeWords(text: string, columns: number): string[] {
  const line = expandTabs(text);
  if (fits(line, columns)) return [line];
  const bare = line.replace(STYLE, "");
  const longest = Math.min(columns, Math.max(...bare.split(" ").map(cellWidth)));
  const wanted = bare.length - bare.trimStart().length + CODE_STEP;
  const inset = columns - wanted < Math.max(MIN_CODE, longest) ? 0 : wanted;
  return wrapText(line, Math.max(1, columns - inset), { hard: true, trim: false })
    .filter((row, index) => index === 0 || row.replace(STYLE, "").trim() !== "")
    .map((row, index) =>
      (index === 0 ? row : " ".repeat(inset) + row.replace(LEADING_BLANKS, "$1")).trimEnd()
    );
}

/** Breaks a line of a command that is decided about: before a word, unless blanks would be lost that may count. */
export function wrapCommand(text: string, columns: number): string[] {
  const counts = /\S(?: {2}| $)/.test(expandTabs(text).replace(STYLE, ""));
  return counts ? wrapCode(text, columns) : wrapCodeWords(text, columns);
}

/** Cuts unstyled text to `columns` cells, the last being `ellipsis` if anything was cut. */
export function fit(text: string, columns: number, ellipsis = "…"): string {
  if (columns <= 0) return "";
  if (cellWidth(text) <= columns) return text;
  const room = columns - cellWidth(ellipsis);
  if (room <= 0) return ellipsis.slice(0, columns);
  return `${cutAt(text, room).trimEnd()}${ellipsis}`;
}

/** The characters at its beginning that have room. */
function cutAt(text: string, room: number): string {
  if (PLAIN.test(text)) return text.slice(0, room);
  let kept = "";
  let cells = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    cells += cellWidth(segment);
    if (cells > room) break;
    kept += segment;
  }
  return kept;
}

/** Whether it is one plain line with room for it. */
function fits(line: string, columns: number): boolean {
  const width = plainWidth(line);
  return width !== undefined && width <= columns;
}

/** The width of a line of plain characters in whatever style; undefined if it has others. */
function plainWidth(text: string): number | undefined {
  const bare = text.includes("\x1b") ? text.replace(STYLE, "") : text;
  return PLAIN.test(bare) ? bare.length : undefined;
}

/** A line as lines of at most so many cells, set in as it is. */
export function wrapIndented(line: string, columns: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  if (cellWidth(line) <= columns) return [line];
  return wrapProse(line.trimStart(), columns - indent.length).map((one) => indent + one);
}
