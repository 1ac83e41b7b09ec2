/**
 * Knows the secrets that this process has seen, each by its placeholder. Values are kept in memory only:
 * sessions hold placeholders, and a resumed one learns the values anew when their files are read again. A known value
 * is found in other spellings too, as commands print what they read: reversed, in capitals, in hex, base64 or UTF-16,
 * with whatever stands between the characters, and any in dumps.
 */
import { createHmac } from "node:crypto";
import { ToolError } from "../core/errors.ts";
import { PLACEHOLDER_START, SECRET_VARIABLE, type Secrets } from "../core/secrets.ts";
import { SecretFinder } from "./find.ts";
import { isDummyValue } from "./plausible.ts";
import { readingsOf } from "./readings.ts";
import { resolveOverlaps, type SecretMatch } from "./secret_match.ts";

/** `[secret:KIND:TAG]`, without blanks or quotes and like nothing else in a file; the tag alone tells which. */
const PLACEHOLDER = /\[secret:([a-z0-9_]{1,40}):([0-9a-f]{8,32})\]/g;
/** Characters of a value of the environment, and of one that is looked for wherever it stands. */
const MIN_VALUE_LENGTH = 8;
const MIN_TRACKED_LENGTH = 6;
/** Secrets looked for wherever they stand; beyond that the oldest are found by their form alone. */
const MAX_TRACKED = 1000;
/** Characters of a secret's beginning or end by which a piece of it is known, if it is twice as long. */
const PIECE = 12;
const TAG_LENGTH = 8;
const MIN_TEXT_LENGTH = 4;
/** How many texts without a secret are remembered, and how long they may be. */
const MAX_CLEAN = 200;
const MAX_CLEAN_LENGTH = 32_000;

/** Characters of a secret, and of one of its spellings, that are looked for; shorter ones are like words. */
const MIN_SPELLING = 8;
/** Characters of a secret that nothing else is written like, whatever they are. */
const LONG = 16;
/** Characters by which a place is looked at more closely. */
const ANCHOR = 4;
const HASH_BITS = 18;

/** The secrets of one process. */
export class Vault implements Secrets {
  readonly #key: () => Uint8Array;
  readonly #finder = new SecretFinder();
  /** Placeholders by value, and values by tag. */
  readonly #placeholders = new Map<string, string>();
  readonly #values = new Map<string, string>();
  /** Kinds of the environment's values; they get placeholders when they are met. */
  readonly #environment = new Map<string, string>();
  /** The environment's values in each way in which they may be written. */
  #spellings: readonly string[] | undefined;
  /** Other spellings of the environment's values and of those that are tracked. */
  readonly #encoded = new EncodedSecrets();
  /** Values that are secrets wherever they stand, oldest first. */
  readonly #tracked = new Set<string>();
  /** Texts in which nothing was found: on its way one text is asked about several times. */
  readonly #clean = new Set<string>();
  /** Texts that only look like a placeholder: they stand so in a file. */
  readonly #literals = new Set<string>();

  /** `key` is asked for at the first secret; the values of `env` whose names say so are secrets. */
  constructor(options: { key: () => Uint8Array; env?: Readonly<Record<string, string>> }) {
    let key: Uint8Array | undefined;
    this.#key = () => key ??= options.key();
    for (const [name, value] of Object.entries(options.env ?? {})) {
      if (!SECRET_VARIABLE.test(name) || value.length < MIN_VALUE_LENGTH) continue;
      if (/^[/.~]|^https?:\/\/[^@]*$/.test(value) || isDummyValue(value)) continue;
      const kind = name.toLowerCase().replace(/[^a-z0-9]+/g, "_").slice(0, 32);
      this.#environment.set(value, kind);
      this.#encoded.add(value, kind);
    }
  }

  mask(text: string): string {
    const own = text.includes(PLACEHOLDER_START) ? this.#escapePlaceholders(text) : text;
    return this.#replace(own);
  }

  remask(text: string): string {
    return this.#replace(text);
  }

