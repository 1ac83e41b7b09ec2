/**
 * A turn that has ended, as the session keeps it: why, what it cost by agent and model, and the message it ended with.
 */
import type { Event } from "../core/event.ts";
import type { Message } from "../core/message.ts";
import type { EndedTurn, SpentTokens } from "../core/session_log.ts";
import { hashText } from "../lib/content_hash.ts";
import { cutEnd, oneLine } from "../lib/text.ts";
import type { RequestFigures } from "./statistics.ts";
import { addUsage, NO_USAGE, withDelegated } from "./usage.ts";
import { userPoints } from "./user_messages.ts";

/** Characters of the words that a turn began with. */
const MAX_PROMPT = 80;

/** What is known when a turn ends. */
interface TurnFacts {
  readonly messages: readonly Message[];
  /** The requests that were answered since the turn before it ended. */
  readonly requests: readonly RequestFigures[];
  /** The branch of git. */
  readonly branch?: string | undefined;
  /** The agent whose turn it was, if the user spoke to another one than the main agent. */
  readonly addressed?: string;
}

/** The turn as it is kept. */
export function toEndedTurn(
  event: Extract<Event, { type: "turn_end" }>,
  { messages, requests, branch, addressed }: TurnFacts,
): EndedTurn {
  // What an agent of the user's has said is not part of the conversation yet.
  const last = addressed === undefined ? messages.at(-1) : undefined;
  const words = addressed === undefined ? userPoints(messages).at(-1)?.text : `@${addressed}`;
  return {
    prompt: cutEnd(oneLine(words ?? ""), MAX_PROMPT),
    reason: event.reason,
    ...event.error !== undefined && { error: event.error },
    requests: event.turns,
    tool_calls: withDelegated(event).tool_calls,
    duration_ms: event.duration_ms,
    spent: sumByAgent(requests),
    ...branch !== undefined && { branch },
    end: last === undefined ? "" : fingerprintOf(last),
  };
}

/** A fingerprint of what a message says, the same after the session was saved and loaded. */
export function fingerprintOf({ role, content }: Message): string {
  return hashText(`${role}\n${content}`);
}

/** What each agent and model came to, in the order of their first requests. */
export function sumByAgent(requests: readonly RequestFigures[]): SpentTokens[] {
  const sums = new Map<string, SpentTokens>();
  for (const { agent, model, ...request } of requests) {
    const key = JSON.stringify([agent, model]);
    const sum = sums.get(key) ??
      { agent, ...model !== undefined && { model }, requests: 0, ...NO_USAGE };
    sums.set(key, { ...sum, requests: sum.requests + 1, ...addUsage(sum, request) });
  }
  return [...sums.values()];
}
