/**
 * What a command of git may do to a repository, hooks and filters of the workspace can do too: they run in its sandbox.
 * So what git obeys there is compared before and after. What git does not write by itself, and no words of a command
 * name, gets another name, and what was there before is there again.
 */
import { basename, join } from "node:path";
import type { GitSetting } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { requireWrite, sha256, tryLstat } from "../lib/fs.ts";
import { disarmDirectory, isFirm, setAsideRepository } from "./fresh_repository.ts";
import { hasStrangeSettings, keepOwnSettings, type SettingsOptions } from "./git_settings.ts";
import { lookAtIndexes, setIndexesAside } from "./index_paths.ts";
import {
  contentStamp,
  identityOf,
  isNoText,
  kindOf,
  type PathKind,
  withoutLineEnds,
} from "./inspect.ts";
import { describeHooks, type Hook, readHooks, restoreHooks } from "./module_hooks.ts";
import { lookForPlanted, type PlantedBefore, setPlantedAside, topOf } from "./planted_files.ts";
import { atRealPath, findReplaced, judgeOrElse, setPathAside } from "./real_directory.ts";
import { namedInside, sharedDirectory } from "./repository.ts";
import {
  ADDRESSES,
  CONFIGS,
  type DirectoryUse,
  findDirectories,
  MAX_INNER,
  OBEYED_BY_OTHERS,
} from "./repository_directories.ts";
import { makeWhole, readHeads } from "./whole_repositories.ts";

/** Files that git itself hardly ever writes: they lead it to another configuration, or to programs of this one. */
const POINTERS = ["commondir", "gitdir", "info/attributes"];
/** Directories in which git finds what it obeys; it makes those that may come to be. */
const GITS_OWN = ["info", "modules", "worktrees"];
const DIRECTORIES = ["hooks", ...ADDRESSES, ...GITS_OWN];
/** Of each directory, what is compared. */
const WATCHED: Readonly<Record<DirectoryUse, readonly string[]>> = {
  own: [...DIRECTORIES, ...CONFIGS, ...POINTERS, ...OBEYED_BY_OTHERS],
  module: [...DIRECTORIES, ...CONFIGS, ...POINTERS],
  worktree: ["config.worktree", "commondir", "gitdir"],
};
/** Bytes of a file that is put back as it was, and of one that is known by its hash. */
const MAX_BYTES = 8_000_000;
const MAX_HASHED = 64_000_000;

/** What was at a path. */
export interface PathState {
  readonly kind: PathKind | undefined;
  /** Equal if it is the same: a file's content, where a link leads, the hooks in a directory. */
  readonly text: string;
  /** A file, to be put back. */
  readonly bytes?: Uint8Array;
  readonly mode?: number;
  /** How many names a file has that is put back: by another one it could be written. @default 1 */
  readonly names?: number;
  /** A submodule's hooks, to be put back. */
  readonly hooks?: readonly Hook[];
}

/** What is watched, in which directory of git's. */
export interface WatchedPath {
  readonly directory: string;
  readonly name: string;
  readonly state: PathState;
}

/** Repositories as they were before a command. */
export interface RepositoryState {
  /** Their directories, each with what it is on the disk. */
  readonly own: ReadonlyMap<string, string | undefined>;
  /** Directories of git's by what they are. */
  readonly directories: ReadonlyMap<string, DirectoryUse>;
  readonly watched: readonly WatchedPath[];
  readonly planted: PlantedBefore;
  /** Each index by its path: equal texts if it is the same. */
  readonly indexes: ReadonlyMap<string, string>;
  /** What stands in the HEAD of each repository, by its directory. */
  readonly heads: ReadonlyMap<string, string>;
}

/** What changes are judged by. */
interface ReviewOptions {
  readonly roots: readonly string[];
  /** What the words of commands set. */
  readonly settings: readonly GitSetting[];
  /** Whether the command may change configurations. */
  readonly config: boolean;
  /** Programs and strategies that the words of the command, or of all parts of a list, give to git as steps. */
  readonly named: readonly string[];
}

/** What a command may write. */
export interface WritableRepositories {
  /** Directories of git's, canonical. */
  readonly own: readonly string[];
  /** Directories in which git looks for hooks, as settings name them. @default none */
  readonly hooksPaths?: readonly string[] | undefined;
}

