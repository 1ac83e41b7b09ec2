/**
 * Runs a shell command and returns what it wrote, in the order in which it was written; lets a server go
 * on in the background, looks at such tasks and stops them. Loaded on the first call of `bash`; the shell
 * port does the running, the pipeline the asking.
 */
import {
  cutSafely,
  defineTool,
  keyboardAdvice,
  oneLine,
  plural,
  type RunContext,
  splitLines,
  ToolError,
  type ToolResult,
} from "../../src/api.ts";
import { definition } from "./definition.ts";
import { throttle } from "./live_output.ts";
import { FirstLook, ReadinessWatch } from "./readiness.ts";
import { type BashInput, readRequest, type RunRequest } from "./request.ts";
import { backgroundResult, type BashData, exitResult, previewOf, taskResult } from "./result.ts";

/** Seconds for a command that waits for a keyboard, if the call does not say. */
const KEYBOARD_TIMEOUT = 15;
/** Characters of a command in the line that names its call. */
const MAX_DESCRIBED = 120;

export default defineTool<BashInput, BashData>(definition, {
  check(input) {
    readRequest(input);
  },

  effectsOf(input) {
    const request = readRequest(input);
    switch (request.kind) {
      case "run":
        // What is left running, and what is said to a task, keeps its place among the calls of a reply.
        return request.background ? [...definition.effects, "session"] : definition.effects;
      case "look":
        return [];
      case "stop":
        return ["session"];
    }
  },

  describe(input) {
    const request = readRequest(input);
    if (request.kind === "look") return `output of ${request.id}`;
    if (request.kind === "stop") return `stop ${request.id}`;
    const what = summarizeCommand(request.command);
    const where = request.background ? `${what} (in the background)` : what;
    const purpose = oneLine(input.description ?? "").trim();
    return purpose === "" ? where : `${where} # ${purpose}`;
  },

  async run(input, context) {
    const request = readRequest(input);
    const { tasks } = context.shell;
    switch (request.kind) {
      case "run":
        return await runCommand(request, context);
      case "look":
        return taskResult(
          await tasks.readOutput(request.id, { wait: request.wait, signal: context.signal }),
        );
      case "stop":
        return taskResult(await tasks.stop(request.id));
    }
  },

  preview: previewOf,
});

/** The first line of a command, and how many follow. */
function summarizeCommand(command: string): string {
  const [first = "", ...others] = splitLines(command.trim());
  const more = others.length === 0 ? "" : ` … +${plural(others.length, "line")}`;
  return cutSafely(first, MAX_DESCRIBED) + more;
}

async function runCommand(
  request: RunRequest,
  context: RunContext,
): Promise<ToolResult<BashData>> {
  const { command, background } = request;
  const advice = await keyboardAdvice(command);
  const timeout = background ? request.timeout : timeoutOf(request, { context, advice });
  const directory = request.directory && await findDirectory(request.directory, context);
  using watch = background ? new FirstLook() : new ReadinessWatch();
  const live = throttle((chunk) => context.report(chunk));
  const result = await context.shell.run({
    command,
    signal: context.signal,
    onOutput(chunk) {
      live.add(chunk);
      watch.add(chunk);
    },
    keepLog: true,
    background: { when: watch.signal, keepTimeout: background },
    ...(timeout !== undefined && { timeout }),
    ...(directory !== undefined && { cwd: directory }),
  });
  live.end();
  return result.taskId === undefined
    ? exitResult(result, { command, background, timeout, advice })
    : backgroundResult(result, { id: result.taskId, asked: background });
}

function timeoutOf(
  { timeout }: RunRequest,
  { context, advice }: { context: RunContext; advice: string | undefined },
): number {
  const limit = context.limits.bashTimeout;
  return timeout ?? (advice === undefined ? limit : Math.min(KEYBOARD_TIMEOUT, limit));
}

async function findDirectory(path: string, { files }: RunContext): Promise<string> {
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
