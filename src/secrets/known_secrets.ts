/**
 * Values that are known to be secrets, found in a text in one pass however many they are: as they are, in pieces that a
 * cut has left, and in other spellings, as commands print what they read.
 */
import { resolveOverlaps, type SecretMatch } from "./secret_match.ts";

/** Characters by which a place is looked at more closely, and of values that are shorter. */
const ANCHOR = 8;
const SHORT_ANCHOR = 6;
/** Characters of a secret's beginning or end by which a piece of it is known, if it is twice as long. */
const PIECE = 12;
/** Characters of a spelling that is looked for; shorter ones are like words. */
const MIN_SPELLING = ANCHOR;
/** Characters of a secret that nothing else is written like, whatever they are. */
const LONG = 16;
/** Values that are sought in other spellings, too. */
const MAX_SPELLED = 5000;

/** What is known of a value. */
interface Known {
  readonly kind: string;
  /** Whether pieces of it are sought. */
  readonly hasPieces: boolean;
}

/** A spelling without what joins its characters. */
interface Spelling {
  readonly text: string;
  readonly value: string;
}

/** The values. */
export class KnownSecrets {
  readonly #values = new Map<string, Known>();
  /** By their ends, as these are hardly ever the same in two. */
  readonly #ends = new AnchorIndex<string>(ANCHOR);
  readonly #shortEnds = new AnchorIndex<string>(SHORT_ANCHOR);
  /** By what follows the first characters, which often tell the kind. */
  readonly #beginnings = new AnchorIndex<string>(ANCHOR);
  readonly #spellings = new AnchorIndex<Spelling>(ANCHOR);
  #spelled = 0;

  /** Adds a value; false if it is known, or too short to be found. */
  add(value: string, { kind, hasPieces }: Known): boolean {
    if (value.length < SHORT_ANCHOR) return false;
    const known = this.#values.get(value);
    if (known !== undefined && (known.hasPieces || !hasPieces)) return false;
    this.#values.set(value, { kind: known?.kind ?? kind, hasPieces });
    if (hasPieces && value.length >= 2 * PIECE) {
      this.#beginnings.add(value.slice(PIECE - ANCHOR, PIECE), value);
    }
    if (known !== undefined) return true;
    if (value.length < ANCHOR) this.#shortEnds.add(value.slice(-SHORT_ANCHOR), value);
    else this.#ends.add(value.slice(-ANCHOR), value);
    if (value.length >= MIN_SPELLING && ++this.#spelled <= MAX_SPELLED) {
      for (const text of spellingsOf(value)) {
        this.#spellings.add(text.slice(-ANCHOR), { text, value });
      }
    }
    return true;
  }

  /**
   * Where they stand in a text. What is no whole value as it is is weak, so that it is not looked for as a secret of its
   * own.
   */
  find(text: string): SecretMatch[] {
    if (this.#values.size === 0) return [];
    const found: SecretMatch[] = [];
    const lookAtEnd = (width: number) => (at: number, value: string) => {
      const match = this.#endingAt(at + width, { text, value });
      if (match) found.push(match);
    };
    this.#ends.visit(text, lookAtEnd(ANCHOR));
    this.#shortEnds.visit(text, lookAtEnd(SHORT_ANCHOR));
    this.#beginnings.visit(text, (at, value) => {
      const match = this.#beginningAt(at - (PIECE - ANCHOR), { text, value });
      if (match) found.push(match);
    });
    return resolveOverlaps([...found, ...this.#findSpelled(text)]);
  }

  /** A value, or the end of one, that ends there. */
  #endingAt(
    end: number,
    { text, value }: { text: string; value: string },
  ): SecretMatch | undefined {
    let length = 0;
    while (length < value.length && text[end - length - 1] === value.at(-length - 1)) length++;
    const { kind, hasPieces } = this.#values.get(value)!;
    if (length === value.length) return { start: end - length, end, kind };
    return hasPieces && length >= PIECE && value.length >= 2 * PIECE
      ? { start: end - length, end, kind, weak: true }
      : undefined;
  }

  /** The beginning of a value that is not there as a whole. */
  #beginningAt(
    start: number,
    { text, value }: { text: string; value: string },
  ): SecretMatch | undefined {
    let length = 0;
    while (length < value.length && text[start + length] === value[length]) length++;
    if (length < PIECE || length === value.length) return undefined;
    return { start, end: start + length, kind: this.#values.get(value)!.kind, weak: true };
  }

  #findSpelled(text: string): SecretMatch[] {
    const found: SecretMatch[] = [];
    const joined = new JoinedText(text);
    this.#spellings.visit(joined.text, (at, { text: spelling, value }) => {
      const from = at + ANCHOR - spelling.length;
      if (from < 0 || !joined.text.startsWith(spelling, from)) return;
      const [start, end] = [joined.placeOf(from), joined.placeOf(at + ANCHOR - 1) + 1];
      const { kind } = this.#values.get(value)!;
      if (text.slice(start, end) !== value) found.push({ start, end, kind, weak: true });
    });
    return found;
  }
}

