/**
 * What a scan found, as paths that a person can type, with what tells which of them are likely to be meant: when files
 * were written, and whether git knows them as they are. That is read from git's index, and no program runs: git itself
 * would run what a repository configures.
 */
import { relative, sep } from "node:path";
import { contains } from "../lib/contains.ts";
import { childPath } from "../lib/directory_listing.ts";
import type { PathSignature } from "../lib/path_signature.ts";
import { stripControls } from "../lib/text.ts";
import type { TimeSlice } from "../lib/time_slice.ts";
import { readIndex } from "./git_index.ts";
import { findRepository, gitDirectory } from "./git_state.ts";
import type { Roots } from "./paths.ts";
import type { ScanResult } from "./tree_scan.ts";

/** The paths of a workspace as a person writes them; directories end in a slash. */
export interface ListedPaths {
  /** Those that are not hidden; what lies higher comes earlier. */
  readonly shown: readonly string[];
  /** Those of which a part begins with a dot. */
  readonly hidden: readonly string[];
  /** Files that were written after most others, the newest first. */
  readonly newest: readonly string[];
  /** Files that differ from what git noted of them, or that it does not know; none if that holds for very many. */
  readonly changed: readonly string[];
}

/** What a scan was made of, and how long it may take others' turn. */
interface ListOptions {
  readonly roots: Roots;
  readonly slice: TimeSlice;
}

const MAX_NEWEST = 100;
/** Milliseconds by which a file is newer than most: those of one checkout differ by less. */
const NEWER_MS = 60_000;
/** Above this, the files were copied here, and git has not looked at them. */
const MAX_CHANGED = 300;
/** Bytes of an index that is read. */
const MAX_INDEX_BYTES = 50_000_000;

/** The paths of a scan; `changed` is empty yet. @throws {DOMException} aborted */
export async function toListedPaths(
  found: ScanResult["found"],
  { roots, slice }: ListOptions,
): Promise<ListedPaths> {
  const shown: string[] = [];
  const hidden: string[] = [];
  const times: number[] = [];
  const files: { readonly path: string; readonly modified: number }[] = [];
  for (const [directory, entries] of found) {
    const prefix = prefixOf(directory, roots);
    const isHidden = /(?:^|\/)\./.test(prefix);
    for (const name of [...entries.keys()].sort()) {
      if (slice.step()) await slice.pause();
      const { kind, modified } = entries.get(name) as PathSignature;
      if (!canBeTyped(name)) continue;
      const path = prefix + name + (kind === "directory" ? "/" : "");
      (isHidden || name.startsWith(".") ? hidden : shown).push(path);
      if (kind !== "file") continue;
      times.push(modified);
      files.push({ path, modified });
    }
  }
  const sorted = Float64Array.from(times).sort();
  const usual = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const since = Math.max(sorted[sorted.length - MAX_NEWEST] ?? 0, usual + NEWER_MS);
  const newest = files.filter(({ modified }) => modified >= since)
    .sort((a, b) => b.modified - a.modified)
    .map(({ path }) => path);
  return { shown, hidden, newest: newest.slice(0, MAX_NEWEST), changed: [] };
}

/** The files that git does not know as they are. Takes what it knows out of `found`. @throws {DOMException} aborted */
export async function findChanged(
  found: ScanResult["found"],
  { roots, slice }: ListOptions,
): Promise<readonly string[]> {
  const changed: string[] = [];
  const repositories = new Set(roots.all.flatMap((root) => findRepository(root) ?? []));
  for (const top of repositories) {
    for (const { path, size, modified } of readEntries(top)) {
      if (slice.step()) await slice.pause();
      const start = path.lastIndexOf("/");
      const directory = start < 0 ? top : childPath(top, path.slice(0, start));
      const entries = found.get(directory);
      const name = path.slice(start + 1);
      const file = entries?.get(name);
      if (file?.kind !== "file") continue;
      if (file.size % 2 ** 32 === size && file.modified === modified) entries?.delete(name);
    }
  }
  if (repositories.size === 0) return [];
  for (const [directory, entries] of found) {
    if (!repositories.values().some((top) => contains(top, directory))) continue;
    const prefix = prefixOf(directory, roots);
    for (const [name, { kind }] of entries) {
      if (kind === "file" && canBeTyped(name)) changed.push(prefix + name);
    }
    if (changed.length > MAX_CHANGED) return [];
    if (slice.step()) await slice.pause();
  }
  return changed;
}

/** What cannot be typed cannot be named. */
function canBeTyped(name: string): boolean {
  return stripControls(name) === name;
}

/** What git noted of its files; nothing if that cannot be read. */
function* readEntries(top: string) {
  try {
    const index = childPath(gitDirectory(top), "index");
    if (Deno.statSync(index).size <= MAX_INDEX_BYTES) yield* readIndex(Deno.readFileSync(index));
  } catch {
    // There is no index yet, or it is of a kind that is not known.
  }
}

/** What a person writes before the name of an entry of a directory. */
function prefixOf(directory: string, { cwd }: Roots): string {
  const path = contains(cwd, directory) ? relative(cwd, directory) : directory;
  return path === "" ? "" : `${path.replaceAll(sep, "/")}/`;
}
