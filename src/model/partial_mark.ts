/**
 * How much of the end of a text may yet become one of several marks once more of it has come. Whoever looks
 * for marks in a stream holds that much back.
 */

/** Characters at the end of a text with which one of the marks, all in lower case, begins; the mark itself is none. */
export function partialMarkLength(text: string, marks: readonly string[]): number {
  const longest = Math.max(...marks.map((mark) => mark.length)) - 1;
  const end = toLowerAscii(text.slice(-longest));
  for (let length = end.length; length > 0; length--) {
    const tail = end.slice(end.length - length);
    if (marks.some((mark) => mark.length > length && mark.startsWith(tail))) return length;
  }
  return 0;
}

/** In lower case, character by character: some grow when they change, and positions must stay. */
export function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
