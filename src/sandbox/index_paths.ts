/**
 * The paths in a repository's index, and in the list of conflicts of which git records how they are resolved. Git checks
 * a path when it adds it, and never again: what stands there it writes when it checks files out, and reads when it
 * commits them, even `.git/config` and what lies outside. So what has changed meanwhile is read as git does, and set
 * aside if git itself would not have written it.
 */
import { basename, dirname, join } from "node:path";
import { tryLstat } from "../lib/fs.ts";
import { GitIndex } from "../lib/git_index.ts";
import type { NameBytes } from "../lib/packed_entries.ts";
import { readSettings } from "./git_settings.ts";
import { contentStamp, entriesOf, kindOf, readSmallFile } from "./inspect.ts";
import { atRealPath, setPathAside } from "./real_directory.ts";
import { sharedDirectory } from "./repository.ts";

/** The list of conflicts. */
const CONFLICTS = "MERGE_RR";
/** The index, those that a split one shares entries with, and that list. */
const INDEX = /^(?:index|sharedindex\..*|MERGE_RR)$/;
/** Bytes of an index that is looked at; a million files need half of it. */
const MAX_BYTES = 2 ** 28;
/** Kinds of entries, by their mode. */
const [KIND, LINK, DIRECTORY] = [0o170000, 0o120000, 0o040000];

/** Each index in directories of git's, by its path: equal texts if it is the same. */
export function lookAtIndexes(directories: Iterable<string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const directory of directories) {
    const names = [...entriesOf(directory)?.keys() ?? []].filter((name) => INDEX.test(name));
    if (names.length === 0) continue;
    const idBytes = idBytesIn(directory);
    for (const name of names) {
      const path = join(directory, name);
      found.set(path, `${idBytes} ${contentStamp(tryLstat(path))}`);
    }
  }
  return found;
}

/** Sets aside what is another than before and has paths that git adds to none. Returns where they are now. */
export function setIndexesAside(
  before: ReadonlyMap<string, string>,
  directories: Iterable<string>,
): string[] {
  return [...directories].flatMap((directory) => {
    const now = [...lookAtIndexes([directory])].filter(([path, text]) => before.get(path) !== text)
      .map(([path]) => path);
    if (now.length === 0) return [];
    const idBytes = idBytesIn(directory);
    const index = join(directory, "index");
    const strange = now.filter((path) =>
      isConflicts(path)
        ? !hasSoundConflicts(path)
        : !isSoundIndex(path, { idBytes, isShared: path !== index })
    );
    if (strange.every(isConflicts)) return strange.flatMap((path) => setPathAside(path));
    // Without what it shares entries with, git does nothing at all.
    const aside = [...new Set([...strange, index])].flatMap((path) => setPathAside(path));
    return [...aside, describe(directory)];
  });
}

/**
 * Whether an index in a directory of git's, or one that it shares entries with, has files below a path, relative to the
 * working tree; true if that cannot be told.
 */
export function hasEntriesAt(directory: string, path: string): boolean {
  const prefix = new TextEncoder().encode(`${path}/`);
  const idBytes = idBytesIn(directory);
  return [...lookAtIndexes([directory]).keys()].filter((file) => !isConflicts(file))
    .some((file) => {
      const bytes = readIndex(file);
      if (bytes === undefined) return true;
      try {
        const index = GitIndex.read(bytes, { idBytes });
        for (let at = 0; at < index.length; at++) if (index.startsWith(at, prefix)) return true;
        return false;
      } catch {
        return true;
      }
    });
}

function isConflicts(path: string): boolean {
  return basename(path) === CONFLICTS;
}

/** Whether a list of conflicts names nothing but files of the working tree around it, by no link. */
function hasSoundConflicts(path: string): boolean {
  const dot = dirname(path);
  const tree = basename(dot) === ".git" ? dirname(dot) : undefined;
  const bytes = readIndex(path);
  if (bytes === undefined) return false;
  const entries = new TextDecoder().decode(bytes).split("\0").slice(0, -1);
  return entries.length === 0 || (tree !== undefined && entries.every((entry) => {
    const [, name = ""] = /^[0-9a-f]+(?:\.\d+)?\t(.+)$/s.exec(entry) ?? [];
    const names = name.split("/");
    return mayBeTracked(name, 0o100644) &&
      names.every((_, at) => kindOf(join(tree, ...names.slice(0, at + 1))) !== "link");
  }));
}

function describe(directory: string): string {
  return `The index in ${directory} had entries that git itself makes none of, and is not back: what was staged is in ` +
    "the commit, or has to be staged again. Have `git reset` make a new index before other work of git.";
}

/** Bytes of the name of an object, as git takes them from a repository's configuration. */
function idBytesIn(directory: string): number {
  const config = join(sharedDirectory(directory) ?? directory, "config");
  const format = readSettings(readSmallFile(config))
    .findLast(([name]) => name === "extensions.objectformat");
  return format?.[1] === "sha256" ? 32 : 20;
}

function isSoundIndex(path: string, how: { idBytes: number; isShared: boolean }): boolean {
  const bytes = readIndex(path);
  return bytes !== undefined && hasSoundPaths(bytes, how) && makeAlone(path, bytes);
}

