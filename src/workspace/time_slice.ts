/**
 * Lets others run while a long loop works in the background: keys are read, and a model's answer is shown.
 */

/** Milliseconds of work after which others run. */
const SLICE_MS = 10;

/** The slices of one long piece of work. */
export class TimeSlice {
  readonly #signal: AbortSignal;
  #start = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether it is the others' turn. */
  get isOver(): boolean {
    return performance.now() - this.#start >= SLICE_MS;
  }

  /** Lets others run, if it is their turn. @throws {DOMException} the work was aborted meanwhile */
  async pause(): Promise<void> {
    if (!this.isOver) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#signal.throwIfAborted();
    this.#start = performance.now();
  }
}
