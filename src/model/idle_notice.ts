/**
 * Tells that nothing comes while a reply is awaited: first after 15 seconds, then at growing distances, so
 * that minutes of a slow local model are seen to pass without filling the screen.
 */

/** Milliseconds of the first silence that is told. */
const FIRST_MS = 15_000;
/** Milliseconds between two tellings at most. */
const MAX_MS = 300_000;

/** Runs from its making, or from the last time something was heard, until it is disposed of. */
export class IdleNotice implements Disposable {
  readonly #tell: (ms: number) => void;
  readonly #firstMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `tell` gets the milliseconds of silence so far. */
  constructor(options: { tell: (ms: number) => void; firstMs?: number | undefined }) {
    this.#tell = options.tell;
    this.#firstMs = options.firstMs ?? FIRST_MS;
    this.reset();
  }

  /** Begins to count anew. */
  reset(): void {
    this.#wait(this.#firstMs, this.#firstMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #wait(stepMs: number, totalMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#tell(totalMs);
      const next = Math.min(stepMs * 2, MAX_MS);
      this.#wait(next, totalMs + next);
    }, stepMs);
  }
}
