/**
 * Finds what looks like a secret in a text: tokens known by their form, private keys, values that are
 * named as secrets. The cost is linear; where no telling word occurs, that of looking for the words.
 */
import { findNamedValues } from "./named_values.ts";
import { CharacterPairs } from "./pairs.ts";
import { isDummyValue } from "./plausible.ts";
import { findPrivateKeys } from "./private_keys.ts";
import { type TokenForm, tokenForms } from "./providers.ts";
import { resolveOverlaps, type SecretMatch } from "./secret_match.ts";

/** Finds secrets; holds the compiled forms. */
export class SecretFinder {
  #forms: readonly TokenForm[] | undefined;
  readonly #pairs = new CharacterPairs();

  /** The secrets in a text, in order, none overlapping. */
  find(text: string): SecretMatch[] {
    if (text.length < 8) return [];
    this.#forms ??= tokenForms();
    const findings = [...findPrivateKeys(text), ...findNamedValues(text)];
    this.#pairs.load(text);
    const has = (hint: string) => this.#pairs.mayHold(hint) && text.includes(hint);
    for (const { kind, hints, pattern } of this.#forms) {
      if (!hints.some(has)) continue;
      for (const match of text.matchAll(pattern)) {
        const value = match[1] ?? match[0];
        if (value.endsWith("EXAMPLE") || isDummyValue(value) || isFiller(value)) continue;
        const start = match.index + match[0].lastIndexOf(value);
        findings.push({ start, end: start + value.length, kind });
      }
    }
    return resolveOverlaps(findings);
  }
}

/** `sk-xxxxxxxxxxxxxxxxxxxx`, `ghp_0000...`: the form of a token with nothing in it. */
function isFiller(value: string): boolean {
  return /([Xx*0.])\1{11}/.test(value) && new Set(value.slice(-12)).size <= 2;
}
