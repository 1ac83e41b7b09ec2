/**
 * Waiting for something that another process will do: polling with a limit, for what sends no event.
 */

const LIMIT_MS = 60_000;
const STEP_MS = 20;

/** The first value that is neither undefined, nor empty, nor an error. @throws {Error} after a minute */
export async function until<T>(what: string, look: () => Promise<T> | T): Promise<NonNullable<T>> {
  const deadline = performance.now() + LIMIT_MS;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      last = await look();
      if (last) return last as NonNullable<T>;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  throw new Error(`Waited in vain for ${what}; last seen: ${String(last)}`);
}
