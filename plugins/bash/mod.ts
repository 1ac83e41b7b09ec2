/**
 * Runs a shell command and returns what it wrote, in the order in which it was written. Loaded on the
 * first call of `bash`; the shell port does the running, the pipeline the asking.
 */
import {
  cutEnd,
  defineTool,
  type Input,
  type RunContext,
  type RunResult,
  splitLines,
  ToolError,
  type ToolResult,
} from "../../src/api.ts";
import { definition } from "./definition.ts";
import { INTERACTIVE_TIMEOUT, interactiveAdvice } from "./interactive.ts";
import { thinned } from "./live_output.ts";

/** Seconds a command may take at most. */
const MAX_TIMEOUT = 600;

type BashInput = Input<typeof definition>;

/** Fields of the result, of a failed command too. */
interface BashData extends Readonly<Record<string, unknown>> {
  readonly output: string;
  readonly return_code: number;
  readonly duration_seconds: number;
  /** Set if the middle of the output was cut. */
  readonly truncated?: true;
  /** The file with the whole output. */
  readonly log_path?: string;
}

export default defineTool<BashInput, BashData>(definition, {
  describe: ({ command, description }) =>
    description?.trim() || cutEnd(splitLines(command.trim())[0] ?? "", 120),

  async run(input, context) {
    const advice = interactiveAdvice(input.command);
    const limit = context.limits.bashTimeout;
    const timeout = input.timeout ?? (advice ? Math.min(INTERACTIVE_TIMEOUT, limit) : limit);
    const result = await context.shell.run({
      command: input.command,
      timeout,
      signal: context.signal,
      onOutput: thinned((chunk) => context.report(chunk)),
      keepLog: true,
      ...(input.working_dir !== undefined && { cwd: await directory(input.working_dir, context) }),
    });
    return toResult(result, { timeout, advice });
  },
});

async function directory(path: string, { files }: RunContext): Promise<string> {
  const resolved = await files.resolve(path);
  const info = await files.info(resolved);
  if (info?.kind === "directory") return resolved.absolute;
  const near = info === undefined ? await files.similar(resolved) : [];
  throw new ToolError(
    `Cannot run in ${resolved.display}: ${info ? "it is not a directory" : "it does not exist"}.`,
    {
      kind: "user",
      suggestion: near.length > 0
        ? `Did you mean ${near.join(" or ")}?`
        : "Give an existing directory as working_dir, or leave it out for the current one.",
    },
  );
}

function toResult(
  result: RunResult,
  context: { timeout: number; advice: string | undefined },
): ToolResult<BashData> {
  const data: BashData = {
    output: result.output,
    return_code: result.code,
    duration_seconds: Math.round(result.durationMs / 100) / 10,
    ...(result.truncated && { truncated: true }),
    ...(result.logPath !== undefined && { log_path: result.logPath }),
  };
  if (result.ended === "interrupted") {
    const message = "Command interrupted by the user.";
    return { ok: false, error: { kind: "interrupted", message }, data };
  }
  if (result.ended === "timeout") {
    const { timeout, advice } = context;
    const message = `Command ended after its limit of ${timeout} seconds.`;
    return {
      ok: false,
      error: { kind: "system", message, suggestion: advice ?? raise(timeout) },
      data,
    };
  }
  if (result.code !== 0) {
    const message = `Command exited with code ${result.code}`;
    return { ok: false, error: { kind: "user", message }, data };
  }
  return { ok: true, data, text: result.output === "" ? "(no output)" : result.output };
}

function raise(timeout: number): string {
  return timeout < MAX_TIMEOUT
    ? `If it needs longer, set timeout (seconds, at most ${MAX_TIMEOUT}).`
    : "Split it into parts that need less time.";
}
