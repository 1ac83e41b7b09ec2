/**
 * Has a local model server read, while a person reads or types, what the next request will begin with: at the start the
 * prompt and the tools, and after a turn the conversation without what was thought in it. So an answer waits only for
 * what is new. It ends as soon as a real request goes out.
 */
import type { Agent } from "../agent/agent.ts";
import { isCompactionDue } from "../agent/upkeep.ts";
import { promptText } from "../context/prompt.ts";
import type { Message } from "../core/message.ts";
import type { ModelRequest } from "../core/model.ts";
import type { TurnDeps } from "../agent/turn_deps.ts";
import type { Models } from "./models.ts";

/** Stands where the person's words will: templates look for them. */
const NEXT_WORDS: Message = { role: "user", content: "." };

/** Warms the cache for the agent that a person talks to. */
export class Warming {
  readonly #agent: Agent;
  readonly #models: Models;
  readonly #isOn: boolean;
  /** The conversation as the server has read it last. */
  #read: ModelRequest | undefined;
  #running: AbortController | undefined;
  /** Whether ally waits for the person. */
  #isIdle = false;

  constructor({ agent, models, isOn }: { agent: Agent; models: Models; isOn: boolean }) {
    this.#agent = agent;
    this.#models = models;
    this.#isOn = isOn;
    models.onRequest = (request) => {
      this.stop();
      if (request.agent === agent.deps.scheduler.agent.id) this.#read = request;
    };
    agent.deps.scheduler.registry.onChange = () => this.#isIdle && this.begin();
  }

  /** After a turn: does what the next one would begin with, so that it can be read ahead. */
  async prepare(): Promise<void> {
    const { settings } = this.#agent.deps;
    if (this.#isOn && await this.#models.canWarm(settings.model)) {
      await this.#agent.prepareNextTurn();
    }
  }

  /** Begins while ally waits for the person; does nothing where it would not help, or is not wanted. */
  begin(): void {
    this.stop();
    this.#isIdle = true;
    if (!this.#isOn) return;
    const controller = new AbortController();
    this.#running = controller;
    // A server that does not do this answers the next request all the same.
    this.#warm(controller.signal).catch(() => {});
  }

  /** Ends what is under way. */
  stop(): void {
    this.#isIdle = false;
    this.#running?.abort();
    this.#running = undefined;
  }

  async #warm(signal: AbortSignal): Promise<void> {
    const { model } = this.#agent.deps.settings;
    if (!await this.#models.prepareWarming(model) || signal.aborted) return;
    const { deps } = this.#agent;
    if (isCompactionDue(deps) || !this.#isNew(deps)) return;
    const request = requestOf(deps);
    const { messages } = request;
    const reply = await this.#models.router.reply(
      { ...request, messages: [...messages, NEXT_WORDS], warms: true },
      { signal, onDelta: () => {} },
    );
    if (!reply.message.interrupted) this.#read = request;
  }

  /** Whether the next request begins with something else than the server has read. */
  #isNew(deps: TurnDeps): boolean {
    const { model, tools, messages } = requestOf(deps);
    const read = this.#read;
    if (read === undefined || read.model !== model || !isSameList(read.tools, tools)) return true;
    const [prompt, ...said] = read.messages;
    const now = messages.slice(1);
    if (prompt?.content !== messages[0]?.content) return true;
    if (!isSameList(said, now.slice(0, said.length))) return true;
    // What was thought before these replies stands in the server's cache, and not in the next request.
    return now.slice(said.length).some((message) =>
      message.role === "assistant" && message.thinking !== undefined &&
      message.reasoning === undefined
    );
  }
}

function requestOf({ conversation, settings, scheduler }: TurnDeps): ModelRequest {
  const system = { role: "system" as const, content: promptText(conversation.prompt) };
  return {
    ...settings,
    messages: [system, ...conversation.messages],
    tools: scheduler.registry.definitions,
    agent: scheduler.agent.id,
  };
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
