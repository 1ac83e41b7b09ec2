/**
 * What a tool reaches of the conversation it is called in: small facts kept with it, and the results of
 * earlier calls.
 */
import type { LoadedSkill } from "./message.ts";

/** JSON values by key: saved with the session, there again when it is resumed, gone with `/clear`. */
export interface State {
  /** The value last set, or undefined. */
  get(key: string): unknown;
  /** Resolves when the value is saved; it must be JSON and is not to be changed afterwards. */
  set(key: string, value: unknown): Promise<void>;
}

/** One result whose content was given up. */
export interface CleanedResult {
  /** The call whose result it is. */
  readonly callId: string;
  /** Name of its tool. */
  readonly tool: string;
  /** Tokens that the next requests no longer hold. */
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

/** What a tool reaches of the conversation. */
export interface ConversationAccess {
  /** The skills whose instructions the model can read in it. */
  loadedSkills(): readonly LoadedSkill[];
  /** Facts kept with the conversation. */
  readonly state: State;
  /** The results of earlier calls. */
  readonly results: Results;
}
