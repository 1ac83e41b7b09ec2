/**
 * What a row of the program tables says, and how the arguments of a command are read by it: which words are
 * options, what their values are, and what the rest names. The tables are in `programs/`.
 */
import { isRiskier, type Risk } from "../core/permission.ts";
import type { Need } from "../core/sandbox.ts";
import type { ShellWord } from "./words.ts";

/** What speaks for a risk, and why. */
export interface Finding {
  readonly risk: Risk;
  readonly why: string;
  /** Of an option: takes a value, which counts for nothing more. */
  readonly valued?: true;
  /** Nobody knows what it needs: it names no power, so that running it closed can change nothing. */
  readonly tentative?: true;
}

/** What a word is to a program: plain text, a file it reads or writes, `FILE:/PLACE`, or text it runs. */
export type Role = "text" | "read" | "write" | "volume" | "code";

/** How a wrapper's own arguments end and the inner command begins. */
export interface Wrapper {
  /** Options without a value, besides those in `valued`. */
  readonly flags: string;
  readonly valued: string;
  /** Words between the options and the inner command. @default 0 */
  readonly skip?: number;
  /** Takes `NAME=VALUE` before the inner command. */
  readonly assigns?: true;
  /** Of the options in `valued`, those that name a file to read. */
  readonly reads?: string;
  /** Adds words of its own to the inner command. */
  readonly supplies?: true;
  /** Options such as `-10`. */
  readonly numbers?: true;
}

/** How an interpreter is told what to run. */
export interface Interpreter {
  /** Options whose value is code. */
  readonly code: string;
  /** Options with a value that is not code. */
  readonly valued?: string;
  /** Options whose value is a file or a package that is loaded first. */
  readonly loads?: string;
  /** The language, if code can be looked at: a shell's is analyzed, others' are screened. */
  readonly language?: "shell" | "python" | "javascript";
}

/** What is known of a program's risk, by its options and operands. */
export interface Program {
  /** Of the program by itself, whatever its arguments. */
  readonly risk: Risk;
  readonly why: string;
  readonly tentative?: true;
  /** What the words are that belong to no option; `copy` reads all but the last, which it writes. */
  readonly operands: Role | "copy";
  /** How many operands at the beginning are text, whatever `operands` says. */
  readonly skip: number;
  readonly options: ReadonlyMap<string, Role | Finding>;
  /** True if options are words with one dash, such as `-exec`. */
  readonly longDash: boolean;
  readonly subcommands?: ReadonlyMap<string, Program>;
  /** A grammar of its own, judged by code. */
  readonly grammar?: Grammar;
  readonly wrapper?: Wrapper;
  readonly interpreter?: Interpreter;
  /** Files of the workspace that say what it does: their content is part of a grant. */
  readonly executes: readonly string[];
  /** What it gets in the sandbox once it is allowed. */
  readonly needs: readonly Need[];
  /** Options with which the operands are written, whatever `operands` says. */
  readonly rewrites?: RegExp;
  /** Options with which it changes nothing by itself, whatever `operands` says. */
  readonly onlyChecks?: RegExp;
  /** Only reads, but may run programs that a configuration names: safe where the sandbox holds them. */
  readonly safeSandboxed?: true;
}

/** Programs whose arguments are a language. */
export type Grammar =
  | "find"
  | "sed"
  | "awk"
  | "kill"
  | "rm"
  | "chmod"
  | "curl"
  | "git"
  | "assign"
  | "read"
  | "cd"
  | "shell_options"
  | "cloud"
  | "make"
  | "archive"
  | "mv"
  | "chown"
  | "joined_text"
  | "sql";

/** A program as its row gives it; what is left out has its default. */
interface ProgramSpec extends Partial<Omit<Program, "risk" | "why" | "options" | "subcommands">> {
  /** Each key lists the spellings of one option: `"-o --output"`. */
  readonly options?: Readonly<Record<string, Role | Finding>>;
  readonly subcommands?: readonly Row[];
}

/** A row of the table of programs. */
export type Row = readonly [name: string, program: Program];

/** A finding that is extremely sensitive. */
export const extreme = (why: string): Finding => ({ risk: "extreme", why });
/** A finding that is sensitive. */
export const sensitive = (why: string): Finding => ({ risk: "sensitive", why });

/** A finding against what only has to be held: where it runs closed, it needs no question. */
export const tentative = (finding: Finding): Finding => ({ ...finding, tentative: true });

/** The words of a list in a row, which blanks and line ends separate. */
export function splitList(text = ""): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** The same row for each program of a list of names. */
export function rows(names: string, finding: Finding, spec: ProgramSpec = {}): Row[] {
  const options = Object.entries(spec.options ?? {}).flatMap(([keys, effect]) =>
    splitList(keys).map((key) => [key, effect] as const)
  );
  const { subcommands, ...rest } = spec;
  const program: Program = {
    operands: "text",
    skip: 0,
    longDash: false,
    executes: [],
    needs: [],
    ...finding,
    ...rest,
    options: new Map(options),
    ...(subcommands && { subcommands: new Map(subcommands) }),
  };
  return splitList(names).map((name) => [name, program]);
}

/** Rows for what only reads. */
export const safeRows = (names: string, spec: ProgramSpec = {}): Row[] =>
  rows(names, { risk: "safe", why: "only reads" }, spec);

