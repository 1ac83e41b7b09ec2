/**
 * How git's own directories are mounted. What lies in them decides which programs git runs later, outside
 * of the sandbox: so commands only read them, and where a command is git itself and may write, hooks and
 * configuration still stay as they are.
 */
import { basename, dirname, join, relative, sep } from "node:path";
import { contains, directoriesAbove } from "../lib/contains.ts";
import {
  entriesOf,
  followPath,
  isEmpty,
  isNoText,
  kindOf,
  linksIn,
  mayCreateIn,
  readPointer,
  readSmallFile,
  realPath,
  withoutLineEnds,
} from "./inspect.ts";
import { readSettings } from "./git_settings.ts";
import type { Mount } from "./mount.ts";
import { CONFIGS, looksLikeRepository, OBEYED_BY_OTHERS } from "./repository_directories.ts";

/** What a command may do to a repository. */
interface Access {
  /** Whether the content of the repository may change. */
  readonly content: boolean;
  /** Whether its configuration may change too. */
  readonly config: boolean;
  /** Directories in which git looks for hooks, as settings name them. */
  readonly hooksPaths: readonly string[];
}

/** The same, with the workspace around it. */
interface AccessInRoots extends Access {
  readonly roots: readonly string[];
}

/**
 * The mounts for the repositories of the workspace; `nested` are those below its roots, and stay where they are if they
 * are pinned.
 */
export function repositoryMounts(
  roots: readonly string[],
  { nested, isPinned = false, ...allowed }: Access & {
    readonly nested: readonly string[];
    readonly isPinned?: boolean | undefined;
  },
): Mount[] {
  const access = { ...allowed, roots };
  return roots.flatMap((root) => {
    const mounts = nested.filter((path) => path !== join(root, ".git") && contains(root, path))
      .flatMap((path) => [
        ...nestedMounts(path, { root, access }),
        ...commonMounts(path, { root, access }),
      ])
      .map((mount): Mount => ({ ...mount, isMovable: !isPinned }));
    const found = findDotGit(root);
    // What a command makes here must not become a repository: its hooks would run outside. Where nothing can be
    // made, as in a bare repository, the sandbox cannot make the place for it either.
    const mayMake = !access.content && !nested.includes(root) && mayCreateIn(root);
    if (found !== join(root, ".git") && mayMake) {
      mounts.push({ kind: "empty", path: join(root, ".git"), isPlaceholder: true });
    }
    return found === undefined ? mounts : [...mounts, ...gitMounts(found, access)];
  });
}

/** The mounts for a repository below a root, of which nothing outside of that is shown or opened. */
function nestedMounts(
  path: string,
  { root, access }: { root: string; access: AccessInRoots },
): Mount[] {
  if (isBareRepository(path)) {
    return access.content
      ? [{ kind: "writable", path }, ...protectedMounts(path, access)]
      : closedMounts(path, access);
  }
  const isGits = access.content && isTreePointer(path);
  const mounts = isGits
    ? treeMounts(path, access)
    : kindOf(path) === "link"
    ? []
    : gitMounts(path, access);
  const target = realPath(path);
  const linked: Mount[] = !isGits && mounts.length === 0 && target !== undefined
    ? closedMounts(target, access)
    : mounts;
  return linked.filter((mount) => isBelow(root, mount.path));
}

/** The mounts for what a repository shares with others, where that has no HEAD and so is not found as one itself. */
function commonMounts(
  path: string,
  { root, access }: { root: string; access: AccessInRoots },
): Mount[] {
  const [, common] = obeyedDirectories(path) ?? [];
  if (common === undefined || !isBelow(root, common) || looksLikeRepository(common)) return [];
  return access.content ? protectedMounts(common, access) : closedMounts(common, access);
}

/** Bytes of the longest name that a file can have. */
const MAX_NAME_BYTES = 255;

/**
 * What repositories of the roots, and below them, name as shared with others, or have a link to, and is not there: git
 * would obey what is made there.
 */
export function missingPlaces(roots: readonly string[], nested: readonly string[]): string[] {
  const directories = [
    ...roots.flatMap(repositoryDirectories),
    ...nested.flatMap((path) => directoryOf(path) ?? []),
  ];
  return [...new Set(directories)].flatMap((directory) => {
    const common = readPointer(join(directory, "commondir"));
    const linked = linksIn(directory).filter((path) => isObeyed(basename(path)));
    return [...linked, ...common ? [common] : []].map((path) => followPath(directory, path));
  }).filter((path) => kindOf(path) === undefined && !isNoText(path) && isMakeable(path));
}