/** Looks at repositories before a command that may write them. */
export function lookAtRepositories(
  { own, hooksPaths }: WritableRepositories,
): RepositoryState {
  const directories = findDirectories(own);
  const planted = lookForPlanted(own, [...directories.keys()]);
  const look = ({ directory, name, use }: LookedAt) => stateOf(join(directory, name), use);
  const named = [...directories].flatMap(([directory, use]) =>
    namedInside(directory, hooksPaths).map((name) => ({
      directory,
      name,
      state: look({ directory, name, use }),
    }))
  );
  const watched = [...watchDirectories(directories, look), ...named];
  const identities = new Map(own.map((path) => [path, identityOf(path)]));
  const indexes = lookAtIndexes(directories.keys());
  const heads = readHeads(own);
  return { own: identities, directories, watched, planted, indexes, heads };
}

/** A place in a directory of git's. */
type LookedAt = Omit<WatchedPath, "state"> & { readonly use: DirectoryUse };

/** What is watched in all directories of git's, whatever their settings name, and how that is. */
export function watchDirectories(
  directories: ReadonlyMap<string, DirectoryUse>,
  look: (at: LookedAt) => PathState,
): WatchedPath[] {
  return [...directories].flatMap(([directory, use]) =>
    WATCHED[use].map((name) => ({ directory, name, state: look({ directory, name, use }) }))
  );
}

/** Whether what is called so is watched in every repository. */
export function isAlwaysWatched(name: string): boolean {
  return WATCHED.own.includes(name);
}

/** Those that are no longer where they were, by what they are on the disk. */
export function missingRepositories({ own }: RepositoryState): Set<string> {
  return new Set(
    [...own].flatMap(([path, id]) => id === undefined || identityOf(path) === id ? [] : [id]),
  );
}

/** The same repositories, of which some have another path now: by what they are on the disk. */
export function relocateRepositories(
  before: RepositoryState,
  found: ReadonlyMap<string, string>,
): RepositoryState {
  const moves = [...before.own].flatMap(([from, id]) => {
    const to = id === undefined ? undefined : found.get(id);
    return to === undefined ? [] : [{ from, to }];
  });
  const now = (path: string) => {
    const move = moves.find(({ from }) => contains(from, path));
    return move ? move.to + path.slice(move.from.length) : path;
  };
  const renamed = <T>(map: ReadonlyMap<string, T>) =>
    new Map([...map].map(([path, value]) => [now(path), value]));
  return {
    own: renamed(before.own),
    directories: renamed(before.directories),
    watched: before.watched.map((one) => ({ ...one, directory: now(one.directory) })),
    planted: { ...before.planted, links: renamed(before.planted.links) },
    indexes: renamed(before.indexes),
    heads: renamed(before.heads),
  };
}

/**
 * Undoes what a command was not to do, and what cannot be judged. Returns where what it left is now: it has another name,
 * or is gone again. Never throws.
 */
export function reviewRepositories(before: RepositoryState, options: ReviewOptions): string[] {
  try {
    return judgeOrElse(
      // Again, as links that are set aside may have stood for what makes one.
      () => [...review(before, options), ...makeWhole(before.heads)],
      () =>
        [...before.own.keys()].map((path) =>
          `What is in ${path} cannot be judged: do not run git there.`
        ),
    );
  } catch {
    // Where ally has given up looking it could change nothing either.
    return [];
  }
}

