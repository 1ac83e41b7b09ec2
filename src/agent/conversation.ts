/**
 * The messages of one agent, saved one by one as they come. Whatever else happens, it stays valid: every
 * call is followed by exactly one result, and call ids are unique.
 */
import type { Journal } from "../core/journal.ts";
import type { AssistantMessage, Message, ToolCall } from "../core/message.ts";

/** Owns the history; the system prompt is not part of it. */
export class Conversation {
  readonly #messages: Message[];
  readonly #journal: Journal;
  readonly #ids: Set<string>;

  constructor(options: { journal: Journal; messages?: readonly Message[] }) {
    this.#messages = [...options.messages ?? []];
    this.#journal = options.journal;
    this.#ids = new Set(this.#messages.flatMap(callsOf).map((call) => call.id));
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Appends a message and waits until it is saved. */
  async append(message: Message): Promise<void> {
    for (const call of callsOf(message)) this.#ids.add(call.id);
    this.#messages.push(message);
    await this.#journal.append(message);
  }

  /** The same reply with call ids that no earlier call of the conversation has. */
  withUniqueIds(reply: AssistantMessage): AssistantMessage {
    const taken = new Set(this.#ids);
    const calls = reply.calls.map((call) => {
      let id = call.id;
      for (let count = 2; taken.has(id); count++) id = `${call.id}_${count}`;
      taken.add(id);
      return id === call.id ? call : { ...call, id };
    });
    return { ...reply, calls };
  }
}

function callsOf(message: Message): readonly ToolCall[] {
  return message.role === "assistant" ? message.calls : [];
}
