/**
 * What can be replaced while a run goes on: the conversation, its budget, and the settings of its requests. Parts that
 * ask for them get this, and ask each time.
 */
import type { Budget } from "../context/budget.ts";
import type { Conversation } from "./conversation.ts";
import type { RequestSettings } from "./turn_deps.ts";

/** A conversation that can go on. */
export interface OpenConversation {
  readonly conversation: Conversation;
  readonly budget: Budget;
  readonly settings: RequestSettings;
}

/** Holds the one conversation that goes on; empty until the model of the first one is known. */
export class CurrentConversation {
  #open: OpenConversation | undefined;

  constructor(open?: OpenConversation) {
    this.#open = open;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** All of it. @throws {Error} no conversation has been opened */
  get parts(): OpenConversation {
    if (this.#open === undefined) throw new Error("Cannot use the conversation before it is open");
    return this.#open;
  }

  get conversation(): Conversation {
    return this.parts.conversation;
  }

  get budget(): Budget {
    return this.parts.budget;
  }

  get settings(): RequestSettings {
    return this.parts.settings;
  }

  /** Goes on with this conversation. */
  open(parts: OpenConversation): void {
    this.#open = parts;
  }

  /** Changes settings from the next request on. */
  configure(settings: Partial<RequestSettings>): void {
    this.#open = { ...this.parts, settings: { ...this.settings, ...settings } };
  }
}
