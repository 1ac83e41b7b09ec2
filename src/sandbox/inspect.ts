/**
 * Looks at the disk for the sandbox's profiles: synchronously, because a profile is one moment, and without
 * errors, because a path that this user may not look at counts as missing. What only Deno keeps ally from looking
 * at may be there: then the error is thrown, and there is no profile.
 */
import * as fs from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { contains } from "../lib/contains.ts";
import { errorCode, isMissing, tryLstat } from "../lib/fs.ts";
import { isFresh, timesOf } from "../lib/path_signature.ts";

/** What there can be at a path. */
export type PathKind = "file" | "directory" | "link" | "other";

/** What a path names, links not followed; undefined if nothing. */
export function kindOf(path: string): PathKind | undefined {
  try {
    return kindFrom(Deno.lstatSync(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return undefined;
  }
}

function kindFrom(
  { isDirectory, isFile, isSymlink }: Pick<Deno.DirEntry, "isDirectory" | "isFile" | "isSymlink">,
): PathKind {
  if (isDirectory) return "directory";
  if (isFile) return "file";
  return isSymlink ? "link" : "other";
}

/** A text that is another once what is at a path has changed, and equal to none where that would not show. */
export function contentStamp(info: Deno.FileInfo | undefined): string {
  if (info === undefined) return "";
  const times = timesOf(info);
  if (isFresh(times)) return crypto.randomUUID();
  return `${info.ino} ${info.size} ${times.modified} ${times.changed}`;
}

/** Whether this user may read what a path names; true where that cannot be found out. */
export function mayRead(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.R_OK);
    return true;
  } catch (error) {
    return errorCode(error) !== "EACCES";
  }
}

/** Whether everybody may read what a path names; true where that cannot be found out. */
export function isWorldReadable(path: string): boolean {
  try {
    const { mode, isDirectory } = Deno.statSync(path);
    const needed = isDirectory ? 0o005 : 0o004;
    return mode === null || (mode & needed) === needed;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return true;
  }
}

/** Whether this user reads what is not for everybody; true where Deno does not say. */
export function mayBeRoot(): boolean {
  try {
    return Deno.uid() === 0;
  } catch {
    return true;
  }
}

/** Whether this user could make something in a directory; true where ally may not find out. */
export function mayCreateIn(directory: string): boolean {
  const nothing = join(directory, `.none-${crypto.randomUUID()}`);
  try {
    fs.accessSync(directory, fs.constants.W_OK);
    // Only a write shows whether the file system takes any, and this one changes nothing.
    Deno.renameSync(nothing, nothing);
    return true;
  } catch (error) {
    const code = errorCode(error);
    return code !== "EACCES" && code !== "EPERM" && code !== "EROFS";
  }
}

/** What is at a path, whatever its name; undefined if nothing is. */
export function identityOf(path: string): string | undefined {
  const info = tryLstat(path);
  return info && `${info.dev}:${info.ino}`;
}

/**
 * Where a path leads, links resolved; undefined if nowhere. What has a name that is no text is nowhere too, unless it
 * `isRequired`.
 * @throws {Error} it has such a name and is required, or Deno keeps ally from looking
 */
export function realPath(
  path: string,
  { isRequired = false }: { readonly isRequired?: boolean } = {},
): string | undefined {
  if (path === "") return undefined;
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    if (isRequired && error instanceof Deno.errors.InvalidData) throw error;
    return undefined;
  }
}

/** Bytes of a path above which the system finds nothing. */
const MAX_PATH = 4096;

/** Links in a path after which none is followed any further; the kernel's own limit. */
const MAX_LINKS = 40;

/**
 * Where a path leads to from a directory, as the system finds it: links before `..` count. Of what is not there the rest
 * is as its words say. What lies in `/proc` is another thing for each process: then it is all that is returned.
 */
export function followPath(directory: string, path: string): string {
  return placesOnPath(directory, path).at(-1)!;
}

