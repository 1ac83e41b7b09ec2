/**
 * Widths and line breaks of any text: characters of two cells and of none, characters joined to one, styles. What these
 * libraries know of Unicode takes long to load; the bundle loads them with the first text that is not plain.
 */
import stringWidth from "string-width";
import wrapAnsi, { type Options } from "wrap-ansi";

/** The width of a text in cells. */
export function measureText(text: string): number {
  return stringWidth(text);
}

/** Breaks a text into lines of at most so many cells. */
export function wrapText(text: string, columns: number, options: Options): string[] {
  return wrapAnsi(text, columns, options).split("\n");
}
