/**
 * What a reader of a text or command might not see, or take for something else: invisible and control characters,
 * letters of two scripts in one word, lines that run off the screen, blanks before a line's end. Pure.
 */
import { escapeCharacter, formatCount, HIDDEN_CHARACTER, plural } from "./text.ts";

/** One line, and its number in the file that it is of. */
export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** Characters above which a line is long. */
const LONG_LINE = 500;
/** Blanks in a row that push what follows them out of sight. */
const MANY_BLANKS = 60;
/** Findings of one kind that are told one by one. */
const MAX_NAMED = 3;

/** Names of characters that cannot be seen, by code point. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x00, "null character"],
  [0x07, "bell"],
  [0x08, "backspace"],
  [0x0d, "carriage return"],
  [0x1b, "escape character"],
  [0x7f, "delete character"],
  [0x9b, "escape character"],
  [0xad, "soft hyphen"],
  [0x61c, "Arabic letter mark"],
  [0x200b, "zero-width space"],
  [0x200c, "zero-width non-joiner"],
  [0x200d, "zero-width joiner"],
  [0x200e, "left-to-right mark"],
  [0x200f, "right-to-left mark"],
  [0x2800, "blank braille pattern"],
  [0x2028, "line separator"],
  [0x2029, "paragraph separator"],
  [0x202a, "left-to-right embedding"],
  [0x202b, "right-to-left embedding"],
  [0x202c, "pop directional formatting"],
  [0x202d, "left-to-right override"],
  [0x202e, "right-to-left override"],
  [0x2060, "word joiner"],
  [0x2066, "left-to-right isolate"],
  [0x2067, "right-to-left isolate"],
  [0x2068, "first strong isolate"],
  [0x2069, "pop directional isolate"],
  [0xfeff, "byte order mark"],
]);

const HIDDEN = new RegExp(HIDDEN_CHARACTER, "gu");
const WORD = /[\p{L}\p{M}]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Letters that can be taken for Latin ones; the other Greek letters are common beside them in formulas. */
const LOOKALIKES: readonly (readonly [script: string, pattern: RegExp])[] = [
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧικνορυχ]/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Lisu", /\p{Script=Lisu}/u],
];
const NOT_ASCII = /[^\0-\x7f]/;
const FULL_WIDTH = /[\uff01-\uff5e]/u;

/** What is unusual in these lines, each finding in words: "a right-to-left override (\u202e) on line 3". */
export function findUnusualText(lines: readonly NumberedLine[]): string[] {
  const isOne = lines.length < 2;
  const on = (numbers: readonly number[]) => isOne ? "" : ` on ${lineNames(numbers)}`;
  const numbersOf = (test: (text: string) => boolean) =>
    lines.filter(({ text }) => test(text)).map(({ number }) => number);
  const telling = (numbers: readonly number[], words: string) =>
    numbers.length === 0 ? [] : [`${words}${on(numbers)}`];
  return [
    ...findHidden(lines).map(({ name, numbers }) => `${name}${on(numbers)}`),
    ...findMixedWords(lines).map(({ words, numbers }) => `${words}${on(numbers)}`),
    ...findLongLines(lines, isOne),
    ...telling(numbersOf((text) => MANY_BLANKS_BETWEEN.test(text)), "many blanks before more text"),
    ...telling(numbersOf((text) => /[ \t]$/.test(text)), "blanks before the line end"),
  ];
}

const MANY_BLANKS_BETWEEN = new RegExp(`\\S[\\t\\p{Zs}]{${MANY_BLANKS},}\\S`, "u");

/** The lines of a text, from 1. */
export function numberLines(text: string): NumberedLine[] {
  return text.replaceAll("\r\n", "\n").split("\n")
    .map((line, index) => ({ number: index + 1, text: line }));
}

