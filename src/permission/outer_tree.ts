/**
 * Commands of git that write the working tree at large, where the workspace is only a part of it. The sandbox lets git
 * move HEAD and the index, but keeps the files beyond: git goes on without them and ends well, and the next commit takes
 * back what others did there.
 */
import { resolve } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";
import { beginnings, knownDirectories } from "./denied_git.ts";
import { ADDS_WORDS, readGitWords, sortWords, type Words } from "./git_history.ts";

/** A command line, with the top of the working tree that it writes beyond the workspace, absolute, if it does. */
export interface WithOuterTree {
  readonly analysis: ScriptAnalysis;
  readonly outerTree?: string;
}

/** Marks the parts of a command line that write a working tree beyond the workspace. */
export async function withOuterTree(
  analysis: ScriptAnalysis,
  pathFacts: PathFacts,
): Promise<WithOuterTree> {
  // What is not there yet is a working tree of its own then.
  const makes = analysis.parts.some(({ git }) =>
    git.some((words) => MAKES_TREE.test(readGitWords(valuesOf(words))?.words[0] ?? ""))
  );
  const parts = await Promise.all(analysis.parts.map(async (part): Promise<AnalyzedPart> => {
    const found = await findOuterTree(part, { makes, pathFacts });
    if (found === undefined) return part;
    const { held: _, ...bare } = part;
    const why =
      `git ${found.subcommand} changes files in all of ${found.top}, a repository of which the ` +
      "workspace is only a part";
    return { ...bare, risk: "extreme", why, outside: found.top };
  }));
  const marked = parts.find((part, index) => part !== analysis.parts[index]);
  if (marked === undefined) return { analysis };
  const { why, outside } = marked;
  return { analysis: { ...analysis, risk: "extreme", why, parts }, outerTree: outside! };
}

async function findOuterTree(
  { git, cwds, programs }: AnalyzedPart,
  { makes, pathFacts }: { readonly makes: boolean; readonly pathFacts: PathFacts },
): Promise<{ subcommand: string; top: string } | undefined> {
  const isFed = programs.some((program) => ADDS_WORDS.test(program));
  for (const words of git) {
    const { subcommand, behind, directories } = readTreeWords(words);
    const writes = WRITES_PATHS.has(subcommand) && behind.some((word) => FROM_TOP.test(word))
      ? always
      : WRITES_TREE.get(subcommand);
    if (!writes || HELP.test(behind[0] ?? "")) continue;
    for (const directory of beginnings(knownDirectories(cwds, pathFacts), directories, pathFacts)) {
      if (makes && !pathFacts.exists(directory)) continue;
      const top = await pathFacts.outerTree(directory);
      if (top === undefined) continue;
      const isPath = (name: string) => isPathBelow(name, { directory, pathFacts });
      if (isFed || await writes(sortWords(behind), isPath)) return { subcommand, top };
    }
  }
  return undefined;
}

/** Subcommands by which a working tree comes that was not there. */
const MAKES_TREE = /^(?:clone|init|submodule|worktree)$/;
const HELP = /^(?:-h|--help)$/;

/** Subcommands that write or remove what they are given, and how that is found from the top of the working tree. */
const WRITES_PATHS = new Set(["checkout", "clean", "mv", "restore", "rm", "stash"]);
const FROM_TOP = /^:(?:\/|\((?:.*,)?top[,)])/;

/** Stands for a word that only running shows. */
const UNKNOWN = "\0";

function valuesOf(words: AnalyzedPart["git"][number]): string[] {
  return words.map(({ value = UNKNOWN }) => value);
}

/** The subcommand in words of git, and what stands behind it; of a setting before it nobody knows how long it is. */
function readTreeWords(given: AnalyzedPart["git"][number]) {
  const words = valuesOf(given);
  const read = readGitWords(words);
  const at = words.findIndex((word) => WRITES_TREE.has(word));
  const { words: [subcommand = "", ...behind], directories } = read ??
    { words: at < 0 ? [] : words.slice(at), directories: [] };
  return { subcommand, behind, directories };
}

