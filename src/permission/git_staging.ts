/**
 * What commands of git take from a working tree into the index or a commit. Where the sandbox hides a tracked file, git
 * finds none, and records there that it was deleted.
 */
import type { AnalyzedPart } from "../shell/analyze.ts";
import { ADDS_WORDS, readGitWords, sortWords, type Words } from "./git_history.ts";

/** What a command takes from a working tree. */
export interface Staging {
  /** The directories of `-C`, each relative to the one before it. */
  readonly directories: readonly string[];
  /** The paths to which it is kept, each with all below it; undefined for the whole tree. */
  readonly paths: readonly string[] | undefined;
}

/** All or some of a tree; none if the command takes nothing from it. */
type Taken = readonly string[] | "tree";

/** What the subcommands take that record what is in a tree. */
const TAKEN: ReadonlyMap<string, (words: Words) => Taken> = new Map([
  ["add", takenByPaths],
  ["stage", takenByPaths],
  ["rm", takenByPaths],
  ["commit", takenByCommit],
  ["stash", ({ names: [first = "push"] }: Words) => /^(push|save)$/.test(first) ? "tree" : []],
]);

/** Options of `git commit` behind which another word is their value. */
const COMMIT_VALUES =
  /^--(message|file|author|date|fixup|squash|trailer|cleanup|template|reuse-message|reedit-message)$/;
/** The same of a letter, behind which its value may stand in the same word. */
const COMMIT_VALUE_LETTER = /[mFtcC]/;
/** Letters whose value can stand only in the same word. */
const COMMIT_ATTACHED_LETTER = /[Su]/;

/** What a command takes; undefined if that is nothing, or it is none of git's that is known to take anything. */
export function stagedBy(
  { programs, argv = [] }: Pick<AnalyzedPart, "programs" | "argv">,
): Staging | undefined {
  const at = argv.findIndex((word) => /(^|\/)git$/.test(word));
  const git = at < 0 ? undefined : readGitWords(argv.slice(at + 1));
  if (git === undefined) return undefined;
  const [sub = "", ...more] = git.words;
  const take = TAKEN.get(sub);
  const isFed = programs.some((program) => ADDS_WORDS.test(program));
  const taken = isFed && take ? "tree" : take?.(sortWords(more)) ?? [];
  if (taken.length === 0) return undefined;
  // Patterns and words of git's own may stand for any path.
  const isAny = taken === "tree" || taken.some((path) => /^:|[*?[\\]/.test(path));
  return { directories: git.directories, paths: isAny ? undefined : taken };
}

/** With options and no path it goes through the whole tree. */
function takenByPaths({ options, names, paths = [] }: Words): Taken {
  const named = [...names, ...paths];
  return named.length > 0 ? named : options.length > 0 ? "tree" : [];
}

function takenByCommit({ before, paths = [] }: Words): Taken {
  const named: string[] = [];
  for (let at = 0; at < before.length; at++) {
    const word = before[at]!;
    if (!/^-./.test(word)) {
      named.push(word);
    } else if (word.startsWith("--")) {
      if (/^--(all?|patc?h?|inter\w*|pathspec\S*)$/.test(word)) return "tree";
      if (COMMIT_VALUES.test(word)) at++;
    } else {
      const letters = [...word.slice(1)];
      const end = letters.findIndex((letter) =>
        COMMIT_VALUE_LETTER.test(letter) || COMMIT_ATTACHED_LETTER.test(letter)
      );
      if (letters.slice(0, end < 0 ? undefined : end).some((letter) => /[ap]/.test(letter))) {
        return "tree";
      }
      if (end === letters.length - 1 && COMMIT_VALUE_LETTER.test(letters[end]!)) at++;
    }
  }
  return [...named, ...paths];
}
