/**
 * How long a run has waited for a person's answers: what a turn took is told without that.
 */
import type { Frontend } from "./frontend.ts";

/** The questions of one run. Those that wait at the same moment count once. */
export class AskedTime {
  /** Questions without an answer. */
  #open = 0;
  /** When the first of them was asked. */
  #since = 0;
  #total = 0;
  /** What it was when the turn began. */
  #before = 0;

  /** To be called when a turn of the main agent begins. */
  beginTurn(): void {
    this.#before = this.#ms;
  }

  /** Whole milliseconds of this turn in which a question waited for its answer. */
  get turnMs(): number {
    return Math.round(this.#ms - this.#before);
  }

  get #ms(): number {
    return this.#total + (this.#open > 0 ? performance.now() - this.#since : 0);
  }

  /** The same frontend; the time that its questions take is counted. */
  wrap(frontend: Frontend): Frontend {
    const { ask, askConsent } = frontend;
    return {
      ...frontend,
      ask: (...request) => this.#during(ask(...request)),
      ...askConsent && {
        askConsent: (...request) => this.#during(askConsent(...request)),
      },
    };
  }

  async #during<T>(answer: Promise<T>): Promise<T> {
    if (this.#open++ === 0) this.#since = performance.now();
    try {
      return await answer;
    } finally {
      if (--this.#open === 0) this.#total += performance.now() - this.#since;
    }
  }
}