  holdsKnown(text: string): boolean {
    // In arguments a value stands as JSON writes it.
    const spellings = (value: string) => [value, JSON.stringify(value).slice(1, -1)];
    this.#spellings ??= [...new Set([...this.#environment.keys()].flatMap(spellings))];
    return this.#spellings.some((value) => text.includes(value));
  }

  reveal(text: string): string {
    if (!text.includes(PLACEHOLDER_START)) return text;
    return text.replace(PLACEHOLDER, (whole, kind: string, tag: string) => {
      const value = this.#values.get(tag);
      if (value !== undefined) return value;
      if (this.#literals.has(whole)) return whole;
      throw new ToolError(
        `The value behind a placeholder is not known: ${kind.replaceAll("_", " ")}, tag ${tag}.`,
        {
          kind: "validation",
          suggestion:
            "Read the file it came from again, or run the command again: then the placeholder shown works.",
        },
      );
    });
  }

  /** Keeps what already looks like a placeholder in a file apart from those made here. */
  #escapePlaceholders(text: string): string {
    return text.replace(PLACEHOLDER, (whole, _kind, tag: string) => {
      if (this.#values.has(tag)) return this.#placeholderOf(whole, "placeholder");
      this.#literals.add(whole);
      return whole;
    });
  }

  #replace(text: string): string {
    if (text.length < MIN_TEXT_LENGTH || this.#clean.has(text)) return text;
    const found = this.#find(text);
    if (found.length === 0) {
      if (this.#clean.size >= MAX_CLEAN) this.#clean.clear();
      if (text.length <= MAX_CLEAN_LENGTH) this.#clean.add(text);
      return text;
    }
    let masked = "";
    let done = 0;
    for (const { start, end, kind, weak } of found) {
      const value = text.slice(start, end);
      if (!weak) this.#track(value, kind);
      masked += text.slice(done, start) + this.#placeholderOf(value, kind);
      done = end;
    }
    return masked + text.slice(done);
  }

  #find(text: string): SecretMatch[] {
    const named = this.#finder.find(text);
    // What one line tells is known in the others.
    for (const { start, end, kind, weak } of named) {
      if (!weak) this.#track(text.slice(start, end), kind);
    }
    const found = [
      ...named,
      ...this.#findKnown(text),
      ...this.#findShown(text),
    ];
    if (found.length === 0 || !text.includes(PLACEHOLDER_START)) return resolveOverlaps(found);
    const placeholders = [...text.matchAll(PLACEHOLDER)]
      .map((match) => ({ start: match.index, end: match.index + match[0].length }));
    return resolveOverlaps(
      found.filter(({ start, end }) =>
        !placeholders.some((own) => start < own.end && end > own.start)
      ),
    );
  }

  /** Secrets that the text shows in another form than as they are written. */
  #findShown(text: string): SecretMatch[] {
    return readingsOf(text).flatMap(({ text: shown, starts, ends }) => {
      const found = [...this.#finder.find(shown), ...this.#findKnown(shown)];
      return resolveOverlaps(found).map(({ start, end, kind, weak }) => {
        if (!weak) this.#track(shown.slice(start, end), kind);
        const places = { start: starts[start]!, end: ends[end - 1]! };
        return { ...places, kind, weak: true };
      });
    });
  }

  /** Where values that are known stand, in whatever spelling, and pieces of them that a cut has left. */
  #findKnown(text: string): SecretMatch[] {
    const found = this.#encoded.find(text);
    for (const [value, kind] of this.#environment) {
      found.push(...findOccurrences(text, { value, kind }));
    }
    for (const value of this.#tracked) {
      const kind = this.#kindOf(value);
      const whole = findOccurrences(text, { value, kind });
      found.push(...whole);
      if (value.length >= 2 * PIECE) found.push(...findFragments(text, { value, kind }));
    }
    return found;
  }

  #track(value: string, kind: string): void {
    if (value.length < MIN_TRACKED_LENGTH) return;
    this.#encoded.add(value, kind);
    if (!this.#tracked.delete(value)) this.#clean.clear();
    this.#tracked.add(value);
    if (this.#tracked.size <= MAX_TRACKED) return;
    const [oldest = ""] = this.#tracked;
    this.#tracked.delete(oldest);
  }

  #kindOf(value: string): string {
    return this.#placeholders.get(value)?.split(":")[1] ?? "secret";
  }

