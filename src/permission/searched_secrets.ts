/**
 * What a command reads of the user's secrets by naming a directory above them. In a sandbox they are hidden; where none
 * holds it, a rule that allows the program does not allow this.
 */
import type { PathFacts } from "../core/path_facts.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";
import { resolve } from "../shell/paths.ts";

/** Programs that put out, or copy, all files below a directory. */
const READS_BELOW =
  /^([a-z]*grep|rg|ripgrep|ag|ack|diff|cp|mv|ln|rsync|scp|install|tar|bsdtar|gtar|zip|7z\w*|rar|cpio|pax)$/;
/** Of these, what searches where it begins if it is told no place. */
const SEARCHES = /^([a-z]*grep|rg|ripgrep|ag|ack|git)$/;
/** Of git's commands those that read files of no repository. */
const GIT_READS = /^(diff|grep|hash-object|add|--no-index)$/;

/** The same command; what reads below a directory that holds secrets is extreme. */
export function withSearchedSecrets(
  analysis: ScriptAnalysis,
  pathFacts: PathFacts,
): ScriptAnalysis {
  const why = analysis.parts.map((part) => searchedIn(part, pathFacts));
  const first = why.find((one) => one !== undefined);
  if (first === undefined) return analysis;
  const parts = analysis.parts.map((part, at): AnalyzedPart =>
    why[at] === undefined ? part : { ...part, risk: "extreme", why: why[at] }
  );
  const { risk } = analysis;
  return { ...analysis, risk: "extreme", ...(risk !== "extreme" && { why: first }), parts };
}

/** Why a part is extreme; undefined if it is not. */
function searchedIn(
  { programs, argv = [], cwds }: AnalyzedPart,
  pathFacts: PathFacts,
): string | undefined {
  const [name = "", ...words] = argv;
  const reads = programs.some((program) => READS_BELOW.test(program)) ||
    (programs.includes("git") && words.some((word) => GIT_READS.test(word)));
  if (!reads) return undefined;
  const isThere = (path: string) =>
    resolve(path, { pathFacts, cwds })?.some(({ absolute }) => pathFacts.exists(absolute));
  const paths = words.flatMap((word) => [word, word.replace(/^-[^=]*=?/, "")]);
  const isAbove = (path: string) =>
    resolve(path, { pathFacts, cwds })?.some(({ absolute }) => pathFacts.hasSecretsBelow(absolute));
  const begins = programs.some((program) => SEARCHES.test(program)) &&
    !words.some((word) => isThere(word));
  const above = [...paths, ...begins ? ["."] : []].find((path) => path !== "" && isAbove(path));
  return above === undefined ? undefined : `${name} may read secrets below ${above}`;
}