const HASH_BITS = 18;
const BASE = 0x01000193;

/** Finds the places of many short texts of the same length in a long one. */
class AnchorIndex<Entry> {
  readonly #width: number;
  /** What a character counts that leaves. */
  readonly #leaving: number;
  /** Which hashes occur. */
  readonly #seen = new Uint8Array(1 << HASH_BITS);
  readonly #entries = new Map<number, Entry[]>();

  constructor(width: number) {
    this.#width = width;
    this.#leaving = Array.from({ length: width }).reduce<number>((all) => Math.imul(all, BASE), 1);
  }

  add(anchor: string, entry: Entry): void {
    let hash = 0;
    for (let at = 0; at < this.#width; at++) {
      hash = Math.imul(hash, BASE) + anchor.charCodeAt(at) | 0;
    }
    const index = indexOf(hash);
    this.#seen[index] = 1;
    const others = this.#entries.get(index);
    if (others) others.push(entry);
    else this.#entries.set(index, [entry]);
  }

  /** Calls with what may begin at a place, for each place. */
  visit(text: string, look: (at: number, entry: Entry) => void): void {
    if (this.#entries.size === 0) return;
    const width = this.#width;
    let hash = 0;
    for (let end = 0; end < text.length; end++) {
      hash = Math.imul(hash, BASE) + text.charCodeAt(end) | 0;
      const at = end - width + 1;
      if (at > 0) hash = hash - Math.imul(text.charCodeAt(at - 1), this.#leaving) | 0;
      if (at < 0) continue;
      const index = indexOf(hash);
      if (this.#seen[index] === 0) continue;
      for (const entry of this.#entries.get(index) ?? []) look(at, entry);
    }
  }
}

function indexOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1 | 0) >>> (32 - HASH_BITS);
}

/**
 * What stands between characters, or in front of each, where programs print them one by one, in groups, as bytes or in
 * wide characters.
 */
const JOINS =
  /(?:\\(?:x00|u0000|0(?![0-7]))|(?:\\x|\\u00|\b0x|&#x)(?=[0-9a-f]{2})|\\(?!x|u00)|[\s\0'"`,.:;|_%+/<>()[\]{}=-])+/gi;

/** A text without what joins characters, which knows where each of its characters stands. */
class JoinedText {
  readonly text: string;
  /** Where pieces of the text without joins begin: there, and in the whole. */
  readonly #starts: number[] = [];
  readonly #places: number[] = [];

  constructor(whole: string) {
    const pieces: string[] = [];
    let [from, length] = [0, 0];
    const add = (to: number) => {
      if (to <= from) return;
      pieces.push(whole.slice(from, to));
      this.#starts.push(length);
      this.#places.push(from);
      length += to - from;
    };
    for (const { index, 0: join } of whole.matchAll(JOINS)) {
      add(index);
      from = index + join.length;
    }
    add(whole.length);
    this.text = pieces.join("");
  }

  /** Where in the whole text a character stands. */
  placeOf(at: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return this.#places[low]! + at - this.#starts[low]!;
  }
}

/** All of them, without what joins their characters. */
function spellingsOf(value: string): Set<string> {
  const encodings = [new TextEncoder().encode(value), toUtf16(value)];
  const hex = encodings.map((bytes) => bytes.toHex());
  // Dates and numbers are written with marks between their digits, words in capitals.
  const isTold = /[a-z]/i.test(value) || value.length >= LONG;
  const isOwn = isTold && (/\d/.test(value) || value.length >= LONG);
  const spellings = [
    value,
    ...isOwn ? [value.toUpperCase(), value.toLowerCase()] : [],
    [...value].toReversed().join(""),
    encodeURIComponent(value),
    encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    ...hex,
    ...hex.map((text) => text.toUpperCase()),
    ...encodings.flatMap(base64Phases),
  ];
  const joined = spellings.filter((text) => isTold || text !== value)
    .map((text) => text.replace(JOINS, ""));
  return new Set(joined.filter((text) => text.length >= MIN_SPELLING));
}

function toUtf16(value: string): Uint8Array<ArrayBuffer> {
  const codes = Uint16Array.from({ length: value.length }, (_, index) => value.charCodeAt(index));
  return new Uint8Array(codes.buffer);
}

/** What does not depend on the neighbours, wherever in a group of three the bytes begin. */
function base64Phases(bytes: Uint8Array<ArrayBuffer>): string[] {
  return [0, 1, 2].map((phase) => {
    const padded = new Uint8Array(phase + bytes.length);
    padded.set(bytes, phase);
    return padded.toBase64().slice(Math.ceil(phase * 8 / 6), Math.floor(padded.length * 8 / 6));
  });
}
