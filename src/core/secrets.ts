/**
 * The port that keeps secrets from the model, the session and the logs: what looks like one is replaced by
 * a placeholder such as `[secret:github_token:3f9a1c2b]`, and put back where a call uses it.
 */

export interface Secrets {
  /** A text from outside (a file, a command's output, a server) with placeholders for its secrets. */
  mask(text: string): string;
  /** The same for a text that may hold placeholders already: the model's words, what was masked before. */
  remask(text: string): string;
  /** Notes private keys of a text of which only a part will be masked, that does not tell them by itself. */
  learn(text: string): void;
  /** How much of a text that goes on no secret can reach into that goes on behind it. */
  settledEnd(text: string): number;
  /** Whether a text, even a masked one, still holds a value of the environment. */
  holdsKnown(text: string): boolean;
  /**
   * The model's text with its placeholders replaced by the secrets.
   * @throws {ToolError} validation: a placeholder's value is not known in this process
   */
  reveal(text: string): string;
}

/** Begins every placeholder, and nothing else that is likely to stand in a file. */
export const PLACEHOLDER_START = "[secret:";

/** Masks nothing. */
export const NO_MASKING: Secrets = {
  mask: (text) => text,
  remask: (text) => text,
  learn: () => {},
  settledEnd: (text) => text.length,
  holdsKnown: () => false,
  reveal: (text) => text,
};
