/**
 * Secrets in variables as `.env` files, shells and compose files set them: `DB_PASSWORD=...`,
 * `POSTGRES_PASSWORD: ...`. Nearly any value counts there, with whatever marks it has, up to the next blank.
 */
import { isPlausible, isStrong } from "./plausible.ts";
import type { SecretMatch } from "./secret_match.ts";
import { isSecretName, kindOf } from "./secret_name.ts";

/** A name in capitals, and a value without quotes; after a colon it fills the rest of its line. */
const VARIABLE = new RegExp(
  String.raw`(?<![\w$.&?%@-])([A-Z][A-Z0-9_]{2,63})` +
    String.raw`(?:=|:[ \t]{1,4}(?=\S{3,1024}[ \t]*(?:#.*)?$)|(?<=ENV \w{1,64})[ \t])` +
    String.raw`(?=[^\s"'\x60[({])(\S{3,1024})`,
  "gm",
);

/** Secrets among the variables that a text sets. */
export function findSecretVariables(text: string): SecretMatch[] {
  const findings: SecretMatch[] = [];
  for (const match of text.matchAll(VARIABLE)) {
    const [whole, name = "", rest = ""] = match;
    if (!isSecretName(name)) continue;
    const value = rest.replace(/(?:["'`](?:[,)\]};:].*)?|\\[nrt"'].*|[;,]+|<\/.*)$/, "");
    if (value.length < 3 || !isPlausible(value, "env")) continue;
    const start = match.index + whole.length - rest.length;
    findings.push({ start, end: start + value.length, kind: kindOf(name), weak: !isStrong(value) });
  }
  return findings;
}
