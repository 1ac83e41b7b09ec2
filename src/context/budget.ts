/**
 * How full the model's window is, and what follows from that: the level, what a result may cost, when
 * calls are blocked.
 */
import type { Message } from "../core/message.ts";
import type { Usage } from "../core/model.ts";
import { MAX_RATIO, MIN_RATIO, TokenCounter } from "./counter.ts";
import { cutToTokens } from "./tokens.ts";

/** How full the window is. */
export type Level = "normal" | "moderate" | "aggressive" | "critical";

/** The window that limits are given for; they grow with it. */
const REFERENCE_WINDOW = 16_384;

/** From which percentage of the window a level holds, and the tokens one result may then cost. */
interface LevelLimits {
  readonly level: Level;
  readonly from: number;
  readonly resultTokens: number;
  readonly cause: string;
}

const LEVELS: readonly Pick<LevelLimits, "level" | "cause">[] = [
  { level: "critical", cause: "critical context usage" },
  { level: "aggressive", cause: "high context usage" },
  { level: "moderate", cause: "context limits" },
  { level: "normal", cause: "context limits" },
];

/** What a read may cost beside what another result may. */
const READ_SHARE = 1.5;
/** Share of the window kept free when remaining calls are estimated. */
const RESERVE = 0.1;
const MAX_CALLS_SHOWN = 50;
/** Calls of one tool after which only their average is remembered, so that it follows the work. */
const MAX_CALLS_AVERAGED = 100;
const CALLS_AFTER_RESET = 10;
/** Share of the window that must be gained before what was already sent is changed. */
const WORTH_BREAKING = 1 / 8;
/** Share of the window that is left for the reply, if no number of tokens is asked for. */
const REPLY_SHARE = 1 / 32;
/** How many windows of a history are counted: what is longer is compacted, whatever it is. */
const WINDOWS_COUNTED = 2;
/** No window is smaller than this. */
const MIN_WINDOW = 1024;
/** Tokens that a result gets however little room there is: enough to say what it is. */
const MIN_RESULT = 60;

/** What the results of one tool came to. */
interface ToolUse {
  readonly calls: number;
  readonly tokens: number;
}

/** How much of a result may be shown, and what to say of the rest. */
interface FitOptions {
  /** Tokens the tool kept its text within by itself; it is not cut below that. */
  readonly toolBudget?: number | undefined;
  /** Results that must share the room that is left, this one included. @default 1 */
  readonly sharers?: number;
  /** File that holds the whole text. */
  readonly file?: string | undefined;
}

/** How the window is used. */
export interface BudgetTuning {
  /** Tokens one result may cost at a level, for the reference window. */
  readonly resultTokens: Readonly<Record<Level, number>>;
  /** Percentage of the window from which a level holds. */
  readonly levelsFrom: Readonly<Record<Exclude<Level, "normal">, number>>;
  /** Tokens a call is taken to cost before any was made. */
  readonly callTokens: number;
  /** Whether the model is told of each new level. */
  readonly announceLevels: boolean;
}

/** Keeps count of the tokens in use. */
export class Budget {
  readonly counter: TokenCounter;
  #size: number;
  #fixed: string;
  /** Its tokens, and whether they were counted exactly; undefined until they are asked for. */
  #fixedCount: { readonly tokens: number; readonly isExact: boolean } | undefined;
  readonly #maxTokens: number | undefined;
  /** The largest window believed in since a request was refused as too long. */
  #ceiling = Infinity;
  readonly #toolUse = new Map<string, ToolUse>();
  #model = "";
  /** Tokens of the messages, as counted here. */
  #messageTokens: number;
  /** Tokens of the fixed part in what is counted; undefined until that is asked for, since at a start it changes. */
  #fixedCounted: number | undefined;
  /** What the server counted last, and what was counted here at that time. */
  #anchor = { server: 0, counted: 0 };
  /** Messages that the server has not counted yet. */
  #uncounted: number;
  #announcedLevel: Level = "normal";
  readonly #levels: readonly LevelLimits[];
  readonly #tuning: BudgetTuning;

