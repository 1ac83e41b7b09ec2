/**
 * A tool of a plugin that is a program in any language: its input is JSON on standard input, what it prints is the
 * result. Called by the host.
 */
import { ToolError } from "../core/errors.ts";
import { startProcess } from "../lib/process.ts";
import { isObject } from "../lib/schema.ts";
import { cutEnd } from "../lib/text.ts";
import { MAX_RESULT } from "./child/messages.ts";
import type { Launch } from "./launch.ts";

/** Characters of a failed program's output that the model reads. */
const MAX_OUTPUT = 4_000;

/** How a program is run. */
export interface ProgramOptions {
  /** Of the plugin, for messages. */
  readonly name: string;
  /** JSON. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Gets what it writes to its standard error. */
  readonly report: (text: string) => void;
  /** The groups that run, to be ended with ally. */
  readonly groups: Set<number>;
}

/**
 * Runs a program to its end and returns what it printed: a value if that is JSON, else the text.
 * @throws {ToolError} user: it failed or took too long; interrupted; system: it cannot be started
 */
export async function runProgram(launch: Launch, options: ProgramOptions): Promise<unknown> {
  const { name, input, timeoutMs, signal, groups } = options;
  const child = startProcess(launch.argv, {
    cwd: launch.cwd,
    env: launch.env,
    input,
    timeoutMs,
    signal,
    stderr: "drop",
    maxOutput: MAX_RESULT,
  });
  groups.add(child.pid);
  try {
    const { code, output, ended, truncated } = await child.finished;
    if (ended === "interrupted") {
      throw new ToolError(`The plugin ${name} was interrupted`, { kind: "interrupted" });
    }
    if (ended === "timeout") {
      const message = `The plugin ${name} was stopped: it did not end within ${
        timeoutMs / 1000
      } seconds`;
      throw new ToolError(message, { kind: "user", data: { output: cutEnd(output, MAX_OUTPUT) } });
    }
    const value = truncated ? output : valueOf(output);
    // A program that says in JSON what failed has said it better than its exit code.
    const told = isObject(value) && value.success === false;
    if (code === 0 || told) return value;
    throw new ToolError(`The plugin ${name} failed with exit code ${code}`, {
      kind: "user",
      data: { output: cutEnd(output.trim(), MAX_OUTPUT) },
    });
  } finally {
    groups.delete(child.pid);
    launch.done();
  }
}

function valueOf(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}
