/**
 * What git keeps of files beside the files themselves: it is hidden with them, wherever links or other repositories have
 * it lie.
 */
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { mayHoldContents } from "../core/git.ts";
import type { SandboxPolicy } from "../core/sandbox.ts";
import { contains, directoriesAbove } from "../lib/contains.ts";
import { tryLstat } from "../lib/fs.ts";
import { DiskView } from "./disk_view.ts";
import {
  entriesOf,
  followPath,
  isNoText,
  kindOf,
  linksIn,
  placesOnPath,
  readSmallFile,
  realPath,
} from "./inspect.ts";
import type { Mount } from "./mount.ts";
import { namedTrees } from "./named_trees.ts";
import {
  configuredHooks,
  findRepositories,
  gitDirectories,
  obeyedDirectories,
  type Repository,
} from "./repository.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";

/** Where a directory of objects names others. */
const ALTERNATES = "info/alternates";

/** A repository that may hold what paths held. */
type HoldingRepository = Pick<Repository, "tree" | "directories">;

/**
 * What keeps commands from reading hidden paths in the history of a repository that holds one. A command that sees the
 * history runs no hooks: they are code that could print it. Any other one leaves the index as it is: nobody has judged
 * whether it would note there that hidden paths were deleted.
 * @throws {Error} it cannot be told where something lies that is to be hidden
 */
export function historyMounts(
  { hidden = [], history = false }: Pick<SandboxPolicy, "hidden" | "history">,
  { roots, nested }: Pick<SandboxPaths, "roots" | "nested">,
): Mount[] {
  if (hidden.length === 0) return [];
  const known = [...findRepositories(roots()).map(({ dot }) => dot), ...nested()];
  const holding = [...repositoriesHolding(hidden), ...repositoriesNaming(hidden, known)];
  return holding.flatMap(({ tree, directories }) => {
    const own = directories.flatMap((directory) =>
      history
        ? [join(directory, "hooks"), configuredHooks(directory, tree)].flatMap(whereTo)
        : placesOfContents(directory)
    );
    const index = history
      ? []
      : directories.flatMap((directory) => whereTo(join(directory, "index")));
    return [
      ...own.flatMap((path): Mount[] => {
        const kind = kindOf(path);
        if (kind === "directory") return [{ kind: "empty", path }];
        return kind === "file" ? [{ kind: "blank", path }] : [];
      }),
      ...index.filter((path) => kindOf(path) === "file")
        .map((path): Mount => ({ kind: "readonly", path })),
    ];
  });
}

/**
 * The repositories that may hold what paths held: those in whose working trees they lie, whatever lies between.
 * @throws {Error} it cannot be told which one git obeys in such a tree
 */
export function repositoriesHolding(
  paths: readonly string[],
  disk = new DiskView(),
): HoldingRepository[] {
  const places = paths.flatMap((path) => [path, disk.realPath(path) ?? path]);
  const trees = new Set(places.flatMap(directoriesAbove));
  return [...trees].filter((tree) => disk.has(join(tree, ".git"))).map((tree) => {
    const dot = join(tree, ".git");
    // What it names may change.
    if (kindOf(dot) === "file") disk.watch(tree);
    return { tree, directories: directoriesIn(dot) };
  });
}

/**
 * Those of known repositories that may hold what paths held because their settings name a working tree in which these
 * lie, or may name any.
 */
function repositoriesNaming(
  paths: readonly string[],
  known: readonly string[],
): HoldingRepository[] {
  return known.flatMap((dot) => {
    const trees = namedTrees(obeyedIn(dot)) ?? ["/"];
    const tree = trees.find((one) => holds(one, paths));
    return tree === undefined ? [] : [{ tree, directories: directoriesIn(dot) }];
  });
}

/** Whether some paths lie in a directory, as they are called or where they lead. */
function holds(directory: string, paths: readonly string[]): boolean {
  return paths.some((path) =>
    contains(directory, path) || contains(directory, realPath(path) ?? path)
  );
}

/** Milliseconds for which a walk through a large tree need not ask again. */
const MOMENT_MS = 500;

/**
 * Tells of paths whether they are what git keeps of files in a directory of its own whose settings name a working tree with
 * one of some paths, wherever that directory lies.
 */
export function keptElsewhereFinder(paths: readonly string[]): (path: string) => boolean {
  let [known, until] = [new Map<string, readonly string[]>(), 0];
  return (path) => {
    const now = Date.now();
    if (now > until) [known, until] = [new Map(), now + MOMENT_MS];
    const parent = dirname(path);
    const around = known.get(parent) ??
      [parent, ...directoriesAbove(parent)].filter((one) =>
        existsSync(join(one, "objects")) &&
        (namedTrees([one]) ?? ["/"]).some((tree) => holds(tree, paths))
      );
    known.set(parent, around);
    return around.some((directory) => isContentOf(directory, path));
  };
}

