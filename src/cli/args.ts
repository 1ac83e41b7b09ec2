/**
 * The command line: what may be given, checked and typed. Nothing is done here.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { resolve } from "node:path";
import type { Environment } from "../app/environment.ts";
import type { Options } from "../app/options.ts";
import { addSettingFlags, rulesOf, settingsOf, WHOLE_KIND } from "../app/flags.ts";
import { VERSION } from "../app/version.ts";
import { ACCESS_KINDS } from "../core/access.ts";
import { CommandLineError } from "./command_line_error.ts";
import type { FlagValues, Invocation } from "./invocation.ts";

/** Where a command line was given. */
interface CommandLineContext {
  /** Absolute. */
  readonly cwd: string;
  /** Where the user's home is. @default it is not known */
  readonly env?: Pick<Environment, "get">;
}

/**
 * Reads the command line.
 * @throws {UsageError} it cannot be understood
 */
export async function parseArguments(
  args: readonly string[],
  context: CommandLineContext,
): Promise<Invocation> {
  const printed: string[] = [];
  let invocation: Invocation | undefined;
  const program = buildProgram(printed);
  program.action((words: string[], values: FlagValues) => {
    const options = toOptions([...words, ...after], { values, ...context });
    invocation = { kind: "run", options, program };
  });
  if (args.some(mayNameCommand) && !isPrint(args)) {
    const { addCommands } = await import("./commands.ts");
    addCommands(program, {
      optionsOf: (own) => toOptions([], { values: { ...program.opts(), ...own }, ...context }),
      chosen: (other) => invocation = other,
    });
  }
  const { before, after } = splitPrompt(args, program);
  const words = parseWordsToComplete(args);
  const isHelp = args[0] === "help" && args.length <= 2 && !args[1]?.startsWith("-");
  if (words !== undefined || isHelp) {
    // The defaults of the options come from an empty command line.
    program.parse([], { from: "user" });
    const options = toOptions([], { values: program.opts(), ...context });
    return words === undefined
      ? { kind: "help", name: args[1], program, options }
      : { kind: "completions", request: { what: "candidates", words }, program, options };
  }
  try {
    program.parse(expandBareKinds(expandHelp(before, program)), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "print", text: printed.join("") };
    throw new CommandLineError(error, { program, args });
  }
  if (!invocation) throw new Error("Cannot read the command line: no action was chosen");
  return invocation;
}

/** Whether all words are a prompt, those that are a command's name too; the help of `-p` is ally's whole help. */
function isPrint(args: readonly string[]): boolean {
  const isAmong = (pattern: RegExp) => args.some((arg) => pattern.test(arg));
  return isAmong(/^(--print|-[vcA]*p[vcA]*)$/) && !isAmong(/^(--help|-h)$/);
}

/** Whether a word may name a command, well or badly typed, or ask for the list of them. */
function mayNameCommand(word: string): boolean {
  return word === "-h" || word === "--help" || /^[a-z-]+( [a-z-]+( \S+)?)?$/.test(word);
}

