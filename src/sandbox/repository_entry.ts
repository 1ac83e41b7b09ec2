/**
 * What stands where git finds a repository: `.git`, whatever it is, or a bare repository's own directory. A directory is
 * known by what it is on the disk. A file or a link is known by what it says, by the number of its names and by where it
 * leads from its place: its inode says nothing, as another one may have it.
 */
import { basename, dirname, join } from "node:path";
import { contains, directoriesAbove } from "../lib/contains.ts";
import { isFirm } from "./fresh_repository.ts";
import { makeAlone } from "./index_paths.ts";
import { identityOf, isNoText, kindOf, readPointer, realPath } from "./inspect.ts";
import {
  directoryNamed,
  gitDirectories,
  obeyedDirectories,
  repositoryDirectories,
  sharedDirectory,
} from "./repository.ts";
import { type PathState, stateAt } from "./repository_changes.ts";
import { findDirectories } from "./repository_directories.ts";

/** What stands at such a path. */
export interface RepositoryEntry {
  /** What it is on the disk. */
  readonly id: string;
  readonly state: PathState;
  /** The directory of git's, canonical, that a file or a link leads to. @default none */
  readonly leads?: string;
}

/** Where commands may write, at one moment. */
export interface WritablePlaces {
  /** The workspace, and directories of its own repositories that lie elsewhere. */
  readonly within: readonly string[];
  /**
   * Whether they may write a place where nobody looks for repositories: what they keep outside of the workspace, and what
   * lies among git's own and is no submodule's and no working tree's.
   */
  readonly isUnseen: (place: string) => boolean;
}

/** Where commands may write now; `stores` are directories outside of the workspace. */
export function writablePlaces(
  { roots, stores }: { readonly roots: readonly string[]; readonly stores: readonly string[] },
): WritablePlaces {
  const own = roots.flatMap(repositoryDirectories);
  const seen = new Map<string, ReturnType<typeof findDirectories>>();
  const isUnseen = (place: string) => {
    if (stores.some((store) => contains(store, place))) return true;
    const dots = directoriesAbove(place)
      .filter((one) => basename(one) === ".git" && kindOf(one) === "directory");
    const around = [...own, ...dots].filter((one) => one !== place && contains(one, place));
    if (around.length === 0) return false;
    const key = around.join("\0");
    const inner = seen.get(key) ?? findDirectories(around);
    seen.set(key, inner);
    return !inner.has(place);
  };
  return { within: [...roots, ...own], isUnseen };
}

const DIRECTORY: PathState = { kind: "directory", text: "" };

/** What is there now, and was `before` as far as that is known; undefined if nothing is. */
export function entryAt(path: string, before?: RepositoryEntry): RepositoryEntry | undefined {
  const id = identityOf(path);
  // Nobody can look into a directory that has no name as a text: it stands for what may be there.
  if (id === undefined && !isNoText(basename(path))) return undefined;
  const state = id === undefined ? DIRECTORY : stateAt(path, "own");
  const leads = leadsFrom(path, { state, before });
  return { id: id ?? path, state, ...(leads !== undefined && { leads }) };
}

function leadsFrom(
  path: string,
  { state, before }: { readonly state: PathState; readonly before: RepositoryEntry | undefined },
): string | undefined {
  if (state.kind === "link") return realPath(path);
  if (state.kind !== "file") return undefined;
  // Links on its way that get another end are looked at themselves.
  const known = before?.state.text === state.text ? before.leads : undefined;
  const isThere = known !== undefined && kindOf(known) === "directory";
  return isThere ? known : directoryNamed(path, state.text);
}

/** Whether what is there now is what was there, or came from another path, but for where it leads. */
function isSameEntry(now: RepositoryEntry, before: RepositoryEntry): boolean {
  const { kind, text, names = 1 } = now.state;
  if (kind !== before.state.kind) return false;
  if (kind !== "file" && kind !== "link") return now.id === before.id;
  return text === before.state.text && names <= (before.state.names ?? 1);
}

/** Whether it is what was there, or came from elsewhere, and leads to nothing that nobody looks at. */
export function isStill(
  now: RepositoryEntry,
  { before, places }: { readonly before: RepositoryEntry; readonly places: WritablePlaces },
): boolean {
  return isSameEntry(now, before) &&
    (now.leads === undefined || now.leads === before.leads || !places.isUnseen(now.leads));
}

/** Whether nothing is left of what stood in a directory that is still there. */
export function isGone(path: string): boolean {
  return kindOf(path) === undefined && kindOf(dirname(path)) === "directory";
}

/** Whether a file that differs from what was there by a second name alone has none any more. */
export function makeOwn(
  path: string,
  { now, before }: { readonly now: RepositoryEntry; readonly before: RepositoryEntry },
): boolean {
  const { kind, text, bytes } = before.state;
  return bytes !== undefined && now.state.kind === kind && now.state.text === text &&
    now.leads === before.leads && makeAlone(path, bytes);
}

/**
 * Whether git makes repositories of that form: no links, no second names, and what shares another's directory only as its
 * working tree. What a file names lies where repositories are looked for.
 */
export function hasGitsForm(path: string, { within, isUnseen }: WritablePlaces): boolean {
  const { state, leads: directory } = entryAt(path) ?? {};
  if (state?.kind === "directory") return kindOf(join(path, "commondir")) === undefined;
  if (state?.kind !== "file" || state.names || directory === undefined) return false;
  const isNamed = (from: string, text = "") => isFirm(from, { text, within });
  if (!isNamed(dirname(path), state.text.replace(/^gitdir: |[\r\n]+$/g, ""))) return false;
  if (isUnseen(directory)) return false;
  const sharing = join(directory, "commondir");
  if (kindOf(sharing) === undefined) return true;
  if (gitDirectories(path).length === 0) return false;
  const common = sharedDirectory(directory);
  return common !== undefined && dirname(directory) === join(common, "worktrees") &&
    isNamed(directory, readPointer(sharing));
}

/** Whether it is the first that leads git from elsewhere to a directory that `mayLead` picks; `before` are others. */
export function leadsFirst(
  path: string,
  { mayLead, before }: {
    readonly mayLead: (directory: string) => boolean;
    readonly before: readonly string[];
  },
): boolean {
  const ledTo = (one: string) =>
    (obeyedDirectories(one) ?? []).filter((directory) => directory !== one);
  const picked = ledTo(path).filter(mayLead);
  if (picked.length === 0) return false;
  const known = new Set(before.filter((one) => one !== path).flatMap(ledTo));
  return picked.some((one) => !known.has(one));
}
