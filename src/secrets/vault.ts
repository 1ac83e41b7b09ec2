/**
 * Knows the secrets that this process has seen, each by its placeholder. Values are kept in memory only:
 * sessions hold placeholders, and a resumed one learns the values anew when their files are read again. A known value
 * is found in other spellings too, as commands print what they read: reversed, in capitals, in hex, base64 or UTF-16,
 * with whatever stands between the characters, and any in dumps.
 */
import { createHmac } from "node:crypto";
import { ToolError } from "../core/errors.ts";
import { PLACEHOLDER_START, type Secrets } from "../core/secrets.ts";
import { findSecretVariables, SecretFinder } from "./find.ts";
import { KnownSecrets } from "./known_secrets.ts";
import { settledEnd } from "./masked_sink.ts";
import { isDummyValue } from "./plausible.ts";
import { findPrivateKeys } from "./private_keys.ts";
import { readingsOf } from "./readings.ts";
import { resolveOverlaps, type SecretMatch } from "./secret_match.ts";

/** `[secret:KIND:TAG]`, without blanks or quotes and like nothing else in a file; the tag alone tells which. */
const PLACEHOLDER = /\[secret:([a-z0-9_]{1,40}):([0-9a-f]{8,32})\]/g;
/** Characters of a value of the environment, and of one that is looked for wherever it stands. */
const MIN_VALUE_LENGTH = 8;
/**
 * Secrets looked for wherever they stand. Those that have a form are found by that anyway; of the others only the place
 * tells, so that those of a flood take no place from these.
 */
const MAX_FORMED = 2000;
const MAX_NAMED = 20_000;
const TAG_LENGTH = 8;
const MIN_TEXT_LENGTH = 4;
/** How many texts without a secret are remembered, and how long they may be. */
const MAX_CLEAN = 200;
const MAX_CLEAN_LENGTH = 32_000;

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
  /** Values that are secrets wherever they stand, those of the environment with them. */
  readonly #known = new KnownSecrets();
  /** How many of them were met by their form, and by their place. */
  #formed = 0;
  #named = 0;
  /** Texts in which nothing was found: on its way one text is asked about several times. */
  readonly #clean = new Set<string>();
  /** Texts that only look like a placeholder: they stand so in a file. */
  readonly #literals = new Set<string>();

  /** `key` is asked for at the first secret; what the variables of `env` hold that are secret is one. */
  constructor(options: { key: () => Uint8Array; env?: Readonly<Record<string, string>> }) {
    let key: Uint8Array | undefined;
    this.#key = () => key ??= options.key();
    const secrets = [...findSecretVariables(options.env ?? {}).values()].flat();
    for (const { kind, value, isNamed } of secrets) {
      if (value.length < MIN_VALUE_LENGTH) continue;
      if (isNamed && (/^[/.~]|^https?:\/\/[^@]*$/.test(value) || isDummyValue(value))) continue;
      this.#environment.set(value, kind);
      this.#known.add(value, { kind, hasPieces: false });
    }
  }

  mask(text: string): string {
    const own = text.includes(PLACEHOLDER_START) ? this.#escapePlaceholders(text) : text;
    return this.#replace(own);
  }

  remask(text: string): string {
    return this.#replace(text);
  }

  learn(text: string): void {
    for (const match of findPrivateKeys(text)) {
      this.#track(text.slice(match.start, match.end), match);
    }
  }

  settledEnd(text: string): number {
    return settledEnd(text);
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
    for (const match of found) {
      const { start, end, kind } = match;
      const value = text.slice(start, end);
      this.#track(value, match);
      masked += text.slice(done, start) + this.#placeholderOf(value, kind);
      done = end;
    }
    return masked + text.slice(done);
  }

  #find(text: string): SecretMatch[] {
    const named = this.#finder.find(text);
    // What one line tells is known in the others.
    for (const match of named) this.#track(text.slice(match.start, match.end), match);
    const found = resolveOverlaps([
      ...named,
      ...this.#known.find(text),
      ...this.#findShown(text),
    ]);
    if (found.length === 0 || !text.includes(PLACEHOLDER_START)) return found;
    // Both are in order.
    const placeholders = text.matchAll(PLACEHOLDER);
    let own = placeholders.next().value;
    return found.filter(({ start, end }) => {
      while (own && own.index + own[0].length <= start) own = placeholders.next().value;
      return !own || own.index >= end;
    });
  }

  /** Secrets that the text shows in another form than as they are written. */
  #findShown(text: string): SecretMatch[] {
    return readingsOf(text).flatMap(({ text: shown, starts, ends }) => {
      const found = [...this.#finder.find(shown), ...this.#known.find(shown)];
      return resolveOverlaps(found).map((match) => {
        this.#track(shown.slice(match.start, match.end), match);
        const places = { start: starts[match.start]!, end: ends[match.end - 1]! };
        return { ...places, kind: match.kind, weak: true };
      });
    });
  }

  /** From now on a value is sought wherever it stands. */
  #track(value: string, { kind, weak, formed }: Omit<SecretMatch, "start" | "end">): void {
    if (weak || (formed ? this.#formed >= MAX_FORMED : this.#named >= MAX_NAMED)) return;
    if (!this.#known.add(value, { kind, hasPieces: true })) return;
    if (formed) this.#formed++;
    else this.#named++;
    this.#clean.clear();
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
