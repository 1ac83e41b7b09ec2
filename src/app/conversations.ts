/**
 * The conversations of a run, one at a time: the one it begins with, and those that `/clear` and `/resume` put in
 * its place, each with the budget of its model's window. Made by the composition root.
 */
import { Conversation } from "../agent/conversation.ts";
import type { TurnDeps } from "../agent/turn_deps.ts";
import { Budget } from "../context/budget.ts";
import { TokenCounter } from "../context/counter.ts";
import { definitionsText, fixedPart } from "../context/prompt.ts";
import type { Secrets } from "../core/secrets.ts";
import type { ToolDefinition } from "../core/tool.ts";
import type { Registry } from "../tools/registry.ts";
import type { Instructions } from "./instructions.ts";
import type { ConversationStart } from "./sessions.ts";
import type { Settings } from "./settings.ts";
import { budgetTuning } from "./tuning.ts";

export interface ConversationsOptions {
  readonly secrets: Secrets;
  readonly settings: Settings;
  readonly instructions: Pick<Instructions, "prompt">;
  readonly registry: Pick<Registry, "definitions">;
  /** Tokens of a model's window. */
  readonly windowSizeOf: (model: string) => number;
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
  open(start: ConversationStart, model: string): Pick<TurnDeps, "conversation" | "budget"> {
    const { secrets, settings, windowSizeOf } = this.#options;
    this.#budget = new Budget({
      size: windowSizeOf(model),
      fixed: this.#fixedPrompt,
      messages: start.messages,
      counter: this.#counter,
      maxTokens: settings.maxTokens,
      tuning: budgetTuning(settings.tuning),
    });
    return { conversation: new Conversation({ ...start, secrets }), budget: this.#budget };
  }

  /** Takes note that the model is told of other tools than before. */
  onToolsChanged(): void {
    this.#budget?.setFixed(this.#fixedPrompt);
  }

  /** Tokens of a text. */
  countTokens(text: string): number {
    return this.#counter.count(text);
  }

  /** Tokens of definitions as they are sent. */
  countToolTokens(definitions: readonly ToolDefinition[]): number {
    return this.countTokens(definitionsText(definitions));
  }

  get #fixedPrompt(): string {
    const { instructions, registry } = this.#options;
    return fixedPart(instructions.prompt, registry.definitions);
  }
}
