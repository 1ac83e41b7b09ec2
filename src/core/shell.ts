/**
 * The port through which tools start processes. Every child gets a process group of its own, no
 * standard input but the text it is given, and an environment without ally's secrets; it never outlives the call's signal.
 */

export interface RunOptions {
  /** A shell command line for `bash -c`, or a program with its arguments. */
  readonly command: string | readonly [program: string, ...args: string[]];
  /** Absolute; @default the working directory */
  readonly cwd?: string;
  /** Seconds; the group is ended after that. No limit if absent. */
  readonly timeout?: number;
  readonly signal: AbortSignal;
  /** Text for its standard input. @default none: the input is at its end at once */
  readonly input?: string;
  /** Decoded output in arrival order, stdout and stderr together. */
  readonly onOutput?: (chunk: string) => void;
  /** Characters kept of the output; beyond that the middle is cut. @default 30000 */
  readonly maxOutput?: number;
  /** Keep the whole output in a file once it is cut. @default false */
  readonly keepLog?: boolean;
  /** Where stderr goes. @default "merge" */
  readonly stderr?: "merge" | "drop";
}

export interface RunResult {
  /** Exit code, or 128 + signal number. */
  readonly code: number;
  readonly output: string;
  /** True if the middle of the output was cut. */
  readonly truncated: boolean;
  /** File that holds the whole output, if it was cut and `keepLog` was set. */
  readonly logPath?: string;
  /** How the command ended, if not by itself. */
  readonly ended?: "timeout" | "interrupted";
  /** Milliseconds. */
  readonly durationMs: number;
}

export interface Shell {
  /** @throws {ToolError} system: the program or directory is missing or may not be run */
  run(options: RunOptions): Promise<RunResult>;
  /** Absolute path of a program in the directories of PATH, or undefined if it is in none. */
  which(program: string): Promise<string | undefined>;
}
