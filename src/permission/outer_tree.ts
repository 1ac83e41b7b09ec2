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
    const writes = WRITES_TREE.get(subcommand);
    if (!writes || HELP.test(behind[0] ?? "")) continue;
    for (const directory of beginnings(knownDirectories(cwds, pathFacts), directories, pathFacts)) {
      if (makes && !pathFacts.exists(directory)) continue;
      const top = await pathFacts.outerTree(directory);
      if (top === undefined) continue;
      const where = { directory, pathFacts };
      if (isFed || await writes(sortWords(behind), where)) return { subcommand, top };
    }
  }
  return undefined;
}

/** Subcommands by which a working tree comes that was not there. */
const MAKES_TREE = /^(?:clone|init|submodule|worktree)$/;
const HELP = /^(?:-h|--help)$/;

/** Stands for a word that only running shows. */
const UNKNOWN = "\0";

function valuesOf(words: AnalyzedPart["git"][number]): string[] {
  return words.map(({ value, pattern = UNKNOWN }) => value ?? pattern);
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

/** Where a command of git runs. */
interface Where {
  /** Absolute. */
  readonly directory: string;
  readonly pathFacts: PathFacts;
}

/** What bash makes file names of, or git. */
const PATTERN = /[*?[]/;

/** Whether what git finds behind a subcommand may be a file, though it may be gone. */
async function isPathBelow(name: string, { directory, pathFacts }: Where): Promise<boolean> {
  const path = resolve(directory, name);
  return PATTERN.test(name) || pathFacts.exists(path) ||
    (await pathFacts.trackedPaths([path], directory)).length > 0;
}

/** A path that git begins at the top of the working tree. */
const FROM_TOP = /^:(?:\/|\((?:.*,)?top[,)])/;
/** One that it leaves out: where there are only such, it begins at the top, too. */
const LEAVES_OUT = /^:(?:[!^]|\((?:.*,)?exclude[,)])/;

/** Whether paths that git is given lie beyond the workspace, or may. */
function reachesBeyond(paths: readonly string[], { directory, pathFacts }: Where): boolean {
  if (paths.length > 0 && paths.every((path) => LEAVES_OUT.test(path))) return true;
  return paths.filter((path) => !LEAVES_OUT.test(path)).some((path) =>
    path.includes(UNKNOWN) || FROM_TOP.test(path) || (PATTERN.test(path) && /[:{]/.test(path)) ||
    !pathFacts.locate(resolve(directory, path)).inside
  );
}

/** Whether a subcommand writes the working tree beyond the workspace. */
type WritesTree = (words: Words, where: Where) => boolean | Promise<boolean>;

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

/** Paths from elsewhere. */
const PATHS_FROM_FILE = /^--pathspec-from-file(?:=|$)/;

const ofCheckout: WritesTree = async (words, where) => {
  const { options, names: [first, ...others], paths = [] } = words;
  if (options.some((one) => PATHS_FROM_FILE.test(one))) return true;
  if (paths.length > 0) return reachesBeyond(paths, where);
  if (staysAtHead(words)) return false;
  if (first === undefined || options.some((one) => /^-(?:\w*[bBd]|-orphan|-detach)$/.test(one))) {
    return true;
  }
  // Behind a revision all are paths.
  const named = others.length > 0 ? others : [first];
  const areBelow = await Promise.all(named.map((name) => isPathBelow(name, where)));
  return !areBelow.every(Boolean) || reachesBeyond(named, where);
};

/** Words that are no options and no values of those that fit. */
function namesWithout(option: RegExp, before: readonly string[]): string[] {
  return before.filter((word, at) => !/^-./.test(word) && !option.test(before[at - 1] ?? ""));
}

const ofStash: WritesTree = async ({ before, options, paths = [] }, where) => {
  const [first = "push", ...others] = namesWithout(/^-(?:\w*m|-message)$/, before);
  if (!/^(?:push|save)$/.test(first)) return /^(?:apply|branch|pop)$/.test(first);
  const areBelow = await Promise.all(others.map((name) => isPathBelow(name, where)));
  return paths.length === 0 && !areBelow.some(Boolean) ||
    options.some((one) => PATHS_FROM_FILE.test(one)) ||
    reachesBeyond([...others, ...paths], where);
};

/** Subcommands that write nothing but what they are given, unless one of these options fits. */
const ofPaths = (idle: RegExp): WritesTree => ({ before, options, paths = [] }, where) =>
  !options.some((one) => idle.test(one)) &&
  (options.some((one) => PATHS_FROM_FILE.test(one)) ||
    reachesBeyond([...namesWithout(/^-(?:s|-source|e|-exclude)$/, before), ...paths], where));

const ofRestore: WritesTree = (words, where) => {
  const { options } = words;
  const onlyIndex = options.some((one) => /^-(?:S|-staged)$/.test(one)) &&
    !options.some((one) => /^-(?:\w*W|-worktree)/.test(one));
  return !onlyIndex && ofPaths(/^$/)(words, where);
};

function withoutLeftOut(words: Words): Words {
  const keep = (some: readonly string[]) => some.filter((word) => !LEAVES_OUT.test(word));
  return { ...words, before: keep(words.before), paths: keep(words.paths ?? []) };
}

/** The subcommands that do, by what stands behind them. */
const WRITES_TREE: ReadonlyMap<string, WritesTree> = new Map<string, WritesTree>([
  ["am", unlessEnded],
  ["bisect", ({ names: [first = "help"] }) => !/^(?:log|terms|help|view|visualize)$/.test(first)],
  ["checkout", ofCheckout],
  ["cherry-pick", unlessEnded],
  // What it leaves out it leaves out of the directory where it runs, as does rm.
  ["clean", (words, where) => ofPaths(/^-(?:\w*n|-dry-run)/)(withoutLeftOut(words), where)],
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
  ["restore", ofRestore],
  ["revert", unlessEnded],
  ["rm", (words, where) => ofPaths(/^-(?:\w*n|-dry-run|-cached)$/)(withoutLeftOut(words), where)],
  ["sparse-checkout", whereNamed(/^(?:add|disable|init|reapply|set)$/)],
  ["stash", ofStash],
  ["subtree", whereNamed(/^(?:add|merge|pull)$/)],
  ["switch", (words) => !staysAtHead(words)],
  ["town", always],
]);
