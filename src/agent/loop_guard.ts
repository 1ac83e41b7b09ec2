/**
 * Notices a model that repeats itself: the same call with the same result over and over, or replies with
 * nothing in them. Each is answered with one nudge; if that does not help, the turn is to end.
 */
import type { ToolCall } from "../core/message.ts";
import { parseJson } from "../lib/json_text.ts";

/** When a model counts as repeating itself. */
export interface RepetitionLimits {
  /** Calls looked back on. */
  readonly window: number;
  /** How many of them are the same, with the same result. */
  readonly maxSame: number;
}

/** What the model is told after an empty reply. */
const EMPTY_NUDGE =
  "[Your last reply was empty. Go on with the task, or answer the user in words.]";

/** What to do about what was noticed. */
type LoopVerdict =
  /** Told to the model. */
  | { readonly kind: "nudge"; readonly text: string }
  /** Why the turn ends. */
  | { readonly kind: "stop"; readonly text: string };

/** Watches one turn. */
export class LoopGuard {
  readonly #window: number;
  readonly #maxSame: number;
  #recent: string[] = [];
  #nudgedCall = false;
  #nudgedEmpty = false;

  constructor({ window, maxSame }: RepetitionLimits) {
    this.#window = Math.max(window, maxSame);
    this.#maxSame = maxSame;
  }

  /** Takes the calls of one reply with their results. */
  checkCalls(outcomes: readonly { call: ToolCall; text: string }[]): LoopVerdict | undefined {
    let worst: ToolCall | undefined;
    for (const { call, text } of outcomes) {
      const key = JSON.stringify([
        call.name,
        canonicalJson(call.arguments),
        withoutDurations(text),
      ]);
      this.#recent = [...this.#recent, key].slice(-this.#window);
      const same = this.#recent.filter((one) => one === key).length;
      if (same >= this.#maxSame) worst = call;
    }
    if (worst === undefined) return undefined;
    if (this.#nudgedCall) {
      return {
        kind: "stop",
        text:
          `The model keeps calling ${worst.name} with the same arguments and the same result. ` +
          "Tell it what to do otherwise.",
      };
    }
    this.#nudgedCall = true;
    return {
      kind: "nudge",
      text: `The same ${worst.name} call has had the same result ${this.#maxSame} times by now. ` +
        "Calling it again will not change it: do something else, or tell the user what is in the way.",
    };
  }

  /** Takes a reply that neither says nor calls anything. */
  checkEmptyReply(): LoopVerdict {
    if (this.#nudgedEmpty) {
      return {
        kind: "stop",
        text: "The model's replies are empty. Ask again in other words, or use another model.",
      };
    }
    this.#nudgedEmpty = true;
    return {
      kind: "nudge",
      text: EMPTY_NUDGE,
    };
  }
}

/** A result without how long it took: the same failure in another time is the same result. */
function withoutDurations(text: string): string {
  return text.replace(/"duration_\w+":[\d.]+/g, "");
}

/** Arguments in one spelling, as far as they are JSON. */
function canonicalJson(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value);
}
