/**
 * Limits how many messages a server may send in a second: one that floods is given up before it takes the processor.
 */

/** Messages allowed within one window. */
const MAX_MESSAGES = 2000;
/** Milliseconds. */
const WINDOW = 1000;

/** Counts messages; true once there are too many. */
export class RateLimit {
  readonly #now: () => number;
  #since: number;
  #count = 0;

  constructor({ now }: { now: () => number }) {
    this.#now = now;
    this.#since = now();
  }

  /** Counts one message and says whether the server floods. */
  countMessage(): boolean {
    const now = this.#now();
    if (now - this.#since > WINDOW) [this.#since, this.#count] = [now, 0];
    return ++this.#count > MAX_MESSAGES;
  }
}
