/**
 * Waiting for a server in bounds: no longer than whoever waits wants to, and for one answer however many ask for it.
 * Called by `server.ts`.
 */

/** What a promise comes to, or the signal's reason as soon as it is aborted. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const gone = Promise.withResolvers<never>();
  const leave = () => gone.reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  try {
    // Whatever comes of the promise later is taken, and no error of nobody's.
    return await Promise.race([gone.promise, promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** Does one thing at a time; whoever asks while it is done has it done once more, all of them together. */
export class CoalescedTask {
  readonly #task: () => Promise<void>;
  #running: Promise<void> | undefined;
  #again = false;

  /** `renew` must not throw. */
  constructor(task: () => Promise<void>) {
    this.#task = task;
  }

  /** Asks for it. */
  request(): void {
    this.#again = true;
    this.#running ??= this.#run();
  }

  /** When nothing that was asked for is left to do. */
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
