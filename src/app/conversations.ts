/**
 * The conversations of a run, one at a time: the one it begins with, and those that `/clear` and `/resume` put in
 * its place, each with the budget of its model's window. Made by the composition root.
 */
import { Conversation } from "../agent/conversation.ts";
import type { TurnDeps } from "../agent/turn.ts";
import { Budget } from "../context/budget.ts";
import { TokenCounter } from "../context/counter.ts";
import { definitionsText, fixedPart } from "../context/prompt.ts";
import type { Secrets } from "../core/secrets.ts";
import type { ToolDefinition } from "../core/tool.ts";
import type { Registry } from "../tools/registry.ts";
import type { Notes } from "./instructions.ts";
import type { Start } from "./sessions.ts";
import type { Settings } from "./settings.ts";
import { budgetTuning } from "./tuning.ts";

export interface ConversationsOptions {
  readonly secrets: Secrets;
  readonly settings: Settings;
  readonly notes: Pick<Notes, "prompt">;
  readonly registry: Pick<Registry, "definitions">;
  /** Tokens of a model's window. */
  readonly sizeOf: (model: string) => number;
}

/** Opens conversations, and counts what is sent with every request of theirs. */
export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #counter: TokenCounter;
  #budget: Budget | undefined;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    const { tokens_per_message: perMessage } = options.settings.tuning;
    this.#counter = new TokenCounter({ perMessage });
  }

  /** The conversation that goes on from a start, with a model. */
  open(start: Start, model: string): Pick<TurnDeps, "conversation" | "budget"> {
    const { secrets, settings, sizeOf } = this.#options;
    this.#budget = new Budget({
      size: sizeOf(model),
      fixed: this.#fixed,
      messages: start.messages,
      counter: this.#counter,
      maxTokens: settings.maxTokens,
      tuning: budgetTuning(settings.tuning),
    });
    return { conversation: new Conversation({ ...start, secrets }), budget: this.#budget };
  }

  /** Takes note that the model is told of other tools than before. */
  toolsChanged(): void {
    this.#budget?.refix(this.#fixed);
  }

  /** Tokens of a text. */
  count(text: string): number {
    return this.#counter.count(text);
  }

  /** Tokens of definitions as they are sent. */
  sizeOfTools(definitions: readonly ToolDefinition[]): number {
    return this.count(definitionsText(definitions));
  }

  get #fixed(): string {
    const { notes, registry } = this.#options;
    return fixedPart(notes.prompt, registry.definitions);
  }
}
