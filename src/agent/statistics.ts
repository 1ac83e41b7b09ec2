/**
 * Counts what a run's tools and requests cost, from the event stream alone.
 */
import { countTokens } from "../context/tokens.ts";
import type { CacheBreak, Event, TurnUsage } from "../core/event.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** What the calls of one tool came to. */
export interface ToolStatistics {
  readonly calls: number;
  readonly successes: number;
  /** Calls that got as far as running: only these have a time. */
  readonly runs: number;
  /** Milliseconds of all runs together, of the shortest and of the longest. */
  readonly totalMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** Results that reached the model, and their tokens. */
  readonly results: number;
  readonly resultTokens: number;
}

/** What all turns came to. */
export interface Totals {
  readonly turns: number;
  readonly requests: number;
  /** Milliseconds of work: without the time in which a person was waited for. */
  readonly durationMs: number;
  /** Of all agents. */
  readonly usage: TurnUsage;
}

/** What the calls of one model were like when they came. */
export interface CallQuality {
  readonly calls: number;
  /** Calls written as text. */
  readonly rescued: number;
  /** Calls whose arguments were mended. */
  readonly repaired: number;
  /** Calls that could not be run as they came. */
  readonly refused: number;
}

/** What one request cost that was answered. */
export interface RequestFigures extends TurnUsage {
  /** The agent's name. */
  readonly agent: string;
  /** The model's name. */
  readonly model?: string;
  /** Tokens that the server had to read; absent if it did not say what it had cached. */
  readonly read_tokens?: number;
  /** Of these, tokens that it had read before with the agent's request before this one. */
  readonly reread_tokens?: number;
  /** Where the request differs from the one before it. */
  readonly cache_break?: CacheBreak;
}

const NO_CALLS: ToolStatistics = {
  calls: 0,
  successes: 0,
  runs: 0,
  totalMs: 0,
  minMs: Infinity,
  maxMs: 0,
  results: 0,
  resultTokens: 0,
};

/** Takes every event of a run. */
export class Statistics {
  readonly #tools = new Map<string, ToolStatistics>();
  readonly #models = new Map<string, CallQuality>();
  /** The model that each agent asked last. */
  readonly #asked = new Map<string, string>();
  /** The last request of each agent, by its id. */
  readonly #last = new Map<string, RequestFigures>();
  readonly #requests: RequestFigures[] = [];
  /** Calls that run, by agent and id. */
  readonly #running = new Set<string>();
  /** Tools of the calls that have ended, until their results reach the model. */
  readonly #ended = new Map<string, string>();
  #totals: Totals = {
    turns: 0,
    requests: 0,
    durationMs: 0,
    usage: NO_USAGE,
  };
  readonly #askedMs: () => number;

  /** `askedMs` says for how many milliseconds of a turn that ends a person was waited for. @default none */
  constructor({ askedMs = () => 0 }: { askedMs?: () => number } = {}) {
    this.#askedMs = askedMs;
  }

  /** By tool, in the order of their first calls. */
  get tools(): ReadonlyMap<string, ToolStatistics> {
    return this.#tools;
  }

  /** How each model's calls came, by its name. */
  get models(): ReadonlyMap<string, CallQuality> {
    return this.#models;
  }

  /** Each request that was answered, in order. */
  get requests(): readonly RequestFigures[] {
    return this.#requests;
  }

  get totals(): Totals {
    return this.#totals;
  }

  /** Counts one event. */
  take(event: Event): void {
    switch (event.type) {
      case "tool_state":
        if (event.state === "executing") this.#running.add(keyOf(event, event.call_id));
        return;
      case "tool_end":
        return this.#endCall(event);
      case "request_start":
        if (event.model !== undefined) this.#asked.set(event.agent.id, event.model);
        return;
      case "message":
        this.#addRequest(event);
        this.#addCalls(event);
        return this.#addResult(event);
      case "turn_end":
        return this.#endTurn(event);
    }
  }

  #endCall(event: Extract<Event, { type: "tool_end" }>): void {
    const known = this.#tools.get(event.name) ?? NO_CALLS;
    const key = keyOf(event, event.call_id);
    const ran = this.#running.delete(key);
    this.#ended.set(key, event.name);
    this.#tools.set(event.name, {
      ...known,
      calls: known.calls + 1,
      successes: known.successes + (event.result.success ? 1 : 0),
      ...(ran ? withTime(known, event.duration_ms) : {}),
    });
  }

  #addRequest({ agent, usage, cache_break }: Extract<Event, { type: "message" }>): void {
    if (usage === undefined) return;
    const model = this.#asked.get(agent.id);
    const { prompt_tokens, cached_tokens } = usage;
    const last = this.#last.get(agent.id);
    const figures: RequestFigures = {
      agent: agent.name,
      ...model !== undefined && { model },
      ...usage,
      ...cached_tokens !== undefined && {
        read_tokens: Math.max(0, prompt_tokens - cached_tokens),
        // What a compaction or a rewind has dropped is not read again.
        reread_tokens: last?.model === model
          ? Math.max(0, Math.min(last?.prompt_tokens ?? 0, prompt_tokens) - cached_tokens)
          : 0,
      },
      ...cache_break && { cache_break },
    };
    this.#last.set(agent.id, figures);
    this.#requests.push(figures);
  }

  #addCalls({ agent, message }: Extract<Event, { type: "message" }>): void {
    const model = this.#asked.get(agent.id);
    if (message.role !== "assistant" || model === undefined || message.calls.length === 0) return;
    const known = this.#models.get(model) ?? { calls: 0, rescued: 0, repaired: 0, refused: 0 };
    const count = (mark: "rescued" | "repaired" | "refused") =>
      known[mark] + message.calls.filter((call) => call[mark]).length;
    this.#models.set(model, {
      calls: known.calls + message.calls.length,
      rescued: count("rescued"),
      repaired: count("repaired"),
      refused: count("refused"),
    });
  }

  #addResult(event: Extract<Event, { type: "message" }>): void {
    if (event.message.role !== "tool") return;
    const key = keyOf(event, event.message.call_id);
    const name = this.#ended.get(key);
    const known = name === undefined ? undefined : this.#tools.get(name);
    // Calls that were blocked have a result, but never came to a tool.
    if (name === undefined || known === undefined) return;
    this.#ended.delete(key);
    this.#tools.set(name, {
      ...known,
      results: known.results + 1,
      resultTokens: known.resultTokens + countTokens(event.message.content),
    });
  }

  /** A sub-agent's requests cost tokens as well; its time is part of its parent's. */
  #endTurn(event: Extract<Event, { type: "turn_end" }>): void {
    const main = event.agent.depth === 0;
    const { turns, requests, durationMs, usage } = this.#totals;
    const ms = main ? Math.max(0, event.duration_ms - this.#askedMs()) : 0;
    this.#totals = {
      turns: turns + (main ? 1 : 0),
      requests: requests + event.turns,
      durationMs: durationMs + ms,
      usage: addUsage(usage, event.usage),
    };
  }
}

function withTime(known: ToolStatistics, ms: number): Partial<ToolStatistics> {
  return {
    runs: known.runs + 1,
    totalMs: known.totalMs + ms,
    minMs: Math.min(known.minMs, ms),
    maxMs: Math.max(known.maxMs, ms),
  };
}

function keyOf(event: Event, callId: string): string {
  return JSON.stringify([event.agent.id, callId]);
}
