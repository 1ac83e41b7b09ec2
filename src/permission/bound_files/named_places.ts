/**
 * What the words of a command name in the workspace, wherever in a word that begins: `x.mk` in `-kf x.mk`, `-kfx.mk`
 * and `--file=x.mk`, `c.json` in `file://c.json` and `@c.json`, `s.sh` in `./s.sh:/s.sh`.
 */
import { isFile, type PathFacts } from "../../core/path_facts.ts";
import { filesInside } from "../../shell/paths.ts";

/** Words, and texts in one of them, that are looked at. */
const LIMITS = { words: 1000, texts: 50 };
/** Characters of an option in one word before its value. */
const MAX_LETTERS = 12;
/** What stands between texts of one word. */
const BETWEEN = /(?::\/\/|[=:@,;"'`()[\]{}|&<>\s])+/;
/** What is a path, whether something is there or not. */
const PATH = /^\.{1,2}(?:\/|$)|^\//;

/** What is there now by names that stand in words. */
export interface NamedPlaces {
  /** Absolute. */
  readonly files: readonly string[];
  /** What is no regular file, absolute; of what is not there, if it is written as a path. */
  readonly others: readonly string[];
  /** Whether there is more than is looked at. */
  readonly isCut: boolean;
}

/** What these words of a command name. */
export function findNamedPlaces(
  words: readonly string[],
  context: { readonly pathFacts: PathFacts; readonly cwds: readonly string[] },
): NamedPlaces {
  const { pathFacts } = context;
  const looked = words.slice(0, LIMITS.words);
  const pieces = looked.map((word) => word.split(BETWEEN));
  const written = pieces.flatMap((texts) => texts.slice(0, LIMITS.texts));
  const texts = new Set([...looked, ...written, ...looked.flatMap(endsOf)]);
  const paths = new Set(written.filter((text) => PATH.test(text)));
  const named = [...texts].filter((text) => text !== "").flatMap((text) =>
    filesInside(text, context).filter((path) => paths.has(text) || pathFacts.exists(path))
  );
  const hashes = [...new Set(named)].map((path) => [path, pathFacts.fingerprint(path)] as const);
  return {
    files: hashes.flatMap(([path, hash]) => isFile(hash) ? [path] : []),
    others: hashes.flatMap(([path, hash]) => isFile(hash) ? [] : [path]),
    isCut: words.length > LIMITS.words || pieces.some(({ length }) => length > LIMITS.texts),
  };
}

/** The words by which a program is told how it works: its options, and what may be their values. */
export function optionWords(argv: readonly string[]): string[] {
  return argv.slice(1).filter((word, at, all) =>
    word.startsWith("-") || (all[at - 1]?.startsWith("-") ?? false)
  );
}

/** The values of an option: what stands in its word, as the first group of the pattern, or else the next word. */
export function valuesOf(words: readonly string[], option: RegExp): string[] {
  return words.flatMap((word, at) => {
    const attached = option.exec(word)?.[1];
    return attached === undefined ? [] : [attached || (words[at + 1] ?? "")];
  });
}

/** What may be the value of an option that stands in the same word. */
function endsOf(word: string): string[] {
  if (!word.startsWith("-")) return [];
  const ends = Array.from({ length: MAX_LETTERS }, (_, at) => word.slice(at + 1));
  return ends.flatMap((one) => [one, ...one.split(BETWEEN).slice(0, 1)]);
}
