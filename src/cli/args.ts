/**
 * The command line: what may be given, checked and typed. Nothing is done here.
 */
import { Command, CommanderError, Option } from "commander";
import { resolve } from "node:path";
import type { AccessKind, Targets } from "../core/permission.ts";
import type { SandboxMode } from "../core/sandbox.ts";
import { UsageError } from "../core/errors.ts";
import type { Rules } from "../permission/rules.ts";
import { addConfigCommand, type ConfigRequest } from "./config_command.ts";
import {
  addDoctorCommand,
  addInitCommand,
  type DoctorRequest,
  type InitRequest,
} from "./doctor_command.ts";
import { addPermissionsCommand, type PermissionsRequest } from "./permissions_command.ts";
import { addReplayCommand, type ReplayRequest } from "./replay_command.ts";
import { addSessionsCommand, type SessionsRequest } from "./sessions_command.ts";
import { addPluginCommand, type PluginRequest } from "./plugin_command.ts";
import { addMcpCommand, type McpRequest } from "./mcp_command.ts";
import {
  addCompletionsCommand,
  type CompletionsRequest,
  wordsToComplete,
} from "./completions_command.ts";
import { collect, temperature, wholeNumber } from "./flag_values.ts";
import type { OutputFormat } from "../ui/headless.ts";
import { VERSION } from "./version.ts";

/** What a person asked for when starting ally. */
export interface Options {
  readonly prompt: string;
  readonly print: boolean;
  readonly outputFormat: OutputFormat;
  readonly model?: string;
  readonly endpoint?: string;
  readonly contextSize?: number;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly maxTurns?: number;
  readonly appendSystemPrompt?: string;
  readonly continue: boolean;
  /** An id, or true if none was named. */
  readonly resume?: string | true;
  readonly session: boolean;
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly addDirs: readonly string[];
  readonly rules: Rules;
  /** Names of plugins that may run. */
  readonly allowedPlugins: readonly string[];
  /** Absolute: plugins under development. */
  readonly pluginDirs: readonly string[];
  /** Undefined: as the configuration says. */
  readonly sandbox?: SandboxMode;
  /** The project's own files act without a question, in this run. */
  readonly trustProject: boolean;
  /** Only reading, for the whole run. */
  readonly plan: boolean;
  /** File to record the traffic with the model to; absolute. */
  readonly record?: string;
  /** Recording that is served instead of a model; absolute. */
  readonly replay?: string;
  /** A replay goes on where a request differs. @default false */
  readonly lenient?: boolean;
  readonly color: boolean;
  /** Tell events as lines. */
  readonly verbose: boolean;
  /** The same, and keep them in a log. */
  readonly debug: boolean;
}

/** What of the command line bears on permissions. */
export type PermissionsOptions = Pick<Options, "rules" | "cwd" | "addDirs" | "color" | "sandbox">;

/** What of the command line bears on the demo. */
export type DemoOptions = Pick<Options, "color" | "record" | "replay">;
/** What of the command line bears on `ally plugin`. */
export type PluginOptions = Pick<Options, "cwd" | "color">;

export type Invocation =
  | { readonly kind: "run"; readonly options: Options }
  | { readonly kind: "demo"; readonly options: DemoOptions }
  | { readonly kind: "replay"; readonly request: ReplayRequest; readonly options: Options }
  | {
    readonly kind: "permissions";
    readonly request: PermissionsRequest;
    readonly options: PermissionsOptions;
  }
  | { readonly kind: "config"; readonly request: ConfigRequest; readonly options: Options }
  | { readonly kind: "sessions"; readonly request: SessionsRequest; readonly options: Options }
  | { readonly kind: "plugin"; readonly request: PluginRequest; readonly options: PluginOptions }
  | { readonly kind: "doctor"; readonly request: DoctorRequest; readonly options: Options }
  | { readonly kind: "init"; readonly request: InitRequest; readonly options: Options }
  | { readonly kind: "mcp"; readonly request: McpRequest; readonly options: Options }
  | {
    readonly kind: "completions";
    readonly request: CompletionsRequest;
    readonly program: Command;
    readonly options: Options;
  }
  /** Help or version: print it and leave. */
  | { readonly kind: "print"; readonly text: string };

