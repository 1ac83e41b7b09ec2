/**
 * The system prompt of a conversation, in parts: what of it changes while the conversation goes on is told in a message,
 * and the prompt itself stays as it is.
 */

/** One part: what it is about, and its text. */
export interface PromptPart {
  /** What it is about. */
  readonly name: string;
  /** Empty where it no longer holds. */
  readonly text: string;
}

/** The parts in order, a line end between them. */
export type SystemPrompt = readonly PromptPart[];
