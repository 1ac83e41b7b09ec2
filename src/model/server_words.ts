/**
 * What a server says went wrong: found in the body of its error, wherever it put it, and made safe to show. Pure.
 */
import { safeEnd, safeStart } from "../lib/excerpt.ts";
import { pageWords } from "../lib/html_page.ts";
import { parseJson } from "../lib/json_text.ts";
import { stripControls } from "../lib/text.ts";
import { objectOf } from "./fields.ts";

/** Characters shown of the words, of them those at the beginning: programs say last why they failed. */
const MAX_WORDS = 500;
const MAX_FIRST = 200;
/** Objects and texts within one another that are looked into. */
const MAX_DEPTH = 6;
/** Members of a list of errors. */
const MAX_LISTED = 3;

/** The words of an error body on one line; `secrets` are left out. */
export function serverWords(body: string, secrets: readonly string[] = []): string {
  const words = pageWords(body) ?? wordsIn(parseJson(body)) ?? body;
  const plain = secrets.filter((secret) => secret !== "").reduce(
    (text, secret) => text.replaceAll(secret, "[secret]"),
    stripControls(words),
  );
  return cutMiddle(plain.replace(/\s+/g, " ").trim()).replace(/\.$/, "");
}

/** The words in a value; a text may hold the JSON of an error that was passed on. */
function wordsIn(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (typeof value === "string") {
    const inner = /^\s*[{[]/.test(value) ? wordsIn(parseJson(value), depth + 1) : undefined;
    return inner ?? (value.trim() === "" ? undefined : value);
  }
  if (Array.isArray(value)) {
    const all = value.slice(0, MAX_LISTED).map((one) => wordsIn(one, depth + 1));
    return all.filter((one) => one !== undefined).join("; ") || undefined;
  }
  const fields = objectOf(value);
  if (fields === undefined) return undefined;
  const names = ["error", "message", "detail", "errors", "msg", "error_description", "title"];
  const words = names.map((name) => wordsIn(fields[name], depth + 1))
    .find((one) => one !== undefined);
  // Routers tell in their own words that a provider failed, and keep what it said beside them.
  const passedOn = wordsIn(objectOf(fields["metadata"])?.["raw"], depth + 1);
  const where = Array.isArray(fields["loc"]) ? `${fields["loc"].map(String).join(".")}: ` : "";
  if (words === undefined) return passedOn;
  return passedOn === undefined ? where + words : `${words}: ${passedOn}`;
}

function cutMiddle(text: string): string {
  if (text.length <= MAX_WORDS) return text;
  return `${safeStart(text, MAX_FIRST)} … ${safeEnd(text, MAX_WORDS - MAX_FIRST - 3)}`;
}
