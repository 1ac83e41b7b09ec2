/**
 * One turn without a terminal: for scripts, pipes and CI. The answer goes to standard output, everything
 * else to standard error, and the exit code says how it went.
 */
import type { RequestFigures } from "../../agent/statistics.ts";
import type { TurnSummary } from "../../agent/turn_deps.ts";
import { withDelegated } from "../../agent/usage.ts";
import { runLine } from "../../app/agents.ts";
import type { App } from "../../app/app.ts";
import { compose } from "../../app/compose.ts";
import { EXIT, exitCodeOf, exitCodeOfError } from "../../app/exit_codes.ts";
import type { InputStream, Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import type { ReceiptSummary } from "../../app/receipt.ts";
import { watchSignals } from "../../app/signals.ts";
import { describeWriteFailure, openStandardStreams } from "../../app/standard_streams.ts";
import { AnswerSchemaError, UsageError } from "../../core/errors.ts";
import { mapStrings } from "../../lib/json_strings.ts";
import { jsonLine, messageOf } from "../../lib/text.ts";
import { createHeadlessSink } from "../../ui/headless.ts";
import { readStandardInput } from "./standard_input.ts";

/** Milliseconds after which there is time for other work, because the model is slow. */
const WARM_AFTER_MS = 250;

/** Runs one turn and returns the exit code. @throws {UsageError} there is no prompt */
export async function runPrint(options: Options, io: Io): Promise<number> {
  let closed: { error: unknown } | undefined;
  let app: App | undefined;
  let warming: ReturnType<typeof setTimeout> | undefined;
  const streams = openStandardStreams(io, {
    onClosed(error) {
      closed = { error };
      app?.agent.interrupt();
    },
  });
  const { words, piped } = await readPrompt(options, { stdin: io.stdin, err: streams.err });
  const format = options.outputFormat;
  const show = (line: string) => streams.err(`debug: ${line}`);
  const debugging = await openDebugging(options, show);
  const headless = createHeadlessSink(format, { stdout: streams.out, stderr: streams.err });
  const sink = debugging?.wrapSink(headless) ?? headless;
  try {
    const answer = await loadAnswerSchema(options);
    app = await compose(options, {
      sink,
      createAnswerCheck: answer?.createCheck,
      ask: (requests) => Promise.resolve(requests.map(() => ({ kind: "deny" }))),
      interactive: false,
      io,
    });
    const { agent } = app;
    debugging?.openLog({ home: app.paths.home, secrets: app.secrets });
    using signals = watchSignals(io, {
      onSignal: () => agent.interrupt(),
      onForced: () => app?.close(),
    });
    if (mayRun(options)) warming = setTimeout(() => app?.warm(), WARM_AFTER_MS);
    if (answer) app.prompts.tellModel(answer.description);
    const summary = await runPrompt({ words, piped }, app);
    answer?.requireIn(summary);
    await app.stopTasks();
    if (format !== "text") {
      const { secrets, statistics } = app;
      // What other agents did for this one was done, and used, too.
      const { totals: { usage }, requests } = statistics;
      const all = { ...summary, ...withDelegated(summary), usage };
      const receipt = app.receipt?.summary;
      const result = createResult(all, { sessionId: app.sessionId(), requests, receipt });
      streams.out(jsonLine(mapStrings(result, (text) => secrets.remask(text))));
    }
    if (closed) return exitCodeOfClosed(closed.error, streams.err);
    return signals.exitCode ?? exitCodeOfRun(summary, app);
  } catch (error) {
    if (format !== "text") {
      streams.out(jsonLine(createResult(createFailedSummary(error), {})));
    }
    streams.err(`ally: ${messageOf(error)}`);
    return exitCodeOfError(error);
  } finally {
    clearTimeout(warming);
    app?.close();
    debugging?.close();
  }
}

/** A run whose receipt is not whole has failed; what was wrong with it was told when it went wrong. */
function exitCodeOfRun(summary: TurnSummary, { receipt }: App): number {
  const code = exitCodeOf(summary);
  return code === EXIT.done && receipt?.problem !== undefined ? EXIT.failed : code;
}

/** While the model thinks, the first command is prepared, if a command may run at all. */
function mayRun({ rules }: Options): boolean {
  return rules.allowAll || rules.allow.run !== undefined;
}

/** The schema that the answer is to fit, and what the model is told of it. @throws {UsageError} it cannot be used */
async function loadAnswerSchema({ outputSchema }: Options) {
  if (outputSchema === undefined) return undefined;
  const { describeOutputSchema, readOutputSchema } = await import("./output_schema.ts");
  const schema = await readOutputSchema(outputSchema);
  const { AnswerCheck } = await import("../../agent/answer_check.ts");
  return {
    createCheck: () => new AnswerCheck(schema),
    description: describeOutputSchema(schema),
    requireIn(summary: TurnSummary) {
      if (summary.reason !== "done" || "structured" in summary) return;
      throw new AnswerSchemaError(
        "The agent that was addressed answered in its own words. Leave @NAME out: --output-schema is for ally itself.",
      );
    },
  };
}

/** Runs a custom command or a server's prompt that the words name; all other words are for the model. */
async function runPrompt({ words, piped }: Prompt, app: App): Promise<TurnSummary> {
  const { agent, prompts, runTurn, emit, warn, mcp } = app;
  if (words.startsWith("/")) {
    if (mcp !== undefined && /^\/[\w-]+:/.test(words)) {
      await mcp.waitForTools(new AbortController().signal);
      const { resolvePrompt } = await import("../../slash/mcp.ts");
      const prompt = await resolvePrompt(mcp, await prompts.task(words, piped));
      if (prompt !== undefined) return await runTurn(prompt);
    }
    const { loadCustomCommands } = await import("../../app/custom_commands.ts");
    const { prepare, problems } = await loadCustomCommands(app);
    const name = /^\/(\S+)/.exec(words)?.[1] ?? words;
    for (const text of problems) {
      if (text.includes(`/${name.replaceAll(":", "/")}.md`)) warn(text);
    }
    const turn = prepare(await prompts.task(words, piped));
    const { runPreparedTurn } = await import("../../slash/custom.ts");
    const say = (text: string) => emit({ type: "notice", level: "info", text });
    if (turn) return await runPreparedTurn(turn, { agent, runTurn, say });
    const { route } = await import("../../slash/table.ts");
    if (route(words).kind === "command") {
      throw new UsageError(
        `/${name} is a command of the prompt: start ally without -p and type it there.`,
      );
    }
  }
  return await runLine(words, { ...app, piped });
}

/** Loads the code for debugging only if it is asked for. */
async function openDebugging({ verbose, debug }: Options, show: (line: string) => void) {
  if (!verbose && !debug) return undefined;
  const { Debugging } = await import("../debugging.ts");
  return new Debugging({ verbose, logging: debug, show });
}

/** The code where the reader has left, or where the answer could not be written, which is reported. */
function exitCodeOfClosed(error: unknown, err: (line: string) => void): number {
  const failure = describeWriteFailure(error);
  if (failure === undefined) return EXIT.brokenPipe;
  err(`ally: ${failure}`);
  return EXIT.failed;
}

/** The words of the command line may attach files; piped text may hold any `@`, and attaches nothing. */
interface Prompt {
  readonly words: string;
  readonly piped: string;
}

async function readPrompt(
  { prompt: words }: Options,
  { stdin, err }: { stdin: InputStream; err: (line: string) => void },
): Promise<Prompt> {
  const piped = await readStandardInput(stdin, { optional: words !== "", onWait: err });
  if (words === "" && piped === "") {
    throw new UsageError('There is no prompt. Give one: ally -p "what to do", or pipe it in.');
  }
  return { words, piped };
}

/** The one object that ends `json` and `stream-json`. */
function createResult(
  summary: TurnSummary,
  { sessionId, requests = [], receipt }: {
    sessionId?: string | undefined;
    requests?: readonly RequestFigures[];
    receipt?: ReceiptSummary | undefined;
  },
) {
  const { text, reason, turns, tool_calls, denied, usage, duration_ms, error } = summary;
  return {
    type: "result",
    text,
    reason,
    session_id: sessionId ?? null,
    turns,
    tool_calls,
    denied,
    usage,
    requests,
    duration_ms,
    ...("structured" in summary ? { structured: summary.structured } : {}),
    ...(receipt === undefined ? {} : { receipt }),
    ...(error === undefined ? {} : { error }),
  };
}

/** The summary of a run that failed before its turn. */
function createFailedSummary(error: unknown): TurnSummary {
  return {
    text: "",
    reason: "error",
    turns: 0,
    tool_calls: 0,
    denied: 0,
    usage: { prompt_tokens: 0, completion_tokens: 0 },
    duration_ms: 0,
    error: messageOf(error),
  };
}