/** Whether what git finds behind a subcommand may be a file, though it may be gone. */
async function isPathBelow(
  name: string,
  { directory, pathFacts }: { directory: string; pathFacts: PathFacts },
): Promise<boolean> {
  const path = resolve(directory, name);
  return pathFacts.exists(path) || (await pathFacts.trackedPaths([path], directory)).length > 0;
}

/** Whether a subcommand writes more than paths that it names. */
type WritesTree = (
  words: Words,
  isPath: (name: string) => Promise<boolean>,
) => boolean | Promise<boolean>;

const always = () => true;
/** Unless it only ends what was begun before, or shows it. */
const unlessEnded: WritesTree = ({ options }) =>
  !options.some((one) => /^--(?:quit|edit-todo|show-current-patch)(?:=|$)/.test(one));
const whereNamed = (pattern: RegExp): WritesTree => ({ names }) =>
  names.some((name) => pattern.test(name));

/** Options with which a branch begins, or HEAD is detached, where HEAD is. */
const KEEPS_HEAD =
  /^-(?:[bBcCdq]+|-create|-force-create|-detach|-quiet|-no-track|-(?:no-)?guess|-(?:no-)?progress)$/;
const BEGINS_BRANCH = /^-(?:[dq]*[bBcC]|-create|-force-create)$/;

/** Stays where HEAD is: `git switch -c x`. */
function staysAtHead({ options, names, before }: Words): boolean {
  const begins = before.some((word) => BEGINS_BRANCH.test(word));
  const [at = "HEAD", ...others] = begins ? names.slice(1) : names;
  return options.every((one) => KEEPS_HEAD.test(one)) && others.length === 0 &&
    /^(?:HEAD|@)$/.test(at);
}

const ofCheckout: WritesTree = async (words, isPath) => {
  const { options, names: [first, ...others], paths = [] } = words;
  if (paths.length > 0 || staysAtHead(words)) return false;
  if (first === undefined || options.some((one) => /^-(?:\w*[bBd]|-orphan|-detach)$/.test(one))) {
    return true;
  }
  // Behind a revision all are paths.
  const named = await Promise.all((others.length > 0 ? others : [first]).map(isPath));
  return !named.every(Boolean);
};

const ofStash: WritesTree = async ({ before, paths = [] }, isPath) => {
  const names = before.filter((word, at) =>
    !/^-./.test(word) && !/^-(?:\w*m|-message)$/.test(before[at - 1] ?? "")
  );
  const [first = "push", ...others] = names;
  if (!/^(?:push|save)$/.test(first)) return /^(?:apply|branch|pop)$/.test(first);
  return paths.length === 0 && !(await Promise.all(others.map(isPath))).some(Boolean);
};

/** The subcommands that do, by what stands behind them. */
const WRITES_TREE: ReadonlyMap<string, WritesTree> = new Map<string, WritesTree>([
  ["am", unlessEnded],
  ["bisect", ({ names: [first = "help"] }) => !/^(?:log|terms|help|view|visualize)$/.test(first)],
  ["checkout", ofCheckout],
  ["cherry-pick", unlessEnded],
  ["filter-branch", always],
  ["filter-repo", always],
  ["flow", always],
  ["lfs", whereNamed(/^(?:pull|checkout|migrate)$/)],
  ["merge", unlessEnded],
  ["pull", always],
  ["quiltimport", always],
  ["read-tree", ({ options }) => options.some((one) => /^-[a-z]*u|^--reset$/.test(one))],
  ["rebase", unlessEnded],
  ["reset", ({ options }) => options.some((one) => /^--(?:ha|me|k)/.test(one))],
  ["revert", unlessEnded],
  ["sparse-checkout", whereNamed(/^(?:add|disable|init|reapply|set)$/)],
  ["stash", ofStash],
  ["subtree", whereNamed(/^(?:add|merge|pull)$/)],
  ["switch", (words) => !staysAtHead(words)],
  ["town", always],
]);
