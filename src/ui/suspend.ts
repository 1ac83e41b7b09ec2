/**
 * Questions come from several sides: sub-agents, plugins, commands. One at a time has the screen; the others wait.
 */

/** Takes the screen from the renderer until the returned function is called. */
export type Suspend = () => Promise<() => void>;

/** Runs what needs the screen; without a renderer there is nothing to suspend. */
export async function withScreen<T>(
  suspend: Suspend | undefined,
  run: () => Promise<T>,
): Promise<T> {
  const resume = await suspend?.();
  try {
    return await run();
  } finally {
    resume?.();
  }
}

/** A `Suspend` for one question at a time. */
export function serializeSuspend(suspend: Suspend): Suspend {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    const turn = Promise.withResolvers<void>();
    last = turn.promise;
    await before;
    try {
      const resume = await suspend();
      return () => {
        resume();
        turn.resolve();
      };
    } catch (error) {
      turn.resolve();
      throw error;
    }
  };
}