function isMakeable(path: string): boolean {
  const encoder = new TextEncoder();
  return path.split("/").every((name) => encoder.encode(name).length <= MAX_NAME_BYTES);
}

/** Whether it is the `.git` of a submodule or of a further working tree, which git moves and removes with that. */
function isTreePointer(path: string): boolean {
  return !isBareRepository(path) && kindOf(path) === "file";
}

/**
 * The mounts for a tree whose `.git` git itself may take away. With the power over configurations it removes a further
 * working tree's own directory too; hooks there are obeyed by nobody.
 */
function treeMounts(dot: string, access: AccessInRoots): Mount[] {
  return gitDirectories(dot).flatMap((path): Mount[] =>
    access.config && sharedDirectory(path) !== undefined
      ? []
      : [{ kind: "writable", path }, ...protectedMounts(path, access)]
  );
}

/** Whether a repository, or its own directory, is no `.git`: then git works on it where it stands. */
export function isBareRepository(path: string): boolean {
  return basename(path) !== ".git";
}

/** The directories, canonical, that a command may write which may write repositories. */
export function writableDirectories(
  roots: readonly string[],
  nested: readonly string[],
): string[] {
  const below = roots.flatMap((root) =>
    nested.filter((path) => contains(root, path))
      .flatMap((path) =>
        isBareRepository(path) ? [path] : kindOf(path) === "link" ? [] : gitDirectories(path)
      )
      .filter((path) => contains(root, path) && path !== root)
  );
  return [
    ...new Set([...findRepositories(roots).flatMap(({ directories }) => directories), ...below]),
  ];
}

/**
 * The hooks that a repository has in a place, absolute; `directory` is git's own, in that working tree, and `named` are
 * directories of hooks that other settings name.
 */
export function activeHooks(
  directory: string,
  { workTree, named }: { readonly workTree: string; readonly named: readonly string[] },
): string[] {
  return [
    join(directory, "hooks"),
    configuredHooks(directory, workTree),
    ...named.map((path) => realPath(followPath(workTree, path)) ?? ""),
  ]
    .filter((path, at, all) => path !== "" && all.indexOf(path) === at)
    .flatMap((path) => [...entriesOf(path) ?? []].map(([name]) => join(path, name)))
    .filter((path) => /^[a-z-]+$/.test(basename(path)) && kindOf(path) !== "directory");
}

/** The directory of hooks that a file of git's settings names, as it stands there. */
export function readHooksPath(config: string): string | undefined {
  return valueIn(config, "hookspath");
}

/** The value of the last setting with a key, in lower case, whatever its section, even where git reads a file otherwise. */
function valueIn(config: string, key: string): string | undefined {
  const line = readSmallFile(config).split("\n").map((one) => one.trim())
    .findLast((one) => /^[a-z][\w-]*/i.exec(one)?.[0].toLowerCase() === key && one.includes("="));
  const value = line?.slice(line.indexOf("=") + 1).trim().replaceAll('"', "");
  return value === "" ? undefined : value;
}

/** What makes a directory with a HEAD a repository in git's eyes: the first alone, or the others together. */
const MAKES_REPOSITORY = /^(?:commondir|objects|refs)$/i;

/**
 * Whether a file lies in a directory that git takes for a repository's own where it comes upon it, or for what others
 * share, or makes it one, as its HEAD does; of directories within these roots.
 */
export function belongsToGit(path: string, roots: readonly string[]): boolean {
  if (/^HEAD$/i.test(basename(path))) return true;
  return directoriesAbove(path).filter((one) => roots.some((root) => contains(root, one)))
    .some((directory) => {
      const first = relative(directory, path).split(sep)[0] ?? "";
      const has = (name: string) =>
        first.toLowerCase() === name || kindOf(join(directory, name)) !== undefined;
      return (has("objects") && has("refs")) ||
        (kindOf(join(directory, "HEAD")) !== undefined &&
          (MAKES_REPOSITORY.test(first) || has("commondir")));
    });
}

