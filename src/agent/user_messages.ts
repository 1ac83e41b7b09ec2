/**
 * The points of a conversation to which a person can go back: their own messages, as they typed them.
 */
import { isNote, type Message } from "../core/message.ts";

/** One message of the user's. */
export interface UserPoint {
  /** Messages before it. */
  readonly index: number;
  /** What was typed. */
  readonly text: string;
  /** Number of the newest change to files at that time; undefined if it was not noted. */
  readonly change: number | undefined;
}

/** The user's messages that stand, the oldest first, without what ally said in their place. */
export function userPoints(messages: readonly Message[]): UserPoint[] {
  return messages.flatMap((message, index) => {
    if (message.role !== "user" || message.said !== undefined || isNote(message)) return [];
    return [{ index, text: message.typed ?? message.content, change: message.change }];
  });
}
