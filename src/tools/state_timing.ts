/**
 * How long each call was in each of its states: every `tool_state` says which one the call has left and after
 * how many milliseconds.
 */
import type { CallState, EventBody } from "../core/event.ts";

/** Passes facts on, those of states with what came before them. */
export function withStateTimes(
  emit: (fact: EventBody) => void,
  now: () => number = () => performance.now(),
): (fact: EventBody) => void {
  const entered = new Map<string, { readonly state: CallState; readonly at: number }>();
  return (fact) => {
    if (fact.type !== "tool_state") return emit(fact);
    const at = now();
    const before = entered.get(fact.call_id);
    entered.set(fact.call_id, { state: fact.state, at });
    if (before === undefined) return emit(fact);
    emit({ ...fact, previous: before.state, duration_ms: Math.round(at - before.at) });
  };
}
