/**
 * Line ends of a text: which it uses, and giving it others. Knows nothing of ally; used by the editing
 * tools, because a model writes `\n` whatever the file has.
 */

/** The end of a line in a text file. */
export type LineEnd = "\n" | "\r\n";

/** The line end a text uses most, `\n` on a tie, or undefined if it has none. */
export function dominantLineEnd(text: string): LineEnd | undefined {
  let windows = 0;
  let unix = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (text[at - 1] === "\r") windows++;
    else unix++;
  }
  if (windows + unix === 0) return undefined;
  return windows > unix ? "\r\n" : "\n";
}

/** The text with every line end replaced by one kind; a lone `\r` is left as it is. */
export function withLineEnds(text: string, end: LineEnd): string {
  return text.replace(/\r?\n/g, end);
}
