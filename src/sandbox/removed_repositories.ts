/**
 * Which repositories a command would remove with a directory: the sandbox keeps what git obeys of them, so that it
 * would remove all but that, and fail. It does not begin then.
 */
import { basename, dirname, join, relative } from "node:path";
import { ToolError } from "../core/errors.ts";
import { contains } from "../lib/contains.ts";
import { globMatcher } from "../lib/glob.ts";
import { isRecursive } from "../lib/removal.ts";
import { quoteWord } from "../lib/text.ts";
import { entriesOf, followPath, isAbsentOrEmpty } from "./inspect.ts";
import { readWords, withoutFront, type Word } from "./script_words.ts";

/** What there is to remove, and from where. */
interface RemovalOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Repositories below the workspace's roots: of each its `.git`, or itself if it is bare. */
  readonly repositories: readonly string[];
}

/** @throws {ToolError} security: it would remove repositories, as far as its words tell */
export function requireKeptRepositories({ argv, cwd, repositories }: RemovalOptions): void {
  const removals = (readWords(argv)?.commands ?? []).map(withoutFront).filter(isRemoval);
  const targets = removals.flatMap((words) => words.slice(1)).flatMap((word) =>
    targetsOf(word, cwd)
  );
  const removed = repositories.find((path) =>
    targets.some((target) => contains(target, path)) && !isAbsentOrEmpty(path)
  );
  if (removed === undefined) return;
  const name = relative(cwd, basename(removed) === ".git" ? dirname(removed) : removed) || ".";
  throw new ToolError(
    `Cannot remove ${
      quoteWord(name)
    }: it is a repository, which the sandbox keeps; nothing was removed`,
    {
      kind: "security",
      suggestion: "Run `rm -r` by itself, with the directory of the repository in plain words: " +
        "then a person can let it run outside of the sandbox. Without one, leave it to the user.",
    },
  );
}

function isRemoval([program, ...words]: readonly Word[]): boolean {
  return program !== undefined && basename(program.value) === "rm" &&
    isRecursive(words.map(({ value }) => value));
}

/** The paths that a word stands for, as far as that is known: itself, or what fits a pattern of names. */
function targetsOf({ value, isLiteral }: Word, cwd: string): string[] {
  const directory = followPath(cwd, dirname(value));
  if (isLiteral) return [join(directory, basename(value))];
  if (/[$`[{~]/.test(value) || /[*?]/.test(dirname(value))) return [];
  const matches = globMatcher([basename(value).replace(/[^*?\w]/g, "\\$&")]);
  return [...entriesOf(directory)?.keys() ?? []].filter(matches)
    .map((name) => join(directory, name));
}
