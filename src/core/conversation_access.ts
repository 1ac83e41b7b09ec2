/**
 * What a tool reaches of the conversation it is called in: small facts kept with it, and the results of
 * earlier calls. `agent/conversation.ts` implements the ports; the pipeline hands them to each call.
 */

/** JSON values by key: saved with the session, there again when it is resumed, gone with `/clear`. */
export interface State {
  /** The value last set, or undefined. */
  get(key: string): unknown;
  /** Resolves when the value is saved; it must be JSON and is not to be changed afterwards. */
  set(key: string, value: unknown): Promise<void>;
}

/** One result whose content was given up. */
export interface CleanedResult {
  readonly callId: string;
  readonly tool: string;
  readonly tokensSaved: number;
}

/** The results of earlier calls. */
export interface Results {
  /**
   * Puts `content` in the place of each of these results; when requests show it is the agent's choice.
   * @throws {ToolError} user: no earlier call has an id, or its result was cleaned up already
   */
  cleanUp(callIds: readonly string[], content: string): Promise<readonly CleanedResult[]>;
}

export interface ConversationAccess {
  readonly state: State;
  readonly results: Results;
}
