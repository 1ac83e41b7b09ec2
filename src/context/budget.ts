/**
 * How full the model's window is, and what follows from that: the level, what a result may cost, when
 * calls are blocked. The turn asks it after every message.
 */
import type { Message } from "../core/message.ts";
import type { Usage } from "../core/model.ts";
import { countMessage, countTokens, cutToTokens } from "./tokens.ts";

export type Level = "normal" | "moderate" | "aggressive" | "critical";

/** The window that limits are given for; they grow with it. */
const REFERENCE_WINDOW = 16_384;

/** From which share of the window a level holds, and the tokens one result may then cost. */
const LEVELS: readonly { level: Level; from: number; resultTokens: number; cause: string }[] = [
  { level: "critical", from: 95, resultTokens: 200, cause: "critical context usage" },
  { level: "aggressive", from: 85, resultTokens: 500, cause: "high context usage" },
  { level: "moderate", from: 70, resultTokens: 750, cause: "context limits" },
  { level: "normal", from: 0, resultTokens: 1000, cause: "context limits" },
];

/** What a read may cost beside what another result may. */
const READ_SHARE = 1.5;
/** Share of the window kept free when remaining calls are estimated. */
const RESERVE = 0.1;
/** Tokens of a call and its result, where nothing better is known. */
const CALL_TOKENS = 400;
const MOST_CALLS_SHOWN = 50;
/** Share of the window that must be gained before what was already sent is changed. */
const WORTH_BREAKING = 1 / 8;

/** Keeps count of the tokens in use. */
export class Budget {
  readonly size: number;
  #used = 0;
  #shown: Level = "normal";

  /** `fixed` is the text sent with every request: the system prompt and the tool definitions. */
  constructor(options: { size: number; fixed: string; messages: readonly Message[] }) {
    this.size = options.size;
    this.#used = countTokens(options.fixed) +
      options.messages.reduce((sum, message) => sum + countMessage(message), 0);
  }

  get used(): number {
    return this.#used;
  }

  get percent(): number {
    return Math.min(100, Math.floor((this.#used / this.size) * 100));
  }

  get level(): Level {
    return this.#current.level;
  }

  /** Tokens one read may return. */
  get readTokens(): number {
    return Math.floor(this.#resultTokens * READ_SHARE);
  }

  /** Counts a message that was appended. */
  add(message: Message): void {
    this.#used += countMessage(message);
  }

  /** Takes over the server's own count of the whole conversation, its last reply included. */
  correct(usage: Usage): void {
    if (usage.promptTokens > 0) this.#used = usage.promptTokens + usage.completionTokens;
  }

  /** Counts tokens of earlier messages that were given up. */
  free(tokens: number): void {
    this.#used = Math.max(0, this.#used - tokens);
  }

  /**
   * Whether freeing so many tokens is worth that the server computes the conversation anew from where it
   * changes: when they are an eighth of the window, or when results are being cut for want of space.
   */
  worthFreeing(tokens: number): boolean {
    return tokens >= this.size * WORTH_BREAKING || (tokens > 0 && this.level !== "normal");
  }

  /** A result's text, cut with a notice if it costs more than the level, or its own budget, allows. */
  fit(text: string, ownBudget = 0): string {
    const limit = Math.max(this.#resultTokens, ownBudget);
    if (countTokens(text) <= limit) return text;
    const notice = `\n[Result truncated due to ${this.#current.cause}]`;
    return cutToTokens(text, limit - countTokens(notice)) + notice;
  }

  /** What the model is told about the window when the level has changed; otherwise undefined. */
  statusNote(): string | undefined {
    const { level } = this.#current;
    if (level === this.#shown) return undefined;
    this.#shown = level;
    return this.#status(level);
  }

  /** What every call gets instead of a result while the window is as good as full. */
  get blockedNote(): string {
    return `CRITICAL CONTEXT LIMIT: ${this.percent}% used. Tool execution is blocked. ` +
      "Summarize the work done so far and conclude now; further calls will fail.";
  }

  get #current() {
    return LEVELS.find((one) => this.percent >= one.from) ?? LEVELS[LEVELS.length - 1]!;
  }

  get #resultTokens(): number {
    return Math.floor((this.#current.resultTokens * this.size) / REFERENCE_WINDOW);
  }

  get #remainingCalls(): number {
    const free = this.size * (1 - RESERVE) - this.#used;
    return Math.min(MOST_CALLS_SHOWN, Math.max(0, Math.floor(free / CALL_TOKENS)));
  }

  #status(level: Level): string | undefined {
    const head =
      `${this.percent}% of the context is used, about ${this.#remainingCalls} tool calls remain.`;
    switch (level) {
      case "normal":
        return undefined;
      case "moderate":
        return `Notice: ${head} Prioritize essential operations; tool results are limited to ${this.#resultTokens} tokens.`;
      case "aggressive":
        return `WARNING: ${head} Complete only the current task, start no new investigation, summarize soon; ` +
          `tool results are limited to ${this.#resultTokens} tokens.`;
      case "critical":
        return `CRITICAL: ${head} Stop using tools: summarize the work done and conclude now. Further calls will be blocked.`;
    }
  }
}
