/**
 * The ways in which a text may be found that is not in the file to the letter, from the strictest down.
 * Each overlooks one kind of difference that a model cannot see or often gets wrong, and says so; none
 * guesses.
 */
import {
  findFolded,
  type Fold,
  LINE_ENDS,
  type Replacement,
  splitLines,
  type Substitution,
} from "../../src/api.ts";
import { findIndented } from "./indentation.ts";

/** Places found on one rung of the ladder. */
export interface Match {
  readonly places: readonly Substitution[];
  /** What was overlooked; absent if the text was found to the letter. */
  readonly difference?: string;
  /** Whether the model should look at what came of it. */
  readonly verify: boolean;
}

/** Blanks before a line end are read as nothing; a run of them is looked at once, from its start. */
const TRAILING: Fold = {
  pattern: /(?<![ \t])[ \t]*(?:\r\n?|\n)/g,
  to: () => "\n",
};

/** Characters that a word processor puts for those on the keyboard. */
const TYPOGRAPHY: ReadonlyMap<string, string> = new Map(
  Object.entries({ "'": "‘’‚‛′", '"': "“”„‟″", "-": "‐‑‒–—―−", " ": "\u00a0\u202f" })
    .flatMap(([plain, fancy]) => [...fancy].map((one) => [one, plain] as const)),
);

const TYPOGRAPHIC: Fold = {
  pattern: new RegExp(`\\r\\n?|[${[...TYPOGRAPHY.keys()].join("")}]`, "g"),
  to: (found) => TYPOGRAPHY.get(found) ?? "\n",
};

/** The text with typographic quotes, dashes and blanks as a keyboard has them. */
export function plainCharacters(text: string): string {
  return text.replace(TYPOGRAPHIC.pattern, TYPOGRAPHIC.to);
}

/**
 * The places of a text on the first rung on which there are any. Unless `apart`, places that overlap
 * are all given, because each could be meant.
 */
export function findMatch(
  text: string,
  edit: Replacement,
  options: { apart: boolean },
): Match | undefined {
  const rungs: readonly (() => Match)[] = [
    () => literalMatch(text, edit, options),
    () => {
      const places = findFolded(text, trimReplacement(edit), { fold: TRAILING, ...options });
      return { places, difference: "white space (at line ends)", verify: true };
    },
    () => {
      const places = findIndented(text, edit, options);
      return { places, difference: "white space (indentation)", verify: true };
    },
    () => {
      const places = findFolded(text, edit, { fold: TYPOGRAPHIC, ...options });
      return { places, difference: "typographic quotes or dashes", verify: true };
    },
  ];
  for (const rung of rungs) {
    const match = rung();
    if (match.places.length > 0) return match;
  }
  return undefined;
}

/** To the letter, or but for line ends; places of both kinds count alike, since they look alike. */
function literalMatch(text: string, edit: Replacement, options: { apart: boolean }): Match {
  const places = findFolded(text, edit, { fold: LINE_ENDS, ...options });
  const exact = places.length > 0 && text.includes(edit.wanted);
  return { places, verify: false, ...(!exact && { difference: "line ends" }) };
}

/** Takes the blanks also from the ends of those new lines that stand in the wanted text just so. */
function trimReplacement({ wanted, next }: Replacement): Replacement {
  const known = new Set(splitLines(wanted));
  const lines = next.replaceAll("\r\n", "\n").split("\n");
  return {
    wanted,
    next: lines.map((line) => known.has(line) ? line.trimEnd() : line).join("\n"),
  };
}
