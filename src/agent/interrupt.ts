/**
 * What Ctrl+C means, as one table: by what ally is doing, and by whether it was pressed just before. It stops
 * what runs; pressed again it ends the session, saved and in order; and once more, at once.
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

const TABLE: Readonly<Record<Doing, { first: InterruptAction; again: InterruptAction }>> = {
  running: { first: "cancel", again: "quit" },
  asking: { first: "nothing", again: "quit" },
  typed: { first: "clear", again: "clear" },
  empty: { first: "leave", again: "leave" },
  leaving: { first: "force_exit", again: "force_exit" },
};

/** Remembers the last press. */
export class Interrupts {
  readonly #now: () => number;
  #last = -Infinity;

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(options: { now: () => number }) {
    this.#now = options.now;
  }

  /** What this press means. */
  press(doing: Doing): InterruptAction {
    const now = this.#now();
    const again = now - this.#last <= AGAIN_MS;
    this.#last = now;
    return TABLE[doing][again ? "again" : "first"];
  }
}
