/**
 * All paths of the workspace that git would not ignore, for finding one by a few letters. They are listed in the
 * background, in slices that leave room for keys; afterwards the system tells in which directories names have come or
 * gone, so that a look whether the list is still right costs nothing.
 */
import { NameWatch } from "../lib/name_watch.ts";
import { TimeSlice } from "../lib/time_slice.ts";
import { findChanged, type ListedPaths, toListedPaths } from "./listed_paths.ts";
import type { Roots } from "./paths.ts";
import { TreeScan } from "./tree_scan.ts";

/** Milliseconds after which a list is made anew though no change was seen, as of a file that says what is ignored. */
const MAX_AGE_MS = 30_000;
/** Milliseconds between two lists, however much changes, and where changes cannot be seen. */
const MIN_AGE_MS = 2000;

/** The list of one workspace. */
export class PathList {
  readonly #roots: Roots;
  readonly #onChange: () => void;
  readonly #now: () => number;
  readonly #closed = new AbortController();
  #current: ListedPaths | undefined;
  /** The directories it was made for, and when. */
  #made = { roots: "", at: -Infinity };
  #watch: NameWatch | undefined;
  #listing: Promise<void> | undefined;

  /** `onChange` is called when there is another list; `now` gives milliseconds. */
  constructor(options: { roots: Roots; onChange: () => void; now?: () => number }) {
    this.#roots = options.roots;
    this.#onChange = options.onChange;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The newest list; undefined before the first is there. */
  get current(): ListedPaths | undefined {
    return this.#current;
  }

  /** Settles when the list that is being made is there; undefined if none is. */
  get listing(): Promise<void> | undefined {
    return this.#listing;
  }

  /** Makes the list anew in the background if it may no longer be right; costs next to nothing if it is. */
  refresh(): void {
    if (this.#listing !== undefined || this.#closed.signal.aborted || !this.#isStale()) return;
    // Only the end of the session breaks it off.
    this.#listing = this.#list().catch(() => {}).finally(() => this.#listing = undefined);
  }

  /** Ends work in the background. */
  close(): void {
    this.#closed.abort();
    this.#watch?.close();
    this.#watch = undefined;
  }

  #isStale(): boolean {
    const age = this.#now() - this.#made.at;
    if (this.#made.roots !== keyOf(this.#roots) || age > MAX_AGE_MS) return true;
    if (age < MIN_AGE_MS) return false;
    const changed = this.#watch?.take();
    return changed === undefined || changed.size > 0;
  }

  async #list(): Promise<void> {
    const roots = { cwd: this.#roots.cwd, all: [...this.#roots.all] };
    const slice = new TimeSlice(this.#closed.signal);
    this.#watch?.close();
    const watch = this.#watch = NameWatch.open(roots.all);
    const add = (path: string, { ignored }: { ignored: boolean }) => {
      if (!ignored && watch?.add(path) === false) watch.fail();
    };
    const { found } = await new TreeScan({ roots, excluded: [] }).run({ watch: { add }, slice });
    const listed = await toListedPaths(found, { roots, slice });
    this.#made = { roots: keyOf(roots), at: this.#now() };
    this.#publish(this.#current ? { ...listed, changed: this.#current.changed } : listed);
    this.#publish({ ...listed, changed: await findChanged(found, { roots, slice }) });
  }

  #publish(listed: ListedPaths): void {
    this.#current = listed;
    this.#onChange();
  }
}

function keyOf({ cwd, all }: Roots): string {
  return [cwd, ...all].join("\0");
}
