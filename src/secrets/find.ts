/**
 * Finds what looks like a secret in a text or in the variables of an environment: tokens known by their form, private
 * keys, values that are named as secrets. The cost is linear; where no telling word occurs, that of looking for the words.
 */
import { findNamedValues } from "./named_values.ts";
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
        findings.push({ start, end: start + value.length, kind, formed: true });
      }
    }
    return resolveOverlaps(findings);
  }
}

/** `sk-xxxxxxxxxxxxxxxxxxxx`, `ghp_0000...`: the form of a token with nothing in it. */
function isFiller(value: string): boolean {
  return /([Xx*0.])\1{11}/.test(value) && new Set(value.slice(-12)).size <= 2;
}

/** A secret that a variable holds, as all of its value or as a part. */
interface VariableSecret {
  readonly kind: string;
  readonly value: string;
  /** Whether it is all of the value because of the variable's name. */
  readonly isNamed: boolean;
}

/** What stands in the names of variables that hold secrets. Of git's settings the key is a name. */
const SECRET_NAME =
  /(?<!^GIT_CONFIG_)KEY|TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL|COOKIE|AUTH_CONFIG$|JWT(?:_V\d)?$|(?<!ASK|BY|COM|SUR|TRES)PASS_?\d*$|_(?:AUTH|CREDS?|PAT|PW|PWD)$/i;
/** Values in which nothing is found: paths, one or several, and what is shorter than any secret. */
const PLAIN_VALUE = /^(?:[/.~][\w./~:+-]*|.{0,5})$/;

/** The variables that hold secrets, by their names or by what is found in them. Commands do not see these. */
export function findSecretVariables(
  env: Readonly<Record<string, string>>,
): ReadonlyMap<string, readonly VariableSecret[]> {
  const finder = new SecretFinder();
  const variables = Object.entries(env).map(([name, value]) => {
    const kind = name.toLowerCase().replace(/[^a-z0-9]+/g, "_").slice(0, 32);
    const named = SECRET_NAME.test(name) ? [{ kind, value, isNamed: true }] : [];
    return [name, [...named, ...secretsIn(name, { value, finder })]] as const;
  });
  return new Map(variables.filter(([, secrets]) => secrets.length > 0));
}

/** What stands in a value that is a secret wherever it stands: a word that anybody may use for a password is none. */
function secretsIn(
  name: string,
  { value, finder }: { value: string; finder: SecretFinder },
): VariableSecret[] {
  if (PLAIN_VALUE.test(value)) return [];
  const text = `${name}=${value}`;
  return finder.find(text).filter(({ weak }) => !weak)
    .map(({ start, end, kind }) => ({ kind, value: text.slice(start, end), isNamed: false }));
}

/** ASCII characters; all others count as one. */
const CHARACTERS = 128;
const OTHER = 0;

/**
 * Which pairs of neighbouring characters a text has: a word with a pair that is missing need not be looked for.
 * One pass over the text saves a pass for each of many words.
 */
class CharacterPairs {
  readonly #seen = new Uint8Array(CHARACTERS * CHARACTERS);

  /** Goes over to another text. */
  load(text: string): void {
    const seen = this.#seen;
    seen.fill(0);
    let before = pairIndex(text.charCodeAt(0));
    for (let index = 1; index < text.length; index++) {
      const code = pairIndex(text.charCodeAt(index));
      seen[before * CHARACTERS + code] = 1;
      before = code;
    }
  }

  /** False if the text cannot hold a word. */
  mayHold(word: string): boolean {
    for (let index = 1; index < word.length; index++) {
      const pair = pairIndex(word.charCodeAt(index - 1)) * CHARACTERS +
        pairIndex(word.charCodeAt(index));
      if (this.#seen[pair] === 0) return false;
    }
    return true;
  }
}

function pairIndex(code: number): number {
  return code < CHARACTERS ? code : OTHER;
}