/** The lines that a unified diff adds, as the new file numbers them. */
export function addedLines(diff: string): NumberedLine[] {
  const added: NumberedLine[] = [];
  let number = 0;
  for (const line of diff.replaceAll("\r\n", "\n").split("\n")) {
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk) number = Number(hunk[1]);
    else if (number === 0 || /^[-\\]/.test(line)) continue;
    else {
      if (line.startsWith("+")) added.push({ number, text: line.slice(1) });
      number++;
    }
  }
  return added;
}

interface HiddenFinding {
  readonly name: string;
  readonly numbers: readonly number[];
}

function findHidden(lines: readonly NumberedLine[]): HiddenFinding[] {
  const found = new Map<string, number[]>();
  for (const { number, text } of lines) {
    for (const [character] of text.matchAll(HIDDEN)) {
      const numbers = found.get(character);
      if (numbers) numbers.push(number);
      else found.set(character, [number]);
    }
  }
  return [...found].map(([character, numbers]) => ({
    name: nameHidden(character, numbers.length),
    numbers,
  }));
}

function nameHidden(character: string, times: number): string {
  const code = character.codePointAt(0) ?? 0;
  const name = NAMES.get(code) ?? kindOfHidden(code);
  const count = times > 1 ? `${times} ${name}s` : `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;
  return `${count} (${escapeCharacter(character)})`;
}

function kindOfHidden(code: number): string {
  if (code < 0xa0) return "control character";
  if ((code >= 0xfe00 && code <= 0xfe0f) || code >= 0xe0100) return "variation selector";
  return code >= 0xe0000 ? "tag character" : "invisible character";
}

interface MixedWord {
  readonly words: string;
  readonly numbers: readonly number[];
}

function findMixedWords(lines: readonly NumberedLine[]): MixedWord[] {
  const found = new Map<string, { scripts: string; numbers: number[] }>();
  for (const { number, text } of lines) {
    if (!NOT_ASCII.test(text)) continue;
    for (const [word] of text.matchAll(WORD)) {
      const scripts = mixedScripts(word);
      if (scripts === undefined) continue;
      const known = found.get(word);
      if (known) known.numbers.push(number);
      else found.set(word, { scripts, numbers: [number] });
    }
  }
  const named = [...found].slice(0, MAX_NAMED)
    .map(([word, { scripts, numbers }]) => ({ words: `"${word}" mixes ${scripts}`, numbers }));
  const rest = [...found.values()].slice(MAX_NAMED);
  if (rest.length === 0) return named;
  const words = `${plural(rest.length, "more word")} of mixed scripts`;
  return [...named, { words, numbers: rest.flatMap(({ numbers }) => numbers) }];
}

function mixedScripts(word: string): string | undefined {
  const hasLatin = LATIN.test(word);
  if (hasLatin && FULL_WIDTH.test(word) && /[a-z]/i.test(word)) {
    return "full-width and plain letters";
  }
  const others = LOOKALIKES.filter(([, pattern]) => pattern.test(word)).map(([script]) => script);
  const scripts = [...hasLatin ? ["Latin"] : [], ...others];
  return scripts.length > 1 ? `${scripts.join(" and ")} letters` : undefined;
}

function findLongLines(lines: readonly NumberedLine[], isOne: boolean): string[] {
  const long = lines.filter(({ text }) => text.length > LONG_LINE);
  const [first] = long;
  if (first === undefined) return [];
  const most = formatCount(Math.max(...long.map(({ text }) => text.length)));
  if (long.length > 1) return [`${plural(long.length, "long line")} (up to ${most} characters)`];
  return [`a long line (${most} characters)${isOne ? "" : ` on line ${first.number}`}`];
}

/** "line 3", "lines 3, 5 and 9", "12 lines". */
function lineNames(numbers: readonly number[]): string {
  const each = [...new Set(numbers)];
  const [first, ...others] = each;
  if (others.length === 0) return `line ${first}`;
  if (each.length > MAX_NAMED) return `${each.length} lines`;
  return `lines ${each.slice(0, -1).join(", ")} and ${each.at(-1)}`;
}
