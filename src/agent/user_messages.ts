/**
 * The points of a conversation to which a person can go back: their own messages, as they typed them. Called by
 * `/rewind`.
 */
import type { Message } from "../core/message.ts";
import { EMPTY_NUDGE } from "./loop_guard.ts";

/** One message of the user's. */
export interface UserPoint {
  /** Messages before it. */
  readonly index: number;
  /** What was typed. */
  readonly text: string;
  /** Number of the newest change to files at that time; undefined if it was not noted. */
  readonly change: number | undefined;
}

const COMMAND = /^I ran this command:\n\n\$ ([^\n]*)\n/;
/** What plan mode adds to a prompt. */
const PLAN_NOTE = /\n\n\[Plan mode is (?:on|over): [^\]]*\]$/;

/** The user's messages that stand, the oldest first; what stands in for others is none of them. */
export function userPoints(messages: readonly Message[]): UserPoint[] {
  return messages.flatMap((message, index) => {
    if (message.role !== "user" || message.said !== undefined) return [];
    if (message.content === EMPTY_NUDGE) return [];
    const command = COMMAND.exec(message.content)?.[1];
    const text = command === undefined ? message.content.replace(PLAN_NOTE, "") : `!${command}`;
    return [{ index, text, change: message.change }];
  });
}
