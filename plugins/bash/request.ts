/**
 * What one call of `bash` asks for: to run a command, to look at a background task, or to stop one. The
 * schema cannot say that it must be just one of them, so this file does.
 */
import { type Input, ToolError } from "../../src/api.ts";
import type { definition } from "./definition.ts";

/** The arguments of a call of bash. */
export type BashInput = Input<typeof definition>;

/** A command to run. */
export interface RunRequest {
  readonly kind: "run";
  readonly command: string;
  readonly background: boolean;
  /** Seconds. */
  readonly timeout: number | undefined;
  readonly directory: string | undefined;
}

/** What a call asks for. */
type Request =
  | RunRequest
  | {
    readonly kind: "look";
    readonly id: string;
    /** Seconds to wait for the task's end. */
    readonly wait: number;
  }
  | { readonly kind: "stop"; readonly id: string };

const FORMS = ["command", "bash_output", "bash_kill"] as const;

/** Reads a call's arguments; empty texts count as left out. @throws {ToolError} validation */
export function readRequest(input: BashInput): Request {
  const given = FORMS.filter((name) => (input[name] ?? "").trim() !== "");
  const [form] = given;
  if (form === undefined) {
    const empty = input.command === undefined ? "Missing" : "Empty";
    throw inputError(`${empty} parameter 'command' for bash`, EXAMPLES.command);
  }
  if (given.length > 1) {
    throw inputError(
      `Cannot do ${given.join(" and ")} in one call: bash takes just one of ${FORMS.join(", ")}`,
      "Make a call for each.",
    );
  }
  if (form === "command") return readRun(input);
  if ((input.timeout ?? 0) < 0) throw inputError("Invalid 'timeout': it must not be negative");
  const id = (input[form] ?? "").trim();
  refuseOtherParameters(input, form);
  return form === "bash_output"
    ? { kind: "look", id, wait: input.timeout ?? 0 }
    : { kind: "stop", id };
}

function readRun(input: BashInput): RunRequest {
  const { command = "", timeout } = input;
  if (timeout !== undefined && timeout <= 0) {
    throw inputError("Invalid 'timeout': it must be more than 0 seconds");
  }
  return {
    kind: "run",
    command,
    background: input.run_in_background ?? false,
    timeout,
    directory: input.working_dir || undefined,
  };
}

/** What belongs to a command has no meaning for a task. */
function refuseOtherParameters(input: BashInput, form: "bash_output" | "bash_kill"): void {
  const strangers = [
    ...(input.working_dir ? ["working_dir"] : []),
    ...(input.run_in_background ? ["run_in_background"] : []),
    ...(input.timeout && form === "bash_kill" ? ["timeout"] : []),
  ];
  if (strangers.length === 0) return;
  throw inputError(`Cannot use ${strangers.join(" and ")} with ${form}`, EXAMPLES[form]);
}

const EXAMPLES = {
  command: 'Example: bash(command="deno test")',
  bash_output: 'Example: bash(bash_output="task_1", timeout=30)',
  bash_kill: 'Example: bash(bash_kill="task_1")',
};

function inputError(message: string, suggestion?: string): ToolError {
  return new ToolError(message, { kind: "validation", suggestion });
}