/** The directory of hooks that a repository names, or "". */
export function configuredHooks(directory: string, workTree: string): string {
  const named = readHooksPath(join(directory, "config"));
  return named === undefined ? "" : realPath(followPath(workTree, named)) ?? "";
}

/** A repository that a root lies in. */
export interface Repository {
  /** Its `.git`, links resolved. */
  readonly dot: string;
  /** The working tree in which git finds it. */
  readonly tree: string;
  /** The directory that this is or names, and the one that it shares with other working trees. */
  readonly directories: readonly string[];
}

/** The repositories that roots lie in. */
export function findRepositories(roots: readonly string[]): Repository[] {
  return roots.flatMap((root) => {
    const dot = findDotGit(root);
    return dot === undefined ? [] : [{
      dot: realPath(dot) ?? dot,
      tree: dirname(dot),
      directories: gitDirectories(dot),
    }];
  });
}

/** The directories, canonical, in which the repository of a working tree keeps what it knows; none if it has none. */
export function repositoryDirectories(root: string): readonly string[] {
  return findRepositories([root]).flatMap(({ directories }) => directories);
}

/** `.git` of the nearest directory from `root` upwards that has one. */
function findDotGit(root: string): string | undefined {
  for (let directory = root;; directory = dirname(directory)) {
    const path = join(directory, ".git");
    if (isRepository(path)) return path;
    if (dirname(directory) === directory) return undefined;
  }
}

/** An empty directory is none: only a sandbox whose ally was killed leaves one. */
function isRepository(path: string): boolean {
  const kind = kindOf(path);
  return kind !== undefined && !(kind === "directory" && isEmpty(path));
}

/**
 * A directory that is a mount of its own cannot be renamed, nor what is mounted in it: binding the hooks
 * alone would be undone by moving `.git` away.
 */
function gitMounts(dot: string, access: AccessInRoots): Mount[] {
  const directories = gitDirectories(dot);
  // Nothing can be mounted on a link, but on what it leads to.
  const itself: Mount[] = kindOf(dot) === "link" ? [] : [{ kind: "readonly", path: dot }];
  if (!access.content) {
    return [...itself, ...directories.flatMap((path) => closedMounts(path, access))];
  }
  return [
    ...itself,
    ...directories.map((path): Mount => ({ kind: "writable", path })),
    ...directories.flatMap((path) => protectedMounts(path, access)),
  ];
}

/**
 * The directory that `.git` is or names, and the one it shares with other working trees. A name is only
 * words in a file: a place counts if it is a repository's and says itself that it belongs to this tree. Of a link, it
 * counts if it is a repository's and lies in the tree: anybody can make one that leads elsewhere.
 */
export function gitDirectories(dot: string): string[] {
  const directory = directoryOf(dot);
  if (directory === undefined || kindOf(directory) !== "directory") return [];
  const kind = kindOf(dot);
  if (kind === "file" && !belongsTo(directory, dot)) return [];
  if (kind === "link" && !(isBelow(dirname(dot), directory) && looksLikeRepository(directory))) {
    return [];
  }
  const common = sharedDirectory(directory);
  const shares = common !== undefined && dirname(directory) === join(common, "worktrees") &&
    looksLikeRepository(common);
  return [...new Set([directory, ...(shares ? [common] : [])])];
}

function isBelow(directory: string, path: string): boolean {
  return path !== directory && contains(directory, path);
}

/** The directory, canonical, that `.git` is or names; undefined if it is none. */
export function directoryOf(dot: string): string | undefined {
  return kindOf(dot) === "file" ? directoryNamed(dot, readSmallFile(dot)) : realPath(dot);
}

/** The same of a file with a text. */
export function directoryNamed(dot: string, text: string): string | undefined {
  const named = /^gitdir: (.+)$/s.exec(withoutLineEnds(text))?.[1];
  return named === undefined ? undefined : realPath(followPath(dirname(dot), named));
}

/**
 * The directories whose settings git obeys in a repository, whatever else stands there; undefined if nobody can tell which
 * they are.
 */
export function obeyedDirectories(path: string): string[] | undefined {
  const directory = directoryOf(path);
  if (directory === undefined) return isNoText(path + readSmallFile(path)) ? undefined : [];
  if (kindOf(join(directory, "commondir")) === undefined) return [directory];
  const common = sharedDirectory(directory);
  return common === undefined ? undefined : [directory, common];
}

