/**
 * Whether one path lies in another, and in which it lies: compared part by part, so that `/a/bc` is not in `/a/b`.
 */
import { dirname, isAbsolute, relative, sep } from "node:path";

/** Parts of a path that name no file. */
const UNCLEAN = /\/\.{0,2}(?:\/|$)/;

/** Whether a path is a directory or below it; both are absolute and canonical. */
export function contains(directory: string, path: string): boolean {
  if (directory === path) return true;
  if (sep === "/" && !UNCLEAN.test(directory) && !UNCLEAN.test(path)) {
    return path.startsWith("/") && path.startsWith(`${directory}/`);
  }
  const rest = relative(directory, path);
  return rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest);
}

/** The directories above a path, the nearest first. */
export function directoriesAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...directoriesAbove(parent)];
}
