/**
 * `ally init`: finds the model servers of this machine, lets the person choose a server and a model, tries one tool
 * call, and writes the configuration in one step. Without a terminal, flags take the place of answers.
 */
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { readConfig } from "../../store/config.ts";
import { allyPaths } from "../../store/paths.ts";
import { requireOwnFiles } from "../../store/private_files.ts";
import { openTerminal, type Terminal } from "../../ui/terminal.ts";
import { wrapIndented } from "../../ui/wrap.ts";
import type { InitRequest } from "./command.ts";
import { InitCancelled, openInitPrompter } from "./questions.ts";
import { chooseSetup } from "./server_choice.ts";
import type { InitContext } from "./setup.ts";
import { confirmSetup, writeSetup } from "./setup_file.ts";
import { tryModel } from "./trial.ts";

/** Sets ally up and returns the exit code. If the person leaves, nothing is changed. */
export async function runInit(
  { request, options }: { request: InitRequest; options: Options },
  io: Io,
): Promise<number> {
  const terminal = openTerminal(io, { color: options.color });
  const work = async (run: InitContext) => {
    const choice = await chooseSetup(run);
    await tryModel(choice, run);
    await confirmSetup(choice, run);
    await writeSetup(choice, run);
    run.say("Now start ally in one of your projects, or check the setup with: ally doctor");
    return EXIT.done;
  };
  return await withSetup({ request, options, terminal, io }, work) ?? EXIT.interrupted;
}

/** Does the work of a setup; undefined if the person left, and nothing was written. */
export async function withSetup<T>(
  { request, options, terminal, io }: {
    request: InitRequest;
    options: Options;
    terminal: Terminal;
    io: Io;
  },
  work: (run: InitContext) => Promise<T>,
): Promise<T | undefined> {
  const { out: print } = openStandardStreams(io);
  const columns = terminal.isInteractive ? terminal.columns - 1 : Infinity;
  const say = (text: string) =>
    text.split("\n").flatMap((line) => wrapIndented(line, columns)).forEach((line) => print(line));
  const { env } = io;
  const paths = allyPaths(options.cwd, env);
  requireOwnFiles(paths);
  const { config, warnings } = await readConfig(paths.config);
  for (const warning of warnings) say(warning);
  const asking = request.yes ? undefined : openInitPrompter(terminal, io);
  const signal = asking?.signal ?? new AbortController().signal;
  try {
    return await work({
      request,
      options,
      paths,
      config,
      env,
      say,
      ask: asking?.questions,
      signal,
    });
  } catch (error) {
    if (!(error instanceof InitCancelled)) throw error;
    say("Nothing was written.");
    return undefined;
  } finally {
    asking?.close();
  }
}
