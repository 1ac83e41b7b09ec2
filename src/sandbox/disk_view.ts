/**
 * The disk at one moment, for questions that come before every command and nearly always have the same answers: these
 * are remembered for as long as nothing has changed in the directories that they hang on.
 */
import { basename, dirname, join } from "node:path";
import { tryLstat } from "../lib/fs.ts";
import { isFresh, latestChange, timesOf } from "../lib/path_signature.ts";
import { contentStamp, entriesOf, kindOf, type PathKind, realPath, targetOf } from "./inspect.ts";

/**
 * Names that are looked for one by one before a directory is listed: of a temporary directory with thousands of
 * entries, which changes all the time, one or two are asked for.
 */
const FEW_NAMES = 3;

/** What is in a directory, by name; undefined if it is there but cannot be listed. */
type Entries = ReadonlyMap<string, PathKind> | undefined;

/** The disk at one moment. */
export class DiskView {
  readonly #listings = new Map<string, Listing>();
  readonly #found = new Map<string, boolean>();

  /** Whether all that was asked would be answered the same now. */
  isCurrent(): boolean {
    return this.#listings.values().every((listing) => listing.isCurrent());
  }

  /** The names in a directory, all or those that fit; undefined if it is there but cannot be listed. */
  namesIn(directory: string, fits?: (name: string) => boolean): readonly string[] | undefined {
    if (fits === undefined) this.watch(directory);
    return this.#list(directory).ask(({ entries }) =>
      entries && [...entries.keys()].filter(fits ?? (() => true))
    );
  }

  /** Whether there is something at an absolute path. */
  has(path: string): boolean {
    const parent = dirname(path);
    if (parent === path) return true;
    const known = this.#found.get(path);
    if (known !== undefined) return known;
    const found = this.has(parent) && this.#find(parent, basename(path));
    this.#found.set(path, found);
    return found;
  }

  /** Where a path leads, links resolved; undefined if nowhere. */
  realPath(path: string): string | undefined {
    if (!this.has(path)) return undefined;
    const real = realPath(path);
    // What a link leads to may go while the link stays.
    if (real !== path) this.has(real ?? join(path, "nothing"));
    return real;
  }

  /** Says that an answer hangs on more of a directory than was asked here. */
  watch(directory: string): void {
    this.#list(directory).isWatched = true;
  }

  #find(directory: string, name: string): boolean {
    const path = join(directory, name);
    const kind = this.#list(directory).ask((listing) => {
      const kind = listing.find(name);
      return kind === "link" ? `link to ${targetOf(path)}` : kind;
    });
    return kind !== undefined;
  }

  #list(directory: string): Listing {
    const listing = this.#listings.get(directory) ?? new Listing(directory);
    this.#listings.set(directory, listing);
    return listing;
  }
}

/** A directory, and what was asked of it. */
class Listing {
  readonly #path: string;
  readonly #questions: { ask: (listing: Listing) => unknown; answer: string }[] = [];
  readonly #sought = new Set<string>();
  #stamp: string | undefined;
  #listed: { readonly entries: Entries } | undefined;
  /** Whether no change of it is without meaning. */
  isWatched = false;

  constructor(path: string) {
    this.#path = path;
    this.#begin();
  }

  /** What is in it; it is listed now, if it was not before. */
  get entries(): Entries {
    return (this.#listed ??= { entries: entriesOf(this.#path) }).entries;
  }

  /** What has a name in it. */
  find(name: string): PathKind | undefined {
    const isOneOfFew = this.#listed === undefined && this.#sought.add(name).size <= FEW_NAMES;
    const entries = isOneOfFew ? undefined : this.entries;
    return entries ? entries.get(name) : kindOf(join(this.#path, name));
  }

  ask<T>(question: (listing: Listing) => T): T {
    const answer = question(this);
    this.#questions.push({ ask: question, answer: textOf(answer) });
    return answer;
  }

  /** Whether it is as it was, or all that has changed is what nobody asked for. */
  isCurrent(): boolean {
    if (this.#stamp !== undefined && stampOf(this.#path) === this.#stamp) return true;
    if (this.isWatched) return false;
    this.#begin();
    return this.#questions.every(({ ask, answer }) => textOf(ask(this)) === answer);
  }

  /** Forgets what was seen. */
  #begin(): void {
    // Before anything is looked at, so that a change in between shows.
    this.#stamp = stampOf(this.#path);
    this.#listed = undefined;
  }
}

/** A question whose answer is remembered while it must be the same. */
export function remember<T>(look: (disk: DiskView) => T): () => T {
  let known: { value: T; disk: DiskView } | undefined;
  return () => {
    if (known?.disk.isCurrent()) return known.value;
    known = undefined;
    const disk = new DiskView();
    const value = look(disk);
    known = { value, disk };
    return value;
  };
}

/** What is looked at of some paths and below them. */
const MAX_LOOKED_AT = 1000;

/**
 * Looks for the files at or below paths that have names elsewhere: by what they are on the disk, each with a text that is
 * another one once such a name has come, gone or moved. Which files there are is remembered; their names are counted each
 * time, as a new one changes no directory that is looked at.
 */
export function linkedFinder(paths: readonly string[]): () => ReadonlyMap<string, string> {
  const files = remember((disk) => filesBelow(paths, disk));
  return () => {
    const found = new Map<string, { left: number; text: string }>();
    for (const path of files()) {
      const info = tryLstat(path);
      if (!info?.isFile || (info.nlink ?? 1) < 2) continue;
      const id = `${info.dev}:${info.ino}`;
      const left = (found.get(id)?.left ?? info.nlink!) - 1;
      found.set(id, { left, text: `${info.nlink} ${contentStamp(info)}` });
    }
    return new Map([...found].flatMap(([id, { left, text }]) => left > 0 ? [[id, text]] : []));
  };
}

/** What lies at or below paths and is no directory, each once, though two rules may deny it. */
function filesBelow(paths: readonly string[], disk: DiskView): string[] {
  const waiting = new Set(paths.flatMap((path) => disk.realPath(path) ?? []));
  const files: string[] = [];
  let looked = 0;
  for (const path of waiting) {
    if (looked++ === MAX_LOOKED_AT) break;
    if (tryLstat(path)?.isDirectory !== true) files.push(path);
    else for (const name of disk.namesIn(path) ?? []) waiting.add(join(path, name));
  }
  return files;
}

function textOf(answer: unknown): string {
  return JSON.stringify(answer) ?? "";
}

/** Which directory is there and when it last changed; undefined if it may change again without that showing it. */
function stampOf(directory: string): string | undefined {
  try {
    const info = Deno.statSync(directory);
    const times = timesOf(info);
    return isFresh(times) ? undefined : `${info.dev}:${info.ino}:${latestChange(times)}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return "";
  }
}
