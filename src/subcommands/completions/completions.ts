/**
 * What a shell completes: a script for it to read, and at each Tab the candidates, made from the command line's own
 * description. Models are asked of the server and sessions looked up only where one is wanted.
 */
import type { Command as TabCommand, OptionHandler } from "@bomb.sh/tab";
import type { Command, Option } from "commander";
import { qualifyModel, resolveEndpoints } from "../../app/endpoints.ts";
import type { Environment } from "../../app/environment.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { findTopic, HELP_TOPICS } from "../../help/topics.ts";
import { listModels } from "../../model/models.ts";
import { readConfig } from "../../store/config.ts";
import { allyPaths } from "../../store/paths.ts";
import { SessionStore } from "../../store/sessions.ts";
import type { Setting } from "../../store/setting.ts";
import { SETTING_TABLE } from "../../store/settings_table.ts";
import { BASH_SCRIPT } from "./bash_script.ts";
import type { CompletionsRequest } from "./command.ts";

/** Milliseconds a server may take to say which models it has, while somebody waits at a prompt. */
const SERVER_TIMEOUT_MS = 1500;

/** A candidate and what it is. */
type Candidate = readonly [value: string, description: string];

/** Answers a request on standard output. Never fails at a Tab: no candidates are an answer too. */
export async function runCompletions(
  { request, program, options }: {
    readonly request: CompletionsRequest;
    /** All that the command line may hold. */
    readonly program: Command;
    /** What holds without any flag. */
    readonly options: Options;
  },
  io: Io,
): Promise<number> {
  const { out } = openStandardStreams(io);
  const { RootCommand, script, ShellCompDirective } = await import("@bomb.sh/tab");
  if (request.what === "script") {
    if (request.shell === "bash") out(BASH_SCRIPT);
    else collectLogged(() => script(request.shell, "ally", "ally")).forEach(out);
    return EXIT.done;
  }
  const { words } = request;
  if (isPathPosition(words, program)) {
    out(`:${ShellCompDirective.ShellCompDirectiveDefault}`);
    return EXIT.done;
  }
  const root = new RootCommand();
  const values = await completeOptionValues(words, { options, io });
  const { command: inner, operands: given } = resolveCursor(words.slice(0, -1), program);
  const at = Math.min(given, inner.registeredArguments.length - 1);
  const operands = await completeOperand(inner, { at, before: words.at(-2), io });
  describeOptions(root, { command: program, values });
  for (const [path, command] of walkSubcommands(program)) {
    const described = root.command(path, command.summary() || command.description());
    describeOptions(described, { command, values: new Map() });
    for (const [index, argument] of command.registeredArguments.entries()) {
      const choices = (argument.argChoices ?? [])
        .map((choice) => [choice, argument.name().toLowerCase()] as const);
      const known = command === inner && index === at && operands.length > 0 ? operands : choices;
      described.argument(
        argument.name(),
        (complete) => known.forEach(([value, description]) => complete(value, description)),
        argument.variadic,
      );
    }
  }
  const help = root.command("help", "a page on a topic");
  help.argument("TOPIC", (complete) => {
    for (const { name, summary } of HELP_TOPICS) complete(name, summary);
    for (const command of program.createHelp().visibleCommands(program)) {
      if (findTopic(command.name()) === undefined) complete(command.name(), command.summary());
    }
  });
  collectLogged(() => root.parse([...words])).forEach(out);
  return EXIT.done;
}

/** The lines that a library prints with `console.log` while `run` lasts. */
function collectLogged(run: () => void): string[] {
  const lines: string[] = [];
  const { log } = console;
  // deno-lint-ignore no-console
  console.log = (line: string) => lines.push(line);
  try {
    run();
  } finally {
    // deno-lint-ignore no-console
    console.log = log;
  }
  return lines;
}

function describeOptions(
  target: TabCommand,
  { command, values }: { command: Command; values: ReadonlyMap<string, readonly Candidate[]> },
): void {
  for (const option of command.createHelp().visibleOptions(command)) {
    const name = option.long?.slice(2);
    if (name === undefined) continue;
    const letter = option.short?.slice(1);
    if (!option.required && !option.optional) {
      if (letter === undefined) target.option(name, option.description);
      else target.option(name, option.description, letter);
      continue;
    }
    const known = values.get(name) ?? (option.argChoices ?? []).map((choice) => [choice, name]);
    const handler: OptionHandler = (complete) => {
      for (const [value = "", description = ""] of known) complete(value, description);
    };
    target.option(name, option.description, handler, letter);
  }
}

/** Every command by its words, those within others too. */
function* walkSubcommands(parent: Command, before = ""): Generator<readonly [string, Command]> {
  for (const command of parent.createHelp().visibleCommands(parent)) {
    const path = `${before}${command.name()}`;
    yield [path, command];
    yield* walkSubcommands(command, `${path} `);
  }
}

