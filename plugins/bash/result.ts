/**
 * What a call of `bash` came to, for the model and for programs: of a command that ended, of one that keeps
 * running in the background, and of a look at such a task.
 */
import {
  elideLines,
  overwriteLines,
  plural,
  type RunResult,
  setAsideNote,
  splitLines,
  type TaskOutput,
  type ToolResult,
  withNote,
} from "../../src/api.ts";

/** Seconds a command may take at most. */
const MAX_TIMEOUT = 600;

/** Fields of the result, of a failed command too. */
export interface BashData extends Readonly<Record<string, unknown>> {
  readonly output: string;
  /** Absent while a task runs. */
  readonly return_code?: number;
  readonly duration_seconds: number;
  /** Set if the middle of the output was cut. */
  readonly truncated?: true;
  /** Of the whole output, if it was cut. */
  readonly lines?: number;
  /** The file with the whole output. */
  readonly log_path?: string;
  /** Set for a background task. */
  readonly task_id?: string;
  readonly running?: boolean;
  /** What the model should know beside the output. */
  readonly note?: string;
}

/** The result of a command that has ended. */
export function exitResult(
  result: RunResult,
  context: {
    command: string;
    background: boolean;
    timeout: number | undefined;
    advice: string | undefined;
  },
): ToolResult<BashData> {
  const { advice } = context;
  const ending = result.leftBehind && BACKGROUND_OPERATOR.test(context.command)
    ? BACKGROUND_ADVICE
    : context.background
    ? "It ended at once, so there is no background task."
    : undefined;
  const { setAside = [] } = result;
  const note = [
    setAsideNote(setAside),
    skippedHooksNote(result),
    withheldKeysNote(result),
    hiddenFromGitNote(result),
    ending,
  ].filter((one) => one !== undefined).join(" ") || undefined;
  const data: BashData = {
    ...outputOf(result),
    return_code: result.code,
    ...(note !== undefined && { note }),
  };
  if (result.ended === "interrupted") {
    const message = "Command interrupted by the user.";
    return { ok: false, error: { kind: "interrupted", message }, data };
  }
  if (result.ended === "timeout") {
    const limit = context.timeout ?? MAX_TIMEOUT;
    const message = `Command ended after its limit of ${plural(limit, "second")}.`;
    return {
      ok: false,
      error: { kind: "system", message, suggestion: advice ?? timeoutAdvice(limit) },
      data,
    };
  }
  if (result.code !== 0) {
    const message = `Command exited with code ${result.code}`;
    return { ok: false, error: { kind: "user", message, suggestion: advice }, data };
  }
  return { ok: true, data, text: withNote(data.output || "(no output)", note) };
}

/** What is said of hooks that did not run. */
function skippedHooksNote({ skippedHooks = [] }: RunResult): string | undefined {
  if (skippedHooks.length === 0) return undefined;
  return `These hooks were not run, since code of the workspace must not see the user's keys, which ` +
    `this command had: ${
      skippedHooks.join(", ")
    }. Run by hand what they check. If the user wants ` +
    "them run with it, they can type the command themselves, with ! before it.";
}

/** What is said of keys that a command did not get. */
function withheldKeysNote({ keysWithheldFor = [] }: RunResult): string | undefined {
  if (keysWithheldFor.length === 0) return undefined;
  return "It did not get the user's keys, because they would not have been safe from this: " +
    `${keysWithheldFor.join("; ")}. If it needs the keys, the user can type the command ` +
    "themselves, with ! before it.";
}

/** What is said of what git takes for deleted or changed because it does not see it. */
function hiddenFromGitNote({ hiddenFromGit = [] }: RunResult): string | undefined {
  if (hiddenFromGit.length === 0) return undefined;
  return `Git does not see ${hiddenFromGit.join(", ")}, which may not be read: it takes that for ` +
    "deleted or changed in the working tree, and cannot tell. It is there; leave it as it is.";
}

/** The result of a command that keeps running in the background. */
export function backgroundResult(
  result: RunResult,
  { id, asked }: { id: string; asked: boolean },
): ToolResult<BashData> {
  const how = asked
    ? `It keeps running in the background as ${id}.`
    : `It is ready and keeps running in the background as ${id}.`;
  const held = result.heldBack ? " The last of its output is still incomplete." : "";
  const note =
    `${how}${held} New output: bash(bash_output="${id}"). End it: bash(bash_kill="${id}").`;
  const data: BashData = { ...outputOf(result), task_id: id, running: true, note };
  return { ok: true, data, text: withNote(data.output || "(no output yet)", note) };
}

/** The result of a look at a task. */
export function taskResult(look: TaskOutput): ToolResult<BashData> {
  const note = `${look.id} ${stateOf(look)}: ${look.command}`;
  const data: BashData = {
    ...outputOf(look),
    ...(look.code !== undefined && { return_code: look.code }),
    task_id: look.id,
    running: look.code === undefined,
    note,
  };
  return { ok: true, data, text: withNote(data.output || "(no new output)", note) };
}

function stateOf(look: TaskOutput): string {
  const seconds = `${secondsOf(look.durationMs)} s`;
  const held = look.heldBack ? ", and the last of its output is still incomplete" : "";
  if (look.code === undefined) return `has been running for ${seconds}${held}`;
  if (look.ended === "stopped") return `was stopped after ${seconds}`;
  if (look.ended === "timeout") return `reached its time limit after ${seconds}`;
  return `ended with exit code ${look.code} after ${seconds}`;
}

function outputOf(
  from: Pick<RunResult, "output" | "truncated" | "lines" | "logPath" | "durationMs">,
): Pick<BashData, "output" | "duration_seconds" | "truncated" | "lines" | "log_path"> {
  return {
    output: overwriteLines(from.output),
    duration_seconds: secondsOf(from.durationMs),
    ...(from.truncated && { truncated: true }),
    ...(from.lines !== undefined && { lines: from.lines }),
    ...(from.logPath !== undefined && { log_path: from.logPath }),
  };
}

function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}

/** Lines for a person: both ends of the output, and what became of it if it is a task's. */
export function previewOf(data: BashData, lines: number): string[] {
  const { task_id: id, running, return_code: code, lines: total } = data;
  const state = id === undefined
    ? []
    : [running ? `${id} runs in the background` : `${id} has ended with exit code ${code}`];
  const output = splitLines(data.output || (id === undefined ? "(no output)" : ""));
  const room = lines - state.length;
  return [...elideLines(output, { room, total }), ...state];
}

/** A command line that starts something with `&` and may leave it behind. */
const BACKGROUND_OPERATOR = /(?<![&>|<])&(?![&>\d])/;
const BACKGROUND_ADVICE =
  "What the command left running was ended with it. To keep something running, use run_in_background instead of &.";

function timeoutAdvice(limit: number): string {
  const longer = limit < MAX_TIMEOUT
    ? `If it needs longer, set timeout (seconds, at most ${MAX_TIMEOUT}).`
    : "Split it into parts that need less time.";
  return `${longer} If it is not meant to end, use run_in_background.`;
}