/** The directories in which a repository keeps what it knows, by its `.git` or its own directory. */
function directoriesIn(dot: string): string[] {
  const [own = dot, common = own] = obeyedIn(dot);
  const has = (path: string) => kindOf(path) !== undefined;
  // Even one that does not say itself that it belongs to this tree: git takes the words of `.git` for it.
  const isOne = has(join(own, "HEAD")) &&
    ["objects", "refs"].every((one) => has(join(common, one)));
  return [...new Set([...gitDirectories(dot), ...isOne ? [own, common] : []])];
}

function obeyedIn(dot: string): readonly string[] {
  const obeyed = obeyedDirectories(dot);
  if (obeyed === undefined) throw cannotHide(dot);
  return obeyed;
}

/** Whether a path in one of git's directories may hold what files held; not one of a working tree that lies there. */
export function isContentOf(directory: string, path: string): boolean {
  const inner = relative(directory, path);
  const [first = ""] = inner.split(sep);
  return first !== "" && first !== ".." && mayHoldContents(inner) &&
    kindOf(join(directory, first, ".git")) === undefined;
}

/**
 * Where what lies that git keeps of files in one of its directories, in those that this has for working trees, and with
 * those whose objects it borrows: canonical, so that links do not matter.
 * @throws {Error} that cannot be told
 */
export function placesOfContents(directory: string): string[] {
  const found = [...contentsIn(directory), ...storesLentTo(join(directory, "objects"))];
  const linked = found.flatMap((path) => [...linksIn(path), ...linksIn(join(path, "pack"))]);
  return [...new Set([...found, ...linked].flatMap(whereTo))];
}

/** What in a directory of git's, and in those that it keeps for working trees, may hold contents of files. */
function contentsIn(directory: string): string[] {
  const names = [...entriesOf(directory)?.keys() ?? []].filter((name) => name !== "worktrees");
  const trees = [...entriesOf(join(directory, "worktrees"))?.keys() ?? []]
    .map((name) => join(directory, "worktrees", name));
  return [
    ...names.map((name) => join(directory, name)).filter((path) => isContentOf(directory, path)),
    ...trees.flatMap(contentsIn),
  ];
}

/** Where a path leads, if anywhere. */
function whereTo(path: string): string[] {
  if (isNoText(path)) throw cannotHide(path);
  const place = realPath(path, { isRequired: true });
  return place === undefined ? [] : [place];
}

function cannotHide(path: string): Error {
  return new Error(`Cannot hide the history of git: it cannot be told where ${path} leads.`);
}

/** The directories of objects that git takes for those of one too, as deep as they lead. */
function storesLentTo(objects: string): string[] {
  const stores = new Set([objects]);
  for (const store of stores) {
    const [list] = whereTo(join(store, ALTERNATES));
    if (list === undefined) continue;
    const text = readSmallFile(list);
    if (text === "" && tryLstat(list)?.size !== 0) throw cannotHide(list);
    for (const name of readAlternates(text)) {
      stores.add(followPath(store, name));
      // So git finds it: `..` takes back a word, link or not.
      for (const place of whereTo(store)) stores.add(resolve(place, name));
    }
  }
  return [...stores].slice(1);
}

/** Where a repository finds the objects of others, there or not, with the links that lead there. */
export function findAlternates(directory: string): string[] {
  const objects = join(directory, "objects");
  const list = realPath(join(objects, ALTERNATES)) ?? "";
  return readAlternates(readSmallFile(list)).flatMap((name) => placesOnPath(objects, name));
}

function readAlternates(text: string): string[] {
  return text.split("\n").filter((line) => !/^(?:#|$)/.test(line)).map(unquote);
}

/** What stands for a character behind a backslash that is not itself. */
const ESCAPED: ReadonlyMap<string, string> = new Map(
  Object.entries({ a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }),
);

/** A name that git may have put in quotes, bytes of it as octal numbers. */
function unquote(name: string): string {
  const inner = /^"((?:[^"\\]|\\.)*)"/.exec(name)?.[1];
  if (inner === undefined) return name;
  const parts = inner.matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/g);
  const encoder = new TextEncoder();
  const bytes = [...parts].flatMap(([text, octal, letter]) =>
    octal
      ? [parseInt(octal, 8)]
      : [...encoder.encode(letter ? ESCAPED.get(letter) ?? letter : text)]
  );
  return new TextDecoder().decode(new Uint8Array(bytes));
}