/** The words to complete, if the command line is a script's question: `ally complete -- WORD...` */
function parseWordsToComplete(args: readonly string[]): readonly string[] | undefined {
  return args[0] === "complete" && args[1] === "--" ? args.slice(2) : undefined;
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
    // `usage_error.ts` knows more names, and more ways to mistype one.
    .showSuggestionAfterError(false)
    // `expandBareKinds` makes the value optional.
    .configureHelp({
      optionTerm: (option) => option.flags.replace(" <LIST>", "[=LIST]"),
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace(/\[(options|command)\] ?/g, "")}`.trim(),
    })
    .configureOutput({ writeOut: (text) => printed.push(text), writeErr: () => {} })
    .optionsGroup("Output:")
    .option("-p, --print", "one turn, no terminal; PROMPT and piped input")
    .addOption(
      new Option("--output-format <FORMAT>", "of -p")
        .choices(["text", "json", "stream-json"]).default("text"),
    )
    .option("--output-schema <FILE|JSON>", "of -p: answer with JSON that fits", takeValue)
    .option("--image <FILE>", "send an image with the first words; may be repeated", collectValues)
    .option("-v, --verbose", "show requests, states of calls and decisions too")
    .option("--debug", "the same, and keep all events in a log")
    .option("--no-color", "no colours (NO_COLOR)")
    .optionsGroup("Model:");
  addSettingFlags(program, "model");
  program
    .option("--append-system-prompt <TEXT>", "add to the system prompt")
    .optionsGroup("Session and directory:")
    .option("-c, --continue", "go on with this directory's last session")
    .addOption(
      new Option("-r, --resume [ID]", "go on with a session; without ID, choose one")
        .argParser(takeValue).conflicts("continue"),
    )
    .addOption(
      new Option("--fork <ID>", "go on with a copy of a session")
        .argParser(takeValue).conflicts(["continue", "resume"]),
    )
    .option("--no-session", "do not save the session")
    .option("-C, --cwd <DIR>", "work in this directory", takeValue)
    .option("--add-dir <DIR>", "add this directory to the workspace", collectValues)
    .option("--record <FILE>", "record the traffic with the model", takeValue)
    .option("--replay <FILE>", "answer from a recording, without a model", takeValue)
    .option("--receipt <FILE>", "write down all that is done, each line hashed", takeValue);
  addSettingFlags(program, "session");
  addPermissionOptions(program);
  return program.addHelpText("after", HELP_FOOTER);
}

function addPermissionOptions(program: Command): void {
  program.optionsGroup(
    "Permissions (LIST: names with commas between; without one: all of the kind):",
  );
  const help = {
    read: ["read, outside of the workspace if named", "read"],
    write: ["change the workspace's files, or those named", "change files"],
    run: ["run commands, or the programs named", "run commands"],
    net: ["reach the network: hosts, mcp:SERVER", "reach the network"],
    env: ["see environment variables", "see environment variables"],
  };
  for (const [at, verb] of (["allow", "deny"] as const).entries()) {
    for (const kind of ACCESS_KINDS) {
      const words = `${verb === "allow" ? "may" : "may never"} ${help[kind][at]}`;
      const collect = kind === "net"
        ? collectHosts
        : kind === "env"
        ? collectVariables
        : collectNames;
      program.addOption(new Option(`--${verb}-${kind} <LIST>`, words).argParser(collect));
    }
  }
  program
    .option(
      "-A, --allow-all",
      "everything, unasked: files stay in the workspace, commands in the sandbox if there is one",
    )
    .addOption(new Option("--yolo", "the same as --allow-all").hideHelp())
    .option("--plan", "only read: writing and running are given up");
  addSettingFlags(program, "permissions");
  program
    .option("--allow-plugin <NAMES>", "plugins that may run without a question", collectValues)
    .option("--plugin-dir <DIR>", "a plugin's folder, or one with several", collectValues)
    .option("--trust-project", "let the project's ALLY.md and .ally files act");
}

const HELP_FOOTER = `
A list follows "=": --allow-run=git,deno. Deny wins over allow. A kind denied as
a whole (--deny-net) is given up by the process; the model server stays.

Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 something was denied,
4 turn limit or budget, 5 context exhausted, 6 no answer fits the schema,
75 server not reached, 130 interrupted.

Examples:
  ally                                 talk in this directory
  ally init                            find a model server and set it up
  ally demo                            see it work, offline
  ally -p "why does the test fail?"    one answer, reading only
  git diff | ally -p "review this"     with piped input
  ally -p --allow-write --allow-run=deno "fix the failing test"

ally help lists the topics; ally help TOPIC shows a page, ally help COMMAND how
a command is used. At the prompt, /help lists its own commands.`;

function toOptions(
  words: readonly string[],
  { values, cwd, env }: CommandLineContext & { values: FlagValues },
): Options {
  const directory = resolve(cwd, values.cwd ?? ".");
  // An id is all digits and dashes at its beginning; anything else after -r is the prompt.
  const isId = typeof values.resume === "string" && /^(\d[\w-]*|last)$/.test(values.resume);
  const prompt = typeof values.resume === "string" && !isId ? [values.resume, ...words] : words;
  return {
    prompt: prompt.join(" "),
    print: values.print ?? false,
    outputFormat: values.outputFormat,
    ...values.outputSchema !== undefined && {
      outputSchema: values.outputSchema.trimStart().startsWith("{")
        ? values.outputSchema
        : resolve(cwd, values.outputSchema),
    },
    settings: settingsOf(values),
    ...(values.appendSystemPrompt !== undefined &&
      { appendSystemPrompt: values.appendSystemPrompt }),
    continue: values.continue ?? false,
    ...(values.resume === undefined ? {} : { resume: isId ? values.resume : true }),
    ...typeof values.resume === "string" && !isId && { notResumed: values.resume },
    ...values.fork !== undefined && { fork: values.fork },
    session: values.session,
    cwd: directory,
    addDirs: (values.addDir ?? []).map((dir) => resolve(directory, dir)),
    rules: rulesOf(values, { cwd: directory, env }),
    allowedPlugins: (values.allowPlugin ?? []).flatMap((list) => list.split(","))
      .map((name) => name.trim()).filter((name) => name !== ""),
    pluginDirs: (values.pluginDir ?? []).map((dir) => resolve(directory, dir)),
    trustProject: values.trustProject ?? false,
    plan: values.plan ?? false,
    // As the shell meant it, whatever -C says.
    ...(values.record !== undefined && { record: resolve(cwd, values.record) }),
    ...(values.replay !== undefined && { replay: resolve(cwd, values.replay) }),
    ...(values.receipt !== undefined && { receipt: resolve(cwd, values.receipt) }),
    ...values.image !== undefined && { images: values.image.map((file) => resolve(cwd, file)) },
    verbose: values.verbose ?? false,
    debug: values.debug ?? false,
    color: values.color,
  };
}

/**
 * Takes a value. An empty one, as from an unset variable, would mean the working directory, any session or nothing.
 * @throws {InvalidArgumentError} it is empty
 */
function takeValue(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return value;
}

/** Takes an option that may be given several times. @throws {InvalidArgumentError} it is empty */
function collectValues(value: string, before: string[] = []): string[] {
  return [...before, takeValue(value)];
}

const BARE_KIND = new RegExp(`^--(allow|deny)-(${ACCESS_KINDS.join("|")})$`);

/** `--allow-write` alone gets the value for all of its kind, so that it never swallows the prompt. */
function expandBareKinds(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((arg, index) =>
    BARE_KIND.test(arg) && (end < 0 || index < end) ? `${arg}=${WHOLE_KIND}` : arg
  );
}

/**
 * Takes a list of names, which may be given several times. An empty list, as from an unset variable, does not allow everything.
 * @throws {InvalidArgumentError} it names nothing
 */
function collectNames(value: string, before: unknown): string[] {
  if (value.replace(/[,\s]/g, "") === "") {
    throw new InvalidArgumentError('It names nothing. Without "=" it means all of the kind.');
  }
  return [...(Array.isArray(before) ? before : []), value];
}

/**
 * Takes a list of hosts. An address would never match one, and a denial that never matches is worse than none.
 * @throws {InvalidArgumentError} it names nothing, or an address
 */
function collectHosts(value: string, before: unknown): string[] {
  if (value.includes("://")) {
    throw new InvalidArgumentError("It must name hosts, such as example.com or example.com:443.");
  }
  return collectNames(value, before);
}

/**
 * Takes a list of environment variables. One with a value would name none.
 * @throws {InvalidArgumentError} it names nothing, or gives a value
 */
function collectVariables(value: string, before: unknown): string[] {
  if (value.includes("=")) {
    throw new InvalidArgumentError("It must name environment variables, without their values.");
  }
  return collectNames(value, before);
}

/** `ally help sessions list` is `ally sessions list --help`; other words after "help" are a prompt. */
function expandHelp(args: readonly string[], { commands }: Command): readonly string[] {
  const [first, second] = args;
  const isHelp = first === "help" &&
    (second === undefined || commands.some((command) => command.name() === second));
  return isHelp ? [...args.slice(1), "--help"] : args;
}

/** Words after `--` are a prompt whatever they say, unless they are for a command before it. */
function splitPrompt(
  args: readonly string[],
  { commands }: Command,
): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const end = args.indexOf("--");
  const before = args.slice(0, end);
  const isPrompt = end >= 0 && !commands.some((command) => before.includes(command.name()));
  return isPrompt ? { before, after: args.slice(end + 1) } : { before: args, after: [] };
}
