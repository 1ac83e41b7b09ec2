/**
 * Which paths of a known tree must be looked at when something has happened at some, and how paths lie to each other.
 */
import { dirname } from "node:path";
import { signatureOf } from "../lib/path_signature.ts";
import type { KnownTree } from "./known_tree.ts";

/**
 * The paths that must be looked at: those whose directory is known, and not what lies below one that is looked at
 * with all below it. True where that is so: of directories that came, went, or were not listed yet.
 */
export function selectTargets(
  paths: ReadonlyMap<string, boolean>,
  tree: KnownTree,
): Map<string, boolean> {
  const targets = new Map<string, boolean>();
  const deep = new Set<string>();
  for (const path of [...paths.keys()].sort((a, b) => a.length - b.length)) {
    if (isBelow(dirname(path), deep) || !tree.has(dirname(path))) continue;
    const isDirectory = signatureOf(path)?.kind === "directory";
    const isListed = tree.has(path);
    const whole = paths.get(path) === true || isDirectory !== isListed;
    targets.set(path, whole);
    if (whole) deep.add(path);
  }
  return targets;
}

/** Some paths and all directories that they lie in. */
export function withDirectories(paths: readonly string[]): string[] {
  const all = new Set<string>();
  for (const path of paths) {
    for (let at = path; at !== dirname(at); at = dirname(at)) all.add(at);
  }
  return [...all];
}

/** Whether one of the directories that a path lay in is something else now. */
export function isBelowOther(path: string, tree: KnownTree): boolean {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const known = tree.get(at);
    if (known !== undefined) return known.signature.kind !== "directory";
  }
  return false;
}

/** Whether a path or a directory that it lies in is among some. */
export function isBelow(
  path: string,
  some: ReadonlySet<string> | ReadonlyMap<string, unknown>,
): boolean {
  if (some.size === 0) return false;
  for (let at = path; at !== dirname(at); at = dirname(at)) if (some.has(at)) return true;
  return false;
}
