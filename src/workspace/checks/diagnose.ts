/**
 * Says in words what is wrong with a text that did not parse. One mistake makes a parser stumble many times, so
 * the mistakes that explain the rest are looked for first: text that is no code at all, and strings and brackets
 * left open.
 */
import { cutSafely } from "../../lib/excerpt.ts";
import { findUnbalanced } from "./brackets.ts";
import type { Pairs } from "./pairs.ts";
import type { Problem } from "./problem.ts";
import type { FindMissing } from "./repair.ts";
import type { SourceLines } from "./source_lines.ts";
import type { Stop } from "./stops.ts";
import type { Fault, Syntax, Token } from "./syntax.ts";

/** Lines that are no code in any language checked here. */
const NON_CODE: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  {
    pattern: /^(?:<{7}(?= )|={7}(?=\r?$)|>{7}(?= ))/gm,
    message: "unresolved merge conflict marker",
  },
  { pattern: /^```/gm, message: "Markdown fence in the code" },
];

/** What begins or ends a string. */
const QUOTES = /^(?:["'`]|"""|'''|string_start|string_end|heredoc_start|raw_string_start)$/;
/** Characters of a token that are quoted. */
const MAX_QUOTED = 30;

/** What is known of a text beside its tree. */
interface DiagnoseOptions {
  readonly lines: SourceLines;
  readonly stops: readonly Stop[];
  readonly findMissing: FindMissing;
  /** What opens in this language, with what closes it. */
  readonly pairs: Pairs;
}

/** The problems of a text, in order. */
export function diagnose(syntax: Syntax, options: DiagnoseOptions): Problem[] {
  const { lines } = options;
  const roots = findRootCauses(syntax, options);
  const explained = roots[0] === undefined
    ? Infinity
    : lines.startOf(lines.lineAt(roots[0].offset));
  const others = syntax.faults
    .filter((fault) => fault.start < explained)
    .map((fault) => describeFault(fault, syntax, options))
    .filter((problem) => problem.offset < explained);
  return [...others, ...roots];
}

/** Mistakes that explain all that follows them. */
function findRootCauses(
  { tokens }: Syntax,
  { lines, pairs }: DiagnoseOptions,
): Problem[] {
  const { text } = lines;
  const litter = NON_CODE.flatMap(({ pattern, message }) =>
    [...text.matchAll(pattern)].map(({ index }): Problem => ({ offset: index, message }))
  );
  if (litter.length > 0) return litter.sort((a, b) => a.offset - b.offset);
  const comment = text.lastIndexOf("/*");
  if (
    comment > text.lastIndexOf("*/") &&
    tokens.some(({ type, start }) => start === comment && type.startsWith("/"))
  ) return [{ offset: comment, message: "this comment is never closed" }];
  const open = findOpenQuote(tokens, lines);
  if (open !== undefined) return [{ offset: open.start, message: "this string is never closed" }];
  return findUnbalanced(tokens, { lines, pairs });
}

/** The token that begins a string without an end. */
function findOpenQuote(tokens: readonly Token[], lines: SourceLines): Token | undefined {
  let open: Token | undefined;
  for (const token of tokens) {
    // The quotes of a whole string are placed in the tree, as parts of it.
    if (!token.stray || !QUOTES.test(token.type)) continue;
    if (open === undefined) {
      if (token.type !== "string_end") open = token;
      continue;
    }
    const oneLine = /^["']$/.test(lines.text.slice(open.start, open.end));
    if (oneLine && lines.lineAt(open.start) !== lines.lineAt(token.start)) return open;
    if (token.type === open.type || token.type === "string_end") open = undefined;
  }
  return open;
}

function describeFault(fault: Fault, { tokens }: Syntax, options: DiagnoseOptions): Problem {
  const { lines: { text }, stops, findMissing } = options;
  if (fault.missing !== undefined) {
    const before = tokens[indexFrom(tokens, fault.start) - 1];
    return {
      offset: before?.end ?? fault.start,
      message: `missing ${describeTokenType(fault.missing)}`,
    };
  }
  const stop = stops.find(({ offset }) => {
    const next = tokens[indexFrom(tokens, offset)];
    return (offset >= fault.start && offset <= fault.end) ||
      (next !== undefined && next.start >= fault.start && next.start <= fault.end);
  });
  const from = stop?.offset ?? fault.start;
  const missing = stop && findMissing(from);
  if (missing !== undefined) return { offset: from, message: `missing '${missing}'` };
  const token = tokens[indexFrom(tokens, from)];
  const rest = text.slice(from);
  if (token === undefined || rest.trim() === "") {
    return { offset: from, message: "unexpected end of file" };
  }
  if (/^[^\S\n]*\r?\n/.test(rest) && /^_|^\n$/.test(stop?.lookahead ?? "")) {
    return { offset: from, message: "unexpected end of line" };
  }
  const found = text.slice(token.start, token.end).split(/\r?\n/)[0] ?? "";
  return { offset: token.start, message: `unexpected '${cutSafely(found, MAX_QUOTED)}'` };
}

/** Index of the first token that begins at an offset or after it. */
function indexFrom(tokens: readonly Token[], offset: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.start ?? Infinity) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A token's type for people: punctuation in quotes, `type_identifier` in words. */
function describeTokenType(type: string): string {
  return /^[a-z]+(?:_[a-z]+)+$|^identifier$/.test(type)
    ? type.replaceAll("_", " ")
    : `'${type.replace("\n", "\\n")}'`;
}
