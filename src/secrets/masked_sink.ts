/**
 * Keeps secrets out of an event stream that is a log: all texts masked, those that arrive in pieces too. Only a
 * person's screen gets the events as they are.
 */
import type { Event, EventSink } from "../core/event.ts";
import type { Secrets } from "../core/secrets.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { openDumpStart } from "./readings.ts";

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
    // What is held back of it may be the beginning of a secret.
    if (goesOn(event)) running.delete(keyOf({ ...event, type: "tool_output", text: "" }));
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
  if (event.type === "tool_state" && event.state === "success") return false;
  return (event.type === "tool_end" || event.type === "tool_state") && event.call_id === callId;
}

/** Whether a call has ended and what it started goes on, so that its output is not complete. */
function goesOn(event: Event): event is Extract<Event, { type: "tool_end" }> {
  return event.type === "tool_end" && event.result.running === true;
}

/** A line with one of these may name a secret whose value is still to come. */
const TELLING = /pass|pwd|secret|token|key|auth|credential|bearer|login|:\/\/|-----BEGIN/i;
const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/;
/** Characters held back at most; of a longer line without a blank the end is held. */
const MAX_BUFFER = 48_000;
const OVERLAP = 4_000;

/** Masks a text that arrives in pieces: what may be the beginning of a secret is held back until it is known. */
export class MaskedStream {
  readonly #secrets: Secrets;
  #buffer = "";

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Takes a piece; returns the masked text that can be shown by now. */
  push(piece: string): string {
    this.#buffer += piece;
    const end = settledEnd(this.#buffer);
    const ready = this.#buffer.slice(0, end);
    this.#buffer = this.#buffer.slice(end);
    return this.#secrets.remask(ready);
  }

  /** The rest, masked. */
  end(): string {
    const rest = this.#buffer;
    this.#buffer = "";
    return this.#secrets.remask(rest);
  }
}

/** How much of a text can no longer be part of a secret that goes on behind it. */
export function settledEnd(text: string): number {
  const lineStart = text.lastIndexOf("\n") + 1;
  const line = text.slice(Math.max(lineStart, text.length - MAX_BUFFER));
  const inLine = TELLING.test(line) ? 0 : line.search(/\S*$/);
  const end = Math.min(
    text.length - line.length + inLine,
    openKeyStart(text) ?? text.length,
    openDumpStart(text) ?? text.length,
  );
  if (text.length - end <= MAX_BUFFER) return end;
  const before = text.slice(text.length - 2 * OVERLAP, text.length - OVERLAP);
  const part = before.search(/(?<=\n)[^\n]*$|[\w.~+/=-]*$/);
  return text.length - 2 * OVERLAP + (part > 0 ? part : OVERLAP);
}

/** Where a private key begins whose end has not come. */
function openKeyStart(text: string): number | undefined {
  const last = [...text.matchAll(KEY_BEGIN)].at(-1);
  if (last === undefined || KEY_END.test(text.slice(last.index))) return undefined;
  return last.index;
}
