/**
 * Counts the tokens of a run's texts and messages, each message once: estimated at first, exactly once that
 * was asked for, so that a short run never pays for the table. Also keeps by how much a model's server
 * counts otherwise. There is one for each run.
 */
import { imageTokens, type Message, resultText } from "../core/message.ts";
import type { ExactCounter } from "./exact.ts";
import { CHARS_PER_TOKEN, countTokens } from "./tokens.ts";

/** A server may count otherwise, but not in a way that one of its samples could make absurd. */
export const MIN_RATIO = 0.5;
/** The same upwards. */
export const MAX_RATIO = 2;
/** Tokens from which on a sample tells something about a server. */
const MIN_SAMPLE = 500;

/** Ready to use after `new`; loads nothing by itself. */
export class TokenCounter {
  #exact: ExactCounter | undefined;
  #loading: Promise<void> | undefined;
  #counts = new WeakMap<Message, number>();
  readonly #ratios = new Map<string, number>();
  readonly #perMessage: number;

  /** `perMessage` is what the frame of a message costs. */
  constructor({ perMessage }: { perMessage: number }) {
    this.#perMessage = perMessage;
  }

  /** Whether counts are exact by now. */
  get isExact(): boolean {
    return this.#exact !== undefined;
  }

  /** Makes all later counts exact, in the background; counts go on being estimated if that fails. */
  loadExact(): Promise<void> {
    return this.#loading ??= this.#load().catch(() => {});
  }

  /** Tokens of a text. */
  count(text: string): number {
    return this.#exact?.count(text) ?? countTokens(text);
  }

  /** Tokens of a message as it is sent, its frame included. */
  countMessage(message: Message): number {
    const known = this.#counts.get(message);
    if (known !== undefined) return known;
    const calls = message.role === "assistant" ? message.calls : [];
    const inCalls = calls.reduce(
      (sum, call) => sum + this.count(call.name) + this.count(call.arguments) + this.#perMessage,
      0,
    );
    const text = message.role === "tool" ? resultText(message) : message.content;
    const tokens = this.#perMessage + this.count(text) + imageTokens(message) +
      this.#countReasoning(message) + inCalls;
    this.#counts.set(message, tokens);
    return tokens;
  }

  /** Tokens of the thinking that goes back with a message. */
  #countReasoning(message: Message): number {
    const text = reasoningOf(message);
    return text === "" ? 0 : this.count(text);
  }

  /** Tokens of messages together. */
  countMessages(messages: readonly Message[]): number {
    return messages.reduce((sum, message) => sum + this.countMessage(message), 0);
  }

  /**
   * The same for a history that may be far longer than any window: its end is counted up to `most`, of what lies
   * before that only the length is taken.
   */
  countTail(most: number, messages: readonly Message[]): number {
    let sum = 0;
    for (let index = messages.length - 1; index >= 0; index--) {
      const message = messages[index]!;
      sum += sum <= most ? this.countMessage(message) : lengthOf(message) / CHARS_PER_TOKEN;
    }
    return Math.ceil(sum);
  }

  /** Tokens of messages together, or, once that is over `most`, some number above it. */
  countUpTo(most: number, messages: Iterable<Message>): number {
    let sum = 0;
    for (const message of messages) {
      sum += this.countMessage(message);
      if (sum > most) break;
    }
    return sum;
  }

  /** The server's tokens for each of ours, as far as is known of a model. */
  ratioOf(model: string): number {
    return this.#ratios.get(model) ?? 1;
  }

  /** Takes over what a server counted for a request that was counted here too. */
  learnRatio(model: string, { server, local }: { server: number; local: number }): void {
    if (local < MIN_SAMPLE) return;
    this.#ratios.set(model, Math.min(MAX_RATIO, Math.max(MIN_RATIO, server / local)));
  }

  async #load(): Promise<void> {
    const { ExactCounter } = await import("./exact.ts");
    this.#exact = await ExactCounter.load();
    this.#counts = new WeakMap();
    this.#ratios.clear();
  }
}

function lengthOf(message: Message): number {
  const calls = message.role === "assistant" ? message.calls : [];
  const said = message.content.length + reasoningOf(message).length +
    imageTokens(message) * CHARS_PER_TOKEN;
  return calls.reduce((sum, call) => sum + call.arguments.length, said);
}

/** The thinking that goes back with a message, about as long as it is sent. */
function reasoningOf(message: Message): string {
  const isSent = message.role === "assistant" && message.reasoning !== undefined;
  return isSent ? message.thinking ?? "" : "";
}
