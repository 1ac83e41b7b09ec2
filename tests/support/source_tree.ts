/**
 * Paths of the project's own sources, for tests that look at them.
 */
import { dirname, join, relative as relativePath, sep } from "node:path";
import { fileURLToPath as fromFileUrl } from "node:url";

export { dirname, fromFileUrl, join };

/** A path relative to a folder, with slashes on every system. */
export function relative(from: string, to: string): string {
  return relativePath(from, to).split(sep).join("/");
}

/** All files below the named entries of a folder. */
export function walkFiles(root: string, entries: readonly string[]): string[] {
  return entries.flatMap((entry) => walk(join(root, entry)));
}

function walk(path: string): string[] {
  if (!Deno.statSync(path).isDirectory) return [path];
  return [...Deno.readDirSync(path)]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => walk(join(path, entry.name)));
}
