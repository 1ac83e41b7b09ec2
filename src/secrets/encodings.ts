/**
 * The ways in which a known secret may stand in a text other than as it is, and the search for all of them at once:
 * reversed, spaced, in hex, base64, UTF-16 or percent signs, as commands print what they read.
 */
import type { SecretMatch } from "./secret_match.ts";

/** Characters of a secret, and of one of its spellings, that are looked for; shorter ones are like words. */
const MIN_LENGTH = 8;
/** Characters by which a place is looked at more closely. */
const ANCHOR = 4;
const HASH_BITS = 18;

/** Many spellings, found in one pass over a text: the cost does not grow with their number. */
export class EncodedSecrets {
  /** Which hashes of an anchor occur. */
  readonly #seen = new Uint8Array(1 << HASH_BITS);
  readonly #spellings = new Map<number, { readonly text: string; readonly kind: string }[]>();
  readonly #values = new Set<string>();

  /** Adds all spellings of a value but its own. */
  add(value: string, kind: string): void {
    if (value.length < MIN_LENGTH || this.#values.has(value)) return;
    this.#values.add(value);
    for (const text of spellingsOf(value)) {
      const hash = hashAt(text, 0);
      this.#seen[hash] = 1;
      const others = this.#spellings.get(hash) ?? [];
      this.#spellings.set(hash, [...others, { text, kind }]);
    }
  }

  /** Where spellings stand; each is weak, so that it is not looked for as a secret of its own. */
  find(text: string): SecretMatch[] {
    const found: SecretMatch[] = [];
    if (this.#values.size === 0) return found;
    for (let start = 0; start + MIN_LENGTH <= text.length; start++) {
      const hash = hashAt(text, start);
      if (this.#seen[hash] === 0) continue;
      for (const { text: spelling, kind } of this.#spellings.get(hash) ?? []) {
        if (!text.startsWith(spelling, start)) continue;
        found.push({ start, end: start + spelling.length, kind, weak: true });
      }
    }
    return found;
  }
}

function hashAt(text: string, start: number): number {
  let hash = 0;
  for (let index = start; index < start + ANCHOR; index++) {
    hash = Math.imul(hash, 0x01000193) + text.charCodeAt(index) | 0;
  }
  return Math.imul(hash, 0x9e3779b1 | 0) >>> (32 - HASH_BITS);
}

/** All of them, without the value itself. */
function spellingsOf(value: string): ReadonlySet<string> {
  const bytes = new TextEncoder().encode(value);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  const characters = [...value];
  const inHex = [
    ...["", " ", ":", "\\x", "%"].map((separator) => hex.join(separator)),
    // As xxd and od print it.
    pairUp(hex, 0).join(" "),
    pairUp(hex, 1).join(" "),
  ];
  const spellings = [
    characters.toReversed().join(""),
    // UTF-16 that is read as UTF-8 has a NUL between its characters.
    ...[" ", "\n", "\0", "-", "."].map((separator) => characters.join(separator)),
    ...inHex,
    ...inHex.map((text) => text.toUpperCase().replaceAll("\\X", "\\x")),
    encodeURIComponent(value),
    encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    ...[bytes, toUtf16(value)].flatMap(base64Phases),
  ];
  return new Set(spellings.filter((text) => text !== value && text.length >= MIN_LENGTH));
}

/** Two bytes a group, beginning with the second half of one if the phase is 1. */
function pairUp(hex: readonly string[], phase: number): string[] {
  const groups = phase === 0 ? [] : [hex[0]!];
  for (let at = phase; at < hex.length; at += 2) groups.push(hex.slice(at, at + 2).join(""));
  return groups;
}

function toUtf16(value: string): Uint8Array<ArrayBuffer> {
  const codes = Uint16Array.from({ length: value.length }, (_, index) => value.charCodeAt(index));
  return new Uint8Array(codes.buffer);
}

/** What does not depend on the neighbours, wherever in a group of three the bytes begin; in both alphabets. */
function base64Phases(bytes: Uint8Array<ArrayBuffer>): string[] {
  return [0, 1, 2].flatMap((phase) => {
    const padded = new Uint8Array(phase + bytes.length);
    padded.set(bytes, phase);
    const whole = padded.toBase64();
    const text = whole.slice(Math.ceil(phase * 8 / 6), Math.floor(padded.length * 8 / 6));
    return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
