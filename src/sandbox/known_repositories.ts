/**
 * The repositories that git obeys beside keys: those that are known, which no command can write meanwhile. Whatever
 * else looks like one may have been made by code of the workspace a moment ago.
 */
import { dirname, join } from "node:path";
import { contains } from "../lib/contains.ts";
import { tryLstat } from "../lib/fs.ts";
import { runProcess, withoutLoaders } from "../lib/process.ts";
import type { GitWithKeys } from "./running_commands.ts";
import { followPath, kindOf, placesOnPath } from "./inspect.ts";
import {
  directoryOf,
  findRepositories,
  gitDirectories,
  isBareRepository,
  sharedDirectory,
} from "./repository.ts";
import { CONFIGS, looksLikeRepository } from "./repository_directories.ts";
import { withHome } from "./script_words.ts";

/** Repositories that git is told of, one by one; more than anybody works in. */
const MAX_KNOWN = 200;
/** Milliseconds that git may take to refuse one. */
const TIMEOUT_MS = 5000;

/** By this git asks of every repository whether it is among the safe ones: as of 2.35.3 (2022), for its own tests. */
const ASK_ALWAYS = "GIT_TEST_ASSUME_DIFFERENT_OWNER";

/**
 * Variables and settings by which git obeys these working trees and no other. What is named as a repository it obeys:
 * submodules are for one, in which it would look for commits that it has just fetched.
 */
export function obeyOnly({ trees = [], obeys }: GitWithKeys): {
  readonly variables: Readonly<Record<string, string>>;
  readonly settings: readonly (readonly [name: string, value: string])[];
} {
  return {
    variables: { [ASK_ALWAYS]: "1" },
    // The empty one takes back what other files say.
    settings: [
      ...["", ...trees].map((tree) => ["safe.directory", tree] as const),
      ...(obeys === "any" ? [] : [["fetch.recurseSubmodules", "false"] as const]),
    ],
  };
}

/**
 * Working trees whose repositories are known: of the roots, below them, and of places elsewhere. As git itself would
 * have it, they are the user's own, or those that the user's settings call safe.
 */
export function knownTrees(
  { roots, nested, places, safe, isWritable, env }: {
    readonly roots: readonly string[];
    readonly nested: readonly string[];
    readonly places: readonly string[];
    readonly safe: readonly string[];
    /** Whether commands may write what is at a path, absolute. */
    readonly isWritable: (path: string) => boolean;
    readonly env: Readonly<Record<string, string>>;
  },
): string[] {
  const found = [
    ...roots.filter(looksLikeRepository),
    ...findRepositories([...roots, ...places]).map(({ tree }) => tree),
    ...nested.filter((path) => !isBareRepository(path)).map((path) => dirname(path)),
  ].filter((tree) => looksLikeRepository(tree) || isFirm(join(tree, ".git"), isWritable));
  const isSafe = (tree: string) =>
    safe.includes("*") || safe.includes(tree) ||
    [tree, join(tree, ".git")].every((path) => isOwned(path, env));
  const depth = (path: string) => path.split("/").length;
  return [...new Set(found)].filter(isSafe)
    .sort((one, other) => depth(one) - depth(other)).slice(0, MAX_KNOWN);
}

/** Whether nothing in a repository leads git to settings that commands may write; `dot` is its `.git`. */
function isFirm(dot: string, isWritable: (path: string) => boolean): boolean {
  if (leadsToWritable(dot, isWritable)) return false;
  const own = gitDirectories(dot);
  const directory = directoryOf(dot);
  // What does not say itself that it belongs to this tree is not kept from commands.
  if (directory === undefined || (own.length === 0 && isWritable(directory))) return false;
  return [directory, ...own].every((one) => {
    const shared = sharedDirectory(one);
    const isShared = shared !== undefined && (own.includes(shared) || !isWritable(shared));
    return (isShared || kindOf(join(one, "commondir")) === undefined) &&
      !CONFIGS.some((name) => leadsToWritable(join(one, name), isWritable));
  });
}

/** Whether it is a link that commands may give another end. */
function leadsToWritable(path: string, isWritable: (path: string) => boolean): boolean {
  if (kindOf(path) !== "link") return false;
  return placesOnPath("/", path).some(isWritable);
}

/** Whether what is at a path, if anything is, belongs to the user, or to the one who became root by sudo. */
function isOwned(path: string, { SUDO_UID }: Readonly<Record<string, string>>): boolean {
  const owner = tryLstat(path)?.uid ?? undefined;
  if (owner === undefined) return true;
  try {
    const user = Deno.uid();
    return owner === user || (user === 0 && String(owner) === SUDO_UID);
  } catch {
    // Deno does not say who that is; git itself has looked before.
    return true;
  }
}

/** The paths outside of these directories that words of a command line may name from there. */
export function placesNamed(
  text: string,
  { cwds, home }: { readonly cwds: readonly string[]; readonly home: string },
): string[] {
  const words = text.split(/[\s;|&<>()=,]+/)
    .map((word) => withHome(word, home))
    .filter((word) => /^[./][^:]*$/.test(word));
  return [...new Set(words)].flatMap((word) => cwds.map((cwd) => followPath(cwd, word)))
    .filter((path) => !cwds.some((cwd) => contains(cwd, path)));
}

/** Whether this git can be told so, tried on a repository that it would obey otherwise. */
export async function refusesUnknown(
  git: string,
  { tree, env }: { readonly tree: string; readonly env: Readonly<Record<string, string>> },
): Promise<boolean> {
  const { variables } = obeyOnly({ obeys: "known" });
  const { code } = await runProcess(
    [git, "-c", "safe.directory=", "-C", tree, "rev-parse", "--git-dir"],
    {
      cwd: "/",
      env: { ...withoutLoaders(env), ...variables },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      maxOutput: 1000,
      stderr: "drop",
    },
  );
  return code !== 0;
}
