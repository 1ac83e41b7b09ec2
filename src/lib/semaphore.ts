/**
 * Lets a limited number of things happen at a time, first come, first served.
 */

/** As many places as its limit. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(options: { limit: number }) {
    this.#free = options.limit;
  }

  /** Does a work as soon as there is a place for it. */
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
