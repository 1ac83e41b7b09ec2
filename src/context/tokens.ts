/**
 * Estimates tokens without a table, in linear time, to within a tenth on prose and source code. The counter
 * counts exactly where that matters, and what the server reports corrects both after every reply.
 */
import { safeEnd, safeStart } from "../lib/excerpt.ts";

/** Letters of one word that are a token for certain; a longer one has another for each few more. */
const WORD = 8;
const REST_OF_WORD = 4;
/** What one sign between words costs on average. */
const SINGLE_SIGN = 0.6;
/** Outside ASCII a character costs about this many tokens. */
const TOKENS_PER_WIDE_CHAR = 0.8;
/** Characters of a token on average, where a guess will do. */
export const CHARS_PER_TOKEN = 3.8;

/** Sorts of characters that a token does not mix. */
const [LOWER, UPPER, DIGIT, SPACE, LINE_END, SIGN, WIDE] = [0, 1, 2, 3, 4, 5, 6];

/** The sort of each ASCII character: looked up, because every character of every message is. */
const SORTS = Uint8Array.from({ length: 128 }, (_, code) => sortOf(code));

/** Tokens of a text, estimated; at least 1 for anything but the empty text. */
export function countTokens(text: string): number {
  let tokens = 0;
  let start = 0;
  let kind = -1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const next = code < 128 ? SORTS[code]! : WIDE!;
    if (next === kind) continue;
    // A capital begins a word, but does not end with the letter after it.
    if (kind === UPPER && next === LOWER && index - start === 1) {
      kind = next;
      continue;
    }
    tokens += tokensOfRun(kind, index - start);
    start = index;
    kind = next;
  }
  return Math.ceil(tokens + tokensOfRun(kind, text.length - start));
}

function sortOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER!;
  if (code >= 65 && code <= 90) return UPPER!;
  if (code === 32 || code === 9) return SPACE!;
  if (code === 10 || code === 13) return LINE_END!;
  return code >= 48 && code <= 57 ? DIGIT! : SIGN!;
}

function tokensOfRun(kind: number, length: number): number {
  if (length === 0) return 0;
  switch (kind) {
    case LOWER:
    case UPPER:
      return 0.95 + Math.max(0, length - WORD) / REST_OF_WORD;
    case DIGIT:
      return Math.ceil(length / 3);
    case SPACE:
      // One space belongs to the word behind it.
      return length === 1 ? 0 : Math.ceil(length / 64);
    case LINE_END:
      return Math.ceil(length / 16);
    case SIGN:
      // One sign is often part of the word behind it.
      return length === 1 ? SINGLE_SIGN : Math.ceil(length / 8) + SINGLE_SIGN / 2;
    default:
      return length * TOKENS_PER_WIDE_CHAR;
  }
}

/**
 * Cuts a text to about a number of tokens: its beginning and its end are kept, and a mark between them
 * says how much is missing. Never cuts a character in two.
 */
export function cutToTokens(
  text: string,
  tokens: number,
  { count = countTokens }: { count?: Count } = {},
): string {
  const all = count(text);
  if (all <= tokens) return text;
  const mark = (cut: number) => `\n[... about ${cut} tokens left out ...]\n`;
  const room = Math.max(0, tokens - count(mark(all)));
  const head = headOf(text, { tokens: Math.ceil(room * HEAD_SHARE), count });
  const tail = tailOf(text.slice(head.length), { tokens: room - count(head), count });
  return head + mark(all - count(head) - count(tail)) + tail;
}

/** A way to count the tokens of a text. */
export type Count = (text: string) => number;

/** Of what is kept of a text, the share that its beginning gets. */
const HEAD_SHARE = 0.6;

/** A beginning that has at most so many tokens, and few less. */
export function headOf(
  text: string,
  room: { readonly tokens: number; readonly count: Count },
): string {
  const length = fittingLength(text, { ...room, take: (count) => text.slice(0, count) });
  return safeStart(text, length);
}

/** An end that has at most so many tokens, and few less. */
function tailOf(text: string, room: Room): string {
  const take = (count: number) => text.slice(text.length - count);
  const length = fittingLength(text, { ...room, take });
  return length === 0 ? "" : safeEnd(text, length);
}

interface Room {
  readonly tokens: number;
  readonly count: Count;
}

function fittingLength(
  text: string,
  { tokens, count, take }: Room & { take: (length: number) => string },
): number {
  if (tokens <= 0) return 0;
  let length = Math.min(text.length, Math.floor(tokens * CHARS_PER_TOKEN));
  for (;;) {
    const found = length === 0 ? 0 : count(take(length));
    if (found <= tokens) return length;
    length = Math.floor(length * Math.min(0.97, tokens / found));
  }
}
