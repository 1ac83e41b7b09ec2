/**
 * Commands of git that rules on reading forbid: a repository holds more of a path than the file that is hidden, and
 * takes that for deleted.
 */
import { basename, isAbsolute, resolve } from "node:path";
import type { Access } from "../core/access.ts";
import { mayHoldContents } from "../core/git.ts";
import type { PathFacts } from "../core/path_facts.ts";
import { contains } from "../lib/contains.ts";
import type { AnalyzedPart } from "../shell/analyze.ts";
import { historyShown, type ShownHistory } from "./git_history.ts";
import { stagedBy } from "./git_staging.ts";
import { type Rules, ruleText } from "./rules.ts";

/** Why commands of git may not run, and by which rule, if it is one's. */
interface DeniedGit {
  readonly rule?: string;
  readonly why: string;
}

/** A part that may show what a repository's history holds: of some paths, or of any. */
interface ShowingPart {
  readonly part: AnalyzedPart;
  readonly shown: ShownHistory | true;
  /** Where git may begin; none if that is not known. */
  readonly directories: readonly string[];
}

/** What may show a history. */
interface HistoryOptions {
  readonly showing: readonly ShowingPart[];
  readonly pathFacts: PathFacts;
}

/**
 * Why commands of git may not run, or a file of git's not be read: they may show what a repository holds of a path, or, in a sandbox, would record as
 * deleted what that hides.
 */
export async function matchDeniedGit(
  rules: readonly Rules[],
  { access, parts = [], pathFacts, sandboxed }: {
    readonly access: Pick<Access, "kind" | "target">;
    /** Those of a command line. */
    readonly parts?: readonly AnalyzedPart[] | undefined;
    readonly pathFacts: PathFacts;
    readonly sandboxed: boolean;
  },
): Promise<DeniedGit | undefined> {
  if (access.kind === "read") return matchGitsFile(rules, { path: access.target, pathFacts });
  if (access.kind !== "run") return undefined;
  const showing = parts.flatMap((part) => {
    const shown = historyShown(part);
    if (shown === undefined) return [];
    const words = shown === true ? [] : shown.directories;
    return [{ part, shown, directories: beginnings(part.cwds, words, pathFacts) }];
  });
  const history = { showing, pathFacts };
  return await matchHistory(rules, history) ?? await matchSecretHistory(history) ??
    (sandboxed ? await matchStaging(rules, { parts, pathFacts }) : undefined);
}

/** Where git begins by the directories of `-C`, any of which may be a link, from each of some directories. */
export function beginnings(
  cwds: readonly string[],
  words: readonly string[],
  { locate }: Pick<PathFacts, "locate">,
): string[] {
  return cwds.map((cwd) =>
    words.reduce(
      (at, word) => locate(isAbsolute(word) ? word : `${at}/${word}`).absolute,
      locate(cwd).absolute,
    )
  );
}

/** Why a file of git's own may not be read: it may hold what a path held that may not. */
function matchGitsFile(
  rules: readonly Rules[],
  { path, pathFacts }: { readonly path: string; readonly pathFacts: PathFacts },
): DeniedGit | undefined {
  const [, inner = ""] = /^.*\/\.git(?:\/(.*))?$/is.exec(path) ?? [];
  if (inner !== "" && !mayHoldContents(inner)) return undefined;
  return rules.map((one) => matchKept(one, pathFacts)).find((denied) => denied !== undefined);
}

/** Why a command may not show what a repository holds of secret places that it tracks. */
async function matchSecretHistory(
  { showing, pathFacts }: HistoryOptions,
): Promise<DeniedGit | undefined> {
  // Most commands show none, and then no file is looked at.
  if (showing.length === 0) return undefined;
  const secrets = pathFacts.secretPlaces();
  for (const one of showing) {
    for (const directory of knownDirectories(one.directories, pathFacts)) {
      const tracked = await pathFacts.trackedPaths(secrets, directory);
      const shown = await findShown(tracked, one, pathFacts);
      if (shown === undefined) continue;
      return { why: `git's history holds ${shown}, which is a secret; ${NAME_OTHERS}` };
    }
  }
  return undefined;
}

/** Directories, or where ally began if there are none. */
export function knownDirectories(
  directories: readonly string[],
  { cwd }: Pick<PathFacts, "cwd">,
): readonly string[] {
  return directories.length > 0 ? directories : [cwd];
}

/** The first of some paths of which a part may show what the history holds. */
async function findShown(
  paths: readonly string[],
  { shown, directories }: ShowingPart,
  pathFacts: PathFacts,
): Promise<string | undefined> {
  const [first] = paths;
  if (first === undefined || shown === true) return first;
  const beginnings = await meantFrom(directories, pathFacts);
  const named = paths.find((path) =>
    shown.paths.some((name) => mayHold(path, { name, directories: beginnings }))
  );
  if (named !== undefined || shown.revisions.length === 0) return named;
  for (const directory of knownDirectories(directories, pathFacts)) {
    if (!await pathFacts.areCommits(shown.revisions, directory)) return first;
  }
  return undefined;
}

/** The directories from which paths may be meant where git begins in these; none if that is not known. */
async function meantFrom(
  directories: readonly string[],
  pathFacts: Pick<PathFacts, "namedTrees">,
): Promise<readonly string[]> {
  const trees = await namedTrees(directories, pathFacts);
  return trees === undefined ? [] : [...directories, ...trees];
}

