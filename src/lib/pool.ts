/**
 * Runs a function over a list with a limit on how many run at once.
 */

/** Results in the order of the items; the first rejection rejects after the running ones have settled. */
export async function mapLimited<T, R>(
  items: readonly T[],
  options: { limit: number; run: (item: T, index: number) => Promise<R> },
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await options.run(items[index] as T, index);
    }
  };
  const workers = Array.from({ length: Math.min(options.limit, items.length) }, worker);
  const settled = await Promise.allSettled(workers);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return results;
}
