/**
 * How `read` shows lines to the model: numbered, long ones cut, within a budget of tokens; and what a whole
 * file would cost, judged by its first bytes.
 */
import { cutBefore, type FileLines, type Limits, splitLines } from "../../src/api.ts";

/** Characters of a line that are shown. */
const MAX_LINE = 2_000;

/** Lines as shown. */
interface RenderedLines {
  readonly lines: readonly string[];
  /** Tokens of all of them; an extrapolation if they do not fit. */
  readonly tokens: number;
  /** How many of them fit into the budget. */
  readonly fitting: number;
}

/** Numbers lines as `{number padded to 6}\t{line}`, cutting long ones, and counts their tokens. */
export function renderLines(
  lines: readonly string[],
  options: { first: number; budget: number; limits: Limits },
): RenderedLines {
  const rendered: string[] = [];
  let tokens = 0;
  for (const [index, line] of lines.entries()) {
    const shown = `${String(options.first + index).padStart(6)}\t${cutLine(line)}`;
    const cost = options.limits.countTokens(`${shown}\n`);
    if (tokens + cost > options.budget) {
      const average = (tokens + cost) / (index + 1);
      return { lines: rendered, tokens: Math.ceil(average * lines.length), fitting: index };
    }
    tokens += cost;
    rendered.push(shown);
  }
  return { lines: rendered, tokens, fitting: lines.length };
}

/** What follows the lines shown, if the file goes on. */
export function continuation({ lines, first, total }: FileLines): string | undefined {
  const next = first + lines.length;
  if (total === undefined) return `[More lines follow. Next: offset ${next}]`;
  if (next > total) return undefined;
  return `[Lines ${first}-${next - 1} of ${total}. Next: offset ${next}]`;
}

/** A file's cost, guessed from its first bytes. */
export interface Estimate {
  readonly tokens: number;
  readonly tokensPerLine: number;
  /** False if long lines make the guess worthless. */
  readonly certain: boolean;
}

/** Estimates the tokens of a whole file, line numbers included, from its first bytes. */
export function estimateTokens(
  head: Uint8Array,
  options: { size: number; limits: Limits },
): Estimate {
  const text = new TextDecoder().decode(head);
  const end = head.length < options.size ? text.lastIndexOf("\n") + 1 || text.length : text.length;
  const lines = splitLines(text.slice(0, end));
  const rendered = renderLines(lines, { first: 1, budget: Infinity, limits: options.limits });
  const share = head.length * (end / text.length) / options.size;
  return {
    tokens: Math.ceil(rendered.tokens / share),
    tokensPerLine: rendered.tokens / lines.length,
    certain: lines.every((line) => line.length <= MAX_LINE),
  };
}

function cutLine(line: string): string {
  if (line.length <= MAX_LINE) return line;
  return `${
    line.slice(0, cutBefore(line, MAX_LINE))
  }... [line cut: it has ${line.length} characters]`;
}