function review(before: RepositoryState, options: ReviewOptions): string[] {
  const changed = ({ directory, name, state }: WatchedPath) => {
    const use = before.directories.get(directory)!;
    const path = join(directory, name);
    const judged = { name, directory, was: state, use, ...options };
    return judgeOrElse(
      () => mayBecome(path, judged) ? [] : undo(path, keepOwn(path, judged)),
      () => undo(path, state),
    );
  };
  // What is mounted read-only stays, and may be changed by others.
  const watched = before.watched.filter(({ directory, name, state }) =>
    options.config || before.directories.get(directory) !== "own" || !isMounted(name, state)
  );
  const places = watched.filter(({ name }) => DIRECTORIES.includes(name));
  const files = watched.filter(({ name }) => !DIRECTORIES.includes(name));
  // First: behind a link in place of a directory nothing is git's.
  const undone = [
    ...setReplacedAside(before),
    ...makeWhole(before.heads),
    ...places.flatMap(changed),
    ...files.flatMap(changed),
  ];
  const own = [...before.own.keys()].filter(isDirectory);
  const after = findDirectories(own);
  const planted = { own, directories: [...after.keys()], named: options.named };
  const asides = [
    ...undone,
    ...setPlantedAside(before.planted, planted),
    ...setIndexesAside(before.indexes, after.keys()),
  ];
  // More than anybody has were made to hide one.
  if (after.size >= MAX_INNER && before.directories.size < MAX_INNER) {
    const inner = own.flatMap((one) => [join(one, "modules"), join(one, "worktrees")]);
    return [...asides, ...inner.flatMap((path) => setPathAside(path))];
  }
  const fresh = [...after].filter(([directory]) => !before.directories.has(directory));
  return [
    ...asides,
    ...fresh.flatMap(([directory, use]) =>
      judgeOrElse(
        () => reviewNew(directory, { use, own: [...before.own.keys()], ...options }),
        () => setAsideRepository(directory),
      )
    ),
  ];
}

/** The same for a directory of git's that was not there before: nothing in it is from before. */
export function reviewFresh(
  directory: string,
  { roots, settings }: Pick<ReviewOptions, "roots" | "settings">,
): string[] {
  const before: RepositoryState = {
    own: new Map([[directory, undefined]]),
    directories: new Map([[directory, "own"]]),
    watched: [],
    planted: { links: new Map(), steps: new Set() },
    indexes: new Map(),
    heads: new Map(),
  };
  return reviewRepositories(before, { roots, settings, config: true, named: [] });
}

/** Sets aside what stands now where a directory of git's was; all that would be read behind it is somebody else's. */
function setReplacedAside({ own, directories }: RepositoryState): string[] {
  return [...directories.keys()].flatMap((directory) => {
    const top = topOf(directory, [...own.keys()]);
    const replaced = findReplaced(directory, top);
    // Not beside its place: git follows what lies in `worktrees`, and clears it away.
    const place = replaced === top ? undefined : top;
    return replaced === undefined ? [] : setPathAside(replaced, place);
  });
}

function isDirectory(path: string): boolean {
  return atRealPath(path, kindOf) === "directory";
}

/** Whether the sandbox mounts it read-only in a repository whose configuration may not change. */
function isMounted(name: string, { kind }: PathState): boolean {
  return name !== "info" && name !== "info/attributes" && name !== "worktrees" &&
    (kind === "file" || kind === "directory");
}

/** What is judged, by what was there before. */
interface JudgedPath extends ReviewOptions {
  readonly name: string;
  readonly directory: string;
  readonly was: PathState;
  readonly use: DirectoryUse;
}

/** Whether what is at a path now may have come there by git itself, or by the words of commands. */
function mayBecome(
  path: string,
  { name, directory, was, use, config, ...options }: JudgedPath,
): boolean {
  const now = stateOf(path, use);
  if ((now.names ?? 1) > (was.names ?? 1)) return false;
  if (now.kind === was.kind && now.text === was.text) return true;
  const isNew = was.kind === undefined;
  const isGone = now.kind === undefined;
  if (isGone && (DIRECTORIES.includes(name) || !isDirectory(directory))) return true;
  if (name === "info" || name === "worktrees") return isNew && now.kind === "directory";
  if (name === "modules") return config && isNew && now.kind === "directory";
  if (name === "gitdir" && use === "worktree") return namesTree(now, { directory, ...options });
  // git makes empty ones, and the sandbox does.
  if (name === "hooks" || ADDRESSES.includes(name)) {
    return isNew && now.kind === "directory" && now.text === "";
  }
  if (!config || !isConfig(name, { was, now })) return false;
  return !hasStrangeSettings(now.text, settingsOptions({ name, directory, was, ...options }));
}

/** Whether git would find a working tree by it that lies in one of the roots, and by no link in them. */
function namesTree(
  { kind, text }: PathState,
  { directory, roots }: { directory: string; roots: readonly string[] },
): boolean {
  const path = withoutLineEnds(text);
  return kind === "file" && basename(path) === ".git" &&
    isFirm(directory, { text: path, within: roots });
}

/** Whether files that can be compared by their lines are there, or have come to be there. */
function isConfig(name: string, { was, now }: { was: PathState; now: PathState }): boolean {
  return CONFIGS.includes(name) && now.bytes !== undefined &&
    (was.kind === undefined || was.bytes !== undefined);
}