/** The directory, canonical, that a repository's own names as shared with other working trees. */
export function sharedDirectory(directory: string): string | undefined {
  const shared = readPointer(join(directory, "commondir"));
  return shared === undefined ? undefined : realPath(followPath(directory, shared));
}

/** Whether a repository's directory names this tree: as a working tree, or as a submodule. */
function belongsTo(directory: string, dot: string): boolean {
  if (kindOf(join(directory, "HEAD")) !== "file") return false;
  const back = readPointer(join(directory, "gitdir"));
  if (back !== undefined) return realPath(followPath(directory, back)) === realPath(dot);
  const tree = valueIn(join(directory, "config"), "worktree");
  return tree !== undefined && realPath(followPath(directory, tree)) === realPath(dirname(dot));
}

/** What git keeps for itself in a directory of its own, and writes. */
const KEPT_BY_GIT =
  /^(?:objects|refs|logs|worktrees|modules|lfs|annex|rr-cache|HEAD|index|config(?:\.worktree)?|packed-refs|[A-Z]+_[A-Z]+)(?:\/|$)/;
/** A word of a command line, with blanks in it where it is quoted. */
const SHELL_WORD = /(?:\\.|"[^"]*"|'[^']*'|[^\s"'\\])+/g;
/** Settings by which programs write what they name. */
const NAMES_DATA = /^(?:credential|remote|branch|submodule|lfs)\./;

/**
 * What settings of a repository, or others of hooks, name in a directory of git's, there or not, as it is called in that:
 * hooks, further settings, programs. Of several parts of a path the first counts, which cannot be renamed then.
 */
export function namedInside(directory: string, hooksPaths: readonly string[] = []): string[] {
  const settings = CONFIGS.flatMap((name) => readSettings(readSmallFile(join(directory, name))));
  const [, tree = ".."] = settings.find(([name]) => name === "core.worktree") ?? [];
  const hooks = hooksPaths.map((path) => ["core.hookspath", path] as const);
  const named = [...settings, ...hooks].filter(([name]) => !NAMES_DATA.test(name))
    .flatMap(([name, value]) => {
      const from = name.startsWith("include") ? directory : followPath(directory, tree);
      const quoted = value.match(SHELL_WORD)?.map((word) => word.replace(/\\(.)|["']/g, "$1")) ??
        [];
      return [value, ...quoted, ...value.split(/[\s"'=;|&()<>]+/)].filter((word) => word !== "")
        .map((word) => relative(directory, followPath(from, word)))
        .map((path) => path.startsWith("info/") ? path : path.split(sep)[0]!);
    });
  return [...new Set(named)].filter((path) =>
    path !== "" && path !== "hooks" && !path.startsWith("..") && !KEPT_BY_GIT.test(path)
  );
}

/** What git obeys in each directory of its own, and what leads it to that. */
const OBEYED = ["hooks", ...OBEYED_BY_OTHERS];
const LEADING = ["config", "config.worktree", "modules", "commondir", "gitdir"];
const isObeyed = (name: string) => OBEYED.includes(name) || LEADING.includes(name);

/** The mounts for a directory of git's of which nothing may change, nor what it has links to. */
function closedMounts(directory: string, access: AccessInRoots): Mount[] {
  const linked = linksIn(directory).flatMap((path) => linkedMounts(path, access));
  return [{ kind: "readonly", path: directory }, ...linked];
}

/** What names programs in a repository's directory, or where else to look for such names. */
function protectedMounts(directory: string, access: AccessInRoots): Mount[] {
  const { config, hooksPaths } = access;
  const names = [...OBEYED, ...namedInside(directory, hooksPaths), ...(config ? [] : LEADING)];
  return names.flatMap((name): Mount[] => {
    const path = join(directory, name);
    const kind = kindOf(path);
    if (kind === "link") return linkedMounts(path, access);
    if (kind !== undefined) return [{ kind: "readonly", path }];
    return name === "hooks" && mayCreateIn(directory) ? [{ kind: "empty", path }] : [];
  });
}

/** Nothing can be mounted on a link, but on what it leads to in the workspace, where that could be written. */
function linkedMounts(path: string, { roots }: AccessInRoots): Mount[] {
  const target = realPath(path);
  return target !== undefined && roots.some((root) => isBelow(root, target))
    ? [{ kind: "readonly", path: target }]
    : [];
}