  #placeholderOf(value: string, kind: string): string {
    const known = this.#placeholders.get(value);
    if (known !== undefined) return known;
    const hash = createHmac("sha256", this.#key()).update(value).digest("hex");
    let length = TAG_LENGTH;
    while (this.#values.has(hash.slice(0, length)) && length < 32) length += 4;
    const tag = hash.slice(0, length);
    const made = `${PLACEHOLDER_START}${kind}:${tag}]`;
    this.#values.set(tag, value);
    this.#placeholders.set(value, made);
    return made;
  }
}

function findOccurrences(
  text: string,
  { value, kind }: { value: string; kind: string },
): SecretMatch[] {
  const found: SecretMatch[] = [];
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
    found.push({ start: at, end: at + value.length, kind });
  }
  return found;
}

/** Beginnings and ends of a value, as far as they go. */
function findFragments(
  text: string,
  { value, kind }: { value: string; kind: string },
): SecretMatch[] {
  const found: SecretMatch[] = [];
  const head = value.slice(0, PIECE);
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + PIECE)) {
    let length = PIECE;
    while (length < value.length && text[at + length] === value[length]) length++;
    if (length < value.length) found.push({ start: at, end: at + length, kind, weak: true });
  }
  const tail = value.slice(-PIECE);
  for (let at = text.indexOf(tail); at >= 0; at = text.indexOf(tail, at + PIECE)) {
    let length = PIECE;
    while (length < value.length && at + PIECE - length > 0) {
      if (text[at + PIECE - length - 1] !== value.at(-length - 1)) break;
      length++;
    }
    const start = at + PIECE - length;
    if (length < value.length) found.push({ start, end: at + PIECE, kind, weak: true });
  }
  return found;
}

/** Many spellings, found in one pass over a text: the cost does not grow with their number. */
class EncodedSecrets {
  /** Which hashes of an anchor occur. */
  readonly #seen = new Uint8Array(1 << HASH_BITS);
  readonly #spellings = new Map<number, readonly Spelling[]>();
  readonly #values = new Set<string>();

  /** Adds all spellings of a value. */
  add(value: string, kind: string): void {
    if (value.length < MIN_SPELLING || this.#values.has(value)) return;
    this.#values.add(value);
    for (const text of spellingsOf(value)) {
      const hash = hashAt(text, 0);
      this.#seen[hash] = 1;
      this.#spellings.set(hash, [...this.#spellings.get(hash) ?? [], { text, kind, value }]);
    }
  }

  /**
   * Where spellings stand, but for values as they are; each is weak, so that it is not looked for as a secret of its
   * own.
   */
  find(text: string): SecretMatch[] {
    const found: SecretMatch[] = [];
    if (this.#values.size === 0) return found;
    const joined = new JoinedText(text);
    for (let at = 0; at + MIN_SPELLING <= joined.text.length; at++) {
      const hash = hashAt(joined.text, at);
      if (this.#seen[hash] === 0) continue;
      for (const { text: spelling, kind, value } of this.#spellings.get(hash) ?? []) {
        if (!joined.text.startsWith(spelling, at)) continue;
        const [start, end] = [joined.placeOf(at), joined.placeOf(at + spelling.length - 1) + 1];
        if (text.slice(start, end) !== value) found.push({ start, end, kind, weak: true });
      }
    }
    return found;
  }
}

/** A spelling without what joins its characters. */
interface Spelling {
  readonly text: string;
  readonly kind: string;
  readonly value: string;
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

function hashAt(text: string, start: number): number {
  let hash = 0;
  for (let index = start; index < start + ANCHOR; index++) {
    hash = Math.imul(hash, 0x01000193) + text.charCodeAt(index) | 0;
  }
  return Math.imul(hash, 0x9e3779b1 | 0) >>> (32 - HASH_BITS);
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
