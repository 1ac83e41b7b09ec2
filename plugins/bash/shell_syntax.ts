/**
 * What a bash command line would run, read from its syntax tree: every simple command in it, also in
 * substitutions, functions, scripts passed as text, and behind wrappers such as `env` or `xargs`. Only
 * advice and time limits depend on it (`interactive.ts`); what may run is judged before, elsewhere.
 */
import { basename } from "node:path";
import type { Command, SyntaxNode, Word } from "unbash";

/** One program with its arguments, quotes removed. */
export interface SimpleCommand {
  /** Name without directories; undefined if only the running shell knows it, as with `$TOOL x`. */
  readonly program: string | undefined;
  /** As written where only the running shell knows the value. */
  readonly args: readonly string[];
  /** Whether its standard input is a pipe, a file or a text of its own. */
  readonly fed: boolean;
}

/** Scripts in scripts are read this deep. */
const MAX_DEPTH = 8;

/** All simple commands in order of appearance, or undefined if the text is no correct bash. */
export async function simpleCommands(text: string): Promise<SimpleCommand[] | undefined> {
  const syntax = await import("unbash");
  const found: SimpleCommand[] = [];
  return readScript(text, { syntax, found, depth: 0, fed: false }) ? found : undefined;
}

interface Reading {
  readonly syntax: typeof import("unbash");
  readonly found: SimpleCommand[];
  readonly depth: number;
  readonly fed: boolean;
}

/** False if the text is no correct bash. */
function readScript(text: string, reading: Reading): boolean {
  if (reading.depth > MAX_DEPTH) return false;
  const tree = reading.syntax.parse(text);
  if (tree.errors !== undefined && tree.errors.length > 0) return false;
  return visit(tree, reading);
}

function visit(node: SyntaxNode, reading: Reading): boolean {
  let correct = true;
  const inner = node.type === "Redirected" && node.redirects.some(isInput)
    ? { ...reading, fed: true }
    : reading;
  if (node.type === "Command") correct = readCommand(node, inner);
  const source = node.type === "Pipeline" ? node.commands[0] : undefined;
  reading.syntax.forEachChild(node, (child) => {
    const piped = node.type === "Pipeline" && child !== source;
    if (!visit(child, piped ? { ...inner, fed: true } : inner)) correct = false;
  });
  return correct;
}

function isInput(redirection: { readonly operator: string }): boolean {
  return redirection.operator.startsWith("<");
}

function readCommand(command: Command, reading: Reading): boolean {
  if (command.name === undefined) return true;
  const words = [command.name, ...command.args.filter((one): one is Word => one.type === "Word")];
  const fed = reading.fed || command.redirects.some(isInput);
  return readWords(words.map(toText), { ...reading, fed });
}

/** A word's text, or none where only the running shell knows it. */
interface Text {
  readonly value: string;
  readonly known: boolean;
}

function toText(word: Word): Text {
  return { value: word.value, known: (word.parts ?? []).every(isFixed) };
}

function isFixed(part: NonNullable<Word["parts"]>[number]): boolean {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return true;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.every((one) => one.type === "Literal");
    default:
      return false;
  }
}

function readWords(words: readonly Text[], reading: Reading): boolean {
  const [name, ...rest] = words;
  if (name === undefined) return true;
  const program = name.known ? basename(name.value) : undefined;
  const args = rest.map((one) => one.value);
  reading.found.push({ program, args, fed: reading.fed });
  if (program === undefined) return true;
  const deeper = { ...reading, depth: reading.depth + 1 };
  const script = scriptIn(program, rest);
  if (script !== undefined) return readScript(script, deeper);
  const inner = commandIn(program, rest);
  return inner === undefined || readWords(inner, deeper);
}

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "fish"]);

/** The script that a command gets as text: `sh -c TEXT`, `eval TEXT`, `env -S TEXT`, `watch TEXT`. */
function scriptIn(program: string, args: readonly Text[]): string | undefined {
  const values = args.map((one) => one.value);
  if (program === "eval") return values.join(" ");
  if (program === "watch") return values.slice(skipOptions(args, new Set(["-n"]))).join(" ");
  const flag = SHELLS.has(program) ? /^-[a-z]*c$/ : program === "env" ? /^-S$/ : undefined;
  const at = flag === undefined ? -1 : values.findIndex((value) => flag.test(value));
  return at < 0 ? undefined : values[at + 1];
}

/** Programs that run the command in their arguments, with the options of theirs that take a value. */
const WRAPPERS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    builtin: "",
    command: "",
    env: "-u -C --unset --chdir",
    exec: "-a",
    ionice: "-c -n -p",
    nice: "-n",
    nohup: "",
    setsid: "",
    stdbuf: "-i -o -e",
    time: "-f -o",
    timeout: "-s -k",
    xargs: "-I -n -P -L -d -a -E -s",
  }).map(([name, options]) => [name, new Set(options.split(" "))]),
);

/** The command that a wrapper runs, if the program is one and is given one. */
function commandIn(program: string, args: readonly Text[]): readonly Text[] | undefined {
  if (program === "find") {
    const at = args.findIndex((one) => /^-(exec|ok)(dir)?$/.test(one.value));
    return at < 0 ? undefined : args.slice(at + 1);
  }
  const options = WRAPPERS.get(program);
  const onlyAsks = program === "command" && /^-[vV]/.test(args[0]?.value ?? "");
  if (options === undefined || onlyAsks) return undefined;
  let start = skipOptions(args, options);
  if (program === "timeout") start++;
  return args.slice(start);
}

/** Index of the first word that is neither an option, nor an option's value, nor an assignment. */
function skipOptions(args: readonly Text[], withValue: ReadonlySet<string>): number {
  let index = 0;
  for (let word = args[index]?.value; word !== undefined; word = args[index]?.value) {
    if (!/^-|^\w+=/.test(word)) break;
    index += withValue.has(word) ? 2 : 1;
  }
  return index;
}
