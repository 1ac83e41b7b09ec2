/**
 * A command that does nothing but remove a repository below the workspace: the sandbox keeps these, so that the question
 * about it is whether it may run outside.
 */
import { basename, dirname, join } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import type { Verdict } from "../core/permission.ts";
import { contains } from "../lib/contains.ts";
import { isRecursive } from "../lib/removal.ts";
import type { ScriptAnalysis } from "../shell/analyze.ts";
import { resolve } from "../shell/paths.ts";

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
  const isRemoval = program === "rm" && isRecursive(words);
  if (!isAlone || cwd === undefined || !isRemoval || verdict.outside !== undefined) return verdict;
  const locate = (word: string) => resolve(word, { pathFacts, cwds: [cwd] }) ?? [];
  // Behind `--`, and to some systems' `rm` behind a name, an option is a name as well.
  const targets = words.flatMap(locate);
  const above = words.map((word) => dirname(word)).flatMap(locate);
  const isBelow = [...targets, ...above].every(({ inside }) => inside) &&
    targets.every(({ absolute }) =>
      !contains(absolute, pathFacts.cwd) && !contains(join(pathFacts.cwd, ".git"), absolute)
    );
  const repository = targets.find(({ absolute }) =>
    basename(absolute) === ".git" || pathFacts.exists(join(absolute, ".git"))
  );
  if (!isBelow || !repository) return verdict;
  const why = `${verdict.why}, a repository, which /undo does not bring back`;
  return { ...verdict, why, outside: repository.absolute };
}