/** Rows for what changes the workspace, runs its code or uses the network. */
export const sensitiveRows = (names: string, why: string, spec: ProgramSpec = {}): Row[] =>
  rows(names, sensitive(why), spec);

/** Rows for what runs code of which nobody knows what it needs. */
export const tentativeRows = (names: string, why: string, spec: ProgramSpec = {}): Row[] =>
  rows(names, tentative(sensitive(why)), spec);

/** Rows for what can do great harm. */
export const extremeRows = (names: string, why: string, spec: ProgramSpec = {}): Row[] =>
  rows(names, extreme(why), spec);

/** What a program is by itself, whatever its arguments. */
export function findingOf({ risk, why, tentative }: Program, name: string): Finding {
  return { risk, why: `${name} ${why}`, ...(tentative && { tentative }) };
}

/** The rows with what all of them, and their subcommands, get in the sandbox. */
export function addNeeds(needs: readonly Need[], table: readonly Row[]): Row[] {
  return table.map(([name, program]) => [name, {
    ...program,
    needs: [...program.needs, ...needs],
    ...(program.subcommands && {
      subcommands: new Map(addNeeds(needs, [...program.subcommands])),
    }),
  }]);
}

/** The arguments of one command, sorted. */
export interface Arguments {
  /** What belongs to no option, in order. */
  readonly operands: readonly ShellWord[];
  /** Options that the table knows, with their values. */
  readonly effects: readonly {
    effect: Role | Finding;
    option: string;
    value: ShellWord | undefined;
  }[];
  /** Options that the table does not know. */
  readonly unknownOptions: readonly ShellWord[];
}

/** Sorts the words after a program's name. With `first`, all after the first operand are operands. */
export function readArguments(
  program: Pick<Program, "options" | "longDash">,
  words: readonly ShellWord[],
  { first = false } = {},
): Arguments {
  const operands: ShellWord[] = [];
  const unknownOptions: ShellWord[] = [];
  const effects: { effect: Role | Finding; option: string; value: ShellWord | undefined }[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word.kind === "literal" && word.value === "--") {
      operands.push(...words.slice(index + 1));
      break;
    }
    if (!/^-./.test(word.prefix) && !isExpression(word, program)) {
      operands.push(word);
      if (first) {
        operands.push(...words.slice(index + 1));
        break;
      }
      continue;
    }
    const found = matchOption(program, word);
    if (!found) {
      unknownOptions.push(word);
      continue;
    }
    const takesNext = (typeof found.effect === "string" || found.effect.valued) &&
      found.attached === undefined;
    const value = found.attached ?? (takesNext ? words[++index] : undefined);
    effects.push({ effect: found.effect, option: found.option, value });
  }
  return { operands, effects, unknownOptions };
}

/** Options without a dash: words of a table, and `+COMMAND` of pagers and editors. */
function isExpression(word: ShellWord, { options }: Pick<Program, "options">): boolean {
  if (options.has("+") && /^\+(?![\dGF]*$)/.test(word.value)) return true;
  return word.kind === "literal" && options.has(word.value);
}

interface MatchedOption {
  readonly option: string;
  readonly effect: Role | Finding;
  readonly attached: ShellWord | undefined;
}

function matchOption(
  program: Pick<Program, "options" | "longDash">,
  word: ShellWord,
): MatchedOption | undefined {
  const { options } = program;
  const equals = word.prefix.search(program.longDash ? /[=:]/ : /=/);
  const name = equals > 0 ? word.prefix.slice(0, equals) : word.prefix;
  const attached = equals > 0 ? sliceWord(word, equals + 1) : undefined;
  if (word.prefix.startsWith("+") && options.has("+")) {
    return { option: "+", effect: options.get("+")!, attached: sliceWord(word, 1) };
  }
  const exact = options.get(name);
  if (exact !== undefined) return { option: name, effect: exact, attached };
  if (word.prefix.startsWith("--")) {
    // GNU programs accept any unmistakable beginning of a long option.
    for (const [option, effect] of options) {
      if (name.length > 2 && option.startsWith(name)) return { option, effect, attached };
    }
    return undefined;
  }
  if (program.longDash) return undefined;
  return matchCluster(options, word);
}

/** `-rf`, `-ofile`: the first letter that the table knows decides. */
function matchCluster(
  options: Program["options"],
  word: ShellWord,
): MatchedOption | undefined {
  for (let index = 1; index < word.prefix.length; index++) {
    const option = `-${word.prefix[index]}`;
    const effect = options.get(option);
    if (effect === undefined) continue;
    const after = sliceWord(word, index + 1);
    // Plain letters after a flag without a value may hide a riskier one.
    if (typeof effect !== "string") {
      const next = after &&
        matchCluster(options, {
          ...after,
          value: `-${after.value}`,
          prefix: `-${after.prefix}`,
        });
      const riskier = typeof next?.effect === "object" && isRiskier(next.effect.risk, effect.risk);
      return next && riskier ? next : { option, effect, attached: undefined };
    }
    return { option, effect, attached: after };
  }
  return undefined;
}

/** What remains of a word from a place of its beginning on. */
function sliceWord(word: ShellWord, from: number): ShellWord | undefined {
  const value = word.value.slice(from);
  return value === "" ? undefined : { ...word, value, prefix: word.prefix.slice(from) };
}
