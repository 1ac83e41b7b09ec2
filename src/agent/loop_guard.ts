/**
 * Notices a model that turns in circles: the same call with the same result over and over, or replies with
 * nothing in them. Each is answered with one nudge, and if that does not help the turn ends with the reason.
 * The turn tells it everything; it decides nothing but that.
 */
import type { ToolCall } from "../core/message.ts";

/** What a circle is. */
export interface RepetitionLimits {
  /** Calls looked back on. */
  readonly window: number;
  /** How many of them are the same, with the same result. */
  readonly maxSame: number;
}

/** What the model is told after an empty reply. */
export const EMPTY_NUDGE =
  "[Your last reply was empty. Go on with the task, or answer the user in words.]";

/** What to do about what was noticed. */
export type LoopVerdict =
  /** Told to the model. */
  | { readonly kind: "nudge"; readonly text: string }
  /** Why the turn ends. */
  | { readonly kind: "stop"; readonly text: string };

/** Watches one turn. */
export class LoopGuard {
  readonly #window: number;
  readonly #mostSame: number;
  #recent: string[] = [];
  #nudgedCall = false;
  #nudgedEmpty = false;

  constructor({ window, maxSame }: RepetitionLimits) {
    this.#window = Math.max(window, maxSame);
    this.#mostSame = maxSame;
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
      if (same >= this.#mostSame) worst = call;
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
      text: `The same ${worst.name} call has had the same result ${this.#mostSame} times by now. ` +
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

/** A result without how long it took: a command that fails is no other for failing faster. */
function withoutDurations(text: string): string {
  return text.replace(/"duration_\w+":[\d.]+/g, "");
}

/** Arguments in one spelling, as far as they are JSON. */
function canonicalJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
