/**
 * Lets others run while a long loop works in the background: keys are read, and a model's answer is shown.
 */

import { setImmediate } from "node:timers";

/** Milliseconds of work after which others run. */
const SLICE_MS = 10;
/** Steps of a tight loop after which the clock is looked at: that takes longer than most steps. */
const STEPS = 64;

/** The slices of one long piece of work. */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  #start = performance.now();
  #steps = 0;

  /** `signal` ends the work. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Counts one of many short steps; true if it is the others' turn. */
  step(): boolean {
    return ++this.#steps % STEPS === 0 && this.#isOver;
  }

  /** Lets others run, if it is their turn. @throws {DOMException} the work was aborted meanwhile */
  async pause(): Promise<void> {
    if (!this.#isOver) return;
    // A timer of no time waits for two milliseconds.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#start = performance.now();
  }

  get #isOver(): boolean {
    return performance.now() - this.#start >= SLICE_MS;
  }
}
