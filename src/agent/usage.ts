/**
 * What models cost: what the server counted over the requests of a turn, with its price where one is
 * configured, and the sum over the agents that worked for another one.
 */
import type { DelegatedUsage, TurnUsage } from "../core/event.ts";
import type { Usage } from "../core/model.ts";
import type { SpentTokens } from "../core/session_log.ts";

/** What is known of models by their names. */
export interface ModelFigures {
  /** What a reply's tokens cost; undefined without a price for the model. @default nothing is known of money */
  readonly costOf?: (usage: Usage, model: string) => number | undefined;
  /** Tokens of the window of a model that works for this one. @default as many as this one's */
  readonly windowOf?: (model: string) => Promise<number>;
  /** Whether a model's template shows the thinking of earlier turns. @default it does not */
  readonly keepsReasoning?: (model: string) => boolean;
  /** Runs an agent as soon as its model's server can work for it. @default at once */
  readonly inSlot?: <T>(agent: SlotUser, run: () => Promise<T>) => Promise<T>;
}

/** An agent that is to have a slot of its model's server. */
export interface SlotUser {
  readonly id: string;
  readonly model: string;
  /** Is told why it has to wait for one. */
  readonly onWait: (why: string) => void;
}

/** The usage of a turn before its first reply. */
export const NO_USAGE: TurnUsage = { prompt_tokens: 0, completion_tokens: 0 };

/** A reply's tokens as a turn tells them. */
export function toTurnUsage(usage: Usage, cost?: number): TurnUsage {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    ...cachedTokens !== undefined && { cached_tokens: cachedTokens },
    ...reasoningTokens !== undefined && { reasoning_tokens: reasoningTokens },
    ...cost !== undefined && { cost },
  };
}

/** Both together; a figure that neither of them has stays absent. */
export function addUsage(one: TurnUsage, other: TurnUsage): TurnUsage {
  const both = (field: "cached_tokens" | "reasoning_tokens" | "cost") =>
    one[field] === undefined && other[field] === undefined
      ? undefined
      : (one[field] ?? 0) + (other[field] ?? 0);
  const cached = both("cached_tokens");
  const reasoning = both("reasoning_tokens");
  const cost = both("cost");
  return {
    prompt_tokens: one.prompt_tokens + other.prompt_tokens,
    completion_tokens: one.completion_tokens + other.completion_tokens,
    ...cached !== undefined && { cached_tokens: cached },
    ...reasoning !== undefined && { reasoning_tokens: reasoning },
    // A millionth of a millionth is noise of the addition.
    ...cost !== undefined && { cost: Number(cost.toFixed(12)) },
  };
}

/** What each agent and model came to, in the order of their first requests. */
export function sumByAgent(
  requests: readonly (TurnUsage & Pick<SpentTokens, "agent" | "model">)[],
): SpentTokens[] {
  const sums = new Map<string, SpentTokens>();
  for (const { agent, model, ...request } of requests) {
    const key = JSON.stringify([agent, model]);
    const whose = { agent, ...model !== undefined && { model } };
    const sum = sums.get(key);
    const usage = addUsage(sum ?? NO_USAGE, request);
    sums.set(key, { ...whose, requests: (sum?.requests ?? 0) + 1, ...usage });
  }
  return [...sums.values()];
}

/** What an agent cost itself, and what those cost that worked for it. */
interface TurnCost {
  readonly tool_calls: number;
  readonly denied: number;
  readonly usage: TurnUsage;
  readonly delegated?: DelegatedUsage;
}

/** Both together; undefined if there is neither. */
export function sumUsage(
  sum: DelegatedUsage | undefined,
  more: DelegatedUsage | undefined,
): DelegatedUsage | undefined {
  if (sum === undefined || more === undefined) return sum ?? more;
  return {
    requests: sum.requests + more.requests,
    tool_calls: sum.tool_calls + more.tool_calls,
    denied: sum.denied + more.denied,
    usage: addUsage(sum.usage, more.usage),
  };
}

/** Calls, denials and tokens of a turn with all agents that worked in it. */
export function withDelegated(
  { tool_calls, denied, usage, delegated }: TurnCost,
): Omit<TurnCost, "delegated"> {
  if (delegated === undefined) return { tool_calls, denied, usage };
  return {
    tool_calls: tool_calls + delegated.tool_calls,
    denied: denied + delegated.denied,
    usage: addUsage(usage, delegated.usage),
  };
}
