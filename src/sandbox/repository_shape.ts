/**
 * What git takes for a repository, by the names in a directory.
 */
import { basename, dirname, join } from "node:path";
import { directoriesIn, type Listing, socketsIn } from "../lib/directory_listing.ts";
import type { Contents } from "./directory_tree.ts";
import { entriesOf, isNoText, kindOf, readPointer, realPath } from "./inspect.ts";
import { isBareRepository } from "./repository.ts";

/** What makes a directory a repository in git's eyes, beside its HEAD: these, or what names another that has them. */
const CONTENT = ["objects", "refs"];
const POINTER = "commondir";

/**
 * `.git` in a directory, and the directory itself if it is a bare repository. That may be sources to which somebody gave
 * three names: it is searched further. What has no name as a text counts as one.
 */
export function findRepository(directory: string, listing: Listing): Contents {
  const dot = findDotGit(directory, listing);
  const inner = directoriesIn(listing).filter((name) => name !== dot);
  const own = dot === undefined ? [] : [join(directory, ".git")];
  // Git takes it for one where its `.git` is none after all, or is gone.
  if (isBare(listing) && !isTreeRecord(directory, listing)) own.push(directory);
  const found = [...own, ...inner.filter(isNoText).map((name) => join(directory, name))];
  return { inner, ...(found.length > 0 && { found }), sockets: socketsIn(listing) };
}

/** Where a repository's own directory keeps what there is of its working trees. */
export function treeRecords(directory: string): string[] {
  const trees = join(directory, "worktrees");
  return [...entriesOf(trees)?.keys() ?? []].map((name) => join(trees, name));
}

/** Whether it is what a bare repository keeps of a working tree, by which git obeys nothing but that repository. */
function isTreeRecord(directory: string, listing: Listing): boolean {
  return basename(dirname(directory)) === "worktrees" && listing.has("gitdir") &&
    !listing.has("config.worktree") && readPointer(join(directory, POINTER)) === "../.." &&
    kindOf(join(directory, "../../HEAD")) !== undefined;
}

function isBare(listing: Listing): boolean {
  return listing.has("HEAD") &&
    (CONTENT.every((name) => listing.has(name)) || listing.has(POINTER));
}

/** The name of the entry that git takes for `.git`: it may be spelled otherwise on a disk that does not tell case. */
function findDotGit(directory: string, listing: Listing): string | undefined {
  if (listing.has(".git")) return ".git";
  for (let at = 0; at < listing.length; at++) {
    if (!listing.isHidden(at)) continue;
    const { name } = listing.entryAt(at);
    if (/^\.git$/i.test(name) && kindOf(join(directory, ".git")) !== undefined) return name;
  }
  return undefined;
}

/** Whether what was a repository still is one, behind no link. */
export function isThere(path: string): boolean {
  const has = (name: string) => kindOf(join(path, name)) !== undefined;
  const isRepository = isBareRepository(path)
    ? has("HEAD") && (CONTENT.every(has) || has(POINTER))
    : kindOf(path) !== undefined;
  return isRepository && realPath(dirname(path)) === dirname(path);
}