/**
 * The links that a path leads through from a directory, and last where it leads: who writes one of them decides that.
 * Where that cannot be told, or no system finds it, it is a name that is no text.
 */
export function placesOnPath(directory: string, path: string): string[] {
  if (path.length > MAX_PATH) return [join(directory, NO_TEXT)];
  const waiting = (isAbsolute(path) ? path : `${directory}/${path}`).split("/");
  const links: string[] = [];
  let at = "/";
  while (waiting.length > 0) {
    const name = waiting.shift()!;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    if (next === PROCESSES) return [...links, PROCESSES];
    const target = links.length < MAX_LINKS ? targetOf(next) : undefined;
    if (target === undefined) at = next;
    else {
      links.push(next);
      if (target === NO_TEXT) return [...links, join(next, NO_TEXT)];
      waiting.unshift(...target.split("/"));
      if (isAbsolute(target)) at = "/";
    }
  }
  return [...links, at];
}

/** What a link says; undefined if there is none, a name that is no text if it says none. */
export function targetOf(path: string): string | undefined {
  try {
    return kindOf(path) === "link" ? Deno.readLinkSync(path) : undefined;
  } catch (error) {
    // It may be gone meanwhile, or be none any more.
    if (isMissing(error) || errorCode(error) === "EINVAL") return undefined;
    if (error instanceof Deno.errors.InvalidData) return NO_TEXT;
    throw error;
  }
}

/** Whether a name is none that a text can hold: bytes that are no UTF-8, by which nothing can be opened here. */
export function isNoText(name: string): boolean {
  return name.includes(NO_TEXT);
}

/** What stands for bytes that are no UTF-8. */
const NO_TEXT = "\ufffd";

/** Where the system shows processes, each of which finds itself there. */
const PROCESSES = "/proc";

/** Whether only the process that opens a path knows what that is. */
export function dependsOnProcess(path: string): boolean {
  return contains(PROCESSES, path);
}

/** Bytes of a file that is small. */
const SMALL = 1_000_000;

/** The text of a small file, empty if there is none or it is not small. */
export function readSmallFile(path: string): string {
  if (kindOf(path) !== "file") return "";
  try {
    if (Deno.lstatSync(path).size > SMALL) return "";
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** What a file begins with, each byte as a character; empty if there is none. */
export function readHead(path: string, length: number): string {
  if (kindOf(path) !== "file") return "";
  try {
    using file = Deno.openSync(path);
    const bytes = new Uint8Array(length);
    return String.fromCharCode(...bytes.subarray(0, file.readSync(bytes) ?? 0));
  } catch {
    return "";
  }
}

/** What a small file says without the ends of lines behind it, as git reads what names a place; undefined if nothing. */
export function readPointer(path: string): string | undefined {
  return withoutLineEnds(readSmallFile(path)) || undefined;
}

/** A text without the ends of lines behind it; not by a pattern, which takes very long where others have very many. */
export function withoutLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && "\r\n".includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** What is in a directory, by name; undefined if it is there but cannot be listed. */
export function entriesOf(path: string): ReadonlyMap<string, PathKind> | undefined {
  try {
    return new Map(Array.from(Deno.readDirSync(path), (entry) => [entry.name, kindFrom(entry)]));
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return isMissing(error) ? new Map() : undefined;
  }
}

/** The paths of the links in a directory. */
export function linksIn(directory: string): string[] {
  return [...entriesOf(directory) ?? []].filter(([, kind]) => kind === "link")
    .map(([name]) => join(directory, name));
}

/** Whether a directory is there and holds nothing. */
export function isEmpty(path: string): boolean {
  try {
    return Deno.readDirSync(path)[Symbol.iterator]().next().done === true;
  } catch {
    return false;
  }
}

/** Whether a path has a directory to be in, and nothing is there yet but what an earlier sandbox left. */
export function isAbsentOrEmpty(path: string): boolean {
  return kindOf(dirname(path)) === "directory" && (kindOf(path) === undefined || isEmpty(path));
}
