/**
 * What a turn has done so far, in a few words for somebody who looks elsewhere: "12 min: 4 edits, tests failed".
 */
import type { Event, TurnEndReason } from "../core/event.ts";
import type { Preview } from "../core/permission.ts";
import { plural } from "../lib/text.ts";
import { callKey } from "./numbered_items.ts";

/** A command that runs tests. */
const TESTS = /\b(tests?|pytest|jest|vitest|rspec|spec)\b/;
/** Previews of what changes no file. */
const NO_EDITS: readonly Preview["kind"][] = ["command", "sent"];

/** Why a turn is over, where it is not simply done. */
const REASONS: Readonly<Partial<Record<TurnEndReason, string>>> = {
  denied: "stopped, a call was denied",
  turn_limit: "stopped at its limit",
  context: "stopped, the window is full",
  budget: "stopped, the budget is spent",
  interrupted: "interrupted",
  error: "failed",
};

/** Counts from the events of one turn, those of its agents included. */
export class TurnReport {
  readonly #edits = new Map<string, number>();
  readonly #commands = new Map<string, string>();
  readonly #waiting = new Map<string, string>();
  #edited = 0;
  #tests: "passed" | "failed" | undefined;

  /** Takes an event of the turn. */
  take(event: Event): void {
    switch (event.type) {
      case "tool_start":
        this.#commands.set(callKey(event), event.description);
        return;
      case "tool_preview": {
        const edits = event.previews.filter(({ kind }) => !NO_EDITS.includes(kind));
        this.#edits.set(callKey(event), edits.length);
        return;
      }
      case "tool_state":
        if (event.state === "awaiting_approval") {
          this.#waiting.set(callKey(event), this.#commands.get(callKey(event)) ?? "");
        } else this.#waiting.delete(callKey(event));
        return;
      case "tool_end":
        return this.#end(event);
    }
  }

  /** The first of the calls that wait for an answer, as they are described. */
  get waitsFor(): string | undefined {
    return this.#waiting.values().next().value;
  }

  /** What was done in so many milliseconds, and what came of it or is waited for. */
  describe(
    ms: number,
    { reason, waits = false }: { reason?: TurnEndReason; waits?: boolean },
  ): string {
    const what = this.waitsFor;
    const parts = [
      ...this.#edited > 0 ? [plural(this.#edited, "edit")] : [],
      ...this.#tests === undefined ? [] : [`tests ${this.#tests}`],
      ...waits ? [what ? `waits for ${what}` : "waits for an answer"] : [],
      ...reason && REASONS[reason] ? [REASONS[reason]] : [],
    ];
    return `${roundDuration(ms)}: ${parts.length > 0 ? parts.join(", ") : "done"}`;
  }

  #end(event: Extract<Event, { type: "tool_end" }>): void {
    const key = callKey(event);
    const { success } = event.result;
    if (success) this.#edited += this.#edits.get(key) ?? 0;
    const isTest = "return_code" in event.result && TESTS.test(this.#commands.get(key) ?? "");
    if (isTest) this.#tests = success ? "passed" : "failed";
    for (const calls of [this.#commands, this.#edits, this.#waiting]) calls.delete(key);
  }
}

/** "12 min", "14 s". */
function roundDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
