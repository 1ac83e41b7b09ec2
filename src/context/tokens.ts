/**
 * Counts tokens near enough for a budget, in linear time and without a table. What the server reports
 * corrects the count after every reply.
 */
import type { Message } from "../core/message.ts";

/** Characters of plain text a token stands for, on average. */
const CHARS_PER_TOKEN = 3.8;
/** Outside ASCII a character costs about this many tokens. */
const TOKENS_PER_WIDE_CHAR = 0.8;
/** What the frame of a message costs: its separators and its role. */
const TOKENS_PER_MESSAGE = 5;

/** Tokens of a text, estimated; at least 1 for anything but the empty text. */
export function countTokens(text: string): number {
  if (text === "") return 0;
  let wide = 0;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 127) wide++;
  }
  const plain = (text.length - wide) / CHARS_PER_TOKEN;
  return Math.max(1, Math.ceil(plain + wide * TOKENS_PER_WIDE_CHAR));
}

/** Tokens of a message as it is sent, estimated. */
export function countMessage(message: Message): number {
  const calls = message.role === "assistant" ? message.calls : [];
  const inCalls = calls.reduce(
    (sum, call) => sum + countTokens(call.name) + countTokens(call.arguments) + TOKENS_PER_MESSAGE,
    0,
  );
  return TOKENS_PER_MESSAGE + countTokens(message.content) + inCalls;
}

/**
 * Cuts a text to about a number of tokens: its beginning and its end are kept, and a mark between them
 * says how much is missing. Never cuts a character in two.
 */
export function cutToTokens(text: string, tokens: number): string {
  const all = countTokens(text);
  if (all <= tokens) return text;
  const mark = (cut: number) => `\n[... about ${cut} tokens left out ...]\n`;
  const kept = Math.max(0, tokens - countTokens(mark(all)));
  const head = headOf(text, Math.ceil(kept * HEAD_SHARE));
  const tail = tailOf(text.slice(head.length), kept - countTokens(head));
  return head + mark(all - countTokens(head) - countTokens(tail)) + tail;
}

/** Of what is kept of a text, the share that its beginning gets. */
const HEAD_SHARE = 0.6;

/** The longest beginning that has at most so many tokens. */
function headOf(text: string, tokens: number): string {
  const length = fittingLength(text, { tokens, take: (count) => text.slice(0, count) });
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** The longest end that has at most so many tokens. */
function tailOf(text: string, tokens: number): string {
  const take = (count: number) => text.slice(text.length - count);
  const length = fittingLength(text, { tokens, take });
  const first = text.charCodeAt(text.length - length);
  return take(first >= 0xdc00 && first <= 0xdfff ? length - 1 : length);
}

function fittingLength(
  text: string,
  { tokens, take }: { tokens: number; take: (count: number) => string },
): number {
  if (tokens <= 0) return 0;
  let length = Math.min(text.length, Math.floor(tokens * CHARS_PER_TOKEN));
  while (length > 0 && countTokens(take(length)) > tokens) length = Math.floor(length * 0.9);
  return length;
}
