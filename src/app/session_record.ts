/**
 * Keeps with the session how its calls looked and how its turns ended, so that a session that goes on can be shown
 * again as it was. It listens to the events; what the model reads is saved by the conversation itself.
 */
import type { CurrentConversation } from "../agent/current_conversation.ts";
import type { Statistics } from "../agent/statistics.ts";
import { sumByAgent, withDelegated } from "../agent/usage.ts";
import { fullHistory } from "../context/transcript.ts";
import type { Event, EventSink } from "../core/event.ts";
import { isNote, markOf } from "../core/message.ts";
import type { EndedTurn, ShownCall } from "../core/session_log.ts";
import { cutSafely } from "../lib/excerpt.ts";
import { oneLine } from "../lib/text.ts";
import type { AskedTime } from "./asked_time.ts";
import { MAIN_AGENT } from "./events.ts";

type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;

/** Characters of the diffs of one call that are kept; longer ones can be made again from the call. */
const MAX_DIFFS = 32_768;
/** Characters of the words that a turn began with. */
const MAX_PROMPT = 80;

/** A sink that keeps what is shown of the main agent, and passes every event on. */
export function recordShown(
  sink: EventSink,
  parts: {
    current: CurrentConversation;
    statistics: Statistics;
    asked: AskedTime;
    /** The branch of git that is checked out now. */
    branch: () => string | undefined;
  },
): EventSink {
  const record = new ShownRecord(parts);
  return (event) => {
    record.take(event);
    sink(event);
  };
}

class ShownRecord {
  readonly #parts: Parameters<typeof recordShown>[1];
  /** The calls that have begun, by their ids. */
  readonly #begun = new Map<string, Pick<ShownCall, "description" | "diffs">>();
  /** What the turn began with: the last words of the user's before its first request. */
  #prompt = "";
  #hasAsked = false;
  #context: EndedTurn["context"];
  /** How many requests earlier turns have made. */
  #counted = 0;

  constructor(parts: Parameters<typeof recordShown>[1]) {
    this.#parts = parts;
  }

  take(event: Event): void {
    if (event.type === "turn_end" && event.agent.depth === 0) return this.#endTurn(event);
    if (event.type === "turn_start" && event.agent.depth === 0) {
      this.#parts.asked.beginTurn();
    }
    if (event.agent.id !== MAIN_AGENT.id) return;
    if (event.type === "turn_start" || event.type === "request_start") {
      this.#hasAsked = event.type === "request_start";
    } else if (event.type === "tool_start") {
      this.#begun.set(event.call_id, { description: event.description });
    } else if (event.type === "context") {
      const { tokens, size, percent } = event;
      this.#context = { tokens, size, percent };
    } else if (event.type === "message") this.#takeMessage(event);
    else if (event.type === "tool_preview") this.#addDiffs(event);
    else if (event.type === "tool_end") this.#endCall(event);
  }

  #takeMessage({ message }: EventOf<"message">): void {
    if (this.#hasAsked || message.role !== "user" || isNote(message)) return;
    this.#prompt = message.typed ?? message.content;
  }

  #addDiffs({ call_id: id, previews }: EventOf<"tool_preview">): void {
    const begun = this.#begun.get(id);
    const diffs = previews.filter((one) => one.kind === "diff")
      .map(({ path, diff }) => ({ path, diff }));
    if (begun === undefined || diffs.length === 0) return;
    const size = diffs.reduce((sum, { diff }) => sum + diff.length, 0);
    if (size <= MAX_DIFFS) this.#begun.set(id, { ...begun, diffs });
  }

  #endCall({ call_id, duration_ms, preview, message, result }: EventOf<"tool_end">): void {
    const begun = this.#begun.get(call_id);
    this.#begun.delete(call_id);
    if (begun === undefined) return;
    const { suggestion, patch_number: change } = result;
    void this.#parts.current.conversation.logCall({
      call_id,
      ...begun,
      duration_ms,
      preview,
      ...message !== undefined && { message },
      ...suggestion !== undefined && { suggestion },
      ...typeof change === "number" && { change },
    });
  }

  #endTurn(event: EventOf<"turn_end">): void {
    const { current: { conversation }, statistics: { requests }, asked } = this.#parts;
    const isMain = event.agent.id === MAIN_AGENT.id;
    const branch = this.#parts.branch();
    const prompt = isMain ? this.#prompt : `@${event.agent.name}`;
    const spent = sumByAgent(requests.slice(this.#counted));
    this.#counted = requests.length;
    void conversation.logTurn({
      prompt: cutSafely(oneLine(prompt), MAX_PROMPT),
      reason: event.reason,
      ...event.error !== undefined && { error: event.error },
      requests: event.turns,
      tool_calls: withDelegated(event).tool_calls,
      duration_ms: Math.max(0, event.duration_ms - asked.turnMs),
      spent,
      ...this.#context && { context: this.#context },
      ...branch !== undefined && { branch },
      // What an agent of the user's has said is not part of the conversation yet.
      end: isMain ? markOf(conversation.messages.at(-1)) : "",
      messages: fullHistory(conversation).length,
    });
  }
}
