/**
 * One turn without a terminal: for scripts, pipes and CI. The answer goes to standard output, everything
 * else to standard error, and the exit code says how it went.
 */
import { EXIT, exitCodeOf, exitCodeOfError } from "../../app/exit_codes.ts";
import type { InputStream, Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { watchSignals } from "../../app/signals.ts";
import { describeWriteFailure, openStandardStreams } from "../../app/standard_streams.ts";
import { UsageError } from "../../core/errors.ts";
import type { EventSink } from "../../core/event.ts";
import type { JsonObject } from "../../lib/schema.ts";
import { jsonLine, messageOf } from "../../lib/text.ts";
import { createHeadlessSink } from "../../ui/headless.ts";
import { Ally } from "../library/ally.ts";
import { NOT_BEGUN } from "../library/turn.ts";
import type { Turn, TurnResult } from "../library/turn_result.ts";

/** Runs one turn and returns the exit code. */
export async function runPrint(options: Options, io: Io): Promise<number> {
  let closed: { error: unknown } | undefined;
  const stop = new AbortController();
  const streams = openStandardStreams(io, {
    onClosed(error) {
      closed = { error };
      stop.abort();
    },
  });
  const format = options.outputFormat;
  const debugging = await openDebugging(options, {
    io,
    show: (line) => streams.err(`debug: ${line}`),
  });
  const headless = createHeadlessSink(format, { stdout: streams.out, stderr: streams.err });
  try {
    const input = await readInput(options, { stdin: io.stdin, err: streams.err });
    const schema = await loadSchema(options);
    const turn = startTurn(options, {
      io,
      input,
      schema,
      onEvent: debugging?.wrapSink(headless) ?? headless,
      signal: stop.signal,
    });
    using signals = watchSignals(io, {
      onSignal: () => stop.abort(),
      onForced: () => turn.kill(),
    });
    const { cause, ...result } = await turn;
    if (format !== "text") streams.out(jsonLine(result));
    if (closed) return exitCodeOfClosed(closed.error, streams.err);
    return signals.exitCode ?? exitCodeOfTurn({ ...result, cause });
  } catch (error) {
    if (format !== "text") {
      streams.out(jsonLine({ ...NOT_BEGUN, reason: "error", error: messageOf(error) }));
    }
    streams.err(`ally: ${messageOf(error)}`);
    return exitCodeOfError(error);
  } finally {
    debugging?.close();
  }
}

/** Starts the turn that the command line asks for. */
function startTurn(
  { prompt, rules, notResumed, resume, fork, receipt, images, ...options }: Options,
  { io, schema, ...turn }: {
    io: Io;
    input: string;
    schema: JsonObject | undefined;
    onEvent: EventSink;
    signal: AbortSignal;
  },
): Turn {
  return new Ally({ ...options, permissions: rules, io }).run(prompt, {
    ...turn,
    ...schema !== undefined && { schema },
    continue: options.continue,
    ...resume !== undefined && { resume: notResumed ?? resume },
    ...fork !== undefined && { fork },
    ...receipt !== undefined && { receipt },
    ...images !== undefined && { images },
  });
}

/** A turn whose receipt is not whole has failed; what was wrong with it was told when it went wrong. */
function exitCodeOfTurn(result: TurnResult): number {
  const code = exitCodeOf(result);
  return code === EXIT.done && result.receipt?.problem !== undefined ? EXIT.failed : code;
}

/** The schema that the answer is to fit. @throws {UsageError} it cannot be read */
async function loadSchema({ outputSchema }: Options): Promise<JsonObject | undefined> {
  if (outputSchema === undefined) return undefined;
  const { readOutputSchema } = await import("./output_schema.ts");
  return await readOutputSchema(outputSchema);
}

/** Loads the code for debugging only if it is asked for. */
async function openDebugging(
  { verbose, debug, cwd }: Options,
  { io, show }: { io: Io; show: (line: string) => void },
) {
  if (!verbose && !debug) return undefined;
  const { Debugging } = await import("../debugging.ts");
  const debugging = new Debugging({ verbose, logging: debug, show });
  const { findAllyPaths } = await import("../../store/paths.ts");
  const { NO_MASKING } = await import("../../core/secrets.ts");
  const home = findAllyPaths(cwd, io.env)?.home;
  // The events of a turn that nobody watches are masked already.
  if (home !== undefined) debugging.openLog({ home, secrets: NO_MASKING });
  return debugging;
}

/** The code where the reader has left, or where the answer could not be written, which is reported. */
function exitCodeOfClosed(error: unknown, err: (line: string) => void): number {
  const failure = describeWriteFailure(error);
  if (failure === undefined) return EXIT.brokenPipe;
  err(`ally: ${failure}`);
  return EXIT.failed;
}

/** What is piped in. @throws {UsageError} there is no prompt either, or it cannot be used */
async function readInput(
  { prompt }: Options,
  { stdin, err }: { stdin: InputStream; err: (line: string) => void },
): Promise<string> {
  const isBlank = prompt.trim() === "";
  let input = "";
  if (stdin.kind() !== "none") {
    const { readStandardInput } = await import("./standard_input.ts");
    input = await readStandardInput(stdin, { optional: !isBlank, onWait: err });
  }
  if (isBlank && input.trim() === "") {
    throw new UsageError('There is no prompt. Give one: ally -p "what to do", or pipe it in.');
  }
  return input;
}
