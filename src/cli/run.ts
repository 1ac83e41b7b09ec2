/**
 * From the command line to an exit code: reads the arguments and hands over to what they ask for.
 */
import { messageOf } from "../lib/text.ts";
import { PROCESS_ARGUMENT } from "../plugins/process_argument.ts";
import { type Invocation, type Options, parseArguments } from "./args.ts";
import { EXIT, exitCodeOfError } from "./exit_codes.ts";
import { standardStreams } from "./standard_streams.ts";

/** Runs ally with the arguments after the program's name and returns its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { out, err } = standardStreams();
  // An ally that is one executable is also what the modules of plugins run in.
  if (args[0] === PROCESS_ARGUMENT) {
    const { runPluginProcess }: typeof import("../plugins/standalone.ts") = await load(
      "../plugins/standalone.ts",
    );
    return await runPluginProcess(args[1] ?? "");
  }
  try {
    const invocation = parseArguments(args, { cwd: Deno.cwd() });
    if (invocation.kind === "print") {
      out(invocation.text.trimEnd());
      return EXIT.done;
    }
    return await start(invocation);
  } catch (error) {
    err(`ally: ${messageOf(error)}`);
    return exitCodeOfError(error);
  }
}

/**
 * Each way to run is loaded only when it is chosen, by an address: what a literal import names, Deno reads with
 * everything behind it at every start.
 */
async function start(invocation: Exclude<Invocation, { kind: "print" }>): Promise<number> {
  switch (invocation.kind) {
    case "demo": {
      const { runDemo }: typeof import("./demo.ts") = await load("./demo.ts");
      return await runDemo(invocation.options);
    }
    case "replay": {
      const { runReplay }: typeof import("./replay.ts") = await load("./replay.ts");
      return await runReplay(invocation);
    }
    case "permissions": {
      const { runPermissions }: typeof import("./permissions.ts") = await load("./permissions.ts");
      return await runPermissions(invocation);
    }
    case "config": {
      const { runConfig }: typeof import("./config.ts") = await load("./config.ts");
      return await runConfig(invocation);
    }
    case "sessions": {
      const { runSessions }: typeof import("./sessions_list.ts") = await load("./sessions_list.ts");
      return await runSessions(invocation);
    }
    case "plugin": {
      const { runPlugin }: typeof import("./plugin.ts") = await load("./plugin.ts");
      return await runPlugin(invocation);
    }
    case "doctor": {
      const { runDoctor }: typeof import("./doctor.ts") = await load("./doctor.ts");
      return await runDoctor(invocation);
    }
    case "init": {
      const { runInit }: typeof import("./init.ts") = await load("./init.ts");
      return await runInit(invocation);
    }
    case "mcp": {
      const { runMcp }: typeof import("./mcp.ts") = await load("./mcp.ts");
      return await runMcp(invocation);
    }
    case "completions": {
      const { runCompletions }: typeof import("./completions.ts") = await load("./completions.ts");
      return await runCompletions(invocation);
    }
    case "run":
      return await talk(invocation.options);
  }
}

async function talk(options: Options): Promise<number> {
  if (options.print || !Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
    const { runPrint }: typeof import("./print.ts") = await load("./print.ts");
    return await runPrint(options);
  }
  const { runInteractive }: typeof import("./interactive.ts") = await load("./interactive.ts");
  return await runInteractive(options);
}

/** Loads a module beside this one. */
function load<M>(name: string): Promise<M> {
  return import(import.meta.resolve(name));
}
