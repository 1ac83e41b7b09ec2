/**
 * Opens the conversations of a run, one after the other: the one it begins with, and those that `/clear` and `/resume`
 * put in its place, each with the budget of its model's window.
 */
import { Conversation } from "../agent/conversation.ts";
import type { CurrentConversation } from "../agent/current_conversation.ts";
import { Budget } from "../context/budget.ts";
import { TokenCounter } from "../context/counter.ts";
import { definitionsText, fixedPart } from "../context/prompt.ts";
import type { Secrets } from "../core/secrets.ts";
import type { ToolDefinition } from "../core/tool.ts";
import type { Registry } from "../tools/registry.ts";
import type { Instructions } from "./instructions.ts";
import type { Models } from "./models.ts";
import type { ConversationStart } from "./sessions.ts";
import type { Settings } from "./settings.ts";
import { budgetTuningOf } from "./tuning.ts";

/** What conversations are opened with. */
interface ConversationsOptions {
  readonly secrets: Secrets;
  readonly settings: Settings;
  readonly instructions: Instructions;
  readonly registry: Registry;
  readonly models: Models;
  /** Where the conversation that goes on is put. */
  readonly current: CurrentConversation;
}

/** Opens conversations, and counts what is sent with each of their requests. */
export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #counter: TokenCounter;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    const { tokens_per_message: perMessage } = options.settings.values;
    this.#counter = new TokenCounter({ perMessage });
  }

  /** Goes on from a start, with a model. */
  open(start: ConversationStart, model: string): void {
    const { secrets, settings, models, current, instructions, registry } = this.#options;
    const { values } = settings;
    registry.unfix();
    const configured = {
      maxTokens: values.max_tokens,
      temperature: values.temperature,
      effort: settings.efforts.forced,
    };
    const conversation = new Conversation({
      ...start,
      prompt: start.prompt ?? instructions.prompt,
      hasBegun: start.prompt !== undefined,
      secrets,
    });
    const budget = new Budget({
      size: models.windowSizeOf(model),
      fixed: fixedPart(conversation.prompt, registry.definitions),
      messages: start.messages,
      counter: this.#counter,
      maxTokens: values.max_tokens,
      tuning: budgetTuningOf(values),
    });
    if (start.counted) budget.restore(start.counted.tokens, start.counted.model);
    current.open({
      conversation,
      budget,
      settings: { ...current.isOpen ? current.settings : configured, model },
    });
  }

  /** Counts the definitions of the tools anew. */
  onToolsChanged(): void {
    const { budget, conversation } = this.#options.current;
    budget.setFixed(fixedPart(conversation.prompt, this.#options.registry.definitions));
  }

  /** Tokens of a text. */
  countTokens(text: string): number {
    return this.#counter.count(text);
  }

  /** Tokens of definitions as they are sent. */
  countToolTokens(definitions: readonly ToolDefinition[]): number {
    return this.countTokens(definitionsText(definitions));
  }
}
