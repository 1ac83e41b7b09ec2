/**
 * The port through which a tool has other agents work on tasks of their own. An agent that works for another one
 * does not get it, so that agents are one level deep.
 */

/** One task for one agent. */
export interface AgentTask {
  /** Name of a profile. */
  readonly agent: string;
  /** The whole task: the agent sees nothing else of the conversation. */
  readonly prompt: string;
}

/** What came of a task. */
export interface AgentTaskResult {
  /** Name of the profile. */
  readonly agent: string;
  /** Whether it got to its end. */
  readonly success: boolean;
  /** The agent's last words, with all that was said until then if it did not get to its end. */
  readonly text: string;
  /** Why it had to wait for others before it began. */
  readonly waited?: string;
  /** Why it did not get to its end. */
  readonly error?: string;
  /** Requests it made. */
  readonly turns: number;
  /** Calls it made. */
  readonly toolCalls: number;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** The same, for one call. */
export type DelegateFor = (
  tasks: readonly AgentTask[],
  by: { readonly callId: string; readonly signal: AbortSignal },
) => Promise<readonly AgentTaskResult[]>;

/**
 * Has agents work at the same time; results come in the order of the tasks, one each.
 * @throws {ToolError} validation: there is no such agent, with the names of those there are
 */
export type Delegate = (tasks: readonly AgentTask[]) => Promise<readonly AgentTaskResult[]>;
