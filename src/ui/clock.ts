/**
 * The clock of what moves on the screen; tests replace it.
 */

/** Time and ticks. */
export interface Clock {
  /** Milliseconds. @default performance.now */
  readonly now: () => number;
  /** Calls back every so many milliseconds until stopped. @default setInterval */
  readonly every: (ms: number, callback: () => void) => () => void;
}

/** The real one. */
export const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  every(ms, callback) {
    const timer = setInterval(callback, ms);
    return () => clearInterval(timer);
  },
};
