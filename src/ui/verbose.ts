/**
 * One line for each internal event, for `--verbose` and `/debug on`: requests, states of calls with their times,
 * decisions, the context. Events that are shown anyway have no line.
 */
import type { Event } from "../core/event.ts";
import { formatDuration, oneLine, plural } from "../lib/text.ts";

/** The line of an event, or undefined if it has none. */
export function verboseLine(event: Event): string | undefined {
  const who = event.agent.depth === 0 ? "" : `${oneLine(event.agent.name)}: `;
  const text = describeEvent(event);
  return text === undefined ? undefined : who + oneLine(text);
}

function describeEvent(event: Event): string | undefined {
  switch (event.type) {
    case "request_start": {
      const model = event.model === undefined ? "" : ` to ${event.model}`;
      return `request ${event.turn}${model}: ${plural(event.messages, "message")}`;
    }
    case "tool_start":
      return `${event.call_id} is ${event.name} ${
        JSON.stringify(event.input)?.slice(0, 200) ?? ""
      }`;
    case "tool_state": {
      const { call_id, state, previous, duration_ms } = event;
      const before = previous === undefined || duration_ms === undefined
        ? ""
        : ` (${previous} ${formatDuration(duration_ms)})`;
      return `${call_id} ${state}${before}`;
    }
    case "permission":
      return `${event.call_id} ${event.decision} by ${event.by}, ${event.class}: ${event.why}`;
    case "context":
      return `context ${event.percent}%, ${event.tokens} of ${event.size} tokens, ${event.level}`;
    case "turn_end":
      return `turn ${event.reason}: ${plural(event.turns, "request")}, ` +
        `${plural(event.tool_calls, "call")}, ${formatDuration(event.duration_ms)}`;
    default:
      return undefined;
  }
}
