/**
 * What hooks of the workspace may leave in a repository for the user's own git to fall for: links, through which it
 * writes messages and logs to files elsewhere, and what a rebase goes on with that runs programs: steps and strategies.
 */
import { basename, dirname, join } from "node:path";
import { contains } from "../lib/contains.ts";
import { isMissing, tryLstat } from "../lib/fs.ts";
import { subcommandAt } from "./git_options.ts";
import { entriesOf, isNoText, kindOf } from "./inspect.ts";
import { NAME_ASIDE } from "../lib/set_aside.ts";
import { atRealPath, findReplaced, giveOtherName, setPathAside } from "./real_directory.ts";
import { looksLikeRepository } from "./repository_directories.ts";
import { readWords } from "./script_words.ts";

/** Directories and files in a repository that are looked at for links. */
const MAX_ENTRIES = 1_000_000;
/** Bytes of a list of steps. */
const MAX_BYTES = 8_000_000;
/** Where git keeps steps that are still to be done. */
const STEPS = ["rebase-merge/git-rebase-todo", "sequencer/todo"];
/** The strategies that git has itself: any other one is a program's name. */
const OWN_STRATEGY = /^(?:ort|recursive|resolve|octopus|ours|subtree|)$/;
/** A line as git writes it with options for the next steps. */
const STEP_OPTION =
  /^(?:|\[options\]|\t(?:allow-empty(?:-message)?|allow-ff|allow-rerere-auto|default-msg-cleanup|drop-redundant-commits|edit|gpg-sign|keep-redundant-commits|mainline|no-commit|record-origin|signoff|strategy-option) = [^"\\]*)$/;
const STEP_STRATEGY = /^\tstrategy = (.*)$/;
/** Options by which it applies patches to no other files than these name. */
const PATCH_OPTION =
  /^(?:-[pC]\d+|-3|--3way|--reject|--ignore-(?:space-change|whitespace)|--whitespace=[\w-]+|--(?:exclude|include)=.*|)$/;
/** Words as git quotes them. */
const QUOTED_WORDS = /^(?: |'[^']*'|\\['!])*$/;
/** Where it keeps how steps are carried out, and what of a line says more than git itself does unasked. */
const MANNERS: Readonly<Record<string, (line: string) => readonly string[]>> = {
  "rebase-merge/strategy": strangeStrategy,
  "sequencer/opts": (line) => {
    const strategy = STEP_STRATEGY.exec(line)?.[1];
    if (strategy !== undefined) return strangeStrategy(strategy);
    return STEP_OPTION.test(line) ? [] : [line];
  },
  "rebase-apply/apply-opt": (line) =>
    line.split(/[\s']+/).filter((option) => !PATCH_OPTION.test(option)),
  // Checked out by its name when a search for a commit ends.
  BISECT_START: (line) => line.startsWith("-") ? [line] : [],
  // Run as words of a shell by git before 2.40.
  BISECT_NAMES: (line) => QUOTED_WORDS.test(line) ? [] : [line],
};
/** A step that runs a program; what git takes for a blank, or for the end of its line, is left to it. */
const RUNS = /^[\s\0]*(?:exec|x(?![\w-]))([^]*)$/;
/** Subcommands that are given such steps, or strategies, and the options for that, also cut short. */
const GIVES_STEPS = /^(?:rebase|merge|pull|cherry-pick|revert)$/;
const GIVES_STEP = /^(?:-x|-s|--ex(?:ec?)?|--strat(?:egy?)?)$/;
const GIVES_WITH_STEP = /^(?:-[xs]|--ex(?:ec?)?=|--strat(?:egy?)?=)([^]+)$/;
/** Options of these whose value is another word. */
const VALUED =
  /^(?:-[a-zA-Z]*[mFXC]|--(?:message|file|onto|whitespace|strategy-option|cleanup|into-name|mainline|empty|log))$/;

/** What was there before a command. */
export interface PlantedBefore {
  /** Where links lead, by their paths. */
  readonly links: ReadonlyMap<string, string>;
  /** Whether there was too much to find all of them. @default false */
  readonly isCut?: boolean;
  /** Steps that run programs, and how steps are carried out. */
  readonly steps: ReadonlySet<string>;
}

/** Looks for links in repositories' own directories, and for steps in all directories of git's. */
export function lookForPlanted(
  own: readonly string[],
  directories: readonly string[],
): PlantedBefore {
  const steps = new Set<string>();
  for (const path of filesIn(directories, STEPS)) {
    for (const line of readSteps(path)?.filter((one) => RUNS.test(one)) ?? []) steps.add(line);
  }
  for (const path of filesIn(directories, Object.keys(MANNERS))) {
    for (const line of readSteps(path) ?? []) steps.add(line);
  }
  return { ...findLinks(own, directories), steps };
}

/**
 * Sets aside links that are new, of which git itself makes none, and lists with steps that are new, run programs, and are
 * not named by the words of the command; the list without them takes their place. Returns where they are now.
 */
export function setPlantedAside(
  before: PlantedBefore,
  { own, directories, named }: {
    own: readonly string[];
    directories: readonly string[];
    /** Programs and strategies that the words of the command give to git. */
    named: readonly string[];
  },
): string[] {
  const now = findLinks(own, directories);
  const links = [...now.links].flatMap(([path, target]) => {
    const isGits = own.includes(dirname(path)) && isBranch(path, target);
    if (before.links.get(path) === target || isGits) return [];
    if (isNoText(basename(path))) return [`${path} (its name is no text: do not run git there)`];
    // Up, where git follows nothing by that name.
    return giveOtherName(path, topOf(path, own)) ?? setPathAside(path);
  });
  const isKnown = (line: string) =>
    before.steps.has(line) || named.includes(RUNS.exec(line)?.[1]?.trim() ?? "");
  const isNew = (line: string) => !before.steps.has(line);
  const manners = directories.flatMap((directory) =>
    Object.entries(MANNERS).filter(([name, strange]) => {
      const path = join(directory, name);
      if (atRealPath(path, kindOf) === undefined) return false;
      const lines = readSteps(path)?.filter(isNew);
      return !lines || lines.flatMap(strange).some((manner) => !named.includes(manner));
    }).map(([name]) => join(directory, name))
  );
  const unseen = now.isCut && !before.isCut
    ? own.map((path) =>
      `${path} (it holds too much now to be looked through: do not run git there)`
    )
    : [];
  return [
    ...links,
    ...unseen,
    ...filesIn(directories, STEPS).flatMap((path) => setStepsAside(path, isKnown)),
    ...manners.flatMap((path) => setPathAside(path)),
  ];
}

/** The repository's own directory that a path lies in: that which working trees share, rather than theirs. */
export function topOf(path: string, own: readonly string[]): string {
  return own.filter((one) => contains(one, path)).sort((a, b) => a.length - b.length)[0] ?? path;
}

function filesIn(directories: readonly string[], names: readonly string[]): string[] {
  return directories.flatMap((directory) => names.map((name) => join(directory, name)));
}

function strangeStrategy(name: string): string[] {
  return OWN_STRATEGY.test(name) ? [] : [name];
}

/** Lines of a list; undefined if there is none that can be read. */
function readSteps(path: string): string[] | undefined {
  return atRealPath(path, (held) => {
    const { size = 0, nlink = 1 } = tryLstat(held) ?? {};
    // By a second name whatever git writes there would be steps.
    if (kindOf(held) !== "file" || size > MAX_BYTES || (nlink ?? 1) > 1) return undefined;
    try {
      return Deno.readTextFileSync(held).split("\n");
    } catch {
      return undefined;
    }
  });
}

function setStepsAside(path: string, isKnown: (line: string) => boolean): string[] {
  // A directory of git's, in which the list lies, is no link.
  const replaced = findReplaced(dirname(path), dirname(dirname(path)));
  if (replaced !== undefined) return setPathAside(replaced);
  if (atRealPath(path, kindOf) === undefined) return [];
  const lines = readSteps(path);
  const isStrange = (line: string) => RUNS.test(line) && !isKnown(line);
  if (lines && !lines.some(isStrange)) return [];
  const aside = setPathAside(path);
  if (!lines) return aside;
  const rest = lines.filter((line) => !isStrange(line)).join("\n");
  try {
    const write = (held: string) => Deno.writeTextFileSync(held, rest, { createNew: true });
    atRealPath(path, write, { writes: true });
  } catch {
    // It is told where it was.
  }
  return aside;
}

/** The programs that a command line gives to git as steps, and its strategies. */
export function namedSteps(argv: readonly string[]): string[] {
  return (readWords(argv)?.commands ?? []).flatMap((line) => {
    const words = line.map(({ value }) => value);
    const git = words.findIndex((word) => basename(word) === "git");
    if (git < 0) return [];
    const rest = words.slice(git + 1);
    const behind = rest.slice(subcommandAt(rest));
    if (!GIVES_STEPS.test(behind[0] ?? "")) return [];
    return behind.flatMap((word, at) => {
      if (at > 0 && VALUED.test(behind[at - 1]!)) return [];
      return GIVES_STEP.test(word) ? behind[at + 1] ?? [] : GIVES_WITH_STEP.exec(word)?.[1] ?? [];
    }).map((step) => step.trim());
  });
}

/** Where what has no name as a text may lead. */
const UNREADABLE = "?";
/** What makes a repository of a place to which links lead that git-annex makes. */
const IN_ANNEX = /\/annex\/objects\/(?:.*\/)?(?:HEAD|\.git)$/is;

/** Links below directories, by path, and what has no name as a text; none is followed. Objects of git's are left out. */
export function findLinks(
  own: readonly string[],
  directories: readonly string[],
): Pick<PlantedBefore, "links" | "isCut"> {
  const found = new Map<string, string>();
  const waiting = [...own];
  const objects = new Set(
    directories.filter(looksLikeRepository).map((path) => join(path, "objects")),
  );
  let count = 0;
  // Breadth first: the places that matter most are near the top.
  for (let at = 0; at < waiting.length && count < MAX_ENTRIES; at++) {
    const directory = waiting[at]!;
    const entries = entriesOf(directory);
    count += entries?.size ?? 0;
    for (const [name, kind] of entries ?? []) {
      const path = join(directory, name);
      if (isNoText(name) || IN_ANNEX.test(path)) found.set(path, UNREADABLE);
      // Of the objects themselves there are too many.
      const isSeen = !objects.has(directory) || name === "info" || name === "pack";
      if (kind === "directory" && isSeen) waiting.push(path);
      // What was set aside before.
      if (kind !== "link" || (own.includes(directory) && NAME_ASIDE.test(name))) continue;
      try {
        found.set(path, Deno.readLinkSync(path));
      } catch (error) {
        if (!isMissing(error)) found.set(path, UNREADABLE);
      }
    }
  }
  return count < MAX_ENTRIES ? { links: found } : { links: found, isCut: true };
}

/** Whether it is a HEAD as git can be told to write it. */
function isBranch(path: string, target: string): boolean {
  return basename(path) === "HEAD" && /^refs\/heads\/[\w./-]+$/.test(target) &&
    !target.split("/").includes("..");
}
