/**
 * Lets calls that only read run at once and still come to what they would come to one after the other. One of them may
 * turn out to need more than to read, and be given it: what began before it had ended is out of date then.
 */

/** The place of one call among those that run at once. */
export interface Place {
  /** Milliseconds that the call has waited for earlier ones. */
  readonly waitedMs: number;
  /** Waits until all earlier calls have ended; says whether one of them may have changed what this one read. */
  isOutdated(): Promise<boolean>;
  /** Notes that the call now runs with more than it takes to read. */
  noteChange(): void;
  /** Notes that the call has ended. */
  end(): void;
}

/** A call that runs alone. */
export const ALONE: Place = {
  waitedMs: 0,
  isOutdated: () => Promise.resolve(false),
  noteChange: () => {},
  end: () => {},
};

/** Places for so many calls, in the order of the calls. */
export function createPlaces(count: number): Place[] {
  const ends = Array.from({ length: count }, () => Promise.withResolvers<void>());
  let firstChange = Infinity;
  return ends.map(({ resolve }, index) => {
    let waitedMs = 0;
    return {
      get waitedMs() {
        return waitedMs;
      },
      async isOutdated() {
        const since = performance.now();
        await Promise.all(ends.slice(0, index).map(({ promise }) => promise));
        waitedMs += performance.now() - since;
        return firstChange < index;
      },
      noteChange() {
        firstChange = Math.min(firstChange, index);
      },
      end: resolve,
    };
  });
}
