/**
 * Brackets without a partner. Which of several nested ones is meant cannot be known from the brackets alone, so
 * the indentation decides.
 */
import type { Pairs } from "./pairs.ts";
import type { Problem } from "./problem.ts";
import type { SourceLines } from "./source_lines.ts";
import type { Token } from "./syntax.ts";

interface OpenBracket {
  /** What closes it. */
  readonly close: string;
  readonly token: Token;
  readonly line: number;
  /** Indentation of the statement it is part of. */
  readonly indent: number;
}

/** A pair that closes further out or further in than it was opened. */
interface Suspect {
  readonly open: OpenBracket;
  /** What closes it. */
  readonly token: Token;
  readonly outwards: boolean;
}

/** Finds what is not closed and what closes nothing. */
export function findUnbalanced(
  tokens: readonly Token[],
  { lines, pairs }: { lines: SourceLines; pairs: Pairs },
): Problem[] {
  const stack = new OpenStack(lines);
  let previous: Token | undefined;
  let first: Token | undefined;
  for (const token of tokens) {
    const line = lines.lineAt(token.start);
    if (first === undefined || lines.lineAt(first.start) !== line) first = token;
    for (const close of pairs.closes(token)) stack.close({ close, token, line });
    for (const close of pairs.opens(token, { previous, first })) stack.open({ close, token, line });
    previous = token;
  }
  return stack.problems();
}

/** What is open at a place in the text, and what was found wrong up to there. */
class OpenStack {
  readonly #lines: SourceLines;
  readonly #open: OpenBracket[] = [];
  readonly #suspects: Suspect[] = [];
  readonly #unclosed: OpenBracket[] = [];
  readonly #unmatched: Token[] = [];
  /** Indentation of lines that go on with a statement begun further up. */
  readonly #indents = new Map<number, number>();

  constructor(lines: SourceLines) {
    this.#lines = lines;
  }

  open({ close, token, line }: { close: string; token: Token; line: number }): void {
    this.#open.push({ close, token, line, indent: this.#indentOf(line) });
  }

  close({ close, token, line }: { close: string; token: Token; line: number }): void {
    const at = this.#open.findLastIndex((open) => open.close === close);
    const [open, ...inner] = at < 0 ? [] : this.#open.splice(at);
    if (open === undefined) {
      this.#unmatched.push(token);
      return;
    }
    this.#unclosed.push(...inner);
    const indent = this.#lines.indentOf(line);
    const isFirst = this.#lines.startOf(line) + indent === token.start;
    if (isFirst && indent !== open.indent) {
      this.#suspects.push({ open, token, outwards: indent < open.indent });
    }
    if (open.line < line) this.#indents.set(line, Math.min(this.#indentOf(line), open.indent));
  }

  problems(): Problem[] {
    const open = [...this.#unclosed, ...this.#open];
    const brackets = open.filter((one) => !/\w/.test(one.close));
    // Within an open bracket a keyword is taken for a name, so that it closes nothing.
    const unclosed = (brackets.length > 0 ? brackets : open)
      .map((one) => this.#toMissingProblem(one));
    const unmatched = this.#unmatched.map((token) => this.#toUnmatchedProblem(token));
    return [...unclosed, ...unmatched];
  }

  #indentOf(line: number): number {
    return this.#indents.get(line) ?? this.#lines.indentOf(line);
  }

  #toMissingProblem(open: OpenBracket): Problem {
    const guess = this.#suspects.find((suspect) =>
      suspect.outwards && suspect.open.close === open.close &&
      suspect.open.token.start > open.token.start
    );
    const { close, token } = guess?.open ?? open;
    const how = guess === undefined ? "" : ", judging by the indentation";
    const opener = /\w/.test(token.type) ? token.type : token.type.slice(-1);
    return {
      offset: token.end - opener.length,
      message: `missing '${close}' for this '${opener}'${how}`,
    };
  }

  #toUnmatchedProblem(token: Token): Problem {
    const guess = this.#suspects.find((suspect) =>
      !suspect.outwards && suspect.token.type === token.type && suspect.token.start < token.start
    );
    const how = guess === undefined ? "" : ", judging by the indentation";
    return { offset: (guess?.token ?? token).start, message: `unmatched '${token.type}'${how}` };
  }
}
