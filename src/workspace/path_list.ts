/**
 * All paths of the workspace that git would not ignore, for finding one by a few letters. They are listed in the
 * background, in slices that leave room for keys; afterwards the system tells in which directories names have come or
 * gone, so that a look whether the list is still right costs nothing.
 */
import { setTimeout as delay } from "node:timers/promises";
import { NameWatch } from "../lib/name_watch.ts";
import { TimeSlice } from "../lib/time_slice.ts";
import { findChanged, type ListedPaths, toListedPaths } from "./listed_paths.ts";
import type { Roots } from "./paths.ts";
import { type ScanResult, TreeScan } from "./tree_scan.ts";

/** Milliseconds after which a list is made anew though no change was seen, as of a file that says what is ignored. */
const MAX_AGE_MS = 30_000;
/** How many times as long as it took a list is left alone, however much changes. */
const MIN_AGE = 2;
/** The same in milliseconds, where changes cannot be seen. */
const UNSEEN_AGE_MS = 5000;

/** The list of one workspace. */
export class PathList {
  readonly #roots: Roots;
  readonly #now: () => number;
  readonly #closed = new AbortController();
  #current: ListedPaths | undefined;
  /** The directories it was made for, when, and how long that took. */
  #made: { readonly roots: Roots; readonly at: number; readonly took: number } = {
    roots: { cwd: "", all: [] },
    at: -Infinity,
    took: 0,
  };
  #watch: NameWatch | undefined;
  #listing: Promise<void> | undefined;
  #work: Promise<void> | undefined;

  /** `now` gives milliseconds. */
  constructor(options: { roots: Roots; now?: () => number }) {
    this.#roots = options.roots;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The newest list; undefined before the first is there. */
  get current(): ListedPaths | undefined {
    return this.#current;
  }

  /** Settles when the list that is being made is there, yet without what git knows; undefined if none is made. */
  get listing(): Promise<void> | undefined {
    return this.#listing;
  }

  /** Settles when no work is left in the background. */
  get settled(): Promise<void> {
    return this.#work ?? Promise.resolve();
  }

  /**
   * Makes the list anew in the background if it may no longer be right; costs next to nothing if it is. Where it was
   * made but now, that begins a little later.
   */
  refresh(): void {
    if (this.#work !== undefined || this.#closed.signal.aborted) return;
    const wait = this.#staleIn();
    if (wait === undefined) return;
    const listed = this.#listAfter(wait);
    // Only the end of the session breaks it off.
    this.#listing = listed.then(() => {}, () => {}).finally(() => this.#listing = undefined);
    this.#work = listed.then((scanned) => this.#noteChanges(scanned)).catch(() => {})
      .finally(() => this.#work = undefined);
  }

  /** Ends work in the background. */
  close(): void {
    this.#closed.abort();
    this.#watch?.close();
    this.#watch = undefined;
  }

  /** Milliseconds until the list is to be made anew; undefined if it is still right. */
  #staleIn(): number | undefined {
    const { at, took, roots } = this.#made;
    const age = this.#now() - at;
    if (age > MAX_AGE_MS || !isSame(roots, this.#roots)) return 0;
    const changed = this.#watch?.take();
    const isRight = changed === undefined ? age <= UNSEEN_AGE_MS : changed.size === 0;
    return isRight ? undefined : Math.max(0, took * MIN_AGE - age);
  }

  async #listAfter(wait: number): Promise<ScanResult> {
    if (wait > 0) await delay(wait, undefined, { signal: this.#closed.signal });
    return await this.#list();
  }

  async #list(): Promise<ScanResult> {
    const roots = { cwd: this.#roots.cwd, all: [...this.#roots.all] };
    const slice = new TimeSlice(this.#closed.signal);
    const begin = this.#now();
    this.#watch?.close();
    const watch = this.#watch = NameWatch.open(roots.all);
    const add = (path: string, { ignored }: { ignored: boolean }) => {
      if (!ignored && watch?.add(path) === false) watch.fail();
    };
    const scanned = await new TreeScan({ roots, excluded: [] }).run({ watch: { add }, slice });
    const listed = await toListedPaths(scanned, { roots, slice });
    this.#made = { roots, at: this.#now(), took: this.#now() - begin };
    this.#current = { ...listed, changed: this.#current?.changed ?? [] };
    return scanned;
  }

  async #noteChanges(scanned: ScanResult): Promise<void> {
    const slice = new TimeSlice(this.#closed.signal);
    const changed = await findChanged(scanned, { roots: this.#made.roots, slice });
    if (this.#current !== undefined) this.#current = { ...this.#current, changed };
  }
}

function isSame(a: Roots, b: Roots): boolean {
  return a.cwd === b.cwd && a.all.length === b.all.length &&
    a.all.every((root, index) => root === b.all[index]);
}
