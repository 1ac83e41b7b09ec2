/**
 * A repository that a command of git has just made could be written by others that ran beside it, or in the same list:
 * nothing protected what was not there yet. What git would run by it is set aside, by another name: hooks that the
 * workspace's own repository does not have, and settings beyond those that git itself makes.
 */
import { join } from "node:path";
import type { GitSetting } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { requireWrite, tryLstat } from "../lib/fs.ts";
import { hasStrangeSettings, keepOwnSettings } from "./git_settings.ts";
import {
  entriesOf,
  isAbsentOrEmpty,
  isNoText,
  kindOf,
  placesOnPath,
  readSmallFile,
} from "./inspect.ts";
import { atRealPath, giveOtherName, setPathAside } from "./real_directory.ts";
import { isBareRepository } from "./repository.ts";
import { ADDRESSES, CONFIGS } from "./repository_directories.ts";

/** Where the repository is, and what of others is trusted. */
interface FreshOptions {
  readonly roots: readonly string[];
  /** Directories of the workspace's own repositories, canonical: what they hold is not looked at. */
  readonly own: readonly string[];
  /** What the words of commands set. */
  readonly settings: readonly GitSetting[];
  /** Configurations as they were found to be in order, by their paths; those that are now are added. @default none */
  readonly reviewed?: Map<string, string>;
}

/** Sets aside what names programs in a directory of git's. Returns where it is now. */
export function disarmDirectory(directory: string, options: FreshOptions): string[] {
  const hooks = join(directory, "hooks");
  return [
    ...(hasStrangeHooks(hooks, options.own) ? setPathAside(hooks) : []),
    ...ADDRESSES.map((name) => join(directory, name)).filter((path) => !isAbsentOrEmpty(path))
      .flatMap((path) => setPathAside(path)),
    ...CONFIGS.flatMap((name) => disarmConfig(directory, { name, ...options })),
  ];
}

/** Whether there is something of the kind that would be set aside if the repository were new. */
export function namesPrograms(directory: string, { own, ...options }: FreshOptions): boolean {
  return hasStrangeHooks(join(directory, "hooks"), own) ||
    ADDRESSES.some((name) => !isAbsentOrEmpty(join(directory, name))) ||
    CONFIGS.some((name) => {
      const path = join(directory, name);
      if (kindOf(path) === undefined) return false;
      const text = readConfig(path);
      const judged = { ...options, directory, before: "", isMade: name === "config" };
      return text === undefined || hasStrangeSettings(text, judged);
    });
}

/** What a configuration says; undefined if it is none that git itself writes: no file, or a large one. */
function readConfig(path: string): string | undefined {
  if (kindOf(path) !== "file") return undefined;
  const text = readSmallFile(path);
  return text === "" && tryLstat(path)?.size !== 0 ? undefined : text;
}

/** Hooks that run, but for those that the workspace's own repository has as well: a template brought both. */
function hasStrangeHooks(hooks: string, own: readonly string[]): boolean {
  const kind = kindOf(hooks);
  if (kind === undefined) return false;
  const entries = kind === "directory" ? entriesOf(hooks) : undefined;
  if (entries === undefined) return true;
  return [...entries].some(([name, what]) => {
    if (name.endsWith(".sample")) return false;
    const text = what === "file" ? readSmallFile(join(hooks, name)) : "";
    return text === "" || !own.some((one) => readSmallFile(join(one, "hooks", name)) === text);
  });
}

/** Sets aside what stands where a configuration is read if it sets more than git itself does; the rest stays. */
function disarmConfig(
  directory: string,
  { name, reviewed, ...options }: FreshOptions & { name: string },
): string[] {
  const path = join(directory, name);
  if (kindOf(path) === undefined) return [];
  const text = readConfig(path);
  if (text === undefined) return setPathAside(path);
  const before = reviewed?.get(path) ?? "";
  const judged = { ...options, directory, before, isMade: name === "config" };
  // By a second name it could still be written.
  const names = tryLstat(path)?.nlink ?? 1;
  if (names <= 1 && !hasStrangeSettings(text, judged)) {
    reviewed?.set(path, text);
    return [];
  }
  const aside = setPathAside(path);
  const kept = keepOwnSettings(text, judged);
  if (kept === undefined) return aside;
  try {
    requireWrite(path);
    const write = (held: string) => Deno.writeTextFileSync(held, kept, { createNew: true });
    atRealPath(path, write, { writes: true });
    reviewed?.set(path, kept);
  } catch {
    // It is told where it was.
  }
  return aside;
}

/** Whether a place lies in some directories, and by no link that lies there and could get another end. */
export function isFirm(
  from: string,
  { text, within }: { readonly text: string; readonly within: readonly string[] },
): boolean {
  const isWithin = (path: string) => within.some((one) => contains(one, path));
  const places = placesOnPath(from, text);
  return isWithin(places.pop()!) && !places.some(isWithin);
}

/**
 * A repository as a whole gets a name by which git does not find it; whoever goes into what was a `.git` finds none
 * either. Returns where it is now.
 */
export function setAsideRepository(path: string): string[] {
  if (isNoText(path)) {
    return [`${path} (its name is no text, by which it cannot be moved: do not run git there)`];
  }
  if (isBareRepository(path)) return setPathAside(join(path, "HEAD"));
  const aside = setPathAside(path);
  for (const one of aside) if (kindOf(one) === "directory") giveOtherName(join(one, "HEAD"));
  return aside;
}
