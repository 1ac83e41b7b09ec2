/**
 * In which repository commands of git work. Rules are bound to the hooks of the workspace's own: another one, in a
 * directory below it, has hooks that nobody looks at.
 */
import { dirname, join, resolve } from "node:path";
import type { PathFacts } from "../../core/path_facts.ts";
import { contains } from "../../lib/contains.ts";
import type { GitWord } from "../../shell/command_analysis.ts";
import { readGitWords } from "../git_history.ts";

/** A command that may run git. */
interface GitCommand {
  /** The words of each git in it. */
  readonly git: readonly (readonly GitWord[])[];
  /** Directories in which it may run. */
  readonly cwds: readonly string[];
}

/** Options of git by which it works in another repository. */
const ELSEWHERE = /^(-C|--(git-dir|work-tree)(=|$))/;
/** What has git work in the repositories of submodules too. */
const IN_SUBMODULES = /^(submodule|--recurse-submodules.*)$/;
/** What makes a directory a repository, its own or a bare one. */
const MARKS = [".git", "HEAD"];

/**
 * What must not come to be so that a command works in the workspace's own repository, absolute; undefined if it may work
 * in another one.
 */
export function repositoryMarks(
  { git, cwds }: GitCommand,
  pathFacts: PathFacts,
): readonly string[] | undefined {
  const marks = new Set<string>();
  const calls = git.length === 0 ? [[]] : git.map(directoriesIn);
  for (const directories of calls) {
    if (directories === undefined) return undefined;
    for (const cwd of cwds) {
      const { absolute } = pathFacts.locate(resolve(cwd, ...directories));
      if (!contains(pathFacts.cwd, absolute)) return undefined;
      for (let place = absolute; place !== pathFacts.cwd; place = dirname(place)) {
        for (const name of MARKS) marks.add(join(place, name));
      }
    }
  }
  return [...marks].some((mark) => pathFacts.exists(mark)) ? undefined : [...marks];
}

/** The directories of `-C`, each relative to the one before it; undefined if only running it shows them. */
function directoriesIn(words: readonly GitWord[]): readonly string[] | undefined {
  const values = words.flatMap(({ value }) => value ?? []);
  if (values.some((word) => IN_SUBMODULES.test(word))) return undefined;
  const read = readGitWords(values);
  const isKnown = values.length === words.length && read !== undefined;
  return isKnown ? read.directories : values.some((word) => ELSEWHERE.test(word)) ? undefined : [];
}
