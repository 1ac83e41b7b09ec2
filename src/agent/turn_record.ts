/**
 * What happens in a turn, as it becomes known: messages go into the conversation and its budget, and everything
 * is told as an event. After an abort only the events that are still true are told.
 */
import type { Event, EventBody } from "../core/event.ts";
import type { Message, UserMessage } from "../core/message.ts";
import type { TurnDeps } from "./turn_deps.ts";
import { PROMPT_MASKED } from "./turn_notes.ts";

/** Events that still tell something true after an abort. */
const AFTER_ABORT: ReadonlySet<Event["type"]> = new Set(["tool_end", "turn_end"]);

/** What is known of a message besides its words. */
type MessageFacts = Pick<
  Extract<EventBody, { type: "message" }>,
  "usage" | "cache_break"
>;

/** Records one turn. */
export class TurnRecord {
  readonly #deps: TurnDeps;
  readonly #signal: AbortSignal;

  constructor({ deps, signal }: { deps: TurnDeps; signal: AbortSignal }) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Tells an event. */
  readonly emit = (event: EventBody): void => {
    if (this.#signal.aborted && !AFTER_ABORT.has(event.type)) return;
    this.#deps.scheduler.emit(event);
  };

  /** Tells the person something. */
  notice(level: "info" | "warning", text: string): void {
    this.emit({ type: "notice", level, text });
  }

  /** Appends a message; the result is what was kept of it, secrets masked. `facts` are told along with it. */
  async append<M extends Message>(message: M, facts: MessageFacts = {}): Promise<M> {
    const appended = await this.#deps.conversation.append(message);
    this.#deps.budget.add(appended);
    this.emit({ type: "message", message: appended, ...facts });
    return appended;
  }

  /** The user's words as a message, with their pictures and how far the files are when they are said. */
  async userMessage(
    content: string,
    more: Pick<UserMessage, "typed" | "steering">,
  ): Promise<UserMessage> {
    const { newestChange, takeImages, scheduler: { agent } } = this.#deps;
    const change = await newestChange?.();
    const images = agent.depth === 0 ? takeImages?.() ?? [] : [];
    return {
      role: "user",
      content,
      ...(change === undefined ? {} : { change }),
      ...more,
      ...images.length > 0 && { images },
    };
  }

  /** Appends the user's words, and tells them if a secret in them was masked. */
  async appendWords(message: UserMessage): Promise<void> {
    const { content } = await this.append(message);
    if (content !== message.content) this.notice("info", PROMPT_MASKED);
  }
}
