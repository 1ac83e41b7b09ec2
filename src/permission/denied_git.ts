/**
 * Commands of git that rules on reading forbid: a repository holds more of a path than the file that is hidden.
 */
import { basename, resolve } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import { contains } from "../lib/contains.ts";
import type { AnalyzedPart } from "../shell/analyze.ts";
import { historyShown } from "./git_history.ts";
import { type Rules, ruleText } from "./rules.ts";

/** Why commands of git may not run, and by which rule. */
interface DeniedGit {
  readonly rule: string;
  readonly why: string;
}

/** What is judged. */
interface GitOptions {
  readonly parts: readonly AnalyzedPart[];
  readonly pathFacts: PathFacts;
}

/** The rule on reading that covers what a command of git does. */
export function matchDeniedGit(
  rules: readonly Rules[],
  options: GitOptions,
): DeniedGit | undefined {
  return rules.map((one) => matchHistory(one, options)).find((denied) => denied !== undefined);
}

/** The rule that covers what a command may show of a repository's history. */
function matchHistory(rules: Rules, { parts, pathFacts }: GitOptions): DeniedGit | undefined {
  if (!Array.isArray(rules.deny.read)) return undefined;
  const kept = rules.deny.read.filter((path) => pathFacts.mayBeInHistory(path));
  if (kept.length === 0) return undefined;
  for (const part of parts) {
    const shown = historyShown(part);
    const target = kept.find((path) =>
      shown === true || shown.some((name) => mayHold(path, { name, cwds: part.cwds }))
    );
    if (target === undefined) continue;
    const rule = ruleText(rules, { verb: "deny", kind: "read", targets: [target] });
    const why = "git's history may hold it; name other files, as in git log -p -- FILE";
    return { rule, why: `${rule} forbids it: ${why}` };
  }
  return undefined;
}

/** Whether what git calls by a name may be a path, or lie in it, or hold it. */
function mayHold(
  path: string,
  { name, cwds }: { name: string; cwds: readonly string[] },
): boolean {
  if (name.split("/").includes(basename(path)) || cwds.length === 0) return true;
  const places = cwds.map((cwd) => resolve(cwd, name));
  return places.some((place) => contains(path, place) || contains(place, path));
}
