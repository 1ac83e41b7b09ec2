/**
 * What commands do to repositories, looked at once before and once after: by one command, or by all parts of a list,
 * which are confined before the first of them runs. Each part for itself would undo what another one was free to do.
 */
import type { GitSetting } from "../core/sandbox.ts";
import {
  lookAtRepositories,
  missingRepositories,
  relocateRepositories,
  type RepositoryState,
  reviewRepositories,
  type WritableRepositories,
} from "./repository_changes.ts";

/** What changes are judged by once a command has ended. */
interface EndOptions {
  readonly roots: readonly string[];
  readonly settings: readonly GitSetting[];
  /** Where repositories are now that are known by what they are on the disk. */
  readonly locate: (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>;
}

/** What a watch has to compare with. */
export interface WatchState {
  readonly before: RepositoryState;
  /** Whether configurations may change meanwhile. */
  readonly config: boolean;
  /** Programs and strategies that the words of the command, or of all parts of a list, give to git as steps. */
  readonly named: readonly string[];
}

/** Repositories as they were before a command, or before a list. */
export class RepositoryWatch {
  #before: RepositoryState | undefined;
  /** The same, until it has been reviewed. */
  #unreviewed: RepositoryState | undefined;
  #config: boolean;
  #named: readonly string[];

  /** @default it has not looked yet */
  constructor({ before, config = false, named = [] }: Partial<WatchState> = {}) {
    this.#before = this.#unreviewed = before;
    this.#config = config;
    this.#named = named;
  }

  /** What is still to be reviewed. */
  get state(): WatchState | undefined {
    const before = this.#unreviewed;
    return before && { before, config: this.#config, named: this.#named };
  }

  /** Whether configurations may change meanwhile. */
  get config(): boolean {
    return this.#config;
  }

  /** Looks, unless an earlier part has; `named` is what the command's words give to git as steps. */
  look(writable: WritableRepositories, named: readonly string[]): void {
    this.#named = [...this.#named, ...named];
    this.#before ??= this.#unreviewed = lookAtRepositories(writable);
  }

  /** This command, another part of it, or one that runs beside it may change configurations. */
  allowConfig(): void {
    this.#config = true;
  }

  /** Undoes what was not to be done, once; returns where it is now. Never throws. */
  async review({ locate, ...options }: EndOptions): Promise<string[]> {
    const before = this.#before;
    this.#before = undefined;
    if (before === undefined) return [];
    const missing = missingRepositories(before);
    const found = missing.size === 0 ? undefined : await locate(missing).catch(() => undefined);
    const undone = reviewRepositories(found ? relocateRepositories(before, found) : before, {
      ...options,
      config: this.#config,
      named: this.#named,
    });
    this.#unreviewed = undefined;
    return undone;
  }
}

/** The watches of commands that run. */
export class RepositoryWatches {
  readonly #running = new Set<RepositoryWatch>();
  readonly #unreviewed = new Set<RepositoryWatch>();

  /** What is still to be reviewed. */
  get states(): WatchState[] {
    return [...this.#unreviewed].flatMap(({ state }) => state ?? []);
  }

  /** Begins to watch for a command; `watch` is that of an earlier part of the same list. */
  begin(
    writable: WritableRepositories,
    { config, named, watch = new RepositoryWatch() }: {
      config: boolean;
      named: readonly string[];
      watch?: RepositoryWatch;
    },
  ): RepositoryWatch {
    watch.look(writable, named);
    this.#running.add(watch);
    this.#unreviewed.add(watch);
    // What one may do is not undone after another.
    if (config || [...this.#running].some((one) => one.config)) {
      for (const one of this.#running) one.allowConfig();
    }
    return watch;
  }

  /** The command has ended, and with it all of its parts. Returns where what it was not to do is now. */
  async end(watch: RepositoryWatch, options: EndOptions): Promise<string[]> {
    this.#running.delete(watch);
    const undone = await watch.review(options);
    if (watch.state === undefined) this.#unreviewed.delete(watch);
    return undone;
  }
}