  /**
   * `fixed` is the text sent with every request: the system prompt and the tool definitions; `maxTokens`
   * is what a reply may have, if that is asked for.
   */
  constructor(options: {
    size: number;
    fixed: string;
    messages: readonly Message[];
    counter: TokenCounter;
    maxTokens?: number | undefined;
    tuning: BudgetTuning;
  }) {
    this.#size = options.size;
    this.#tuning = options.tuning;
    const { resultTokens, levelsFrom } = this.#tuning;
    this.#levels = LEVELS.map((one) => ({
      ...one,
      from: one.level === "normal" ? 0 : levelsFrom[one.level],
      resultTokens: resultTokens[one.level],
    }));
    this.counter = options.counter;
    this.#fixed = options.fixed;
    this.#messageTokens = this.#countMessages(options.messages);
    this.#uncounted = options.messages.length;
    this.#maxTokens = options.maxTokens;
  }

  /** Tokens of the window. */
  get size(): number {
    return this.#size;
  }

  /** Tokens of the system prompt and the tool definitions. */
  get fixedTokens(): number {
    const { isExact } = this.counter;
    if (this.#fixedCount?.isExact !== isExact) {
      this.#fixedCount = { tokens: this.counter.count(this.#fixed), isExact };
    }
    return this.#fixedCount.tokens;
  }

  /** Tokens of fixed part and messages, as counted here. */
  get #counted(): number {
    return (this.#fixedCounted ??= this.fixedTokens) + this.#messageTokens;
  }

  get used(): number {
    const { server, counted } = this.#anchor;
    return Math.max(0, Math.round(server + (this.#counted - counted) * this.ratio));
  }

  /** The server's tokens for each that is counted here. */
  get ratio(): number {
    return this.counter.ratioOf(this.#model);
  }

  /** Whether the server's own count is part of `used`. */
  get isServerCounted(): boolean {
    return this.#anchor.server > 0;
  }

  /** Tokens that a request may have at most: what is left is for the reply. */
  get limit(): number {
    return this.size - this.#replyTokens;
  }

  get #replyTokens(): number {
    return Math.min(
      this.#maxTokens ?? Math.floor(this.size * REPLY_SHARE),
      Math.floor(this.size / 2),
    );
  }

  get percent(): number {
    return this.#percentAt(this.used);
  }

  get level(): Level {
    return this.#current.level;
  }

  /** Percentage of the window from which calls are blocked. */
  get blockedFrom(): number {
    return this.#levels.find(({ level }) => level === "critical")?.from ?? 100;
  }

  /** The budget of an agent that works for the one of this: the same window and limits, nothing said yet. */
  forSubAgent(fixed: string): Budget {
    return new Budget({
      size: this.size,
      fixed,
      messages: [],
      counter: this.counter,
      maxTokens: this.#maxTokens,
      tuning: this.#tuning,
    });
  }

  /** Tokens one read may return. */
  get readTokens(): number {
    return Math.floor(this.#resultTokens * READ_SHARE);
  }

  /** What the results of each tool came to. */
  get toolUse(): ReadonlyMap<string, ToolUse> {
    return this.#toolUse;
  }

  /** Whether a message could be sent at all, if there were nothing else. */
  canHold(message: Message): boolean {
    const tokens = this.fixedTokens + this.counter.countMessage(message);
    return tokens * this.ratio <= this.limit;
  }

  /** Takes over another text that is sent with every request. */
  setFixed(fixed: string): void {
    if (fixed === this.#fixed) return;
    const before = this.#fixedCounted === undefined ? undefined : this.fixedTokens;
    this.#fixed = fixed;
    this.#fixedCount = undefined;
    if (before !== undefined) this.#fixedCounted! += this.fixedTokens - before;
  }

  /** Counts a message that was appended. */
  add(message: Message): void {
    const tokens = this.counter.countMessage(message);
    this.#messageTokens += tokens;
    this.#uncounted++;
    if (message.role === "tool") this.#recordToolUse(message.name, tokens);
  }

  /**
   * Takes over the server's own count of the whole conversation, its last reply included. A server that
   * counts only what it had not computed before says far too little: it is not believed.
   */
  applyServerCount(usage: Usage, model = ""): void {
    const server = usage.promptTokens + usage.completionTokens;
    if (usage.promptTokens <= 0 || server < this.#counted / 2) return;
    this.#model = model;
    this.counter.learnRatio(model, { server, local: this.#counted });
    this.#anchor = { server, counted: this.#counted };
    this.#uncounted = 0;
  }

  /** Goes on from the count of a budget whose conversation, with these messages, this one is a copy of. */
  continueFrom(other: Budget, messages: readonly Message[]): void {
    const { used, isServerCounted } = other;
    if (!isServerCounted) return;
    // Both are to be counted in the same way.
    other.recount(messages);
    this.#restore({ server: used, counted: other.#counted }, other.#model);
  }

  /** Goes on from what the server counted of the whole conversation, with its last reply, when it was saved. */
  restore(tokens: number, model: string): void {
    // What a file says may be anything, and some servers count images by their bytes.
    if (!(tokens >= this.#counted * MIN_RATIO && tokens <= this.#counted * MAX_RATIO)) return;
    this.#restore({ server: tokens, counted: this.#counted }, model);
  }

  #restore(anchor: { server: number; counted: number }, model: string): void {
    this.#anchor = anchor;
    this.#model = model;
    this.#uncounted = 0;
  }

  /** Counts anew after messages have been given up or replaced. */
  recount(messages: readonly Message[]): void {
    this.#messageTokens = this.#countMessages(messages);
    this.#fixedCounted = this.fixedTokens;
  }

  /** Goes on with exact counts, unless no count could change what follows; what the server has counted stands. */
  async countExactly(messages: readonly Message[]): Promise<void> {
    if (this.used > this.size * WINDOWS_COUNTED) return;
    if (this.counter.isExact && this.#uncounted === 0) return;
    const countTail = () =>
      this.#uncounted === 0 ? 0 : this.counter.countMessages(messages.slice(-this.#uncounted));
    const before = this.#anchor;
    // What was given up since the server has counted stays given up.
    const held = before.server + (this.#counted - countTail() - before.counted) * this.ratio;
    await this.counter.loadExact();
    this.recount(messages);
    if (this.#anchor.server === 0) return;
    const server = this.#anchor === before ? Math.max(1, held) : this.#anchor.server;
    this.#anchor = { server, counted: this.#counted - countTail() };
  }

  /** Learns from a request that the server refused that the window is smaller than was believed. */
  noteOverflow(): void {
    this.#size = Math.max(MIN_WINDOW, Math.min(this.#size, this.used));
    this.#ceiling = this.#size;
  }

  /** Goes on with another window, unless a refused request has shown that it is smaller. */
  resize(size: number): void {
    this.#size = Math.max(MIN_WINDOW, Math.min(size, this.#ceiling));
  }

  /** Goes on with the window of another model, of which no request has shown anything. */
  changeWindow(size: number): void {
    this.#ceiling = Infinity;
    this.resize(size);
  }

  /**
   * Whether freeing so many tokens is worth that the server computes the conversation anew from where it
   * changes: when they are an eighth of the window, or when results are being cut for want of space.
   */
  isWorthFreeing(tokens: number): boolean {
    return tokens >= this.size * WORTH_BREAKING || (tokens > 0 && this.level !== "normal");
  }

  /** Whether a result may be shown whole. */
  fits(text: string, options: FitOptions = {}): boolean {
    return this.counter.count(text) <= this.#allowance(options);
  }

  /** Tokens that a result will take after others that are not added yet. */
  costOf(text: string, { after }: { after: number }): number {
    const { resultTokens } = this.#levelAt(this.percentWith(after));
    return Math.min(this.counter.count(text), this.#tokensFor(resultTokens));
  }

  /** The percentage in use with so many tokens more. */
  percentWith(tokens: number): number {
    return this.#percentAt(this.used + tokens * this.ratio);
  }

  /** A result's text, cut with a notice if it costs more than the level, or its own budget, allows. */
  fit(text: string, options: FitOptions = {}): string {
    if (this.fits(text, options)) return text;
    const whole = options.file === undefined
      ? ""
      : `\n[All of it is in ${options.file}: read parts of it with offset and limit]`;
    const notice = `\n[Result truncated due to ${this.#current.cause}]${whole}`;
    const count = (part: string) => this.counter.count(part);
    return cutToTokens(text, this.#allowance(options) - count(notice), { count }) + notice;
  }

  /**
   * What the model is told about the window when its level is another one with the text that the note
   * goes along with; otherwise undefined.
   */
  statusNote(text = ""): string | undefined {
    const used = this.used + this.counter.count(text) * this.ratio;
    const state = this.#levelAt(this.#percentAt(used));
    if (state.level === this.#announcedLevel || !this.#tuning.announceLevels) {
      return undefined;
    }
    this.#announcedLevel = state.level;
    return this.#statusText(state, used);
  }

  /** What every call gets instead of a result while the window is as good as full. */
  get blockedNote(): string {
    return `CRITICAL CONTEXT LIMIT: ${this.percent}% used. Tool execution is blocked. ` +
      "Summarize the work done so far and conclude now; further calls will fail.";
  }

  /** Calls that may still be made, by what calls have cost so far; at most 50. */
  get remainingCalls(): number {
    return this.#remainingAt(this.used);
  }

  #countMessages(messages: readonly Message[]): number {
    return this.counter.countTail(this.size * WINDOWS_COUNTED, messages);
  }

  get #current(): LevelLimits {
    return this.#levelAt(this.percent);
  }

  #levelAt(percent: number): LevelLimits {
    return this.#levels.find((one) => percent >= one.from) ?? this.#levels.at(-1)!;
  }

  #percentAt(used: number): number {
    return Math.min(100, Math.floor((used / this.size) * 100));
  }

  #remainingAt(used: number): number {
    const free = this.size * (1 - RESERVE) - used;
    return Math.min(MAX_CALLS_SHOWN, Math.max(0, Math.floor(free / this.#callTokens)));
  }

  get #resultTokens(): number {
    return this.#tokensFor(this.#current.resultTokens);
  }

  /** What a number of tokens given for the reference window is in this one. */
  #tokensFor(tokens: number): number {
    return Math.floor((tokens * this.size) / REFERENCE_WINDOW);
  }

  get #callTokens(): number {
    const uses = [...this.#toolUse.values()];
    const calls = uses.reduce((sum, use) => sum + use.calls, 0);
    const tokens = uses.reduce((sum, use) => sum + use.tokens, 0);
    return calls === 0 ? this.#tuning.callTokens : Math.max(1, tokens / calls);
  }

  /** However many results come at once, together they leave room for the next request. */
  #allowance({ toolBudget = 0, sharers = 1 }: FitOptions): number {
    const allowed = Math.max(this.#resultTokens, toolBudget);
    const least = sharers === 1 ? this.#tokensFor(this.#levels[0]?.resultTokens ?? 0) : MIN_RESULT;
    const share = Math.max(least, Math.floor((this.limit - this.used) / sharers));
    return Math.min(allowed, share);
  }

  #recordToolUse(tool: string, resultTokens: number): void {
    const { calls, tokens } = this.#toolUse.get(tool) ?? { calls: 0, tokens: 0 };
    const next = { calls: calls + 1, tokens: tokens + resultTokens };
    const average = next.tokens / next.calls;
    this.#toolUse.set(
      tool,
      next.calls <= MAX_CALLS_AVERAGED
        ? next
        : { calls: CALLS_AFTER_RESET, tokens: Math.round(average * CALLS_AFTER_RESET) },
    );
  }

  #statusText({ level, resultTokens }: LevelLimits, used: number): string | undefined {
    const head = `${this.#percentAt(used)}% of the context is used, ` +
      `about ${this.#remainingAt(used)} tool calls remain.`;
    const limit = `tool results are limited to ${this.#tokensFor(resultTokens)} tokens.`;
    switch (level) {
      case "normal":
        return undefined;
      case "moderate":
        return `Notice: ${head} Prioritize essential operations; ${limit}`;
      case "aggressive":
        return `WARNING: ${head} Complete only the current task, start no new investigation, ` +
          `summarize soon; ${limit}`;
      case "critical":
        return `CRITICAL: ${head} Stop using tools: summarize the work done and conclude now. ` +
          "Further calls will be blocked.";
    }
  }
}
