/**
 * What a row of the table of dialects is, and the pieces of which rows are made.
 */
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface DialectRow {
  readonly name: string;
  /** What the server says first; "done" follows. */
  readonly reply: ScriptedReply;
  /** Calls that run with success, by tool and input. @default none */
  readonly calls?: readonly (readonly [name: string, input: Fields])[];
  /** Errors of calls that do not run. */
  readonly errors?: readonly RegExp[];
  /** @default empty */
  readonly text?: string;
  readonly thinking?: string;
  /** How the first calls are marked. */
  readonly mark?: "rescued" | "repaired";
}

export const choice = (fields: Fields, finish: string | null = null) =>
  JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });
export const finished = (reason: string) => choice({}, reason);
export const stream = (...events: string[]): ScriptedReply => ({ sse: [...events, "[DONE]"] });
export const texts = (...parts: string[]) =>
  stream(...parts.map((content) => choice({ content })), finished("stop"));
export const pieces = (...entries: Fields[]) => choice({ tool_calls: entries });
export const calling = (...events: string[]) => stream(...events, finished("tool_calls"));

export const READ = ["read", { file_paths: ["a.txt"] }] as const;
export const CLEAR = ["todo_clear", {}] as const;
export const ARGS = '{"file_paths":["a.txt"]}';
export const call = (args: unknown, rest: Fields = { index: 0, id: "c1" }, name = "read") => ({
  ...rest,
  type: "function",
  function: { name, arguments: args },
});
export const one = (args: unknown, name = "read") =>
  calling(pieces(call(args, { index: 0, id: "c1" }, name)));
