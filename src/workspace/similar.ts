/**
 * Names near a path that does not exist: misspelt in its own directory, or the same name elsewhere in the
 * project.
 */
import { basename, dirname, join, parse } from "node:path";
import type { ResolvedPath } from "../core/files.ts";
import { contains } from "../lib/contains.ts";
import { DirectoryHandle } from "../lib/directory_handle.ts";
import { describePath, type Roots } from "./paths.ts";

const MAX_RESULTS = 3;
/** Entries looked at and levels descended while seeking the name elsewhere. */
const MAX_ENTRIES = 5_000;
const MAX_DEPTH = 6;
const SKIPPED = new Set(["node_modules", "dist", "build", "target", "vendor", "__pycache__"]);

/** Up to three existing paths whose names are near, best first, as display paths; of none that is hidden. */
export async function findSimilar(
  path: ResolvedPath,
  roots: Roots & { isHidden(absolute: string): boolean },
): Promise<string[]> {
  const wanted = basename(path.absolute);
  const directory = dirname(path.absolute);
  const near = await findNearNames(wanted, directory);
  const found = near.map((name) => join(directory, name)).filter((one) => !roots.isHidden(one));
  if (found.length < MAX_RESULTS && contains(roots.cwd, path.absolute)) {
    for await (const elsewhere of findSameNames(wanted, roots.cwd)) {
      if (!found.includes(elsewhere) && !roots.isHidden(elsewhere)) found.push(elsewhere);
      if (found.length === MAX_RESULTS) break;
    }
  }
  return found.slice(0, MAX_RESULTS).map((absolute) => describePath(absolute, roots).display);
}

async function findNearNames(wanted: string, directory: string): Promise<string[]> {
  const { distance } = await import("fastest-levenshtein");
  const lower = wanted.toLowerCase();
  const stem = parse(lower).name;
  const most = Math.min(wanted.length - 1, Math.max(2, Math.floor(wanted.length * 0.4)));
  const scored: { name: string; score: number }[] = [];
  for (const { name } of await entriesOf(directory)) {
    const other = name.toLowerCase();
    const score = parse(other).name === stem ? 1 : distance(lower, other);
    if (score <= most) scored.push({ name, score });
  }
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return scored.map(({ name }) => name);
}

/** Files and directories of that name below a directory, nearest levels first. */
async function* findSameNames(wanted: string, start: string): AsyncGenerator<string> {
  const lower = wanted.toLowerCase();
  let level = [start];
  let seen = 0;
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const below: string[] = [];
    for (const directory of level) {
      for (const entry of await entriesOf(directory)) {
        if (++seen > MAX_ENTRIES) return;
        const path = join(directory, entry.name);
        if (entry.name.toLowerCase() === lower) yield path;
        const hidden = entry.name.startsWith(".") || SKIPPED.has(entry.name);
        if (entry.isDirectory && !hidden) below.push(path);
      }
    }
    level = below;
  }
}

async function entriesOf(directory: string): Promise<Deno.DirEntry[]> {
  try {
    using held = DirectoryHandle.open(directory);
    return await Array.fromAsync(Deno.readDir(held.entry(".")));
  } catch {
    return [];
  }
}
