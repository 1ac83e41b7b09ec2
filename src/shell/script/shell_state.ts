/**
 * What the parts of a script share because one shell runs them: variables, functions, options, jobs, open files. A
 * part that changes or uses such state means something else in a shell of its own. What a script tells its shell before
 * it does anything else, options of `set` and plain variables, each part can be told too.
 */
import {
  type Assignment,
  type Command,
  forEachChild,
  type Statement,
  type SyntaxNode,
} from "unbash";
import { isHijacking } from "../variables.ts";
import { parameterOf } from "../words.ts";
import { assignsNumber, literalValue, literalWords } from "./rendered_word.ts";

/** Builtins that change the shell they run in, or ask about its jobs. */
const STATE_BUILTINS = new Set(
  (". alias bg bind break builtin cd complete continue coproc declare dirs disown enable eval exec exit export " +
    "fc fg getopts hash history jobs let local logout mapfile popd pushd read readarray readonly return set shift " +
    "shopt source suspend times trap typeset ulimit umask unalias unset wait").split(" "),
);
/** Parameters that the shell sets: its own ids, arguments and jobs, and what its last commands came to. */
const SHELL_PARAMETERS =
  /^(?:[!_@*#$0-9-]|\d+|PPID|BASHPID|SHLVL|RANDOM|SRANDOM|SECONDS|LINENO|PIPESTATUS|BASH_REMATCH|OLDPWD|REPLY|MAPFILE)$/;

/** What one part of a script has to do with the shell around it. */
export interface StateUse {
  /** It changes the shell for the parts after it, or depends on what only the whole shell knows. */
  readonly shared: boolean;
  /** It uses the exit status of what ran before it. */
  readonly readsStatus: boolean;
  /** Variables of its loops. */
  readonly loopVariables: readonly string[];
  /** Parameters that it reads; undefined stands for those of arithmetic. */
  readonly parameters: readonly (string | undefined)[];
}

/**
 * Finds out what a part that has a canonical text has to do with its shell; `isolated` if that is a subshell anyway, as
 * in a pipe.
 */
export function stateUseOf(part: SyntaxNode, { isolated }: { isolated: boolean }): StateUse {
  let shared = false;
  let readsStatus = false;
  const loopVariables: string[] = [];
  const parameters: (string | undefined)[] = [];
  const visit = (node: SyntaxNode, own: boolean): void => {
    const parameter = parameterOf(node);
    if (parameter !== undefined || node.type.startsWith("Arithmetic")) parameters.push(parameter);
    if (parameter === "?" || isBareExit(node)) readsStatus = true;
    else if (parameter !== undefined && SHELL_PARAMETERS.test(parameter)) shared = true;
    if (own && changesState(node)) shared = true;
    if (own && node.type === "For") loopVariables.push(node.name.value);
    const statements = "commands" in node
      ? node.commands as readonly (Statement | SyntaxNode)[]
      : [];
    if (statements.some((one) => "background" in one && one.background === true)) shared = true;
    const inner = own && !ISOLATING.has(node.type) &&
      !(node.type === "Pipeline" && node.commands.length > 1);
    forEachChild(node, (child) => visit(child, inner));
  };
  visit(part, !isolated);
  return { shared, readsStatus, loopVariables, parameters };
}

const ISOLATING: ReadonlySet<SyntaxNode["type"]> = new Set([
  "Subshell",
  "CommandExpansion",
  "ProcessSubstitution",
  "ArithmeticCommandExpansion",
]);

/** It ends with the status of what ran before it. */
function isBareExit(node: SyntaxNode): boolean {
  return node.type === "Command" && node.name?.text === "exit" && node.args.length === 0;
}

/** Whether this very node changes the shell it runs in. */
function changesState(node: SyntaxNode): boolean {
  switch (node.type) {
    case "Function":
      return true;
    case "Command":
      return commandChangesState(node);
    case "ArithmeticBinary":
    case "ArithmeticUnary":
      return assignsNumber(node);
    default:
      return false;
  }
}

function commandChangesState(command: Command): boolean {
  const [program, option] = literalWords(command);
  if (program === undefined || STATE_BUILTINS.has(program)) return true;
  if (program === "command") return !/^-[vV]$/.test(option ?? "");
  return program === "printf" && (option === undefined || option.startsWith("-"));
}

/** Options of the shell that can be given to each part. */
export type ShellOption = "errexit" | "nounset" | "pipefail" | "xtrace";

/** One such command. */
export interface ShellSetup {
  readonly options: readonly ShellOption[];
  /** Names of the variables that it sets or exports. */
  readonly variables: readonly string[];
}

const LETTERS: Readonly<Record<string, ShellOption>> = {
  e: "errexit",
  u: "nounset",
  x: "xtrace",
};
const OPTION = "-[eux]+|-[eux]*o\0(?:errexit|nounset|pipefail|xtrace)";
/** `set -eu -o pipefail`, in any spelling: its words. */
const OPTIONS = new RegExp(`^(?:${OPTION})(?:\0(?:${OPTION}))*$`);
const NAME = /^[A-Za-z_]\w*$/;
/** Variables that cannot be set. */
const READ_ONLY = /^(E?UID|PPID)$/;

/** What a command tells the shell; undefined if it does, or may do, anything else. */
export function setupOf(node: SyntaxNode): ShellSetup | undefined {
  if (node.type !== "Command" || node.redirects.length > 0) return undefined;
  const { name, prefix, args } = node;
  if (!name) return variablesOf(prefix);
  if (prefix.length > 0) return undefined;
  const [program, ...words] = literalWords(node);
  if (program === "export") return variablesOf(args);
  return program === "set" ? optionsOf(words) : undefined;
}

function variablesOf(nodes: readonly SyntaxNode[]): ShellSetup | undefined {
  const names = nodes.map((node) => {
    if (node.type === "Assignment") return assignedName(node);
    return node.type === "Word" ? literalValue(node) : undefined;
  });
  return names.length > 0 && names.every(isPlainName)
    ? { options: [], variables: names }
    : undefined;
}

function assignedName({ name, value, index, append }: Assignment): string | undefined {
  if (index || append || value.type !== "Word") return undefined;
  return literalValue(value) === undefined || /[~]/.test(value.text) ? undefined : name;
}

/** Not one by which programs, or the shell that joins the parts, would be other ones. */
function isPlainName(name: string | undefined): name is string {
  return name !== undefined && NAME.test(name) && !READ_ONLY.test(name) && !isHijacking(name);
}

function optionsOf(words: readonly (string | undefined)[]): ShellSetup | undefined {
  if (!OPTIONS.test(words.join("\0"))) return undefined;
  const options = words.flatMap((word = "") =>
    word.startsWith("-")
      ? [...word].flatMap((letter) => LETTERS[letter] ?? [])
      : word as ShellOption
  );
  return { options, variables: [] };
}
