/**
 * The port through which tools start processes. Every child gets a process group of its own, no
 * standard input but the text it is given, and an environment without ally's secrets; it never outlives
 * the call's signal, unless it goes on as a background task, and then it never outlives ally.
 */
import type { PartedScript, SandboxBlock, SandboxPolicy } from "./sandbox.ts";

/** What to run, and how. */
export interface RunOptions {
  /** A shell command line for `bash -c`, or a program with its arguments. */
  readonly command: string | readonly [program: string, ...args: string[]];
  /**
   * What runs in place of a command line, which remains its name: a text for the shell, or a program of the system
   * without a shell. @default the command line
   */
  readonly script?: string | readonly [program: string, ...args: string[]];
  /** Absolute; @default the working directory */
  readonly cwd?: string;
  /** Seconds; the group is ended after that. No limit if absent. */
  readonly timeout?: number;
  /** Ends the group when it is aborted. */
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
  /** What it may do in the OS sandbox. @default it runs outside */
  readonly sandboxPolicy?: SandboxPolicy | undefined;
  /** Runs in place of a command line whose parts get sandboxes of their own. @default one sandbox for all of it */
  readonly parted?: PartedScript | undefined;
  /**
   * Gives it the terminal of the run, until it ends by itself: nothing of what it shows is kept, and it has no limit.
   * @default it has no terminal
   */
  readonly foreground?: boolean;
  /** Lets the command go on as a background task instead of being waited for. @default it is waited for */
  readonly background?: BackgroundOptions;
}

/** A program with its arguments. */
export type PlainArguments = Exclude<RunOptions["command"], string>;

/** What runs in place of a command line. */
export type CanonicalCommand = NonNullable<RunOptions["script"]>;

/** How a command may go on in the background. */
export interface BackgroundOptions {
  /** Aborted when waiting ends: what still runs then is a task, free of the call's signal. */
  readonly when: AbortSignal;
  /** Whether the time limit holds for the task too. @default false */
  readonly keepTimeout?: boolean;
}

/** How a command ended. */
export interface RunResult {
  /** Exit code, or 128 + signal number; 0 while it goes on as a task. */
  readonly code: number;
  /** Decoded, in arrival order. */
  readonly output: string;
  /** True if the middle of the output was cut. */
  readonly truncated: boolean;
  /** Lines of the whole output, if it was cut. */
  readonly lines?: number;
  /** File that holds the whole output, if it was cut and `keepLog` was set. */
  readonly logPath?: string;
  /** How the command ended, if not by itself. */
  readonly ended?: "timeout" | "interrupted";
  /** True if it exited and left processes running, which were then ended. */
  readonly leftBehind?: true;
  /**
   * Repositories that it made without the power to, and hooks and settings that git itself does not make: they got
   * these names, absolute, by which git does not find them.
   */
  readonly setAside?: readonly string[];
  /** Hooks of the workspace, absolute, that did not run with it because it had keys. */
  readonly skippedHooks?: readonly string[];
  /** What would have seen the user's keys, as it is shown, so that a command of git got none of them. */
  readonly keysWithheldFor?: readonly string[];
  /** Paths, absolute, that its sandbox hides, and of which git said that they had changed. */
  readonly hiddenFromGit?: readonly string[];
  /** Set if it failed, or a part of it whose end its exit code does not tell, and the sandbox is probably why. */
  readonly blocked?: SandboxBlock;
  /** Set if it goes on and the last of its output is still to be told: it may be part of a secret. */
  readonly heldBack?: true;
  /** Id of the background task as which it goes on. */
  readonly taskId?: string;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** A background task at one moment. */
export interface TaskState {
  /** "task_1", "task_2", ... */
  readonly id: string;
  /** The command as it was given, on one line. */
  readonly command: string;
  /** Milliseconds since it was started. */
  readonly durationMs: number;
  /** Absent while it runs: exit code, or 128 + signal number. */
  readonly code?: number;
  /** How it ended, if not by itself. */
  readonly ended?: "timeout" | "stopped";
}

/** A look at a task: its state, and what it wrote since the last look. */
export interface TaskOutput extends TaskState {
  /** What it wrote since the last look. */
  readonly output: string;
  /** True if the middle of that output was cut. */
  readonly truncated: boolean;
  /** Set if the last of it is told at a later look: it may be part of a secret. */
  readonly heldBack?: true;
  /** File that holds all of the task's output, if that was too long to keep. */
  readonly logPath?: string;
}

/** The commands that go on in the background. */
export interface Tasks {
  /**
   * What a task wrote since the last look, after waiting for its end for at most `wait` seconds.
   * @throws {ToolError} user: there is no such task; interrupted: the signal was aborted while waiting
   */
  readOutput(id: string, options: { wait?: number; signal: AbortSignal }): Promise<TaskOutput>;
  /** Ends a task's group and takes a last look. @throws {ToolError} user: there is no such task */
  stop(id: string): Promise<TaskOutput>;
  /** The tasks that run, oldest first. */
  running(): readonly TaskState[];
  /** The tasks that ended by themselves and were not looked at since; each is returned once. */
  takeEnded(): readonly TaskState[];
  /** Settles when a task has ended, and its sandbox with it. @throws {ToolError} user: there is no such task */
  ended(id: string): Promise<void>;
  /** Calls back whenever one has ended; returns how to stop that. */
  onEnd(callback: () => void): () => void;
}

/** Where processes are started. */
export interface Shell {
  /** Runs a command to its end. @throws {ToolError} system: the program or directory is missing or may not be run */
  run(options: RunOptions): Promise<RunResult>;
  /** The commands that go on in the background. */
  readonly tasks: Tasks;
  /** Absolute path of a program in the directories of PATH, or undefined if it is in none. */
  which(program: string): Promise<string | undefined>;
}
