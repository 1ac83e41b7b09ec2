/**
 * The list under the line that somebody types: what may be meant, with the letters that match marked. Pure.
 */
import { formatCount } from "../lib/text.ts";
import type { Theme } from "./theme.ts";
import { cellWidth, fit } from "./wrap.ts";

/** One thing that may be meant. */
export interface Suggestion {
  /** What is shown, without control characters but line ends. */
  readonly label: string;
  /** Offsets of the letters of the label that match. */
  readonly marks?: readonly number[];
  /** What else there is to say of it. */
  readonly detail?: string;
  /** What is put into the line. */
  readonly insert: string;
  /** Whether it is a beginning, such as a directory, after which suggestions go on. */
  readonly more?: boolean;
}

/** What may be meant by what stands before the cursor. */
export interface Suggestions {
  /** The offset of the text from which an item replaces it up to the cursor. */
  readonly from: number;
  /** The likeliest first. */
  readonly items: readonly Suggestion[];
  /** How many more match that are not among the items. @default 0 */
  readonly rest?: number;
  /** All of them, where more are still being looked for. */
  readonly later?: Promise<Suggestions>;
  /** True where these were only asked for, and none is likelier than others. */
  readonly isUnlikely?: boolean;
  /** Where a label that is too long is cut. @default "end" */
  readonly cut?: "middle" | "end";
}

/** How the list is drawn. */
interface RowOptions {
  readonly theme: Theme;
  /** The width in cells. */
  readonly columns: number;
  /** Rows that there are. */
  readonly rows: number;
  /** Index of the chosen item, -1 for none. */
  readonly chosen: number;
}

/** Characters of a label that are looked at: more than a screen is wide. */
const MAX_LABEL = 2000;
/** Cells left of a label, and between it and the detail. */
const POINTER_CELLS = 2;
const GAP_CELLS = 2;
/** Cells under which a detail is of no use. */
const MIN_DETAIL_CELLS = 12;
/** The part of the width that labels take where there are details. */
const LABEL_SHARE = 0.6;
/** The part of a label cut in the middle that stays of its end. */
const END_SHARE = 2 / 3;

/** The rows of a list; none if there is nothing to show. */
export function suggestionRows(list: Suggestions, options: RowOptions): string[] {
  const { theme, columns, rows, chosen } = options;
  const { items, rest = 0, cut = "end" } = list;
  const isGrowing = list.later !== undefined;
  const isWhole = items.length <= rows && rest === 0 && !isGrowing;
  const room = Math.max(0, isWhole ? rows : rows - 1);
  const first = Math.max(0, Math.min(chosen - Math.floor(room / 2), items.length - room));
  const shown = items.slice(first, first + room);
  const cells = Math.max(1, columns - POINTER_CELLS);
  const labelCells = labelWidth(shown, cells);
  const lines = shown.map((item, index) => {
    const isChosen = first + index === chosen;
    const text = itemText(item, { theme, cells, labelCells, cut });
    return isChosen ? theme.paint("accent", `${theme.glyphs.pointer} ${text}`) : `  ${text}`;
  });
  if (isWhole || rows < 1) return lines;
  const hidden = rest + items.length - shown.length;
  const notes = [
    ...hidden > 0 ? [`${formatCount(hidden)} more: type on`] : [],
    ...isGrowing ? [`looking for more${theme.glyphs.ellipsis}`] : [],
  ];
  const note = theme.paint("dim", fit(`  ${notes.join(", ")}`, columns, theme.glyphs.ellipsis));
  return [...lines, ...notes.length > 0 ? [note] : []];
}

/** Cells that labels take: all there are, unless a detail stands beside one. */
function labelWidth(items: readonly Suggestion[], cells: number): number {
  const most = Math.floor(cells * LABEL_SHARE);
  const hasDetails = items.some(({ detail }) => detail);
  if (!hasDetails || cells - most - GAP_CELLS < MIN_DETAIL_CELLS) return cells;
  return Math.min(
    most,
    Math.max(...items.map(({ label }) => cellWidth(oneRow(label.slice(0, MAX_LABEL))))),
  );
}

function itemText(
  { label, marks = [], detail }: Suggestion,
  { theme, cells, labelCells, cut }: {
    theme: Theme;
    cells: number;
    labelCells: number;
    cut: "middle" | "end";
  },
): string {
  const pieces = cutPieces(toPieces(label, marks), {
    cells: labelCells,
    ellipsis: theme.glyphs.ellipsis,
    cut,
  });
  const text = pieces.map(({ text, isMarked }) =>
    isMarked ? theme.paint("accent", theme.paint("bold", text)) : text
  ).join("");
  const room = cells - labelCells - GAP_CELLS;
  if (!detail || room < MIN_DETAIL_CELLS) return text;
  const blanks = " ".repeat(Math.max(0, labelCells - widthOf(pieces)) + GAP_CELLS);
  return text + blanks + theme.paint("dim", fit(oneRow(detail), room, theme.glyphs.ellipsis));
}

/** What a reader takes for one character. */
interface Piece {
  readonly text: string;
  readonly cells: number;
  readonly isMarked: boolean;
}

function toPieces(label: string, marks: readonly number[]): Piece[] {
  const marked = new Set(marks);
  return Array.from(
    new Intl.Segmenter().segment(oneRow(label.slice(0, MAX_LABEL))),
    ({ segment, index }) => ({
      text: segment,
      cells: cellWidth(segment),
      isMarked: Array.from(segment, (_, at) => index + at).some((at) => marked.has(at)),
    }),
  );
}

/** Cuts to so many cells; in the middle, the end keeps more: it tells files apart. */
function cutPieces(
  pieces: readonly Piece[],
  { cells, ellipsis, cut }: { cells: number; ellipsis: string; cut: "middle" | "end" },
): readonly Piece[] {
  if (widthOf(pieces) <= cells) return pieces;
  const mark = { text: ellipsis, cells: cellWidth(ellipsis), isMarked: false };
  const room = Math.max(0, cells - mark.cells);
  const last = cut === "end" ? [] : takeCells(pieces.toReversed(), Math.ceil(room * END_SHARE));
  const first = takeCells(pieces, room - widthOf(last));
  return [...first, mark, ...last.toReversed()];
}

function takeCells(pieces: readonly Piece[], room: number): Piece[] {
  let used = 0;
  const over = pieces.findIndex(({ cells }) => (used += cells) > room);
  return pieces.slice(0, over < 0 ? pieces.length : over);
}

function widthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { cells }) => sum + cells, 0);
}

/** A text whose line ends are blanks; every offset stays. */
function oneRow(text: string): string {
  return text.replace(/[\t\r\n]/g, " ");
}
