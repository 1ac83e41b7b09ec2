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

/** Repositories as they were before a command, or before a list. */
export class RepositoryWatch {
  #before: RepositoryState | undefined;
  #config = false;
  #words = "";

  /** Whether configurations may change meanwhile. */
  get config(): boolean {
    return this.#config;
  }

  /** Looks, unless an earlier part has; `words` are the command's. */
  look(writable: WritableRepositories, words: string): void {
    this.#words += `${words}\n`;
    this.#before ??= lookAtRepositories(writable);
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
    return reviewRepositories(found ? relocateRepositories(before, found) : before, {
      ...options,
      config: this.#config,
      words: this.#words,
    });
  }
}

/** The watches of commands that run. */
export class RepositoryWatches {
  readonly #running = new Set<RepositoryWatch>();

  /** Begins to watch for a command; `watch` is that of an earlier part of the same list. */
  begin(
    writable: WritableRepositories,
    { config, words, watch = new RepositoryWatch() }: {
      config: boolean;
      words: string;
      watch?: RepositoryWatch;
    },
  ): RepositoryWatch {
    watch.look(writable, words);
    this.#running.add(watch);
    // What one may do is not undone after another.
    if (config || [...this.#running].some((one) => one.config)) {
      for (const one of this.#running) one.allowConfig();
    }
    return watch;
  }

  /** The command has ended, and with it all of its parts. Returns where what it was not to do is now. */
  end(watch: RepositoryWatch, options: EndOptions): Promise<string[]> {
    this.#running.delete(watch);
    return watch.review(options);
  }
}
