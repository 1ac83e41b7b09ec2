/**
 * Keeps secrets out of an event stream that is a log: all texts masked, those that arrive in pieces too. Only a
 * person's screen gets the events as they are.
 */
import type { Event, EventSink } from "../core/event.ts";
import type { Secrets } from "../core/secrets.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { MaskedStream } from "./masked_stream.ts";

type TextEvent = Extract<Event, { type: "text_delta" | "thinking_delta" | "tool_output" }>;

/** Events that hold no text from outside, or one that was masked when it was kept. */
const PLAIN: ReadonlySet<Event["type"]> = new Set([
  "message",
  "request_start",
  "tool_state",
  "context",
]);

/** A sink that passes every event on with its secrets masked, in the same order. */
export function maskSink(sink: EventSink, secrets: Secrets): EventSink {
  const running = new Map<string, { stream: MaskedStream; last: TextEvent }>();
  const flush = (keys: Iterable<string>) => {
    for (const key of [...keys]) {
      const one = running.get(key);
      running.delete(key);
      const text = one?.stream.end() ?? "";
      if (one !== undefined && text !== "") sink({ ...one.last, text });
    }
  };
  return (event) => {
    const key = keyOf(event);
    // What a model says is told in order: thought, text, and whatever follows them.
    flush([...running.keys()].filter((other) => other !== key && endsWith(other, event)));
    if (isPiece(event)) {
      const stream = running.get(key)?.stream ?? new MaskedStream(secrets);
      running.set(key, { stream, last: event });
      const text = stream.push(event.text);
      if (text !== "") sink({ ...event, text });
      return;
    }
    sink(PLAIN.has(event.type) ? event : mapStrings(event, (text) => secrets.remask(text)));
  };
}

function isPiece(event: Event): event is TextEvent {
  return event.type === "text_delta" || event.type === "thinking_delta" ||
    event.type === "tool_output";
}

/** Which running text an event belongs to. */
function keyOf(event: Event): string {
  return JSON.stringify([event.agent.id, event.type, "call_id" in event ? event.call_id : ""]);
}

/** Whether a running text ends when an event comes. */
function endsWith(key: string, event: Event): boolean {
  const [agent, type, callId] = JSON.parse(key) as [string, string, string];
  if (agent !== event.agent.id) return false;
  if (event.type === "turn_end") return true;
  if (type !== "tool_output") return event.type !== "tool_output";
  return (event.type === "tool_end" || event.type === "tool_state") && event.call_id === callId;
}
