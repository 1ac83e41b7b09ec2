/**
 * Other texts that a text shows, so that secrets in them are found: what stands in it with NULs between its
 * characters, with colours in it, or with numbers, names and signs in front of its lines, and what dumps in columns show,
 * as `xxd`, `od` and `hexdump` print them. The cost is linear.
 */
import { SEQUENCES } from "../lib/text.ts";

/** What a text shows, and for each character of that where it begins and ends in the text as it stands. */
export interface Reading {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** All readings of a text but the text itself. */
export function readingsOf(text: string): Reading[] {
  return [
    ...text.includes("\0") ? [withoutNuls(text)] : [],
    ...withoutMarks(text),
    ...readDumps(text),
  ];
}

/** UTF-16 and UTF-32 that is read as UTF-8. */
function withoutNuls(text: string): Reading {
  const starts = [...text.matchAll(/[^\0]/g)].map(({ index }) => index);
  return { text: text.replaceAll("\0", ""), starts, ends: starts.map((start) => start + 1) };
}

/** A line with what may name a secret, and the lines below that may hold it. */
const TELLING = /^.*(?:pass|pwd|secret|token|credential|key|auth|machine).*$/gim;
const LINES_BELOW = 3;

/** What programs put in front of a line. */
const LINE_MARKS = new RegExp(
  "^(?:" + [
    // `cat -n`, `nl`, `grep -n`, `read` and `bat`.
    String.raw` {0,10}\d{1,7} {0,3}[\t:|│-]`,
    // `grep -n` and `grep` in several files; what comes after the name alone is what is told by its place.
    String.raw`[^\s:]{1,256}?[:-]\d{1,7}[:-]`,
    String.raw`(?=[^\s:]{0,256}[./])[^\s:]{1,256}?[:-](?=[ \t])`,
    // The tool `grep`.
    String.raw` {2}Line \d{1,7}(?:, Char \d{1,7})?: `,
    // `git blame`.
    String.raw`\^?[0-9a-f]{7,40} [^\n()]{0,80}\([^\n()]{1,160} \d{1,7}\) `,
    // `diff`, and logs of containers.
    "[<>] ",
    String.raw`[\w.-]{1,64} {1,40}\| `,
  ].join("|") + ")",
  "gm",
);
/** Where changes of a file begin, and the sign of a line of them. */
const HUNK = /^@@ /m;
const HUNK_SIGN = /^[+ -]/gm;

/** The text without colours, and what may name a secret in that without what stands in front of its lines. */
function withoutMarks(text: string): Reading[] {
  const plain = without(SEQUENCES, { text });
  const telling = pick(plain ?? { text }, tellingParts(plain?.text ?? text));
  const bare = without(LINE_MARKS, telling);
  const changed = HUNK.test(plain?.text ?? text) ? without(HUNK_SIGN, bare ?? telling) : bare;
  return [plain, changed].filter((one) => one !== undefined);
}

/** A part of a text. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** The parts of a text that may name a secret over several lines. */
function tellingParts(text: string): Part[] {
  const parts: { start: number; end: number }[] = [];
  for (const { index: start, 0: line } of text.matchAll(TELLING)) {
    let end = start + line.length;
    for (let below = 0; below <= LINES_BELOW && end < text.length; below++) {
      const next = text.indexOf("\n", end);
      end = next < 0 ? text.length : next + 1;
    }
    const last = parts.at(-1);
    if (last !== undefined && last.end >= start) last.end = end;
    else parts.push({ start, end });
  }
  return parts;
}

/** A text of which it is known where it stands, or the one that it all stands in. */
type Shown = Pick<Reading, "text"> & Partial<Reading>;

/** A reading without what a pattern finds; undefined if that is nothing. */
function without(marks: RegExp, reading: Shown): Reading | undefined {
  const { text } = reading;
  const found = [...text.matchAll(marks)];
  if (found.length === 0) return undefined;
  const ends = [...found.map(({ index }) => index), text.length];
  const starts = [0, ...found.map(({ index, 0: mark }) => index + mark.length)];
  return pick(reading, starts.map((start, at) => ({ start, end: ends[at]! })));
}

/** The parts of a reading. */
function pick({ text, starts, ends }: Shown, parts: readonly Part[]): Reading {
  const picked = { text: "", starts: [] as number[], ends: [] as number[] };
  for (const { start, end } of parts) {
    picked.text += text.slice(start, end);
    for (let at = start; at < end; at++) {
      picked.starts.push(starts?.[at] ?? at);
      picked.ends.push(ends?.[at] ?? at + 1);
    }
  }
  return picked;
}

/** Where dumps begin that go on to the end of a text, which may end within a line; undefined if none does. */
export function openDumpStart(text: string): number | undefined {
  const lastStart = text.lastIndexOf("\n") + 1;
  let open = mayBecomeLine(text.slice(lastStart)) ? lastStart : undefined;
  if (open === undefined) return undefined;
  for (let end = lastStart - 1; end > 0;) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    const line = parseLine(text.slice(start, end));
    if (line === undefined) break;
    if (line.isLong) open = start;
    end = start - 1;
  }
  return open;
}

