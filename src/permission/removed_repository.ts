/**
 * A command that does nothing but remove a repository below the workspace: the sandbox keeps these, so that the question
 * about it is whether it may run outside.
 */
import { basename, join, resolve } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import type { Verdict } from "../core/permission.ts";
import { contains } from "../lib/contains.ts";
import type { ScriptAnalysis } from "../shell/analyze.ts";

const RECURSIVE = /^(?:-[a-zA-Z]*[rR][a-zA-Z]*|--recursive)$/;

/** The question about a command, of which the answer lets it run outside if it removes a repository. */
export function askToRemove(
  verdict: Verdict,
  scripts: readonly { readonly analysis: ScriptAnalysis }[],
  pathFacts: PathFacts,
): Verdict {
  const [part, ...others] = scripts.flatMap(({ analysis }) => analysis.parts);
  const [cwd, ...elsewhere] = part?.cwds ?? [];
  const [program, ...words] = part?.argv ?? [];
  const isAlone = others.length === 0 && elsewhere.length === 0 && part?.plain === true;
  if (
    !isAlone || cwd === undefined || program !== "rm" || !words.some((one) => RECURSIVE.test(one))
  ) {
    return verdict;
  }
  const targets = words.filter((word) => !word.startsWith("-"))
    .map((word) => pathFacts.locate(resolve(cwd, word)));
  const isBelow = targets.every(({ inside, absolute }) =>
    inside && !contains(absolute, pathFacts.cwd) && absolute !== join(pathFacts.cwd, ".git")
  );
  const repository = targets.find(({ absolute }) =>
    basename(absolute) === ".git" || pathFacts.exists(join(absolute, ".git"))
  );
  if (!isBelow || !repository) return verdict;
  const why = `${verdict.why}, a repository, which /undo does not bring back`;
  return { ...verdict, why, outside: repository.absolute };
}