/** What an operand of a command may be, where that can be looked up; `before` is the word before it. */
async function completeOperand(
  command: Command,
  { at, before, io }: { at: number; before: string | undefined; io: Io },
): Promise<readonly Candidate[]> {
  const argument = command.registeredArguments[at];
  try {
    if (argument?.name() === "KEY") {
      return [...SETTING_TABLE].map(([key, { help }]) => [key, help]);
    }
    if (argument?.name() === "VALUE") {
      const setting = [...SETTING_TABLE].find(([key]) => key === before)?.[1];
      return setting ? completeSetting(setting, before ?? "") : [];
    }
    if (argument?.name() === "ID" && command.parent?.name() === "sessions") {
      return await completeSessions(io);
    }
  } catch {
    // As with the values of options.
  }
  return [];
}

/** The values of a setting that has few. */
function completeSetting({ schema }: Setting, name: string): Candidate[] {
  const { enum: values, type } = schema;
  const all = Array.isArray(values) ? values : type === "boolean" ? ["on", "off"] : [];
  return all.filter((one) => typeof one === "string").map((one) => [one, name]);
}

/** Whether the word under the cursor may be a path, which shells know best: of an option, of a command, in a prompt. */
function isPathPosition(words: readonly string[], program: Command): boolean {
  const last = words.at(-1) ?? "";
  const { command, operands, pending } = resolveCursor(words.slice(0, -1), program);
  const given = /^(--[a-z-]+)=/.exec(last)?.[1];
  const option = given === undefined ? pending : findOption(given, [program, command]);
  if (option) return /<(DIR|FILE)>|-(read|write) <LIST>$/.test(option.flags);
  if (last.startsWith("-")) return false;
  if (command === program) return operands > 0 && words[0] !== "help";
  const argument = command.registeredArguments[operands] ??
    command.registeredArguments.findLast(({ variadic }) => variadic);
  return /^(DIR|FILE|SOURCE)$/.test(argument?.name() ?? "");
}

/** Where words lead: the innermost command, how many operands it has, and an option that waits for its value. */
function resolveCursor(words: readonly string[], program: Command) {
  let command = program;
  let operands = 0;
  let pending: Option | undefined;
  for (const word of words) {
    if (pending?.required) pending = undefined;
    else if (word.startsWith("-")) pending = findOption(word, [program, command]);
    else {
      pending = undefined;
      const inner = operands === 0 && command.commands.find((one) => one.name() === word);
      if (inner) command = inner;
      else operands++;
    }
    if (pending && !pending.required && !pending.optional) pending = undefined;
  }
  return { command, operands, pending };
}

/** The option of that name; a list may follow its flag only with "=". */
function findOption(flag: string, commands: readonly Command[]): Option | undefined {
  return commands.flatMap(({ options }) => options)
    .find(({ long, short }) => long === flag || short === flag);
}

/** What the value under the cursor may be, by the name of its option. */
async function completeOptionValues(
  words: readonly string[],
  { options, io }: { options: Options; io: Io },
): Promise<ReadonlyMap<string, readonly Candidate[]>> {
  const before = words.at(-2) ?? "";
  const last = words.at(-1) ?? "";
  const wants = (...flags: string[]) =>
    flags.includes(before) || flags.some((flag) => last.startsWith(`${flag}=`));
  try {
    if (wants("--model", "-m")) return new Map([["model", await completeModels(options, io.env)]]);
    if (wants("--resume", "-r")) return new Map([["resume", await completeSessions(io)]]);
    if (wants("--fork")) return new Map([["fork", await completeSessions(io)]]);
  } catch {
    // Where a word is completed there is no place for a message.
  }
  const flags = [...SETTING_TABLE].flatMap(([, setting]) =>
    (setting.flags ?? []).map(({ term, value }) => ({ setting, term, value }))
  );
  return new Map(flags.flatMap(({ setting, term, value }) => {
    const name = /^--([a-z-]+) </.exec(term)?.[1];
    if (name === undefined || value !== undefined) return [];
    const known = completeSetting(setting, name);
    return known.length === 0 ? [] : [[name, known] as const];
  }));
}

async function completeModels(options: Options, env: Environment): Promise<Candidate[]> {
  const paths = allyPaths(options.cwd, env);
  const { config } = await readConfig(paths.config);
  const { default: primary } = resolveEndpoints({
    flag: options.settings.endpoint,
    config,
    env,
    keys: paths.keys,
  });
  const plain = await listModels({ ...primary, timeoutMs: SERVER_TIMEOUT_MS });
  const names = plain.map((name) => qualifyModel(name, primary));
  // Some shells expand candidates as they would words: only names without a meaning to them are offered.
  return names.filter((name) => /^[\w.:/@+-]+$/.test(name)).map((name) => [name, "model"]);
}

async function completeSessions(io: Io): Promise<Candidate[]> {
  const paths = allyPaths(await Deno.realPath(io.cwd()), io.env);
  const recent = await new SessionStore({ directory: paths.sessions }).recent();
  return recent.map(({ id, title }) => [id, title.replace(/[^\p{L}\p{N} .,:-]+/gu, " ")]);
}
