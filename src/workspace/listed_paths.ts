/**
 * What a scan found, as paths that a person can type, with what tells which of them are likely to be meant: when files
 * were written, and whether git knows them as they are. That is read from git's index, and no program runs: git itself
 * would run what a repository configures.
 */
import { relative, sep } from "node:path";
import { contains } from "../lib/contains.ts";
import { readSmallFileSync } from "../lib/fs.ts";
import { childPath } from "../lib/directory_listing.ts";
import type { PackedEntries } from "../lib/packed_entries.ts";
import { stripControls } from "../lib/text.ts";
import type { TimeSlice } from "../lib/time_slice.ts";
import { prefixIn } from "./git_contents.ts";
import { GitIndex } from "../lib/git_index.ts";
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
  { entries, found }: ScanResult,
  { roots, slice }: ListOptions,
): Promise<ListedPaths> {
  const shown: string[] = [];
  const hidden: string[] = [];
  const times: number[] = [];
  const files: { readonly path: string; readonly modified: number }[] = [];
  for (const { directory, ...range } of found) {
    const prefix = prefixOf(directory, roots);
    const isHidden = /(?:^|\/)\./.test(prefix);
    const named = entries.namesOf(range).map((name, index) => ({ name, at: range.start + index }));
    for (const { name, at } of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (slice.step()) await slice.pause();
      if (!canBeTyped(name)) continue;
      const kind = entries.kindAt(at);
      const path = prefix + name + (kind === "directory" ? "/" : "");
      (isHidden || name.startsWith(".") ? hidden : shown).push(path);
      if (kind !== "file") continue;
      const modified = entries.modifiedAt(at);
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

/** The files that git does not know as they are. @throws {DOMException} aborted */
export async function findChanged(
  { entries, found }: ScanResult,
  { roots, slice }: ListOptions,
): Promise<readonly string[]> {
  const tops = [...new Set(roots.all.flatMap((root) => findRepository(root) ?? []))];
  const indexes: { readonly top: string; readonly index: GitIndex | undefined }[] = [];
  for (const top of tops) indexes.push({ top, index: await readIndex(top, slice) });
  const changed: string[] = [];
  for (const { directory, start, end } of found) {
    const here = indexes.filter(({ top }) => contains(top, directory));
    if (here.length === 0) continue;
    const finders = here.flatMap(({ top, index }) =>
      index === undefined ? [] : [findIn(index, { prefix: prefixIn(top, directory), entries })]
    );
    const prefix = prefixOf(directory, roots);
    for (let at = start; at < end; at++) {
      if (slice.step()) await slice.pause();
      if (entries.kindAt(at) !== "file" || finders.some((isAsNoted) => isAsNoted(at))) continue;
      const name = entries.nameAt(at);
      if (canBeTyped(name)) changed.push(prefix + name);
      if (changed.length > MAX_CHANGED) return [];
    }
  }
  return changed;
}

/** Tells whether files of a directory are as git noted them. */
function findIn(
  index: GitIndex,
  { prefix, entries }: { prefix: string; entries: PackedEntries },
): (at: number) => boolean {
  const find = index.finderIn(prefix);
  return (at) => {
    const place = find(entries.nameBytesAt(at));
    if (place === undefined) return false;
    const { size, modified } = index.entryAt(place);
    return entries.sizeAt(at) % 2 ** 32 === size && entries.modifiedAt(at) === modified;
  };
}

/** What cannot be typed cannot be named. */
function canBeTyped(name: string): boolean {
  return stripControls(name) === name;
}

/** What git noted of its files; undefined if that cannot be read. */
async function readIndex(top: string, slice: TimeSlice): Promise<GitIndex | undefined> {
  try {
    const path = childPath(gitDirectory(top), "index");
    const bytes = readSmallFileSync(path, { maxBytes: MAX_INDEX_BYTES });
    return await GitIndex.readInSlices(bytes, slice);
  } catch (error) {
    if (error instanceof DOMException) throw error;
    // There is no index yet, or it is of a kind that is not known.
    return undefined;
  }
}

/** What a person writes before the name of an entry of a directory. */
function prefixOf(directory: string, { cwd }: Roots): string {
  const path = contains(cwd, directory) ? relative(cwd, directory) : directory;
  return path === "" ? "" : `${path.replaceAll(sep, "/")}/`;
}
