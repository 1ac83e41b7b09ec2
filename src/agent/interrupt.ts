/**
 * What Ctrl+C means, as one table: by what ally is doing, and by whether it was pressed just before. It stops
 * what runs; pressed again it ends the session, saved and in order; and once more in a row, or if leaving takes
 * long, at once.
 */

/** What ally is doing: `typed` and `empty` are a prompt with and without text in its line. */
export type Doing = "running" | "asking" | "typed" | "empty" | "leaving";

/**
 * `leave` ends the session as the person asked, `quit` ends it in the middle of something, `force_exit` does
 * not wait for more than what is being saved. A question denies by itself and needs nothing more.
 */
export type InterruptAction = "nothing" | "cancel" | "clear" | "leave" | "quit" | "force_exit";

/** Milliseconds within which a press belongs to the one before. */
const AGAIN_MS = 2000;
/** Presses in a row that end ally at once. */
const FORCING = 3;

const TABLE: Readonly<Record<Doing, { first: InterruptAction; again: InterruptAction }>> = {
  running: { first: "cancel", again: "quit" },
  asking: { first: "nothing", again: "quit" },
  typed: { first: "clear", again: "clear" },
  empty: { first: "leave", again: "leave" },
  leaving: { first: "force_exit", again: "nothing" },
};

/** A line can be cleared and left as often as one likes: nothing is lost by waiting. */
const WAITS: ReadonlySet<Doing> = new Set(["typed", "empty"]);

/** What may be otherwise. */
export interface InterruptOptions {
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number;
  /** Milliseconds within which a press belongs to the one before. @default 2000 */
  readonly againMs?: number | undefined;
  /** Presses in a row that end ally at once. @default 3 */
  readonly forcing?: number | undefined;
}

/** Remembers the last presses. */
export class Interrupts {
  readonly #now: () => number;
  readonly #againMs: number;
  readonly #forcing: number;
  #last = -Infinity;
  #inARow = 0;

  constructor({ now, againMs = AGAIN_MS, forcing = FORCING }: InterruptOptions) {
    this.#now = now;
    this.#againMs = againMs;
    this.#forcing = forcing;
  }

  /** What this press means. */
  press(doing: Doing): InterruptAction {
    const now = this.#now();
    const again = now - this.#last <= this.#againMs;
    this.#last = now;
    this.#inARow = again ? this.#inARow + 1 : 1;
    if (again && !WAITS.has(doing) && this.#inARow >= this.#forcing) return "force_exit";
    return TABLE[doing][again ? "again" : "first"];
  }
}
