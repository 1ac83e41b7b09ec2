/**
 * The motions of vi: where each leads in a text. Pure.
 */
import { isMark, lineAt, nextBoundary, previousBoundary } from "./graphemes.ts";

/** Where a motion leads, and what an operator takes. */
export interface Target {
  readonly to: number;
  /** What an operator takes: whole lines, or characters up to there, or that there too. */
  readonly kind: "lines" | "before" | "through";
}

/** What a motion starts from. */
interface Start {
  readonly text: string;
  readonly at: number;
  readonly count: number;
  /** Whether the count was typed. @default true */
  readonly given?: boolean;
  /** What is looked for in the line. */
  readonly character?: string;
}

type Motion = (start: Start) => Target | undefined;

/** The first character of a line that is no blank. */
export function firstOfLine(text: string, at: number): number {
  const { from, to } = lineAt(text, at);
  return from + (/\S/.exec(text.slice(from, to))?.index ?? 0);
}

/** By name. `j` and `k` are for operators alone; `lines` is an operator typed twice. */
export const MOTIONS: Readonly<Record<string, Motion>> = {
  h: characters((text, at) => Math.max(lineAt(text, at).from, previousBoundary(text, at))),
  l: characters((text, at) => Math.min(lineAt(text, at).to, nextBoundary(text, at))),
  w: characters((text, at) => nextWord(text, at, kindOf)),
  W: characters((text, at) => nextWord(text, at, blankOrNot)),
  b: characters((text, at) => wordStart(text, at, kindOf)),
  B: characters((text, at) => wordStart(text, at, blankOrNot)),
  e: characters((text, at) => wordEnd(text, at, kindOf), "through"),
  E: characters((text, at) => wordEnd(text, at, blankOrNot), "through"),
  "0": ({ text, at }) => ({ to: lineAt(text, at).from, kind: "before" }),
  "^": ({ text, at }) => ({ to: firstOfLine(text, at), kind: "before" }),
  $: ({ text, at, count }) => ({
    to: lineAt(text, lineBelow(text, at, count - 1)).to,
    kind: "before",
  }),
  gg: ({ text, count }) => ({
    to: firstOfLine(text, lineBelow(text, 0, count - 1)),
    kind: "lines",
  }),
  G: ({ text, count, given }) => ({
    to: firstOfLine(text, given === false ? text.length : lineBelow(text, 0, count - 1)),
    kind: "lines",
  }),
  j: ({ text, at, count }) => ({ to: lineBelow(text, at, count), kind: "lines" }),
  k: ({ text, at, count }) => ({ to: lineAbove(text, at, count), kind: "lines" }),
  lines: ({ text, at, count }) => ({ to: lineBelow(text, at, count - 1), kind: "lines" }),
  f: (start) => find(start, "through"),
  t(start) {
    const found = find(start, "through");
    return found && { ...found, to: previousBoundary(start.text, found.to) };
  },
  F: (start) => findBack(start),
  T(start) {
    const found = findBack(start);
    return found && { ...found, to: nextBoundary(start.text, found.to) };
  },
};

const OPPOSITE: Readonly<Record<string, string>> = { f: "F", F: "f", t: "T", T: "t" };

/** The last search in the line again, in its direction or against it. */
export const REPEATS: Readonly<Record<string, (search: string) => string>> = {
  ";": (search) => search,
  ",": (search) => (OPPOSITE[search.charAt(0)] ?? "") + search.slice(1),
};

function characters(
  step: (text: string, at: number) => number,
  kind: Target["kind"] = "before",
): Motion {
  return ({ text, at, count }) => {
    let to = at;
    for (let n = 0; n < count; n++) {
      const next = step(text, to);
      if (next === to) break;
      to = next;
    }
    return { to, kind };
  };
}

function lineBelow(text: string, at: number, count: number): number {
  let from = lineAt(text, at).from;
  for (let n = 0; n < count; n++) {
    const { to } = lineAt(text, from);
    if (to === text.length) break;
    from = to + 1;
  }
  return from;
}

function lineAbove(text: string, at: number, count: number): number {
  let { from } = lineAt(text, at);
  for (let n = 0; n < count && from > 0; n++) from = lineAt(text, from - 1).from;
  return from;
}

function find(
  { text, at, count, character = "" }: Start,
  kind: Target["kind"],
): Target | undefined {
  const { to } = lineAt(text, at);
  let found = at;
  for (let n = 0; n < count; n++) {
    found = text.indexOf(character, nextBoundary(text, found));
    if (found === -1 || found >= to) return undefined;
  }
  return { to: found, kind };
}

function findBack({ text, at, count, character = "" }: Start): Target | undefined {
  const { from } = lineAt(text, at);
  let found = at;
  for (let n = 0; n < count; n++) {
    found = found === 0 ? -1 : text.lastIndexOf(character, found - 1);
    if (found < from) return undefined;
  }
  return { to: found, kind: "before" };
}

/** What a character is part of: words, signs, or blanks, which are part of nothing. */
type Kind = "blank" | "word" | "sign" | "paste";

/** The kind of a character. */
export function kindOf(character: string): Kind {
  if (isMark(character)) return "paste";
  if (/^\s/.test(character)) return "blank";
  return /[\p{L}\p{N}\p{M}_]/u.test(character) ? "word" : "sign";
}

/** The same where signs are part of words. */
export function blankOrNot(character: string): Kind {
  const kind = kindOf(character);
  return kind === "sign" ? "word" : kind;
}

/** Tells what a character is part of. */
export type KindOf = (character: string) => Kind;

function after(text: string, at: number, kind: KindOf): Kind {
  return kind(text.slice(at, nextBoundary(text, at)));
}

function before(text: string, at: number, kind: KindOf): Kind {
  return kind(text.slice(previousBoundary(text, at), at));
}

function nextWord(text: string, at: number, kind: KindOf): number {
  let to = at;
  const first = after(text, at, kind);
  const isIn = (one: Kind) => to < text.length && after(text, to, kind) === one;
  do to = nextBoundary(text, to); while (first !== "blank" && first !== "paste" && isIn(first));
  while (isIn("blank")) to = nextBoundary(text, to);
  return to;
}

function wordStart(text: string, at: number, kind: KindOf): number {
  let to = at;
  while (to > 0 && before(text, to, kind) === "blank") to = previousBoundary(text, to);
  if (to === 0) return 0;
  const first = before(text, to, kind);
  do to = previousBoundary(text, to); while (
    to > 0 && first !== "paste" && before(text, to, kind) === first
  );
  return to;
}

function wordEnd(text: string, at: number, kind: KindOf): number {
  let to = nextBoundary(text, at);
  while (to < text.length && after(text, to, kind) === "blank") to = nextBoundary(text, to);
  if (to >= text.length) return previousBoundary(text, text.length);
  const first = after(text, to, kind);
  for (;;) {
    const next = nextBoundary(text, to);
    if (first === "paste" || next >= text.length || after(text, next, kind) !== first) return to;
    to = next;
  }
}
