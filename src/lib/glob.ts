/**
 * Globs as models and settings write them, made into matchers of paths: stars, `**`, braces, classes and the groups of
 * bash, `@(a|b)`, `?( )`, `*( )`, `+( )` and `!( )`. All that is matched by globs is matched here.
 */
import {
  ANY_DIRECTORIES,
  type CodeRange,
  costOf,
  NEGATION_COST,
  pathMatcher,
  type PathPart,
} from "./path_pattern.ts";
import { cutEnd } from "./text.ts";

/** Parts of all globs of a matcher: each may take a step for each character of each path. */
const MAX_COST = 4000;
/** Characters of all globs, escapes and all. */
const MAX_LENGTH = 2 * MAX_COST;
/** Groups in groups. */
const MAX_DEPTH = 50;
/** Characters of one glob that are shown. */
const SHOWN = 60;

/** Whether a path, or a name, matches. */
export type GlobMatcher = (path: string) => boolean;

/**
 * Makes a matcher of whole paths for one of several globs. With `dot`, what is hidden matches like the rest; with
 * `negation`, a glob after `!` stands for all that it does not match.
 * @throws {RangeError} they are too long
 */
export function globMatcher(
  globs: readonly string[],
  { dot = false, negation = false }: { dot?: boolean; negation?: boolean } = {},
): GlobMatcher {
  const length = globs.reduce((sum, glob) => sum + glob.length, 0);
  if (length > MAX_LENGTH) throw tooLong(globs);
  const read = globs.map((glob) => readGlob(glob, negation));
  const cost = read.reduce((sum, { part }) => sum + costOf(part), 0);
  if (cost > MAX_COST) throw tooLong(globs);
  const matchers = read.map(({ glob, part, negated }): GlobMatcher => {
    const matches = pathMatcher(part, { dot });
    return (path) => path === glob || (path !== "" && matches(path) !== negated);
  });
  return (path) => matchers.some((matches) => matches(path));
}

function tooLong([first = ""]: readonly string[]): RangeError {
  return new RangeError(
    `The globs, ${
      cutEnd(first, SHOWN)
    } first, are too long to be matched in time. Write fewer or ` +
      `shorter ones: together up to ${MAX_COST} characters, of which those in !( ) count ` +
      `${NEGATION_COST} times, and groups up to ${MAX_DEPTH} deep.`,
  );
}

