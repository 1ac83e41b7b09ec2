/**
 * How fast a text arrives. Where it comes faster than it is drawn, what may still change is left out of most frames: it
 * would be written again in the next one.
 */

/** Milliseconds without text after which the status line is seen again below it. */
const FLOW_MS = 1500;
/** The same between two pieces of a text that comes fast. */
const FAST_MS = 34;
/** Milliseconds after which the end of such a text is drawn nevertheless. */
const STUCK_MS = 300;

/** The pace of one reply after the other; times are in milliseconds, by the clock of the screen. */
export class TextPace {
  readonly #isStill: () => boolean;
  #wroteAt = -Infinity;
  #settledAt = -Infinity;
  #isFast = false;

  /** Where frames are few, as with reduced motion, no text comes fast. */
  constructor(isStill: () => boolean) {
    this.#isStill = isStill;
  }

  /** Some text arrived. */
  take(now: number): void {
    this.#isFast = now - this.#wroteAt < FAST_MS && !this.#isStill();
    this.#wroteAt = now;
  }

  /** Some of it is finished. */
  settle(now: number): void {
    this.#settledAt = now;
  }

  /** Whether text has arrived lately. */
  isFlowing(now: number): boolean {
    return now - this.#wroteAt < FLOW_MS;
  }

  /** Whether a frame is to show only what is finished; one for the clock shows what has not been for long. */
  isFast(now: number, { isTick }: { isTick: boolean }): boolean {
    return this.#isFast && !(isTick && now - this.#settledAt >= STUCK_MS);
  }
}
