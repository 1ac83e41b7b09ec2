/**
 * The programs that a command line would run, with their arguments: also those behind wrappers, in substitutions
 * and in scripts passed as text. Advice follows from it, never a permission: what cannot be followed is left out.
 */
import { basename } from "node:path";
import { cutActions } from "./find_grammar.ts";
import { NotUnderstoodError, type StdinSource } from "./parsed_command.ts";
import { findProgram } from "./programs/table.ts";
import { readVariables } from "./script_variables.ts";
import { parseScript, readCommands } from "./syntax.ts";
import { innerCommand } from "./unwrap.ts";
import { literalWord, type ShellWord } from "./words.ts";

/** One program with its arguments, quotes removed. */
export interface CommandInvocation {
  /** Name without directories; undefined if only the running shell knows it, as with `$TOOL x`. */
  readonly program: string | undefined;
  /** As written where only the running shell knows the value. */
  readonly args: readonly string[];
  /** Whether its standard input is a pipe, a file or a text of its own. */
  readonly fed: boolean;
}

/** How deep in scripts a command stands, and whether what is around it feeds it. */
interface CommandPosition {
  readonly depth: number;
  readonly fed: boolean;
}

/** Scripts in scripts are read this deep. */
const MAX_DEPTH = 8;
const KNOWN = new Map([["HOME", literalWord("~")]]);

/** The programs in order of appearance; undefined if the text is no bash that can be understood. */
export function listInvocations(text: string): CommandInvocation[] | undefined {
  try {
    return readScript(text, { depth: 0, fed: false });
  } catch (error) {
    if (error instanceof NotUnderstoodError) return undefined;
    throw error;
  }
}

function readScript(text: string, { depth, fed }: CommandPosition): CommandInvocation[] {
  if (depth > MAX_DEPTH) throw new NotUnderstoodError("is nested too deeply");
  const script = parseScript(text);
  const variables = readVariables(script, text);
  const { commands, functions } = readCommands(script, {
    source: text,
    variables,
    known: KNOWN,
    posix: false,
  });
  const feedsFunction = commands.some(({ words: [name], input }) =>
    hasOwnInput(input) && functions.has(name?.value ?? "")
  );
  return commands.flatMap(({ words, input }) => {
    const fedByCaller = feedsFunction && input?.kind === "caller";
    return readWords(words, { depth, fed: fed || fedByCaller || hasOwnInput(input) });
  });
}

function hasOwnInput(input: StdinSource): boolean {
  return input !== undefined && input.kind !== "caller";
}

function readWords(words: readonly ShellWord[], position: CommandPosition): CommandInvocation[] {
  const [name, ...rest] = words;
  if (name === undefined) return [];
  const program = name.kind === "literal" ? basename(name.value) : undefined;
  const found = { program, args: rest.map(({ value }) => value), fed: position.fed };
  if (program === undefined) return [found];
  const deeper = { ...position, depth: position.depth + 1 };
  const script = scriptIn(program, found.args);
  return [
    found,
    ...(script === undefined
      ? readWords(commandIn(program, rest), deeper)
      : readScript(script, deeper)),
  ];
}

/** The script that a program gets as text: `sh -c TEXT`, `eval TEXT`, `env -S TEXT`, `watch -n 2 TEXT`. */
function scriptIn(program: string, args: readonly string[]): string | undefined {
  if (program === "eval") return args.join(" ");
  if (program === "watch") return args.join(" ").replace(/^(?:-n +\S+ +|-\S+ +)*/, "");
  const isShell = findProgram(program)?.interpreter === "shell";
  const flag = isShell ? /^-[a-z]*c$/ : program === "env" ? /^-S$/ : undefined;
  const at = flag === undefined ? -1 : args.findIndex((value) => flag.test(value));
  return at < 0 ? undefined : args[at + 1];
}

/** The words of the command that a program runs. */
function commandIn(program: string, rest: readonly ShellWord[]): readonly ShellWord[] {
  if (program === "find") return cutActions(rest).actions[0] ?? [];
  const row = findProgram(program);
  return row?.wrapper ? innerCommand(row, { name: program, rest }) : [];
}
