/**
 * Reports silence while a reply is awaited: first after 15 seconds, then at growing intervals, so that the user
 * sees the minutes of a slow local model pass without a screen full of notices.
 */

/** Milliseconds of silence before the first notice. */
const FIRST_MS = 15_000;
/** The longest interval between two notices, in milliseconds. */
const MAX_MS = 300_000;

/** Counts from its creation, or from the last `reset`, until it is disposed of. */
export class IdleNotice implements Disposable {
  readonly #notify: (ms: number) => void;
  readonly #firstMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `notify` gets the milliseconds of silence so far. */
  constructor(options: { notify: (ms: number) => void; firstMs?: number | undefined }) {
    this.#notify = options.notify;
    this.#firstMs = options.firstMs ?? FIRST_MS;
    this.reset();
  }

  /** Starts counting again. */
  reset(): void {
    this.#wait(this.#firstMs, this.#firstMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #wait(stepMs: number, totalMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#notify(totalMs);
      const next = Math.min(stepMs * 2, MAX_MS);
      this.#wait(next, totalMs + next);
    }, stepMs);
  }
}
