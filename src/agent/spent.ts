/**
 * Adds up what agents cost: those that worked for another one, and that one itself. Used by the turn for its
 * events, and by whoever tells a person or a program what a turn came to.
 */
import type { DelegatedUsage, TurnUsage } from "../core/event.ts";
import { addUsage } from "./usage.ts";

/** What an agent cost itself, and what those cost that worked for it. */
export interface TurnCost {
  readonly tool_calls: number;
  readonly denied: number;
  readonly usage: TurnUsage;
  readonly delegated?: DelegatedUsage;
}

/** Both together; undefined if there is nothing. */
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