function settingsOptions(
  { name, directory, was, roots, settings }: Omit<JudgedPath, "use" | "config" | "named">,
): SettingsOptions {
  return { before: was.text, settings, directory, roots, isMade: name === "config" };
}

/** What was there, with the changes in it that were to be: those of git itself and of the words of commands. */
function keepOwn(path: string, { use, config, ...judged }: JudgedPath): PathState {
  const { name, was } = judged;
  const now = stateOf(path, use);
  if (!config || !isConfig(name, { was, now })) return was;
  const text = keepOwnSettings(now.text, settingsOptions(judged));
  if (text === undefined || text === "") return was;
  return {
    mode: now.mode ?? 0o644,
    ...was,
    kind: "file",
    text,
    bytes: new TextEncoder().encode(text),
  };
}

/** Sets aside what git would run by a directory of its own that a command made. */
function reviewNew(
  directory: string,
  { use, own, ...options }: Omit<ReviewOptions, "config" | "named"> & {
    use: DirectoryUse;
    own: readonly string[];
  },
): string[] {
  if (isNoText(directory)) return setAsideRepository(directory);
  if (use === "worktree") {
    const common = sharedDirectory(directory);
    const [back, sharing] = [
      stateOf(join(directory, "gitdir"), use),
      stateOf(join(directory, "commondir"), use),
    ];
    if (
      common === undefined || !own.includes(common) || back.names || sharing.names ||
      !namesTree(back, { directory, ...options })
    ) {
      // Git repairs what a record leads to even where it is no whole one.
      return [...setAsideRepository(directory), ...setPathAside(join(directory, "gitdir"))];
    }
  }
  const pointers = use === "module" ? POINTERS.map((name) => join(directory, name)) : [];
  return [
    ...disarmDirectory(directory, { ...options, own }),
    ...pointers.flatMap((path) => setPathAside(path)),
  ];
}

/** Gives what is at a path another name, and puts back what was there. */
function undo(path: string, state: PathState): string[] {
  const aside = setPathAside(path);
  putBack(path, state);
  return aside.length > 0 ? aside : [path];
}

/** Puts what was at a path there again, if nothing is. */
export function putBack(path: string, { kind, text, bytes, mode, hooks = [] }: PathState): void {
  try {
    requireWrite(path);
    if (bytes !== undefined) {
      const how = { createNew: true, ...(mode !== undefined && { mode }) };
      const write = (held: string) => Deno.writeFileSync(held, bytes, how);
      atRealPath(path, write, { create: true, writes: true });
    } else if (kind === "link") {
      atRealPath(path, (held) => Deno.symlinkSync(text, held), { writes: true });
    } else if (hooks.length > 0) restoreHooks(path, hooks);
  } catch {
    // It is told where it was.
  }
}

/** What is at a path; nothing where a directory above it is none. */
function stateOf(path: string, use: DirectoryUse): PathState {
  return atRealPath(path, (held) => stateAt(held, use)) ?? { kind: undefined, text: "" };
}

/** The same through links above it. */
export function stateAt(path: string, use: DirectoryUse): PathState {
  const kind = kindOf(path);
  if (kind === "directory") {
    // Hooks of the repository itself are mounted read-only.
    const isListed = ADDRESSES.includes(basename(path)) ||
      (use === "module" && !GITS_OWN.includes(basename(path)));
    if (!isListed) return { kind, text: "" };
    const hooks = readHooks(path);
    return { kind, text: describeHooks(hooks), hooks };
  }
  if (kind === undefined || kind === "other") return { kind, text: "" };
  const info = tryLstat(path);
  const { size = 0, mode, nlink: names } = info ?? {};
  try {
    if (kind === "link") return { kind, text: Deno.readLinkSync(path) };
    if (size <= MAX_BYTES) {
      const bytes = Deno.readFileSync(path);
      const text = new TextDecoder().decode(bytes);
      return { kind, text, bytes, mode: mode ?? 0o644, ...(names && names > 1 && { names }) };
    }
    if (size <= MAX_HASHED) return { kind, text: sha256(Deno.readFileSync(path)) };
  } catch {
    // What ally may not read is known by what it is.
  }
  return { kind, text: contentStamp(info) };
}
