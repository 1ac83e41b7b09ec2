/**
 * What Ctrl+C means, as one table: by what ally is doing, and by whether it was pressed just before. It stops
 * what runs; pressed again it ends the session, saved and in order; and once more in a row, or if leaving takes
 * long, at once. On an empty line the first press says what the second one does.
 */

/** What ally is doing: `typed` and `empty` are a prompt with and without text in its line. */
export type Activity = "running" | "asking" | "typed" | "empty" | "leaving";

/**
 * `warn` says that the next press leaves, `leave` ends the session as the person asked, `quit` ends it in the middle of something, `force_exit` does
 * not wait for more than what is being saved. A question denies by itself and needs nothing more.
 */
type InterruptAction = "nothing" | "warn" | "cancel" | "clear" | "leave" | "quit" | "force_exit";

const TABLE: Readonly<Record<Activity, { first: InterruptAction; again: InterruptAction }>> = {
  running: { first: "cancel", again: "quit" },
  asking: { first: "nothing", again: "quit" },
  typed: { first: "clear", again: "clear" },
  empty: { first: "warn", again: "leave" },
  leaving: { first: "force_exit", again: "nothing" },
};

/** A line can be cleared and left as often as one likes: nothing is lost by waiting. */
const WAITS: ReadonlySet<Activity> = new Set(["typed", "empty"]);

/** What may be otherwise. */
export interface InterruptOptions {
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number;
  /** Milliseconds within which a press belongs to the one before. */
  readonly againMs: number;
  /** Presses in a row that end ally at once. */
  readonly forceExitPresses: number;
}

/** Remembers the last presses. */
export class Interrupts {
  readonly #now: () => number;
  readonly #againMs: number;
  readonly #forceExitPresses: number;
  #last = -Infinity;
  #lastActivity: Activity | undefined;
  #inARow = 0;

  constructor(
    { now, againMs, forceExitPresses }: InterruptOptions,
  ) {
    this.#now = now;
    this.#againMs = againMs;
    this.#forceExitPresses = forceExitPresses;
  }

  /** What this press means. */
  press(activity: Activity): InterruptAction {
    const now = this.#now();
    // A press that was meant for a turn, or for the words in the line, warns of nothing.
    const isFirst = activity === "empty" && this.#lastActivity !== "empty";
    const again = now - this.#last <= this.#againMs && !isFirst;
    this.#last = now;
    this.#lastActivity = activity;
    this.#inARow = again ? this.#inARow + 1 : 1;
    if (again && !WAITS.has(activity) && this.#inARow >= this.#forceExitPresses) {
      return "force_exit";
    }
    return TABLE[activity][again ? "again" : "first"];
  }
}