/** Kinds that a flag can allow or deny. */
const KINDS = ["read", "write", "run", "net", "env"] as const satisfies readonly AccessKind[];

/** Those among them whose names are paths. */
const PATHS: readonly AccessKind[] = ["read", "write"];

/**
 * Reads the command line.
 * @throws {UsageError} it cannot be understood
 */
export function parseArguments(
  args: readonly string[],
  context: { cwd: string },
): Invocation {
  const printed: string[] = [];
  let invocation: Invocation | undefined;
  const program = buildProgram(printed);
  program.action((words: string[], values: Values) => {
    invocation = { kind: "run", options: toOptions(words, { values, cwd: context.cwd }) };
  });
  program.command("demo")
    .description("the whole loop, offline, on a scratch copy of a small project")
    .option("--record <FILE>", "keep the traffic with the model")
    .option("--replay <FILE>", "take the model's part from a recording")
    .option("--no-color", "no colours")
    .action((own: Values) => {
      const values = { ...program.opts<Values>(), ...own };
      const { color, record, replay } = toOptions([], { values, cwd: context.cwd });
      const options = { color, ...(record && { record }), ...(replay && { replay }) };
      invocation = { kind: "demo", options };
    });
  addReplayCommand(program, (request) => {
    const options = toOptions([], { values: program.opts(), cwd: context.cwd });
    invocation = { kind: "replay", request, options };
  });
  addPermissionsCommand(program, (request) => {
    const options = toOptions([], { values: program.opts(), cwd: context.cwd });
    invocation = { kind: "permissions", request, options };
  });
  const withOptions = () => toOptions([], { values: program.opts(), cwd: context.cwd });
  addConfigCommand(program, (request) => {
    invocation = { kind: "config", request, options: withOptions() };
  });
  addSessionsCommand(program, (request) => {
    invocation = { kind: "sessions", request, options: withOptions() };
  });
  addPluginCommand(program, (request) => {
    invocation = { kind: "plugin", request, options: withOptions() };
  });
  addInitCommand(program, (request) => {
    invocation = { kind: "init", request, options: withOptions() };
  });
  addDoctorCommand(program, (request) => {
    invocation = { kind: "doctor", request, options: withOptions() };
  });
  addMcpCommand(program, (request) => {
    invocation = { kind: "mcp", request, options: withOptions() };
  });
  const completing = (request: CompletionsRequest): Invocation => {
    const options = toOptions([], { values: program.opts(), cwd: context.cwd });
    return { kind: "completions", request, program, options };
  };
  addCompletionsCommand(program, (request) => invocation = completing(request));
  const words = wordsToComplete(args);
  if (words !== undefined) {
    // The defaults of the options are taken from an empty command line.
    program.parse([], { from: "user" });
    return completing({ what: "candidates", words });
  }
  try {
    program.parse(withWholeKinds(args), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "print", text: printed.join("") };
    // A command that only groups others, without one of them.
    if (error.code === "commander.help") {
      throw new UsageError(`Name what to do, as in: ally ${args[0]} --help`, { cause: error });
    }
    const hint = args[0] === "mcp" && error.code === "commander.unknownOption"
      ? "A server's command goes after --, as in: ally mcp add NAME -- npx -y PACKAGE\n"
      : "";
    throw new UsageError(`${error.message.replace(/^error: /, "")}\n${hint}See ally --help.`, {
      cause: error,
    });
  }
  if (!invocation) throw new Error("Cannot read the command line: no action was chosen");
  return invocation;
}