/** Whether what comes may make a line of a dump of a text that ends within it. */
function mayBecomeLine(text: string): boolean {
  const words = text.slice(0, Math.max(text.lastIndexOf(" "), text.lastIndexOf("\t")) + 1);
  OFFSET.lastIndex = 0;
  return words.trim() === "" || OFFSET.exec(words)?.[1] !== undefined ||
    parseLine(words) !== undefined;
}

/** Bytes by which a line without an offset begins a dump: shorter ones only go on with it. */
const MIN_BYTES = 4;
/** An offset, behind the number of a line if there is one; and a unit of digits. */
const OFFSET = /(?: *\d+\t)?((?:0x)?[0-9a-f]{6,16}(:?)(?=[ \t]))?/iy;
const UNIT = /[ \t]*(?:0x)?([0-9a-f]+)(?=[ \t,]|$),?/iy;
/** Digits of the longest number that a machine has. */
const MAX_WORD = 16;
/** A character in its column as `od -c` and `od -a` print it, the octal number or the name of one. */
const CELL = / {3}([ -~])| {2}\\?([a-z0-9]{1,2})| ([0-7]{3}|[a-z0-9]{3})/y;

/** Digits of a unit of a line, or the character of a cell, and where they stand in the line. */
interface Unit {
  readonly start: number;
  readonly end: number;
  readonly shown: string;
}

/** One line of a dump. */
interface DumpLine {
  readonly kind: "digits" | "cells";
  readonly units: readonly Unit[];
  /** Whether the same bytes may follow as text. */
  readonly hasText: boolean;
  /** Whether a dump may begin with it. */
  readonly isLong: boolean;
}

/** A line of a dump, of that kind if it may be of both; undefined for any other. */
function parseLine(full: string, kind?: DumpLine["kind"]): DumpLine | undefined {
  const line = full.trimEnd();
  OFFSET.lastIndex = 0;
  const [whole = "", offset, colon] = OFFSET.exec(line) ?? [];
  const options = { from: whole.length, hasOffset: offset !== undefined, colon: colon === ":" };
  return kind === "cells"
    ? parseCells(line, options) ?? parseDigits(line, options)
    : parseDigits(line, options) ?? parseCells(line, options);
}

interface LineOptions {
  readonly from: number;
  readonly hasOffset: boolean;
  /** Set if it is written as by xxd, which puts two blanks in front of the text. */
  readonly colon: boolean;
}

function parseDigits(
  line: string,
  { from, hasOffset, colon }: LineOptions,
): DumpLine | undefined {
  const units: Unit[] = [];
  let at = from;
  while (at < line.length && !(colon && units.length > 0 && line.startsWith("  ", at))) {
    UNIT.lastIndex = at;
    const [whole, shown = ""] = UNIT.exec(line) ?? [];
    const width = units[0]?.shown.length ?? shown.length;
    const isLast = (units.at(-1)?.shown.length ?? width) < width;
    if (whole === undefined || shown.length > width || isLast) break;
    at += whole.length;
    const end = at - (whole.endsWith(",") ? 1 : 0);
    units.push({ start: end - shown.length, end, shown });
  }
  const hasText = at < line.length;
  const [first] = units;
  if (first === undefined || (hasText && !hasOffset)) return undefined;
  const isAlone = !hasOffset && units.length === 1;
  const { length } = first.shown;
  if (!isAlone && length % 2 !== 0) return undefined;
  const isLong = hasOffset || units.length * length >= 2 * MIN_BYTES;
  return { kind: "digits", units, hasText, isLong };
}

