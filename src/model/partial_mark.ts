/**
 * How much of the end of a text may still become one of several marks once more of the stream has come: that
 * much must be held back.
 */

/** Blanks before a mark, in characters, after which none is expected any more. */
export const MAX_BLANKS = 1000;

/** Length of the end of a text that is a proper prefix of one of the marks, which are in lower case. */
export function partialMarkLength(text: string, marks: readonly string[]): number {
  const longest = Math.max(...marks.map((mark) => mark.length)) - 1;
  const end = toLowerAscii(text.slice(-longest));
  for (let length = end.length; length > 0; length--) {
    const tail = end.slice(end.length - length);
    if (marks.some((mark) => mark.length > length && mark.startsWith(tail))) return length;
  }
  return 0;
}

/** Lower case for ASCII only: other letters may change their length, and positions must stay. */
export function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
