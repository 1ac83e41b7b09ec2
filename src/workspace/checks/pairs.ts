/**
 * What opens and what closes in a language: brackets nearly everywhere, keywords in some.
 */
import type { Grammar } from "./problem.ts";
import type { Token } from "./syntax.ts";

/** Where a token stands. */
interface Position {
  /** The token before it. */
  readonly previous: Token | undefined;
  /** The first token of its line. */
  readonly first: Token;
}

/** Tells what a token opens or closes. */
export interface Pairs {
  /** What closes each thing this token opens, outermost first. */
  opens(token: Token, position: Position): readonly string[];
  /** What this token closes, innermost first. */
  closes(token: Token): readonly string[];
}

const BRACKETS: ReadonlyMap<string, string> = new Map([["(", ")"], ["[", "]"], ["{", "}"]]);
const BASH: ReadonlyMap<string, string> = new Map([
  ["if", "fi"],
  ["do", "done"],
  ["case", "esac"],
]);
const RUBY = /^(?:def|class|module|begin|case|do|if|unless|while|until|for)$/;
const RUBY_LOOP = /^(?:while|until|for)$/;
const RUBY_MODIFIER = /^(?:if|unless|while|until)$/;
/** After these a condition is a statement's, not a modifier of what stands before it. */
const RUBY_START = /^(?:=|\(|then|do|else|begin)$/;

/** Brackets by the first or last characters of a token: `${` opens one brace, `]]` closes two. */
const BRACKET_PAIRS: Pairs = {
  opens: ({ type, named }) =>
    named ? [] : [...(/[([{]+$/.exec(type)?.[0] ?? "")].map((one) => BRACKETS.get(one) ?? one),
  closes: ({ type, named }) => named ? [] : [...(/^[)\]}]+/.exec(type)?.[0] ?? "")],
};

/** The pairs of a language. */
export function pairsOf(grammar: Grammar): Pairs {
  if (grammar === "bash") return keywordPairs(BASH);
  if (grammar === "html") return keywordPairs(new Map());
  return grammar === "ruby" ? RUBY_PAIRS : BRACKET_PAIRS;
}

/** Keywords alone: in a shell a bracket may stand without its partner, as in `case x in a)`. */
function keywordPairs(closers: ReadonlyMap<string, string>): Pairs {
  const closing = new Set(closers.values());
  return {
    opens({ type, named }) {
      const close = named ? undefined : closers.get(type);
      return close === undefined ? [] : [close];
    },
    closes: ({ type, named }) => !named && closing.has(type) ? [type] : [],
  };
}

const RUBY_PAIRS: Pairs = {
  opens(token, position) {
    const { previous, first } = position;
    if (token.named || !RUBY.test(token.type)) return BRACKET_PAIRS.opens(token, position);
    // `while x do` has one end, not two.
    if (token.type === "do") return RUBY_LOOP.test(first.type) ? [] : ["end"];
    const modifies = RUBY_MODIFIER.test(token.type) && token !== first &&
      !RUBY_START.test(previous?.type ?? "");
    return modifies ? [] : ["end"];
  },
  closes: (token) => token.type === "end" && !token.named ? ["end"] : BRACKET_PAIRS.closes(token),
};