/** What the model is told to do instead. */
const NAME_OTHERS = "name other files of a commit, as in git log -p -- FILE";

/** The rule that covers what a command may show of a repository's history. */
async function matchHistory(
  rules: readonly Rules[],
  { showing, pathFacts }: HistoryOptions,
): Promise<DeniedGit | undefined> {
  if (showing.length === 0) return undefined;
  for (const one of rules) {
    for (const part of showing) {
      const kept = await pathsKeptIn(part, one, pathFacts);
      const target = await findShown(kept, part, pathFacts);
      if (target === undefined) continue;
      const { rule, why } = forbids(one, target);
      return { rule, why: `${why}; ${NAME_OTHERS}` };
    }
  }
  return undefined;
}

function matchKept(rules: Rules, pathFacts: PathFacts): DeniedGit | undefined {
  const [target] = keptPaths(rules, pathFacts);
  return target === undefined ? undefined : forbids(rules, target);
}

/** What may not be read and may be in a repository's history. */
function keptPaths({ deny: { read } }: Rules, pathFacts: PathFacts): string[] {
  return Array.isArray(read) ? read.filter((path) => pathFacts.mayBeInHistory(path)) : [];
}

/** The same, or in that of the repositories in which a command begins: they may have working trees elsewhere. */
async function pathsKeptIn(
  { directories }: ShowingPart,
  rules: Rules,
  pathFacts: PathFacts,
): Promise<readonly string[]> {
  const { deny: { read } } = rules;
  const kept = keptPaths(rules, pathFacts);
  if (!Array.isArray(read) || kept.length === read.length) return kept;
  const trees = await namedTrees(directories, pathFacts);
  return read.filter((path) =>
    kept.includes(path) || (trees?.some((tree) => contains(tree, path)) ?? true)
  );
}

/** The working trees that repositories have elsewhere; undefined if it cannot be told which they are. */
async function namedTrees(
  directories: readonly string[],
  pathFacts: Pick<PathFacts, "namedTrees">,
): Promise<readonly string[] | undefined> {
  const trees = await Promise.all(directories.map((one) => pathFacts.namedTrees(one)));
  return trees.includes(undefined) ? undefined : trees.flatMap((some) => some ?? []);
}

function forbids(rules: Rules, target: string): Required<DeniedGit> {
  const rule = ruleText(rules, { verb: "deny", kind: "read", targets: [target] });
  return { rule, why: `${rule} forbids it: git's history may hold it` };
}

/** Whether what git calls by a name may be a path, or lie in it, or hold it. */
function mayHold(
  path: string,
  { name, directories }: { name: string; directories: readonly string[] },
): boolean {
  if (name.split("/").includes(basename(path)) || directories.length === 0) return true;
  const places = directories.map((directory) => resolve(directory, name));
  return places.some((place) => contains(path, place) || contains(place, path));
}

/** What the model is told to do instead. */
const STAGE_OTHERS =
  "and git would record it as deleted; name what to record, as in git add FILE && git commit -m TEXT";

/** Why a command may not record what is in a working tree of which the sandbox hides tracked files. */
async function matchStaging(
  rules: readonly Rules[],
  { parts, pathFacts }: {
    readonly parts: readonly AnalyzedPart[];
    readonly pathFacts: PathFacts;
  },
): Promise<DeniedGit | undefined> {
  const denied = rules.flatMap((one) =>
    Array.isArray(one.deny.read) ? one.deny.read.map((path) => ({ path, rules: one })) : []
  );
  const findHidden = () => [...denied.map(({ path }) => path), ...pathFacts.secretPlaces()];
  for (const part of parts) {
    const hidden = await findHiddenStaged(part, { findHidden, pathFacts });
    if (hidden === undefined) continue;
    const by = denied.find(({ path }) => path === hidden)?.rules;
    if (by === undefined) return { why: `the sandbox hides ${hidden}, ${STAGE_OTHERS}` };
    const rule = ruleText(by, { verb: "deny", kind: "read", targets: [hidden] });
    return { rule, why: `${rule} forbids it: the sandbox hides that, ${STAGE_OTHERS}` };
  }
  return undefined;
}

/** The first of hidden paths that a command would record as deleted. */
async function findHiddenStaged(
  part: AnalyzedPart,
  { findHidden, pathFacts }: { findHidden: () => readonly string[]; pathFacts: PathFacts },
): Promise<string | undefined> {
  const staging = stagedBy(part);
  if (staging === undefined) return undefined;
  const hidden = findHidden();
  const isKnown = part.cwds.length > 0;
  const cwds = knownDirectories(part.cwds, pathFacts);
  for (const directory of beginnings(cwds, staging.directories, pathFacts)) {
    const from = isKnown ? await meantFrom([directory], pathFacts) : [];
    const places = from.length === 0
      ? undefined
      : staging.paths?.flatMap((path) =>
        from.map((one) => pathFacts.locate(resolve(one, path)).absolute)
      );
    const reached = hidden.filter((path) =>
      places?.some((place) => contains(place, path) || contains(path, place)) ?? true
    );
    const [tracked] = await pathFacts.trackedPaths(reached, directory);
    if (tracked !== undefined) return tracked;
  }
  return undefined;
}
