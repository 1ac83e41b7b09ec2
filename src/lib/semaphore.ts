/**
 * Lets a limited number of things happen at a time, first come, first served.
 */

/** Lets as many run at once as its limit says. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(options: { limit: number }) {
    this.#free = options.limit;
  }

  /** Runs the work as soon as fewer than the limit run. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
