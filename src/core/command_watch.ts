/**
 * The port that records what a command does to the workspace, so that it can be listed and taken back. It never
 * fails, and never keeps a command from running.
 */

/** What a command did to the workspace. */
export interface CommandChanges {
  /** Display paths of what was made, changed or removed. */
  readonly files: readonly string[];
  /** Those of them that were not there before, and those that are there no more. */
  readonly created: readonly string[];
  readonly removed: readonly string[];
  /** Number of the undo patch that covers them; absent if it could not be stored. */
  readonly patchNumber: number | undefined;
  /**
   * Takes all of it back, as a change that can be undone; absent if it could not be stored.
   * @throws {ToolError} user: a file has changed since; system: cannot write
   */
  readonly takeBack?: () => Promise<void>;
}

/** The background tasks as which the commands of a call go on after it. */
export interface FollowedTasks {
  /** "task_1", or several names. */
  readonly name: string;
  /** Settles when all have ended. */
  readonly ended: Promise<unknown>;
  /** Told then what changed while they ran and no call's command did; undefined if nothing. */
  readonly onEnd: (
    changes: Pick<CommandChanges, "files" | "created" | "removed"> | undefined,
  ) => void;
}

/** To be called when the command has ended, or goes on as tasks; undefined if it has changed nothing. */
export type FinishTracking = (tasks?: FollowedTasks) => Promise<CommandChanges | undefined>;

/** Who runs commands, and where. */
interface TrackedBy {
  /** Name of the tool. */
  readonly tool: string;
  /** Id of its call. */
  readonly callId: string;
  /** Whether the OS sandbox keeps all that they write inside of the workspace. */
  readonly confined: boolean;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/** To be called before commands run; undefined if there is nothing to wait for at their end. */
export type TrackCommands = (
  commands: readonly string[],
  by: TrackedBy,
) => Promise<FinishTracking | undefined>;
