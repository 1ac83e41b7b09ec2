/**
 * All directories below some roots, wherever they lie, kept up to date at the price of what has changed: where the
 * system reports names that come and go, no other directory is looked at again; elsewhere one is listed again only if
 * its time has changed. Links are not followed.
 */
import { basename, dirname } from "node:path";
import {
  childPath,
  type DirectoryLister,
  type Listing,
  openLister,
  PORTABLE,
} from "../lib/directory_listing.ts";
import { DirectoryHandle } from "../lib/directory_handle.ts";
import { NameWatch } from "../lib/name_watch.ts";
import { isFresh, latestChange, type PathSignature } from "../lib/path_signature.ts";
import { TimeSlice } from "../lib/time_slice.ts";

/** Directories above which a tree is not searched to its end. */
const MAX_DIRECTORIES = 50_000;
/** Directories of which a look at each is as quick as anything. */
const FEW_DIRECTORIES = 200;

/** What is wanted of a directory. */
export interface Contents {
  /** Names of the directories to search. */
  readonly inner: readonly string[];
  /** Paths in it that are looked for, or its own. @default none */
  readonly found?: readonly string[] | undefined;
  /** Names of sockets. @default none */
  readonly sockets?: readonly string[];
  /** Paths of links that are looked for. @default none */
  readonly links?: readonly string[];
}

/** A directory as it was listed. */
interface ListedDirectory {
  /** Paths of the directories to search. */
  readonly inner: readonly string[];
  readonly found: readonly string[] | undefined;
  /** Paths of sockets. */
  readonly sockets: readonly string[];
  /** Paths of links that are looked for. */
  readonly links: readonly string[];
  readonly inode: number;
  /** Milliseconds since the epoch; NaN if it may have changed unseen. */
  readonly changed: number;
}

/** One search on its way. */
interface Search {
  readonly listings: Map<string, ListedDirectory>;
  readonly lister: DirectoryLister;
  /** Directories in which something happened; undefined if nobody reports that. */
  readonly reported: ReadonlySet<string> | undefined;
}

/** Searches the same roots again and again, one search after the other. */
export class DirectoryTree {
  readonly #roots: () => readonly string[];
  readonly #examine: (directory: string, listing: Listing) => Contents;
  /** Directories above which it is not searched to its end. */
  readonly limit: number;
  #listings = new Map<string, ListedDirectory>();
  #unsearched: ReadonlySet<string> = new Set();
  /** The directories of the last whole search. */
  #former: ReadonlyMap<string, unknown> = new Map();
  /** Null where nothing can be watched. */
  #watch: NameWatch | null | undefined;
  #watchedRoots: readonly string[] = [];
  #isSearching = false;

  constructor(
    roots: () => readonly string[],
    examine: (directory: string, listing: Listing) => Contents,
    /** Directories above which it is not searched to its end. */
    { limit = MAX_DIRECTORIES }: { readonly limit?: number | undefined } = {},
  ) {
    this.#roots = roots;
    this.#examine = examine;
    this.limit = limit;
  }

  /** Directories in which the last search did not look, with all below, as it came to its limit. */
  get unsearched(): ReadonlySet<string> {
    return this.#unsearched;
  }

  /** What is looked for below some directories, of which nothing is remembered, with a limit of its own. */
  async searchBelow(directories: Iterable<string>): Promise<{ found: string[]; left: string[] }> {
    const searched = new Set<string>();
    const waiting = [...directories];
    const found: string[] = [];
    const left: string[] = [];
    // The library of a lister takes longer to open than most commands take.
    if (waiting.length === 0) return { found, left };
    const slice = new TimeSlice();
    using lister = openLister();
    for (const path of waiting) {
      if (searched.has(path)) continue;
      if (searched.size >= this.limit) {
        left.push(path);
        continue;
      }
      if (lister.signatureOf(path)?.kind !== "directory") continue;
      searched.add(path);
      using listing = lister.open(path) ?? openUnreadable(path, lister);
      if (listing === undefined) continue;
      const seen = this.#examine(path, listing);
      for (const name of seen.inner) waiting.push(childPath(path, name));
      for (const one of seen.found ?? []) found.push(one);
      await slice.pause();
    }
    return { found, left };
  }

  /**
   * Opens directories for whoever walks the same roots for reasons of its own: in a large tree the next search need
   * not list them again.
   */
  openLister(): DirectoryLister {
    const lister = openLister();
    let opened = 0;
    return {
      open: (directory) => {
        const listing = ++opened > FEW_DIRECTORIES && this.#mayLearn(directory)
          ? this.#learn(directory, lister)
          : undefined;
        return listing ?? lister.open(directory);
      },
      signatureOf: (path) => lister.signatureOf(path),
      [Symbol.dispose]: () => lister[Symbol.dispose](),
    };
  }

  /** Whether a directory is not known yet, and can be watched from now on. */
  #mayLearn(directory: string): boolean {
    if (this.#isSearching || this.#listings.has(directory)) return false;
    const roots = this.#roots();
    if (this.#watch === undefined) this.#watchAnew(roots);
    return this.#watch !== null && isSameList(roots, this.#watchedRoots) &&
      this.#listings.size < this.limit;
  }

  /** Notes a directory as it is listed for somebody else; undefined if it is none or cannot be read. */
  #learn(directory: string, lister: DirectoryLister): Listing | undefined {
    const signature = lister.signatureOf(directory);
    if (signature?.kind !== "directory") return undefined;
    const found = this.#listNow(directory, { signature, lister });
    if (found !== undefined) this.#listings.set(directory, found.known);
    return found?.listing;
  }

  /** What there is now of what is looked for. */
  async search(): Promise<string[]> {
    this.#isSearching = true;
    try {
      return await this.#search();
    } finally {
      this.#isSearching = false;
    }
  }

