/**
 * Line ends of a text: which it uses, and giving it others, because a model writes `\n` whatever a file has.
 */

/** The end of a line in a text file. */
export type LineEnd = "\n" | "\r\n" | "\r";

/** The line end a text uses most, `\n` on a tie, or undefined if it has none. */
export function dominantLineEnd(text: string): LineEnd | undefined {
  const counts: Record<LineEnd, number> = { "\n": 0, "\r\n": 0, "\r": 0 };
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    counts[text[at - 1] === "\r" ? "\r\n" : "\n"]++;
  }
  for (let at = text.indexOf("\r"); at !== -1; at = text.indexOf("\r", at + 1)) {
    if (text[at + 1] !== "\n") counts["\r"]++;
  }
  const most = Math.max(...Object.values(counts));
  if (most === 0) return undefined;
  return (["\n", "\r\n", "\r"] as const).find((end) => counts[end] === most);
}

/** The text with every `\n` and `\r\n` replaced by one kind of line end; a lone `\r` is left as it is. */
export function withLineEnds(text: string, end: LineEnd): string {
  return text.replace(/\r?\n/g, end);
}
