/**
 * The pattern of a search for where ripgrep may not run. RE2 matches it, as it nearly does in ripgrep: in a time that
 * grows with the pattern and the line alone, while V8 could need for ever and cannot be stopped meanwhile.
 */
import { ToolError } from "../../src/api.ts";
import type { Matcher, RE2JS } from "re2js";

/** Steps of a match, which take up to 20 nanoseconds each: states of the pattern by characters of the line. */
const MAX_STEPS = 100_000_000;
/** Steps of a match in a whole text. */
const MAX_TEXT_STEPS = 10_000_000;
/** What means something else in a line than in a text: its ends, what stands before it, and flags that are taken back. */
const OF_LINES = /\\[Az]|\(\?(?:<[=!]|[a-zA-Z]*-)/;

/** What a line has to hold. */
export interface PatternQuery {
  readonly pattern: string;
  readonly caseSensitive: boolean;
  readonly wholeWords: boolean;
  readonly literal: boolean;
}

/** One match in a line. */
export interface LineMatch {
  readonly index: number;
  readonly end: number;
  /** What a group holds, by its number or name; nothing if it took no part. */
  group(name: string): string;
}

/** A compiled pattern. */
export class LinePattern {
  readonly #first: RE2JS;
  /** Finds what does not begin the line. */
  readonly #further: RE2JS;
  /** The group that holds the match. */
  readonly #whole: number;
  /** For a text of several lines, where that is possible. */
  readonly #inText: RE2JS | undefined;

  private constructor(
    { first, further = first, inText }: { first: RE2JS; further?: RE2JS; inText?: RE2JS },
  ) {
    this.#first = first;
    this.#further = further;
    this.#whole = further === first ? 0 : 1;
    this.#inText = inText;
  }

  /** @throws {ToolError} validation: the pattern is no regular expression, or one that only ripgrep can match */
  static async compile({ pattern, ...query }: PatternQuery): Promise<LinePattern> {
    const { RE2JS } = await import("re2js");
    const flags = RE2JS.LOOKBEHINDS | (query.caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
    const source = query.literal ? RE2JS.quote(pattern) : RE2JS.translateRegExp(pattern);
    const compile = (source: string, more = 0) => RE2JS.compile(source, flags | more);
    try {
      // By itself, so that no parenthesis of it closes one of what is around it.
      const first = compile(source);
      const inText = OF_LINES.test(source) ? {} : { inText: compile(source, RE2JS.MULTILINE) };
      return new LinePattern(
        query.wholeWords
          ? {
            first: compile(`(?:^|\\W)(${source})(?:\\W|$)`),
            further: compile(`\\W(${source})(?:\\W|$)`),
            ...inText,
          }
          : { first, ...inText },
      );
    } catch (error) {
      throw patternError(error);
    }
  }

  /** Whether a line of a text may hold a match: most texts hold none, and to look at each line takes longer. */
  mayBeIn(text: string): boolean {
    const pattern = this.#inText;
    if (pattern === undefined || text.includes("\r")) return true;
    return text.length * pattern.programSize() > MAX_TEXT_STEPS || pattern.test(text);
  }

  /** Whether a line may be matched in a short time. */
  isBounded(line: string): boolean {
    return line.length * this.#first.programSize() <= MAX_STEPS;
  }

  /** Whether a line holds a match: sooner known than where. */
  isIn(line: string): boolean {
    return this.#first.test(line);
  }

  /** All matches in a line, in order. */
  *matchesIn(line: string): Iterable<LineMatch> {
    let matcher = this.#first.matcher(line);
    let from = 0;
    while (from <= line.length && matcher.find(from)) {
      const match = this.#matchOf(matcher);
      yield match;
      from = match.end > match.index ? match.end : match.end + lengthAt(line, match.end);
      if (this.#whole === 0 || from > line.length) continue;
      matcher = this.#further.matcher(line);
      // The character before it has to be seen.
      from--;
    }
  }

  #matchOf(matcher: Matcher): LineMatch {
    const whole = this.#whole;
    return {
      index: matcher.start(whole),
      end: matcher.end(whole),
      group: (name) => matcher.group(/^\d+$/.test(name) ? Number(name) + whole : name) ?? "",
    };
  }
}

function lengthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function patternError(error: unknown): ToolError {
  const message = (error as Error).message;
  const words = message.replace(/^error parsing regexp: /, "").replace("`(?i)", "`");
  const [, unsupported] = /^inv.*: `(\(\?(?:=|!|<=|<!)|\\[1-9])/.exec(words) ?? [];
  if (unsupported !== undefined) {
    return new ToolError(
      `The pattern cannot be searched for: ${unsupported} needs ripgrep, which does not run here.`,
      {
        kind: "validation",
        suggestion: "Write it without look-ahead and backreferences.",
        cause: error,
      },
    );
  }
  return new ToolError(`The pattern cannot be searched for: ${words}`, {
    kind: "validation",
    suggestion: "Escape special characters with a backslash, or set literal_text.",
    cause: error,
  });
}