  async #search(): Promise<string[]> {
    const roots = this.#roots();
    if (this.#watch && !isSameList(roots, this.#watchedRoots)) this.#unwatch(undefined);
    const reported = this.#watch?.take();
    if (this.#watch && reported === undefined) this.#unwatch(null);
    try {
      const search = { listings: new Map(), lister: PORTABLE, reported };
      if (!await this.#walk(roots, search)) await this.#walkWatched(roots);
    } catch (error) {
      // What was reported has not been looked at.
      this.#unwatch(undefined);
      throw error;
    }
    return [...this.#listings.values().flatMap(({ found = [] }) => found)];
  }

  /** The paths of sockets that the last search came by. */
  get sockets(): string[] {
    return [...this.#listings.values().flatMap(({ sockets }) => sockets)];
  }

  /** The links that the last search came by, of those that are looked for. */
  get links(): string[] {
    return [...this.#listings.values().flatMap(({ links }) => links)];
  }

  /** Has a directory listed again by the next search. */
  forget(directory: string): void {
    this.#listings.delete(directory);
  }

  /** Ends what reports changes. */
  close(): void {
    this.#unwatch(null);
  }

  /** Lists all anew, each directory watched before it is listed. */
  async #walkWatched(roots: readonly string[]): Promise<void> {
    this.#watchAnew(roots);
    using lister = openLister();
    await this.#walk(roots, { listings: new Map(), lister, reported: undefined });
  }

  #watchAnew(roots: readonly string[]): void {
    this.#watch = NameWatch.open(roots) ?? null;
    this.#watchedRoots = roots;
    this.#listings = new Map();
  }

  /** False, with nothing changed, if there are so many directories that they should be watched. */
  async #walk(roots: readonly string[], search: Search): Promise<boolean> {
    const { listings, reported } = search;
    const waiting = roots.map((path) => ({ path, isSame: false }));
    const fresh: typeof waiting = [];
    const slice = new TimeSlice();
    const unsearched = new Set<string>();
    // What lies deeper comes later: where there are too many, it is what people hardly go to. But new directories, as
    // many as a command makes, take the place of no other.
    for (let done = 0, next = 0; done < waiting.length || next < fresh.length;) {
      const at = done < waiting.length ? waiting[done++]! : fresh[next++]!;
      if (listings.has(at.path)) continue;
      if (listings.size >= this.limit) {
        unsearched.add(at.path);
        continue;
      }
      if (this.#watch === undefined && listings.size >= FEW_DIRECTORIES) return false;
      const last = this.#listings.get(at.path);
      const isSame = last !== undefined && at.isSame && reported?.has(at.path) === false;
      const listing = isSame ? last : this.#list(at.path, last, search);
      if (listing === undefined) continue;
      listings.set(at.path, listing);
      // What lies in a directory in which nothing happened is what it was.
      for (const path of listing.inner) {
        const isFormer = this.#former.size === 0 || this.#former.has(path);
        const one = { path, isSame: reported !== undefined && listing === last };
        (isFormer ? waiting : fresh).push(one);
      }
      if (listing !== last || slice.step()) await slice.pause();
    }
    this.#listings = listings;
    this.#former = listings;
    this.#unsearched = unsearched;
    return true;
  }

  /** A directory as it is, from its last listing if that must be the same; undefined if it is none or cannot be read. */
  #list(
    directory: string,
    last: ListedDirectory | undefined,
    { lister, reported }: Search,
  ): ListedDirectory | undefined {
    const signature = lister.signatureOf(directory);
    if (signature?.kind !== "directory") return undefined;
    const isUnchanged = reported
      ? !reported.has(directory)
      : last?.changed === latestChange(signature);
    if (last?.inode === signature.inode && isUnchanged) return last;
    const found = this.#listNow(directory, { signature, lister });
    found?.listing[Symbol.dispose]();
    return found?.known;
  }

  /** Lists a directory, watched before that; undefined if it cannot be read. */
  #listNow(
    directory: string,
    { signature, lister }: { signature: PathSignature; lister: DirectoryLister },
  ): { known: ListedDirectory; listing: Listing } | undefined {
    const isWatched = this.#watch?.add(directory);
    const listedAt = Date.now();
    const listing = lister.open(directory) ?? openUnreadable(directory, lister);
    if (listing === undefined) return undefined;
    // A directory that has vanished meanwhile needs no watch.
    if (isWatched === false) this.#watch?.fail();
    const { inner, found, sockets = [], links = [] } = this.#examine(directory, listing);
    const known = {
      inner: inner.map((name) => childPath(directory, name)),
      found,
      sockets: sockets.map((name) => childPath(directory, name)),
      links,
      inode: signature.inode,
      // Never equal: it is listed again next time.
      changed: isFresh(signature, listedAt) ? NaN : latestChange(signature),
    };
    return { known, listing };
  }

  #unwatch(next: null | undefined): void {
    this.#watch?.close();
    this.#watch = next;
    this.#listings = new Map();
  }
}

/** A directory of the user's that may be entered but not listed, as a command may have left it: listed all the same. */
function openUnreadable(directory: string, lister: DirectoryLister): Listing | undefined {
  try {
    using above = DirectoryHandle.open(dirname(directory));
    const name = basename(directory);
    const { mode, isDirectory } = Deno.lstatSync(above.entry(name));
    if (!isDirectory || mode === null || (mode & 0o500) !== 0o100) return undefined;
    above.chmod(name, mode & 0o7777 | 0o400);
    try {
      return lister.open(directory);
    } finally {
      above.chmod(name, mode & 0o7777);
    }
  } catch {
    // It is somebody else's, or gone.
    return undefined;
  }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}
