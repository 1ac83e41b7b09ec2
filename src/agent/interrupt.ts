/**
 * What Ctrl+C means, as one small table: it cancels what is running, clears what is half typed, leaves an
 * empty line; pressed three times within half a second it ends the program whatever it is doing.
 */

export type InterruptAction = "cancel" | "clear" | "exit" | "force_exit";

export interface InterruptState {
  /** A request or a tool is running. */
  readonly busy: boolean;
  /** The input line holds text. */
  readonly hasText: boolean;
}

/** Milliseconds within which presses count as one fit of impatience. */
const RAPID_MS = 500;
const RAPID_PRESSES = 3;

/** Remembers the last presses. */
export class Interrupts {
  readonly #now: () => number;
  #presses: number[] = [];

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(options: { now: () => number }) {
    this.#now = options.now;
  }

  /** What this press means. */
  press(state: InterruptState): InterruptAction {
    const now = this.#now();
    this.#presses = [...this.#presses.filter((time) => now - time <= RAPID_MS), now];
    if (this.#presses.length >= RAPID_PRESSES) return "force_exit";
    if (state.busy) return "cancel";
    return state.hasText ? "clear" : "exit";
  }
}
