/**
 * Widths and line breaks of terminal text: wide characters count two cells, styles none.
 */
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { expandTabs } from "./safe_text.ts";

/** The width of a text in cells; the widest line's if it has several. */
export function cellWidth(text: string): number {
  return stringWidth(text);
}

/** Breaks prose at words into lines of at most `columns` cells; longer words are broken too. */
export function wrapProse(text: string, columns: number): string[] {
  return wrapAnsi(expandTabs(text), Math.max(1, columns), { hard: true }).split("\n");
}

/** Breaks code at exactly `columns` cells and keeps every blank. */
export function wrapCode(text: string, columns: number): string[] {
  const options = { hard: true, trim: false, wordWrap: false };
  return wrapAnsi(expandTabs(text), Math.max(1, columns), options).split("\n");
}

/** Cuts unstyled text to `columns` cells, the last being `ellipsis` if anything was cut. */
export function fit(text: string, columns: number, ellipsis = "…"): string {
  if (columns <= 0) return "";
  if (stringWidth(text) <= columns) return text;
  const room = columns - stringWidth(ellipsis);
  if (room <= 0) return ellipsis.slice(0, columns);
  let kept = "";
  let cells = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    cells += stringWidth(segment);
    if (cells > room) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${ellipsis}`;
}

/** A line as lines of at most so many cells, set in as it is. */
export function wrapIndented(line: string, columns: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  if (cellWidth(line) <= columns) return [line];
  return wrapProse(line.trimStart(), columns - indent.length).map((one) => indent + one);
}