interface Values {
  print?: true;
  outputFormat: OutputFormat;
  model?: string;
  endpoint?: string;
  contextSize?: number;
  maxTokens?: number;
  temperature?: number;
  maxTurns?: number;
  appendSystemPrompt?: string;
  continue?: true;
  resume?: string | true;
  session: boolean;
  cwd?: string;
  addDir?: string[];
  pluginDir?: string[];
  allowAll?: true;
  yolo?: true;
  sandbox?: boolean;
  allowPlugin?: string[];
  trustProject?: true;
  plan?: true;
  record?: string;
  replay?: string;
  verbose?: true;
  debug?: true;
  color: boolean;
  [flag: string]: unknown;
}

function buildProgram(printed: string[]): Command {
  const program = new Command("ally")
    .description(
      "A coding agent for the terminal, for any OpenAI-compatible model server.\n" +
        "Without -p it is interactive; PROMPT is then its first message.",
    )
    .argument("[PROMPT...]", "what to do")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .exitOverride()
    // `withWholeKinds` makes the value optional where no word after the flag may be taken for it.
    .configureHelp({ optionTerm: (option) => option.flags.replace(" <LIST>", "[=LIST]") })
    .configureOutput({ writeOut: (text) => printed.push(text), writeErr: () => {} })
    .option("-p, --print", "one turn without a terminal; piped input is appended to the prompt")
    .addOption(
      new Option("--output-format <FORMAT>", "of -p")
        .choices(["text", "json", "stream-json"]).default("text"),
    )
    .option("-m, --model <NAME>", "model (ALLY_MODEL); ENDPOINT/NAME of another endpoint")
    .option("--endpoint <URL>", "base URL of the server (OPENAI_BASE_URL), or a configured name")
    .option("--context-size <N>", "the model's window in tokens", wholeNumber(1024))
    .option("--max-tokens <N>", "tokens one reply may have", wholeNumber(1))
    .option("--temperature <X>", "sampling temperature, 0 to 2", temperature)
    .option("--max-turns <N>", "requests one turn may make (100)", wholeNumber(1))
    .option("--append-system-prompt <TEXT>", "add to the system prompt")
    .option("-c, --continue", "go on with the last session of this directory")
    .option("-r, --resume [ID]", "go on with a session; without an id, list them")
    .option("--no-session", "do not save the session")
    .option("-C, --cwd <DIR>", "work in this directory")
    .option("--add-dir <DIR>", "make this directory part of the workspace too", collect)
    .option("--record <FILE>", "keep the traffic with the model, for ally replay")
    .option("--replay <FILE>", "take the model's part from a recording, without a network");
  addPermissionOptions(program);
  return program
    .option("-v, --verbose", "tell requests, states of calls and decisions too")
    .option("--debug", "the same, and keep all events in a log")
    .option("--no-color", "no colours (NO_COLOR)")
    .addHelpText("after", HELP_END);
}

function addPermissionOptions(program: Command): void {
  const help = {
    read: "read: DIR,FILE (without names: the workspace)",
    write: "change files: DIR,FILE (without names: the workspace)",
    run: "run commands: PROGRAM,PROGRAM (without names: any)",
    net: "reach the network: HOST,mcp:SERVER (without names: any)",
    env: "see environment variables: NAME,NAME (without names: all)",
  };
  for (const [verb, word] of [["allow", "let it"], ["deny", "never let it"]] as const) {
    for (const kind of KINDS) {
      const flag = `--${verb}-${kind} <LIST>`;
      program.addOption(
        new Option(flag, `${word} ${help[kind]}`).argParser((
          value: string,
          before: unknown,
        ) => [...(Array.isArray(before) ? before : []), value]),
      );
    }
  }
  program
    .option("-A, --allow-all", "allow everything inside the workspace without asking")
    .option("--sandbox", "run no command without the OS sandbox")
    .option("--no-sandbox", "run commands without the OS sandbox")
    .addOption(new Option("--yolo", "the same as --allow-all").hideHelp())
    .option(
      "--allow-plugin <NAMES>",
      "let these plugins run without a question: NAME,NAME",
      collect,
    )
    .option("--plugin-dir <DIR>", "use the plugin in this directory, or those in it", collect)
    .option("--plan", "only read: nothing can be written or run, by no mistake of ally's either")
    .option("--trust-project", "use the project's own notes, settings, servers, agents, commands");
}

