/**
 * What a fault of a run without a terminal is, and what the tables of them are made of.
 */
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";

/** One fault. */
export interface FaultRow {
  readonly name: string;
  readonly code: number;
  /** @default one answer */
  readonly replies?: readonly ScriptedReply[];
  /** What follows `ally -p --output-format json`. @default a prompt */
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** The user's configuration; a text is written as it is. */
  readonly config?: Readonly<Record<string, unknown>> | string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** A signal that comes with the first event of a type. */
  readonly signal?: { readonly name: Deno.Signal; readonly on: string };
  /** What becomes of standard output: its reader has left, or the disk is full. */
  readonly output?: "gone" | "full";
  /** Changes the place before the run; paths are relative to the directory above its home and its project. */
  readonly before?: (root: string) => Promise<void>;
}

/** A row, without what a whole table has in common. */
type PartialRow = Omit<FaultRow, "code"> & { readonly code?: number };

/** Completes the rows of a table. */
export function rows(
  table: readonly PartialRow[],
  common: { readonly code: number } & Partial<FaultRow>,
): readonly FaultRow[] {
  return table.map((row) => ({ ...common, ...row }));
}

/** An answer. */
export const END: ScriptedReply = { text: "Done." };

/** A reply with one call. */
export function call(name: string, input: Record<string, unknown> | string): ScriptedReply {
  return { calls: [{ name, arguments: input }] };
}

/** Calls of what most tables need, and the file for them. */
export const WRITE = call("write", { file_path: "new.txt", content: "x\n" });
export const bash = (command: string) => call("bash", { command });
export const FILES = { "a.txt": "alpha\n" };
export const READ = call("read", { file_paths: ["a.txt"] });

/** One event of a stream. */
export const chunk = (delta: Record<string, unknown>) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
/** An event with a piece of the answer. */
export const part = (content: string) => chunk({ content });
