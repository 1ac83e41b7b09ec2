/**
 * Watches the window while the calls of one reply run: their results are added to the conversation only when all
 * have ended, and a person should know before that it fills. One for each reply; the turn makes it.
 */
import type { Budget } from "../context/budget.ts";
import { plural } from "../lib/text.ts";
import { NEARLY_FULL } from "./turn_notes.ts";

/** Adds up what the results will take. */
export class ContextWatch {
  readonly #budget: Budget;
  readonly #warn: (text: string) => void;
  #tokens = 0;
  #warned = false;

  constructor(budget: Budget, warn: (text: string) => void) {
    this.#budget = budget;
    this.#warn = warn;
  }

  /** Takes a result's text, and how many calls have not ended yet; warns once. */
  addResult(text: string, left: number): void {
    if (this.#warned || left === 0) return;
    this.#tokens += this.#budget.costOf(text, { after: this.#tokens });
    const percent = this.#budget.percentWith(this.#tokens);
    if (percent < NEARLY_FULL) return;
    this.#warned = true;
    this.#warn(`Context at ${percent}% with ${plural(left, "call")} still to end.`);
  }
}
