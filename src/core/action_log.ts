/**
 * The ports through which a receipt learns what was done to the machine: the commands that ran, and what became of
 * the files.
 */
import type { RunOptions, RunResult } from "./shell.ts";

/** A command that a call ran. */
export interface RanCommand {
  /** Id of the agent. */
  readonly agent: string;
  readonly callId: string;
  readonly options: Pick<RunOptions, "command" | "script" | "cwd">;
  readonly result: RunResult;
}

/** Takes note of a command that has ended. Never throws, and returns at once. */
export type LogCommand = (command: RanCommand) => void;

/** What lay at a path, told by its hash. */
export type PathFact =
  | {
    readonly kind: "file";
    /** Of the bytes, in hexadecimal; absent if the content is too large to be kept. */
    readonly sha256?: string;
    /** Bytes, and milliseconds since the epoch: of a file without a hash. */
    readonly size?: number;
    readonly modified?: number;
    /** Permission bits in octal, "644"; absent if the change left them as they were. */
    readonly mode?: string;
  }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "directory"; readonly mode?: string };

/** What a change did at one path; null stands for nothing. */
export interface PathChange {
  /** Absolute. */
  readonly path: string;
  readonly before: PathFact | null;
  readonly after: PathFact | null;
}

/** What became of a recorded change to files. */
export type FileEvent =
  | {
    readonly kind: "changed";
    /** By this number it can be taken back. */
    readonly number: number;
    /** ISO 8601. */
    readonly time: string;
    readonly tool: string;
    readonly callId: string;
    readonly paths: readonly PathChange[];
  }
  | { readonly kind: "undone" | "redone"; readonly number: number };

/** Takes note of a change to files. Never throws, and returns at once. */
export type LogFiles = (event: FileEvent) => void;