const HELP_END = `
Lists are given with "=": --allow-run=git,deno. Deny wins over allow.
A kind denied as a whole (--deny-net) is given up by the process itself; of the network the model server stays.

Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 something was denied, 4 turn limit,
5 context exhausted, 75 the server cannot be reached, 130 interrupted.

Examples:
  ally                                     talk in this directory
  ally -p "why does the test fail?"        one answer, reading only
  git diff | ally -p "review this"         with piped input
  ally -p --allow-write --allow-run=deno "fix the failing test"
  ally init                                find a model server and set it up
  ally demo                                see it work, offline`;

/** `--allow-write` alone becomes `--allow-write=`, so that it never swallows the prompt. */
function withWholeKinds(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((arg, index) =>
    /^--(allow|deny)-(read|write|run|net|env)$/.test(arg) && (end < 0 || index < end)
      ? `${arg}=`
      : arg
  );
}

function toOptions(
  words: readonly string[],
  { values, cwd }: { values: Values; cwd: string },
): Options {
  const directory = resolve(cwd, values.cwd ?? ".");
  // An id is all digits and dashes at its beginning; anything else after -r is the prompt.
  const isId = typeof values.resume === "string" && /^\d[\w-]*$/.test(values.resume);
  const prompt = typeof values.resume === "string" && !isId ? [values.resume, ...words] : words;
  return {
    prompt: prompt.join(" "),
    print: values.print ?? false,
    outputFormat: values.outputFormat,
    ...pick(values, ["model", "endpoint", "contextSize", "maxTokens", "temperature", "maxTurns"]),
    ...pick(values, ["appendSystemPrompt"]),
    continue: values.continue ?? false,
    ...(values.resume === undefined ? {} : { resume: isId ? values.resume : true }),
    session: values.session,
    cwd: directory,
    addDirs: (values.addDir ?? []).map((dir) => resolve(directory, dir)),
    rules: toRules(values, directory),
    allowedPlugins: (values.allowPlugin ?? []).flatMap((list) => list.split(","))
      .map((name) => name.trim()).filter((name) => name !== ""),
    pluginDirs: (values.pluginDir ?? []).map((dir) => resolve(directory, dir)),
    ...(values.sandbox !== undefined && { sandbox: values.sandbox ? "required" : "off" }),
    trustProject: values.trustProject ?? false,
    plan: values.plan ?? false,
    // As the shell meant it, whatever -C says.
    ...(values.record !== undefined && { record: resolve(cwd, values.record) }),
    ...(values.replay !== undefined && { replay: resolve(cwd, values.replay) }),
    verbose: values.verbose ?? false,
    debug: values.debug ?? false,
    color: values.color,
  };
}

function toRules(values: Values, cwd: string): Rules {
  const targets = (verb: "allow" | "deny") =>
    Object.fromEntries(KINDS.flatMap((kind) => {
      const given = values[`${verb}${kind[0]!.toUpperCase()}${kind.slice(1)}`];
      return Array.isArray(given)
        ? [[kind, toTargets(given, PATHS.includes(kind) ? cwd : undefined)]]
        : [];
    }));
  return {
    allow: targets("allow"),
    deny: targets("deny"),
    allowAll: values.allowAll ?? values.yolo ?? false,
  };
}

/** The values of one flag, given once or more; an empty one means the whole kind. */
function toTargets(given: readonly string[], base: string | undefined): Targets {
  if (given.includes("")) return true;
  const names = given.flatMap((value) => value.split(",")).filter((name) => name !== "");
  return base === undefined ? names : names.map((name) => resolve(base, name));
}

function pick<K extends keyof Values>(values: Values, keys: readonly K[]): Pick<Values, K> {
  return Object.fromEntries(
    keys.filter((key) => values[key] !== undefined).map((key) => [key, values[key]]),
  ) as Pick<Values, K>;
}
