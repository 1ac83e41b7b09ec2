/**
 * Adds up what the server counted over the requests of a turn, with its price where one is configured. The
 * turn adds each reply, the statistics each turn.
 */
import type { TurnUsage } from "../core/event.ts";
import type { Usage } from "../core/model.ts";

/** What is known of models by their names. */
export interface ModelFigures {
  /** What a reply's tokens cost; undefined without a price for the model. @default nothing is known of money */
  readonly costOf?: (usage: Usage, model: string) => number | undefined;
  /** Tokens of the window of a model that works for this one. @default as many as this one's */
  readonly windowOf?: (model: string) => Promise<number>;
}

/** Nothing yet. */
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

/** Both together; what neither of them tells stays untold. */
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
