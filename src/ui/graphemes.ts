/**
 * Where the cursor can stand in a text: between characters as a person sees them, and at the ends of words. A paste
 * that is shown as a mark is one private character. Pure; offsets count UTF-16 units.
 */

/** The first of the characters that stand for a paste, and how many there are. */
const FIRST_MARK = 0x100000;
const MARK_COUNT = 0xfffd;
/** A character that stands for a paste. */
const MARK = /[\u{100000}-\u{10ffff}]/u;
const MARKS = /[\u{100000}-\u{10ffff}]/gu;
/** Ends a stretch of text in which characters may be joined. */
const BORDER = /[\n\u{100000}-\u{10ffff}]/u;
/** Units that tell where characters begin and end. */
const CONTEXT = 256;
/** What words are made of. */
const LETTER = /[\p{L}\p{N}\p{M}_]/u;

/** What a word is: letters and digits, or whatever stands between blanks. */
type WordKind = "letters" | "blanks";

/** The character that stands for the paste of a number. */
export function markOf(number: number): string {
  return String.fromCodePoint(FIRST_MARK + number % MARK_COUNT);
}

/** Whether a character stands for a paste. */
export function isMark(character: string): boolean {
  return MARK.test(character);
}

/** A text of somebody else's, in which no character stands for a paste. */
export function withoutMarks(text: string): string {
  return text.replace(MARKS, "\ufffd");
}

/** A text with something else in place of each character that stands for a paste. */
export function replaceMarks(text: string, replace: (mark: string) => string): string {
  return text.replace(MARKS, replace);
}

/** The parts of a text that are pastes, and those between them. */
export function splitAtMarks(text: string): { readonly text: string; readonly isMark: boolean }[] {
  return text.split(new RegExp(`(${MARK.source})`, "u"))
    .map((part, index) => ({ text: part, isMark: index % 2 === 1 }))
    .filter((part) => part.text !== "");
}

/** The end of the character that begins at an offset. */
export function nextBoundary(text: string, at: number): number {
  const first = text.codePointAt(at);
  if (first === undefined) return text.length;
  const size = first > 0xffff ? 2 : 1;
  if (first >= FIRST_MARK) return at + size;
  const [segment] = new Intl.Segmenter().segment(text.slice(at, at + CONTEXT));
  return at + (segment?.segment.length ?? size);
}

/** The beginning of the character that ends at an offset. */
export function previousBoundary(text: string, at: number): number {
  const stretch = text.slice(Math.max(0, at - CONTEXT), at).split(BORDER).at(-1) ?? "";
  if (stretch === "") return Math.max(0, text[at - 1] === "\n" ? at - 1 : at - 2);
  return at - ([...new Intl.Segmenter().segment(stretch)].at(-1)?.segment.length ?? 1);
}

/** The beginning of the word before an offset; a paste is a word of its own. */
export function previousWord(text: string, at: number, kind: WordKind = "letters"): number {
  return skipWord(at, {
    kind,
    step: (from) => previousBoundary(text, from),
    read: (from, to) => text.slice(to, from),
    end: 0,
  });
}

/** The end of the word after an offset. */
export function nextWord(text: string, at: number, kind: WordKind = "letters"): number {
  return skipWord(at, {
    kind,
    step: (from) => nextBoundary(text, from),
    read: (from, to) => text.slice(from, to),
    end: text.length,
  });
}

function skipWord(
  at: number,
  { kind, step, read, end }: {
    kind: WordKind;
    step: (from: number) => number;
    read: (from: number, to: number) => string;
    end: number;
  },
): number {
  let isInWord = false;
  for (let from = at; from !== end;) {
    const to = step(from);
    const character = read(from, to);
    if (isMark(character)) return isInWord ? from : to;
    const isPart = kind === "letters" ? LETTER.test(character) : /\S/.test(character);
    if (isInWord && !isPart) return from;
    isInWord = isPart;
    from = to;
  }
  return end;
}

/** Where the line with an offset begins and ends. */
export function lineAt(text: string, at: number): { readonly from: number; readonly to: number } {
  const end = text.indexOf("\n", at);
  return {
    from: at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1,
    to: end === -1 ? text.length : end,
  };
}