function readGlob(
  glob: string,
  negation: boolean,
): { glob: string; part: PathPart; negated: boolean } {
  const marks = negation ? /^(?:!(?!\())*/.exec(glob)![0] : "";
  const text = glob.slice(marks.length).replace(/^\.\//, "");
  return { glob, part: new GlobReader(text).read(), negated: marks.length % 2 === 1 };
}

/** What ends a branch, and what a group. */
interface Group {
  readonly separators: string;
  readonly close: string;
}

const TOP: Group = { separators: "", close: "" };
const PARENTHESES: Group = { separators: "|", close: ")" };
const BRACES: Group = { separators: ",|", close: "}" };

class GlobReader {
  readonly #text: string;
  /** Where the group ends that begins at a position. */
  readonly #closes: ReadonlyMap<number, number>;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#closes = matchGroups(text);
  }

  read(): PathPart {
    return choiceOf(this.#branches(TOP));
  }

  /** Reads branches up to the end of a group, and that end. */
  #branches(group: Group): PathPart[] {
    const branches = [this.#sequence(group)];
    while (this.#at < this.#text.length && this.#peek() !== group.close) {
      this.#at++;
      branches.push(this.#sequence(group));
    }
    this.#at++;
    return branches;
  }

  #peek(offset = 0): string {
    return this.#text[this.#at + offset] ?? "";
  }

  #sequence(group: Group): PathPart {
    const parts: PathPart[] = [];
    const ends = (char: string) =>
      char === "" || char === group.close || group.separators.includes(char);
    while (!ends(this.#peek())) {
      if (this.#text.startsWith("**", this.#at)) this.#globstar(parts, ends);
      else parts.push(this.#part());
    }
    return parts.length === 1 ? parts[0]! : { kind: "sequence", parts: joinTexts(parts) };
  }

  /** Two stars or more: any directories, where they are a whole part of the path. */
  #globstar(parts: PathPart[], ends: (char: string) => boolean): void {
    while (this.#peek() === "*") this.#at++;
    const before = parts.at(-1);
    const isWhole = before === undefined || isSlash(before);
    if (!isWhole || (this.#peek() !== "/" && !ends(this.#peek()))) {
      return void parts.push({ kind: "star" });
    }
    if (this.#peek() === "/") {
      this.#at++;
      return void parts.push(ANY_DIRECTORIES);
    }
    const directory = parts.at(-2);
    if (before?.kind !== "text" || directory === undefined || directory.kind === "star") {
      return void parts.push({ kind: "anything" });
    }
    // The directory itself, too.
    parts.pop();
    const below = sequence([{ kind: "text", text: "/" }, { kind: "anything" }]);
    parts.push({ kind: "repeat", part: below, optional: true, many: false });
  }

  #part(): PathPart {
    const start = this.#at++;
    const char = this.#text[start]!;
    const isGroup = this.#peek() === "(" && this.#closes.has(this.#at);
    switch (char) {
      case "\\":
        return { kind: "text", text: this.#text[this.#at++] ?? "\\" };
      case "[":
        return this.#bracket(start);
      case "{":
        return this.#closes.has(start) ? this.#braces(start) : { kind: "text", text: char };
      case "(":
        if (!this.#closes.has(start)) return { kind: "text", text: char };
        return this.#repeated(choiceOf(this.#branches(PARENTHESES)), "?+");
      case "*":
        return isGroup ? this.#extended(char) : { kind: "star" };
      case "?":
        return isGroup ? this.#extended(char) : { kind: "one" };
      case "@":
      case "+":
      case "!":
        return isGroup ? this.#extended(char) : { kind: "text", text: char };
      default:
        return { kind: "text", text: char };
    }
  }

  /** What may follow a group or class: `+` and, after parentheses, `?`. */
  #repeated(part: PathPart, marks: string): PathPart {
    const mark = this.#peek();
    if (mark === "" || !marks.includes(mark) || this.#peek(1) === "(") return part;
    this.#at++;
    return { kind: "repeat", part, optional: mark === "?", many: mark === "+" };
  }

  /** A group of bash after its mark. */
  #extended(mark: string): PathPart {
    const start = this.#at++;
    const part = choiceOf(this.#branches(PARENTHESES));
    if (mark === "@") return part;
    if (mark === "!") {
      const crosses = this.#text.slice(start, this.#at).includes("/");
      return { kind: "not", part, crosses };
    }
    return { kind: "repeat", part, optional: mark !== "+", many: mark !== "?" };
  }

  #braces(start: number): PathPart {
    const inner = this.#text.slice(this.#at, this.#closes.get(start));
    const range = /^(-?\d{1,15})\.\.(-?\d{1,15})$|^(\w)\.\.(\w)$/.exec(inner);
    if (range) {
      this.#at += inner.length + 1;
      const [, low, high, first, last] = range;
      const part: PathPart = low === undefined
        ? {
          kind: "class",
          ranges: [inOrder(first!.charCodeAt(0), last!.charCodeAt(0))],
          negated: false,
        }
        : { kind: "number", range: inOrder(Number(low), Number(high)) };
      return this.#repeated(part, "+");
    }
    const branches = this.#branches(BRACES);
    if (branches.length > 1) return this.#repeated(choiceOf(branches), "+");
    return sequence([{ kind: "text", text: "{" }, branches[0]!, { kind: "text", text: "}" }]);
  }

  #bracket(start: number): PathPart {
    const found = readClass(this.#text, start);
    if (found === undefined) return { kind: "text", text: "[" };
    const { part, end } = found;
    this.#at = end;
    const raw = this.#text.slice(start, end);
    // A name such as [slug] means itself, too.
    const isPlain = !/[-*+?.^${}(|)[\]\\!]/.test(raw.slice(1, -1));
    return this.#repeated(isPlain ? choiceOf([part, { kind: "text", text: raw }]) : part, "+");
  }
}

function sequence(parts: readonly PathPart[]): PathPart {
  return { kind: "sequence", parts };
}

function isSlash(part: PathPart): boolean {
  return part === ANY_DIRECTORIES || (part.kind === "text" && part.text === "/");
}

function choiceOf(branches: readonly PathPart[]): PathPart {
  return branches.length === 1 ? branches[0]! : { kind: "choice", branches };
}

function joinTexts(parts: readonly PathPart[]): PathPart[] {
  const joined: PathPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind === "text" && last?.kind === "text") {
      joined.splice(-1, 1, { kind: "text", text: last.text + part.text });
    } else joined.push(part);
  }
  return joined;
}

function inOrder(a: number, b: number): CodeRange {
  return a <= b ? [a, b] : [b, a];
}

/** Where each group of parentheses or braces ends; one without an end is none. */
function matchGroups(text: string): Map<number, number> {
  const closes = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\\") at++;
    else if (char === "[") at = (readClass(text, at)?.end ?? at + 1) - 1;
    else if (char === "(" || char === "{") open.push(at);
    else if (char === ")" || char === "}") {
      const opener = char === ")" ? "(" : "{";
      const level = open.findLastIndex((one) => text[one] === opener);
      if (level < 0) continue;
      if (level > MAX_DEPTH) throw tooLong([text]);
      closes.set(open[level]!, at);
      open.length = level;
    }
  }
  return closes;
}

/** Classes of characters by name, as in `[[:digit:]]`. */
const NAMED: ReadonlyMap<string, readonly CodeRange[]> = new Map(
  ([
    ["alnum", "09AZaz"],
    ["alpha", "AZaz"],
    ["blank", "\t\t  "],
    ["cntrl", "\0\x1f\x7f\x7f"],
    ["digit", "09"],
    ["graph", "!~"],
    ["lower", "az"],
    ["print", " ~"],
    ["punct", "!/:@[`{~"],
    ["space", "\t\r  "],
    ["upper", "AZ"],
    ["xdigit", "09AFaf"],
  ] as const).map(([name, ends]) => [
    name,
    Array.from(
      { length: ends.length / 2 },
      (_, at): CodeRange => [ends.charCodeAt(2 * at), ends.charCodeAt(2 * at + 1)],
    ),
  ]),
);

/** Reads a class of characters that begins at `start`; undefined if it has no end. */
export function readClass(
  text: string,
  start: number,
): { part: Extract<PathPart, { kind: "class" }>; end: number } | undefined {
  const negated = text[start + 1] === "!" || text[start + 1] === "^";
  const ranges: CodeRange[] = [];
  const first = start + (negated ? 2 : 1);
  let at = first;
  const code = () => {
    if (text[at] === "\\" && at + 1 < text.length) at++;
    return text.charCodeAt(at++);
  };
  while (at < text.length && (text[at] !== "]" || at === first)) {
    const named = text.startsWith("[:", at)
      ? /^\[:(\w{1,6}):\]/.exec(text.slice(at, at + 10))
      : undefined;
    if (named) {
      ranges.push(...NAMED.get(named[1]!) ?? []);
      at += named[0].length;
      continue;
    }
    const from = code();
    const isRange = text[at] === "-" && at + 1 < text.length && text[at + 1] !== "]";
    if (isRange) at++;
    ranges.push([from, isRange ? code() : from]);
  }
  if (at >= text.length) return undefined;
  return { part: { kind: "class", ranges, negated }, end: at + 1 };
}
