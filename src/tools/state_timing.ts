/**
 * How long each call was in each of its states: every `tool_state` says which one the call has left and after
 * how many milliseconds.
 */
import type { CallState, EventBody } from "../core/event.ts";

/** Passes events on; a change of state gets the state before it and how long that took. */
export function withStateTimes(
  emit: (event: EventBody) => void,
  now: () => number = () => performance.now(),
): (event: EventBody) => void {
  const entered = new Map<string, { readonly state: CallState; readonly at: number }>();
  return (event) => {
    if (event.type !== "tool_state") return emit(event);
    const at = now();
    const before = entered.get(event.call_id);
    entered.set(event.call_id, { state: event.state, at });
    if (before === undefined) return emit(event);
    emit({ ...event, previous: before.state, duration_ms: Math.round(at - before.at) });
  };
}
