/**
 * What a SearXNG server answers: the results in it as plain text. The words of a result are those of any page, so
 * nothing of them is believed.
 */
import { parseJson } from "../lib/json_text.ts";
import { isObject } from "../lib/schema.ts";
import { cutSafely } from "../lib/excerpt.ts";
import { oneLine } from "../lib/text.ts";

/** One result: a page, and what the search engine shows of it. */
export interface SearchResult {
  readonly title: string;
  /** http or https. */
  readonly url: string;
  /** Empty if the engine shows none. */
  readonly text: string;
}

/** Results that are taken of one answer; engines give 10 to 30. */
const MAX_RESULTS = 20;
/** Characters of a title and of a text, markup included; longer ones are neither. */
const MAX_TITLE = 200;
const MAX_TEXT = 1000;
/** Characters of an address; browsers take more, and search engines find none that needs them. */
const MAX_URL = 2000;

/** The results in an answer; undefined if it is no answer of SearXNG. */
export function parseSearchResults(answer: string): readonly SearchResult[] | undefined {
  const parsed = parseJson(answer);
  if (!isObject(parsed) || !Array.isArray(parsed.results)) return undefined;
  const found: SearchResult[] = [];
  for (const one of parsed.results) {
    const result = parseResult(one);
    if (result !== undefined) found.push(result);
    if (found.length === MAX_RESULTS) break;
  }
  return found;
}

function parseResult(result: unknown): SearchResult | undefined {
  if (!isObject(result) || typeof result.url !== "string" || result.url.length > MAX_URL) {
    return undefined;
  }
  const url = URL.parse(result.url);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const title = plainText(result.title, MAX_TITLE);
  return {
    title: title === "" ? url.host : title,
    url: url.href,
    text: plainText(result.content, MAX_TEXT),
  };
}

/** A text on one line, without markup. */
function plainText(value: unknown, max: number): string {
  if (typeof value !== "string") return "";
  let text = oneLine(cutSafely(value, max));
  // What is taken out may leave another tag behind.
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replace(/<!--.*?-->|<[a-z/!?][^<>]*>/gi, "");
  }
  return oneLine(text);
}
