/**
 * From the command line to an exit code: reads the arguments and hands over to what they ask for.
 */
import { EXIT, exitCodeOfError } from "../app/exit_codes.ts";
import { openStandardStreams, terminalWidth } from "../app/standard_streams.ts";
import { UsageError } from "../core/errors.ts";
import { messageOf } from "../lib/text.ts";
import { PROCESS_ARGUMENT } from "../plugin_host/process_argument.ts";
import { CommandLineError, type Invocation, parseArguments } from "./args.ts";

/** Runs ally with the arguments after the program's name and returns its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { out, err } = openStandardStreams();
  // An ally that is one executable is also what the modules of plugins run in.
  if (args[0] === PROCESS_ARGUMENT) {
    return await (await import("../plugin_host/standalone.ts")).runPluginProcess(args[1] ?? "");
  }
  try {
    const invocation = parseArguments(args, { cwd: Deno.cwd() });
    if (invocation.kind === "print") {
      out(invocation.text.trimEnd());
      return EXIT.done;
    }
    return await dispatch(invocation);
  } catch (error) {
    err(await describeError(error));
    return exitCodeOfError(error);
  }
}

/** What to say of an error, fitted to the terminal if it goes to one. */
async function describeError(error: unknown): Promise<string> {
  const words = error instanceof CommandLineError
    ? (await import("./usage_error.ts")).explainUsageError(error)
    : messageOf(error);
  const columns = terminalWidth("stderr");
  if (columns === undefined) return `ally: ${words}`;
  const { wrapIndented } = await import("../ui/wrap.ts");
  return `ally: ${words}`.split("\n").flatMap((line) => wrapIndented(line, columns - 1)).join("\n");
}

/** Each way to run is loaded only when it is chosen. */
async function dispatch(invocation: Exclude<Invocation, { kind: "print" }>): Promise<number> {
  if (invocation.kind === "demo") {
    return await (await import("../modes/demo/demo.ts")).runDemo(invocation.options);
  }
  if (invocation.kind === "replay") {
    return await (await import("../modes/replay/replay.ts")).runReplay(invocation);
  }
  if (invocation.kind === "permissions") {
    return await (await import("../subcommands/permissions/permissions.ts")).runPermissions(
      invocation,
    );
  }
  if (invocation.kind === "config") {
    return await (await import("../subcommands/config/config.ts")).runConfig(invocation);
  }
  if (invocation.kind === "sessions") {
    return await (await import("../subcommands/sessions/sessions_list.ts")).runSessions(invocation);
  }
  if (invocation.kind === "plugin") {
    return await (await import("../subcommands/plugin/plugin.ts")).runPlugin(invocation);
  }
  if (invocation.kind === "doctor") {
    return await (await import("../subcommands/doctor/doctor.ts")).runDoctor(invocation);
  }
  if (invocation.kind === "init") {
    return await (await import("../subcommands/init/init.ts")).runInit(invocation);
  }
  if (invocation.kind === "mcp") {
    return await (await import("../subcommands/mcp/mcp.ts")).runMcp(invocation);
  }
  if (invocation.kind === "completions") {
    return await (await import("../subcommands/completions/completions.ts")).runCompletions(
      invocation,
    );
  }
  const { options, program } = invocation;
  if (!options.print && /^[a-z]+( [a-z]+( \S+)?)?$/.test(options.prompt)) {
    (await import("./usage_error.ts")).refuseMistyped(options.prompt, program);
  }
  if (options.print || !Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
    return await (await import("../modes/print/print.ts")).runPrint(options);
  }
  if (options.outputFormat !== "text") {
    throw new UsageError("--output-format is for ally -p; a session at the terminal is shown.");
  }
  return await (await import("../modes/interactive/interactive.ts")).runInteractive(options);
}
