/**
 * Limits on how much runs at once: of the items of a list, and of what comes one by one.
 */

/** Results in the order of the items. After a rejection none is begun any more, and those that run are waited for. */
export async function mapLimited<T, R>(
  items: readonly T[],
  options: { limit: number; run: (item: T, index: number) => Promise<R> },
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      try {
        results[index] = await options.run(items[index] as T, index);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(options.limit, items.length) }, worker);
  const settled = await Promise.allSettled(workers);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return results;
}

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
