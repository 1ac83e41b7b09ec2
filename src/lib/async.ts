/**
 * Waiting within limits: as long as a timer can, until a signal is aborted, and once for several requests of the same
 * work.
 */

/** The longest delay of a timer, in milliseconds: one that is longer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The result of a promise, or the signal's reason as soon as it is aborted. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const gone = Promise.withResolvers<never>();
  const leave = () => gone.reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  try {
    // The race has a handler on both: a later rejection is ignored.
    return await Promise.race([gone.promise, promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** Runs a task one at a time; requests that arrive while it runs lead to one more run. */
export class CoalescedTask {
  readonly #task: () => Promise<void>;
  #running: Promise<void> | undefined;
  #again = false;

  /** `task` must not throw. */
  constructor(task: () => Promise<void>) {
    this.#task = task;
  }

  /** Requests a run. */
  request(): void {
    this.#again = true;
    this.#running ??= this.#run();
  }

  /** Resolves once no requested run is left. */
  get settled(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  async #run(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#task();
    }
    this.#running = undefined;
  }
}
