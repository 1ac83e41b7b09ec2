/**
 * From the command line to an exit code: reads the arguments and runs what they ask for.
 */
import { EXIT, exitCodeOfError } from "../app/exit_codes.ts";
import type { Io } from "../app/io.ts";
import { openStandardStreams, wrapForTerminal } from "../app/standard_streams.ts";
import { VERSION } from "../app/version.ts";
import { UsageError } from "../core/errors.ts";
import { messageOf } from "../lib/text.ts";
import { CommandLineError } from "./command_line_error.ts";
import type { Invocation, Invocations } from "./invocation.ts";

/** Does what one kind of invocation asks for; resolves with the exit code. */
type Runner<K extends keyof Invocations> = (invocation: Invocations[K], io: Io) => Promise<number>;

/** What runs each kind of invocation, loaded only when it is chosen. */
const RUNNERS: { readonly [K in keyof Invocations]: () => Promise<Runner<K>> } = {
  run: () => Promise.resolve(runPrompt),
  print: () => Promise.resolve(printText),
  demo: async () => (await import("../modes/demo/demo.ts")).runDemo,
  replay: async () => (await import("../modes/replay/replay.ts")).runReplay,
  permissions: async () =>
    (await import("../subcommands/permissions/permissions.ts")).runPermissions,
  config: async () => (await import("../subcommands/config/config.ts")).runConfig,
  sessions: async () => (await import("../subcommands/sessions/sessions.ts")).runSessions,
  receipt: async () => (await import("../subcommands/receipt/receipt.ts")).runReceipt,
  plugin: async () => (await import("../subcommands/plugin/plugin.ts")).runPlugin,
  skills: async () => (await import("../subcommands/skills/skills.ts")).runSkills,
  plugin_process: async () =>
    (await import("../subcommands/plugin/standalone_process.ts")).runPluginProcess,
  help: async () => (await import("../subcommands/help/help.ts")).runHelp,
  doctor: async () => (await import("../subcommands/doctor/doctor.ts")).runDoctor,
  init: async () => (await import("../subcommands/init/init.ts")).runInit,
  mcp: async () => (await import("../subcommands/mcp/mcp.ts")).runMcp,
  serve: async () => (await import("../modes/serve/serve.ts")).runServe,
  acp: async () => (await import("../modes/acp/acp.ts")).runAcp,
  hooks: async () => (await import("../subcommands/hooks/hooks.ts")).runHooks,
  completions: async () =>
    (await import("../subcommands/completions/completions.ts")).runCompletions,
  upgrade: async () => (await import("../subcommands/upgrade/upgrade.ts")).runUpgrade,
  uninstall: async () => (await import("../subcommands/uninstall/uninstall.ts")).runUninstall,
};

/** Runs ally with the arguments after the program's name and returns its exit code. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  try {
    // Asked by scripts and installers: answered before anything is loaded that takes longer than Deno itself.
    if (isVersionQuestion(args)) return printVersion(io);
    const { parseArguments } = await import("./args.ts");
    return await start(await parseArguments(args, { cwd: io.cwd(), env: io.env }), io);
  } catch (error) {
    const { err } = openStandardStreams(io);
    err(await wrapForTerminal(`ally: ${await describeError(error)}`, { io, stream: "stderr" }));
    // What was typed wrongly is no mistake of the program's.
    if (args.includes("--debug") && !(error instanceof UsageError)) {
      const { inspectError } = await import("../app/inspect_error.ts");
      err(inspectError(error));
    }
    return exitCodeOfError(error);
  }
}

function isVersionQuestion(args: readonly string[]): boolean {
  return args.length === 1 && (args[0] === "--version" || args[0] === "-V");
}

async function start<K extends keyof Invocations>(
  invocation: Invocation<K>,
  io: Io,
): Promise<number> {
  const runner = await RUNNERS[invocation.kind]();
  return await runner(invocation, io);
}

async function describeError(error: unknown): Promise<string> {
  return error instanceof CommandLineError
    ? (await import("./usage_error.ts")).explainUsageError(error)
    : messageOf(error);
}

function printVersion(io: Io): number {
  openStandardStreams(io).out(VERSION);
  return EXIT.done;
}

async function printText({ text }: Invocations["print"], io: Io): Promise<number> {
  openStandardStreams(io).out(await wrapForTerminal(text.trimEnd(), { io, stream: "stdout" }));
  return EXIT.done;
}

/** One turn, or a session if there is a person at a terminal. */
async function runPrompt({ options, program }: Invocations["run"], io: Io): Promise<number> {
  if (!options.print && /^[a-z]+( [a-z]+( \S+)?)?$/.test(options.prompt)) {
    (await import("./usage_error.ts")).refuseMistyped(options.prompt, program);
  }
  if (options.print || !io.stdin.isTerminal() || !io.stdout.isTerminal()) {
    return await (await import("../modes/print/print.ts")).runPrint(options, io);
  }
  if (options.outputFormat !== "text") {
    throw new UsageError("--output-format is for ally -p; a session at the terminal is shown.");
  }
  if (options.outputSchema !== undefined) {
    throw new UsageError(
      "--output-schema is for ally -p: a session at the terminal has no one answer.",
    );
  }
  const { runInteractive } = await import("../modes/interactive/interactive.ts");
  return await runInteractive(options, {
    io,
    async setUp(terminal) {
      const { runFirstStart } = await import("../subcommands/init/first_start.ts");
      return await runFirstStart({ options, terminal, io });
    },
  });
}
