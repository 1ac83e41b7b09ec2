/**
 * Whether one path lies in another: compared part by part, so that `/a/bc` is not in `/a/b`.
 */
import { isAbsolute, relative, sep } from "node:path";

/** Whether a path is a directory or below it; both are absolute and canonical. */
export function contains(directory: string, path: string): boolean {
  const rest = relative(directory, path);
  return rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest);
}