function hasSoundPaths(
  bytes: Uint8Array<ArrayBuffer>,
  how: { idBytes: number; isShared: boolean },
): boolean {
  try {
    const index = GitIndex.read(bytes, how);
    const isSplit = readExtensions(bytes, { index }).has("link") && !how.isShared;
    for (let at = 0; at < index.length; at++) {
      const path = index.pathBytesAt(at);
      // An entry of a split index takes the path of the one that it replaces.
      if (isSplit && path.start === path.end) continue;
      if (isSuspect(path) && !mayBeTracked(index.pathAt(at), index.entryAt(at).mode)) {
        return false;
      }
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Sees to it that a file has no other name, as a backup makes, by which it could be written without the power over its
 * repository. Returns whether it has none.
 */
export function makeAlone(path: string, bytes: Uint8Array): boolean {
  return atRealPath(path, (held) => {
    const { nlink, mode } = tryLstat(held) ?? {};
    if ((nlink ?? 1) === 1) return true;
    try {
      const own = `${held}.${crypto.randomUUID()}`;
      Deno.writeFileSync(own, bytes, { createNew: true, mode: (mode ?? 0o644) & 0o777 });
      Deno.renameSync(own, held);
      return true;
    } catch {
      return false;
    }
  }, { writes: true }) ?? false;
}

function readIndex(path: string): Uint8Array<ArrayBuffer> | undefined {
  return atRealPath(path, (held) => {
    const { size = 0 } = tryLstat(held) ?? {};
    if (kindOf(held) !== "file" || size > MAX_BYTES) return undefined;
    try {
      return Deno.readFileSync(held);
    } catch {
      return undefined;
    }
  });
}

/**
 * The names of what follows the entries. Git may begin to read at places that are told there: they are those of the
 * entries.
 * @throws {RangeError} they are not
 */
function readExtensions(
  bytes: Uint8Array<ArrayBuffer>,
  { index }: { index: GitIndex },
): Set<string> {
  const { view, idBytes } = index;
  const end = bytes.length - idBytes;
  const nameAt = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  const names = new Set<string>();
  let at = index.startOf(index.length);
  while (at < end) {
    const [name, start] = [nameAt(at), at + 8];
    const next = start + view.getUint32(at + 4);
    if (name === "IEOT") requireBlocks(index, { start, end: next });
    names.add(name);
    at = next;
  }
  const entriesEnd = end - 12 - idBytes;
  const isTold = entriesEnd > 0 && nameAt(entriesEnd) === "EOIE";
  if (at !== end || (isTold && view.getUint32(entriesEnd + 8) !== index.startOf(index.length))) {
    throw new RangeError("the extensions of the index are not as git writes them");
  }
  return names;
}

/** @throws {RangeError} they do not begin where entries do, or are not all of them */
function requireBlocks(index: GitIndex, { start, end }: { start: number; end: number }): void {
  let place = 0;
  for (let at = start + 4; at < end; at += 8) {
    if (index.view.getUint32(at) !== index.startOf(place) || !index.isWrittenWhole(place)) {
      throw new RangeError("a block of the index begins within an entry");
    }
    place += index.view.getUint32(at + 4);
  }
  if (place !== index.length) throw new RangeError("the blocks of the index hold other entries");
}

const [NUL, DOT, SLASH, BACKSLASH, G, I, T, SEVEN] = [0, 46, 47, 92, 0x67, 0x69, 0x74, 0x37];
const NOT_ASCII = 0x80;
const LOWER = 0x20;

/** Whether a part of a path may be none that git tracks: few are, and only these are read as a text. */
function isSuspect({ bytes, start, end }: NameBytes): boolean {
  let begins = start;
  for (let at = start; at <= end; at++) {
    const byte = at < end ? bytes[at]! : NUL;
    if (byte !== NUL && byte !== SLASH && byte !== BACKSLASH) continue;
    if (isSuspectPart({ bytes, start: begins, end: at })) return true;
    begins = at + 1;
  }
  return false;
}

function isSuspectPart({ bytes, start, end }: NameBytes): boolean {
  if (start === end) return true;
  const [first, second] = [bytes[start]!, start + 1 < end ? bytes[start + 1]! : NUL];
  if (first >= NOT_ASCII) return true;
  if (first === DOT) {
    return second === NUL || second === DOT || second >= NOT_ASCII || (second | LOWER) === G;
  }
  if ((first | LOWER) !== G || (second | LOWER) !== I || start + 2 >= end) return false;
  const third = bytes[start + 2]!;
  return (third | LOWER) === T || third === SEVEN;
}

/** What HFS+ leaves out of names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** A part of a path that is `.git`, or that some system takes for it. */
const DOT_GIT = /^(?:\.git|git~1)[. ]*(?::.*)?$/is;
/** The same of `.gitmodules`, which may be no link. */
const DOT_GITMODULES = /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~\d+)[. ]*(?::.*)?$/is;

/** Whether git adds a path to an index. */
function mayBeTracked(path: string, mode: number): boolean {
  // Of a sparse index, in which directories stand.
  const whole = (mode & KIND) === DIRECTORY && path.endsWith("/") ? path.slice(0, -1) : path;
  const names = whole.split("/");
  return names.every((name) => name !== "" && name !== "." && name !== "..") &&
    names.flatMap((name) => name.split("\\")).map((name) => name.replace(IGNORED, ""))
      .every((name) =>
        !DOT_GIT.test(name) && !((mode & KIND) === LINK && DOT_GITMODULES.test(name))
      );
}
