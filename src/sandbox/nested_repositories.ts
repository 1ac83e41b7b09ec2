/**
 * Repositories below the workspace's roots, wherever they lie: vendored ones, submodules, bare ones. Who goes there
 * later has git run what their configuration names. They are found before commands, which then only read them, and
 * looked for again afterwards: one that a command made without the power over repositories is set aside, by another
 * name. A directory is listed again only if it has changed.
 */
import { basename, dirname, join } from "node:path";
import { requireWrite, tryLstat } from "../lib/fs.ts";
import { kindOf } from "./inspect.ts";

/** Directories above which a tree is not searched to its end. */
const MAX_DIRECTORIES = 50_000;
/** Milliseconds after which a search lets others run. */
const SLICE_MS = 10;
/** Milliseconds: a directory changed so shortly before it was listed may have changed since. */
const TOO_FRESH_MS = 100;

/** What makes a directory a bare repository in git's eyes. */
const BARE = ["HEAD", "objects", "refs"];
/** Ending of the name of what was set aside. */
const ASIDE = "-set-aside";

/** A directory as it was listed. */
interface Listing {
  readonly changed: number;
  /** Directories in it, links left out. */
  readonly inner: readonly string[];
  /** `.git` in it, or itself if it is a bare repository. */
  readonly repository: string | undefined;
}

/** Knows the repositories below the roots. */
export class NestedRepositories {
  readonly #roots: () => readonly string[];
  #listings = new Map<string, Listing>();
  /** Those found, by what they are on the disk. */
  #known = new Map<string, string>();
  #running: Promise<readonly string[]> | undefined;

  constructor(roots: () => readonly string[]) {
    this.#roots = roots;
  }

  /** Their paths, as far as they are known: of `.git`, whatever it is, or of a bare repository. */
  get paths(): readonly string[] {
    return [...this.#known.values()];
  }

  /** Makes sure that they are known before a command. */
  async learn(): Promise<void> {
    await this.#search();
  }

  /**
   * Searches after a command, and sets aside those that have come since the last search; `mayMake` says that some
   * running command may make them. Returns where they are now. Never throws.
   */
  async review({ mayMake }: { mayMake: boolean }): Promise<string[]> {
    try {
      const fresh = await this.#search();
      return mayMake ? [] : this.#setAside(fresh);
    } catch {
      // Where ally may not look, it could change nothing either.
      return [];
    }
  }

  #setAside(fresh: readonly string[]): string[] {
    return fresh.flatMap((path) => {
      const aside = setAside(path);
      if (aside === undefined) return [];
      for (const [id, one] of this.#known) if (one === path) this.#known.delete(id);
      this.#listings.delete(dirname(aside));
      return [aside];
    });
  }

  /** The paths that the last search did not find. Searches that begin together are one. */
  #search(): Promise<readonly string[]> {
    return this.#running ??= Promise.resolve().then(() => {
      const search = this.#walk();
      this.#running = undefined;
      return search;
    });
  }

  async #walk(): Promise<readonly string[]> {
    const listings = new Map<string, Listing>();
    const known = new Map<string, string>();
    const waiting = [...this.#roots()];
    let slice = performance.now();
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (listings.has(at) || listings.size >= MAX_DIRECTORIES) continue;
      const listing = listingOf(at, this.#listings.get(at));
      if (listing === undefined) continue;
      listings.set(at, listing);
      for (const name of listing.inner) waiting.push(join(at, name));
      const id = listing.repository && identityOf(listing.repository);
      if (id) known.set(id, listing.repository!);
      if (performance.now() - slice < SLICE_MS) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      slice = performance.now();
    }
    const fresh = [...known].filter(([id]) => !this.#known.has(id)).map(([, path]) => path);
    this.#listings = listings;
    this.#known = known;
    return fresh;
  }
}

/** A directory as it is, from its last listing if it has not changed; undefined if it is none or cannot be read. */
function listingOf(directory: string, last: Listing | undefined): Listing | undefined {
  const info = tryLstat(directory);
  if (!info?.isDirectory) return undefined;
  const changed = Math.max(info.mtime?.getTime() ?? 0, info.ctime?.getTime() ?? 0);
  if (last && last.changed === changed) return last;
  const listedAt = Date.now();
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(directory)];
  } catch {
    return undefined;
  }
  const names = new Set(entries.map(({ name }) => name));
  const dot = entries.find(({ name }) => name.toLowerCase() === ".git")?.name;
  const isBare = dot === undefined && BARE.every((name) => names.has(name));
  return {
    // Never equal: it is listed again next time.
    changed: listedAt - changed < TOO_FRESH_MS ? NaN : changed,
    inner: isBare
      ? []
      : entries.flatMap(({ name, isDirectory }) =>
        isDirectory && name !== dot && !name.startsWith(`.git${ASIDE}`) ? [name] : []
      ),
    repository: dot === undefined ? isBare ? directory : undefined : join(directory, dot),
  };
}

function identityOf(path: string): string | undefined {
  const info = tryLstat(path);
  return info && `${info.dev}:${info.ino}`;
}

/** Gives it a name by which git does not find it, and returns that; undefined if it cannot be done. */
function setAside(path: string): string | undefined {
  const moved = basename(path).toLowerCase() === ".git" ? path : join(path, "HEAD");
  for (let count = 1; count < 100; count++) {
    const aside = `${moved}${ASIDE}${count === 1 ? "" : `-${count}`}`;
    if (kindOf(aside) !== undefined) continue;
    try {
      requireWrite(moved);
      Deno.renameSync(moved, aside);
      return aside;
    } catch {
      return undefined;
    }
  }
  return undefined;
}