function parseCells(line: string, { from, hasOffset }: LineOptions): DumpLine | undefined {
  const units: Unit[] = [];
  let at = from;
  while (at < line.length) {
    CELL.lastIndex = at;
    const [whole, character, name, code] = CELL.exec(line) ?? [];
    if (whole === undefined) break;
    const shown = character ?? characterOf(name ?? code ?? "");
    units.push({ start: at + (/\S/.exec(whole)?.index ?? 0), end: at + whole.length, shown });
    at += whole.length;
  }
  const hasText = at < line.length;
  if (units.length === 0 || (hasText && !hasOffset)) return undefined;
  return { kind: "cells", units, hasText, isLong: hasOffset || units.length >= MIN_BYTES };
}

/** Of characters that are no part of a secret it does not matter which they are. */
function characterOf(name: string): string {
  if (/^[0-7]{3}$/.test(name)) return String.fromCharCode(parseInt(name, 8));
  return name === "sp" ? " " : "\n";
}

/** What dumps show: with the bytes in the order of the digits, and in that of words of most machines. */
function readDumps(text: string): Reading[] {
  const printed = new ReadingBuilder();
  const swapped = new ReadingBuilder();
  let kind: DumpLine["kind"] | undefined;
  for (let start = 0; start < text.length;) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    const line = parseLine(text.slice(start, end), kind);
    if (line === undefined || line.kind !== kind) {
      printed.separate(start);
      swapped.separate(start);
    }
    kind = line && (line.isLong || line.kind === kind) ? line.kind : undefined;
    if (line && kind !== undefined) {
      const shown = line.hasText ? { start, textEnd: end } : { start };
      if (line.kind === "cells") printed.addCells(line, shown);
      else {
        printed.addDigits(line, shown);
        swapped.addWords(line, shown);
      }
    }
    start = end + 1;
  }
  return [printed, swapped].map((one) => one.build()).filter(({ starts }) => starts.length > 0);
}

/** Where a line begins in the text, and where the bytes as text end, if they follow. */
interface LinePlace {
  readonly start: number;
  readonly textEnd?: number;
}

class ReadingBuilder {
  readonly #characters: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** A digit whose other half is still to come, and where it begins. */
  #half: { readonly digit: string; readonly start: number } | undefined;

  /** What comes now does not go on with what came before. */
  separate(at: number): void {
    this.#half = undefined;
    const last = this.#characters.at(-1);
    if (last !== undefined && last !== "\n") this.#add("\n", { start: at, end: at });
  }

  addCells({ units }: DumpLine, { start, textEnd }: LinePlace): void {
    for (const unit of units) {
      this.#add(unit.shown, { start: start + unit.start, end: textEnd ?? start + unit.end });
    }
  }

  /** Pairs of digits as they come, wherever lines were broken. */
  addDigits({ units }: DumpLine, { start, textEnd }: LinePlace): void {
    for (const unit of units) {
      for (let index = 0; index < unit.shown.length; index++) {
        const digit = unit.shown[index]!;
        const place = start + unit.start + index;
        if (this.#half === undefined) {
          this.#half = { digit, start: place };
          continue;
        }
        const byte = String.fromCharCode(parseInt(this.#half.digit + digit, 16));
        this.#add(byte, { start: this.#half.start, end: textEnd ?? place + 1 });
        this.#half = undefined;
      }
    }
  }

  /** Units of several bytes that are numbers, the lowest byte first. */
  addWords({ units }: DumpLine, { start, textEnd }: LinePlace): void {
    for (const unit of units) {
      const place = { start: start + unit.start, end: textEnd ?? start + unit.end };
      for (const code of bytesOfWord(unit.shown)) this.#add(String.fromCharCode(code), place);
    }
  }

  build(): Reading {
    return { text: this.#characters.join(""), starts: this.#starts, ends: this.#ends };
  }

  #add(character: string, { start, end }: { start: number; end: number }): void {
    this.#characters.push(character);
    this.#starts.push(start);
    this.#ends.push(end);
  }
}

/** Of six digits up to 7 the word is octal, as `od` alone prints it. One byte has but one order. */
function bytesOfWord(digits: string): number[] {
  if (/^[01][0-7]{5}$/.test(digits)) {
    const word = parseInt(digits, 8);
    return [word & 0xff, word >> 8];
  }
  if (digits.length <= 2 || digits.length > MAX_WORD) return [];
  return digits.match(/../g)!.map((pair) => parseInt(pair, 16)).reverse();
}
