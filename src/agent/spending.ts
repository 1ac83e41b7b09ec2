/**
 * What a run, or an agent's task, may spend: tokens, money and time. Every request counts, also those of agents that
 * work for another one, of a compaction, and those that only warm a cache. It is looked at before each request, so
 * that the last one may go over.
 */
import { BudgetSpentError } from "../core/errors.ts";
import type { Model, ModelRequest, Reply } from "../core/model.ts";
import { MAX_TIMER_MS } from "../lib/async.ts";
import { formatCount, formatMoney } from "../lib/text.ts";
import type { ModelFigures } from "./usage.ts";

/** Nothing that is absent is limited. */
export interface SpendingLimits {
  /** Of prompts and replies together. */
  readonly tokens?: number | undefined;
  /** In the currency of the configured prices. */
  readonly cost?: number | undefined;
  /** Of one turn. */
  readonly seconds?: number | undefined;
}

/** What the limits of a profile or of the settings come from. */
interface SpendingOptions {
  readonly limits: SpendingLimits;
  readonly costOf?: ModelFigures["costOf"];
  /** Whose budget it is: "this run". */
  readonly of: string;
}

/** How much of one limit is spent. */
interface Share {
  readonly spent: number;
  readonly limit: number;
  readonly unit: string;
  readonly text: string;
}

const SECONDS = "seconds";
/** The part of a limit from which the model is told. */
const TOLD_FROM = 0.8;
/** Characters of a token, where a server does not count. */
const CHARACTERS = 4;

/** To a tenth, and less than that with two digits: a limit is never 0. */
const formatSeconds = (seconds: number) =>
  seconds < 0.1
    ? seconds.toLocaleString("en-US", { maximumSignificantDigits: 2 })
    : formatCount(Math.round(seconds * 10) / 10);

/** Counts what is spent. */
export class Spending {
  readonly limits: SpendingLimits;
  readonly #costOf: ModelFigures["costOf"];
  readonly #of: string;
  /** The agents that were told, by the unit of the limit. */
  readonly #told = new Map<string, Set<string>>();
  #tokens = 0;
  #cost = 0;
  /** When the turn began that runs now; between turns no time is spent. */
  #started: number | undefined;

  constructor({ limits, costOf, of }: SpendingOptions) {
    this.limits = limits;
    this.#costOf = costOf;
    this.#of = of;
  }

  /** The same model, whose requests count here. It throws a BudgetSpentError for one that is not to be made. */
  wrap(model: Model): Model {
    return {
      reply: async (request, options) => {
        this.#require();
        const reply = await model.reply(request, options);
        this.#add(request, reply);
        return reply;
      },
    };
  }

  /** Counts the time of a turn until it is disposed; `abort` is called when there is no more. */
  startClock(abort: (reason: BudgetSpentError) => void): Disposable {
    const { seconds } = this.limits;
    const started = this.#started = performance.now();
    this.#told.delete(SECONDS);
    const timer = seconds === undefined ? undefined : setTimeout(() => {
      const all = formatSeconds(seconds);
      abort(this.#spentError(`${all} of ${all} seconds`));
    }, Math.min(seconds * 1000, MAX_TIMER_MS));
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        // A server runs several at once, and the last one counts.
        if (this.#started === started) this.#started = undefined;
      },
    };
  }

  /** What an agent is told, once for each limit, when most is spent; of time it is told in each turn. */
  takeNote(agent: string): string | undefined {
    const most = this.#shares().find(({ spent, limit, unit }) =>
      spent >= limit * TOLD_FROM && !this.#told.get(unit)?.has(agent)
    );
    if (most === undefined) return undefined;
    this.#told.set(most.unit, new Set(this.#told.get(most.unit)).add(agent));
    return `Of the budget of ${this.#of}, ${most.text} are spent. Come to an end: say what is done and what is not.`;
  }

  /** @throws {BudgetSpentError} a limit is reached */
  #require(): void {
    const over = this.#shares().find(({ spent, limit }) => spent >= limit);
    if (over) throw this.#spentError(over.text);
  }

  #spentError(text: string): BudgetSpentError {
    return new BudgetSpentError(`The budget of ${this.#of} is spent: ${text}.`);
  }

  #shares(): Share[] {
    const { tokens, cost, seconds } = this.limits;
    const passed = this.#started === undefined ? 0 : (performance.now() - this.#started) / 1000;
    const rows = [
      { spent: this.#tokens, limit: tokens, format: formatCount, unit: "tokens" },
      { spent: this.#cost, limit: cost, format: formatMoney, unit: "of the money" },
      { spent: passed, limit: seconds, format: formatSeconds, unit: SECONDS },
    ];
    return rows.flatMap(({ spent, limit, format, unit }) =>
      limit === undefined
        ? []
        : [{ spent, limit, unit, text: `${format(spent)} of ${format(limit)} ${unit}` }]
    );
  }

  #add(request: ModelRequest, { usage, message }: Reply): void {
    if (usage === undefined) {
      const said = [...request.messages, message].map(({ content }) => content.length);
      this.#tokens += Math.ceil(said.reduce((sum, length) => sum + length, 0) / CHARACTERS);
      return;
    }
    this.#tokens += usage.promptTokens + usage.completionTokens;
    this.#cost += this.#costOf?.(usage, request.model) ?? 0;
  }
}
