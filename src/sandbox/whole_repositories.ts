/**
 * What makes a directory a repository's own in git's eyes: where a part of it is missing, git takes another repository,
 * the working tree itself or one above. What commands took away of it is put back.
 */
import { basename, dirname, join } from "node:path";
import { DirectoryHandle } from "../lib/directory_handle.ts";
import { requireWrite, tryStat } from "../lib/fs.ts";
import { kindOf, readHead, targetOf } from "./inspect.ts";
import { atRealPath, setPathAside } from "./real_directory.ts";

/** A HEAD that git takes for one, byte by byte: of a branch, or of a commit. */
const HEAD = /^(?:ref:[ \t\n\r]*refs\/|[0-9a-fA-F]{40})/;
/** Bytes of one that git looks at. */
const SEEN = 255;
/** Bytes of the longest one. */
const MAX_HEAD = 4096;
const PARTS = ["objects", "refs"];

/** What stands in the HEAD of those directories that git takes for repositories. */
export function readHeads(own: Iterable<string>): Map<string, string> {
  return new Map([...own].flatMap((directory) => {
    const head = headOfWhole(directory);
    return head === undefined ? [] : [[directory, head]];
  }));
}

/** Makes those of these directories that are still there repositories again. Returns what is to be said of it. */
export function makeWhole(heads: ReadonlyMap<string, string>): string[] {
  return [...heads].flatMap(([directory, head]) => {
    if (atRealPath(directory, kindOf) !== "directory") return [];
    const missing = [directory, ...PARTS.map((name) => join(directory, name))]
      .filter((path) => !isOpen(path));
    for (const path of missing) openUp(path);
    const isHeadless = headIn(directory) === undefined;
    const aside = isHeadless ? putHead(join(directory, "HEAD"), head) : [];
    if (missing.length === 0 && !isHeadless) return [];
    return [...aside, describe(directory)];
  });
}

function describe(directory: string): string {
  return `Something took away what makes ${directory} a repository. ` +
    (headOfWhole(directory) === undefined
      ? "It cannot be put back: do not run git there."
      : "Its HEAD is as it was before, and directories that were gone are there again, empty.");
}

/** Whether git takes a directory, which lies behind no link, for a repository's own. */
export function isWhole(directory: string): boolean {
  return PARTS.every((name) => mayEnter(join(directory, name))) &&
    readHeadText(join(directory, "HEAD")) !== undefined;
}

/** The HEAD of a directory that git takes for a repository's own. */
function headOfWhole(directory: string): string | undefined {
  return PARTS.every((name) => isOpen(join(directory, name))) ? headIn(directory) : undefined;
}

function headIn(directory: string): string | undefined {
  return atRealPath(join(directory, "HEAD"), readHeadText);
}

/** The bytes of a HEAD, each a character, as git takes it; a link to a branch says the same as one in words. */
function readHeadText(path: string): string | undefined {
  const target = targetOf(path);
  const text = target === undefined ? readHead(path, MAX_HEAD) : `ref: ${target}`;
  return HEAD.test(text.slice(0, SEEN)) ? text : undefined;
}

/** Whether it is, or a link of the user's leads to, a directory in which the user finds what is there. */
function isOpen(path: string): boolean {
  return atRealPath(path, mayEnter) ?? false;
}

function mayEnter(path: string): boolean {
  const { isDirectory = false, mode = null } = tryStat(path) ?? {};
  return isDirectory && (mode === null || (mode & 0o100) !== 0);
}

/** Makes a directory such a one; what stands in its place is set aside. */
function openUp(path: string): void {
  if (atRealPath(path, kindOf) !== "directory") setPathAside(path);
  try {
    requireWrite(path);
    atRealPath(path, (held) => {
      if (kindOf(held) === undefined) Deno.mkdirSync(held);
    }, { writes: true });
    using above = DirectoryHandle.open(dirname(path));
    const mode = Deno.lstatSync(above.entry(basename(path))).mode ?? 0o700;
    above.chmod(basename(path), mode & 0o7777 | 0o700);
  } catch {
    // It is told that it is not back.
  }
}

/** Puts a HEAD back, each character a byte; what stands in its place is set aside. */
function putHead(path: string, text: string): string[] {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const aside = setPathAside(path);
  try {
    requireWrite(path);
    const write = (held: string) => Deno.writeFileSync(held, bytes, { createNew: true });
    atRealPath(path, write, { writes: true });
  } catch {
    // It is told that it is not back.
  }
  return aside;
}
