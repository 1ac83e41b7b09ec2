/**
 * A turn as its caller sees it, and what it comes to.
 */
import type { RequestFigures } from "../../agent/statistics.ts";
import type { AnswerCut, Event, TurnEndReason, TurnUsage } from "../../core/event.ts";
import type { ReceiptSummary } from "../../receipt/lines.ts";

/**
 * A turn under way. Awaited, it is its result, however the turn ended; it rejects if the turn could not begin. As an
 * iterable, it is the turn's events, from the time when iteration begins; to leave the loop ends the turn.
 */
export interface Turn extends Promise<TurnResult>, AsyncIterable<Event> {
  /** Kills its commands and closes its files at once, for a process that is about to end; nothing more is saved. */
  kill(): void;
}

/** What a turn came to: the object that `ally -p --output-format json` prints. */
export interface TurnResult {
  /** Tells it from the events, where it is the last line after them. */
  readonly type: "result";
  /** The model's last words. */
  readonly text: string;
  /** Why the turn ended. */
  readonly reason: TurnEndReason;
  /** Id of its session, to go on with; null if none is kept. */
  readonly session_id: string | null;
  /** How many requests were made. */
  readonly turns: number;
  /** How many calls of tools there were, those of other agents included. */
  readonly tool_calls: number;
  /** How many of them were denied. */
  readonly denied: number;
  /** Tokens and money of all requests. */
  readonly usage: TurnUsage;
  /** The figures of each request. */
  readonly requests: readonly RequestFigures[];
  /** How long it took, in milliseconds. */
  readonly duration_ms: number;
  /** The answer as a value, where one by a schema was asked for. */
  readonly structured?: unknown;
  /** What cut the answer off, if something did: its limit of tokens, or the server's filter. */
  readonly cut?: AnswerCut;
  /** The receipt, where one was asked for. */
  readonly receipt?: ReceiptSummary;
  /** What went wrong, if the reason is "error". */
  readonly error?: string;
  /** What was thrown then; the JSON does not have it. */
  readonly cause?: unknown;
}
