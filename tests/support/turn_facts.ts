/**
 * The facts of a turn, for tests of what is drawn of them.
 */
import type { EventBody } from "../../src/core/event.ts";

/** A turn begins, and its first request. */
export const START: EventBody[] = [
  { type: "turn_start", prompt: "p" },
  { type: "request_start", turn: 1, messages: 2 },
];

/** The turn ends as it should, but for what is said otherwise. */
export function end(over: Partial<Extract<EventBody, { type: "turn_end" }>> = {}): EventBody {
  const usage = { prompt_tokens: 1200, completion_tokens: 34 };
  const counts = { turns: 1, tool_calls: 0, denied: 0, duration_ms: 1500, usage };
  return { type: "turn_end", reason: "done", ...counts, ...over };
}

/** A call begins and runs. */
export function call(id: string, name: string, description: string): EventBody[] {
  return [
    { type: "tool_start", call_id: id, name, input: {}, description },
    { type: "tool_state", call_id: id, state: "executing" },
  ];
}

/** It ends well. */
export function ended(id: string, name: string, preview: string[], duration_ms = 20): EventBody {
  const result = { success: true, error: "" };
  return { type: "tool_end", call_id: id, name, duration_ms, result, preview };
}

/** What stands below a turn that ended so. */
export const FOOTER = "1.2k in · 34 out · 1.5s";
