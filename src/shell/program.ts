/**
 * What a row of the program tables says: which powers a program needs, and which of its options and words name
 * one. Options that only say what is read have no place in it: what names no power is held by the closed shape.
 */
import type { Risk } from "../core/permission.ts";
import type { Need } from "../core/sandbox.ts";
import type { ShellWord } from "./words.ts";

/** What speaks for a risk, and why. */
export interface Finding {
  readonly risk: Risk;
  readonly why: string;
  /** Nobody knows what it needs: it names no power, so that running it closed can change nothing. */
  readonly tentative?: true;
  /** Extreme beside a power alone: without one the sandbox keeps it to the workspace. */
  readonly held?: true;
  /** A place outside of the workspace that is written, absolute. */
  readonly outside?: string;
}

/**
 * What a word is to a program: plain text, text that may be a path elsewhere, a file it reads or writes, `FILE:/PLACE`,
 * or text it runs.
 */
type WordRole = "text" | "path" | "read" | "write" | "volume" | "code";
/**
 * What a word or an option is to a program. An option has no value, one in the same word, in the next one, or where it
 * looks so; or it is code of an interpreter, a file or a package that it runs first, a command up to `;` or `+`, or a
 * setting `NAME=VALUE` that is judged as if the program's own subcommand `config` made it. With `rewrites` the operands
 * are written, with `saves` what they are called in the end, and with `spares` none of them counts for what it matches.
 */
export type Role =
  | WordRole
  | ("flag" | "attached" | "next" | "number" | "list")
  | ("script" | "loads" | "command" | "setting" | "rewrites" | "spares" | "saves");

/** What an option means: the role of its value, or a finding; `valued` if that takes a value as well. */
export type Effect = Role | (Finding & { readonly valued?: true });

/** What is known of a program's risk, by its options and operands. */
export interface Program extends Finding {
  /** What the words are that belong to no option; `copy` reads all but the last, which it writes, `link` where it is held. */
  readonly operands: WordRole | "copy" | "link";
  /** How many operands at the beginning are text, or a wrapper's own. */
  readonly skip: number;
  readonly options: ReadonlyMap<string, Effect>;
  /** What an operand means that looks so. */
  readonly matches: readonly (readonly [pattern: RegExp, finding: Finding])[];
  /** What is found unless all its words, one a line, look so: `$` is a variable, a NUL what else is not known, `<` input. */
  readonly unless?: readonly [pattern: RegExp, finding: Finding];
  /** True if options are words with one dash, such as `-exec`. */
  readonly longDash: boolean;
  readonly subcommands: ReadonlyMap<string, Program>;
  /** What code has to judge beside the row. */
  readonly special?: "network" | "files";
  /** It runs another program, takes `NAME=VALUE` before it, adds words to it, or looks for it in the project's packages. */
  readonly wrapper?: "runs" | "assigns" | "supplies" | "project";
  /** The language of an interpreter, "" if it is none that can be looked at. */
  readonly interpreter?: string;
  /** Files of the workspace that say what it does: their content is part of a grant. */
  readonly executes: readonly string[];
  /** What it gets in the sandbox once it is allowed. */
  readonly needs: readonly Need[];
  /** What operands look like, where that is all that is known of them. */
  readonly checks?: RegExp;
  /** With no more operands than these it only lists. */
  readonly lists?: number;
  /** What its words look like, one a line, where it is told to look at what there is and to change nothing. */
  readonly looks: readonly RegExp[];
}

/** A row of the table of programs. */
export type Row = readonly [name: string, program: Program];

/** A finding that is extremely sensitive. */
export const extreme = (why: string): Finding => ({ risk: "extreme", why });
/** A finding that is extreme, and that a sandbox without a power keeps to the workspace. */
export const held = (why: string): Finding => ({ ...extreme(why), held: true });
/** A finding that is sensitive. */
export const sensitive = (why: string): Finding => ({ risk: "sensitive", why });
/** A finding against what only has to be held: where it runs closed, it needs no question. */
export const tentative = (finding: Finding): Finding => ({ ...finding, tentative: true });

/** What a program is by itself, whatever its arguments. */
export function findingOf({ risk, why, tentative }: Program, name: string): Finding {
  return { risk, why: `${name} ${why}`, ...(tentative && { tentative }) };
}

/** The arguments of one command, sorted. */
export interface Arguments {
  /** What belongs to no option, in order. */
  readonly operands: readonly ShellWord[];
  /** Options that the table knows, with their values. */
  readonly effects: readonly Readonly<MatchedOption>[];
  /** Options that the table does not know. */
  readonly unknownOptions: readonly ShellWord[];
  /** Numbers behind such options: the values of these, or operands. */
  readonly numbers: readonly ShellWord[];
}

/** Options in place of the text in front; behind `--rawfile NAME` of jq stands a file. */
const GIVES_TEXT = /^(-[ef]|--(regexp|expression|file|files|from-file|(raw|slurp|arg)file))$/;

/** How many operands in front are text: none where an option gives it, or takes its place, nor for what a number may be. */
export function textsInFront({ operands, skip }: Program, { effects, numbers }: Arguments): number {
  const given = operands === "read" && effects.some(({ option }) => GIVES_TEXT.test(option));
  return given ? 0 : Math.max(0, skip - numbers.length);
}

/** What of a row says how words are sorted. */
type OptionTable = Pick<Program, "options" | "longDash" | "risk">;

/** How the names of options end that run something, whatever the program; the row may say otherwise. */
const RUNS =
  /^-(?!-?no-)([a-zA-Z-]*-)?(cmd|command|eval|exec|hook|pager|program|rsh|script|wrapper)$/;
/** What those are called that write a file, without the dashes inside. */
const WRITES = /^--?(out(put)?|(out(put)?|log)file|(out(put)?|target)dir(ectory)?)$/i;

/** What an option means by its name. */
function usualEffect(option: string, { risk }: OptionTable): Effect | undefined {
  if (RUNS.test(option)) return "code";
  const writes = option === "-o" || WRITES.test(option.replaceAll(/(?<=\w)-/g, ""));
  return risk === "sensitive" && writes ? "write" : undefined;
}

/**
 * Sorts the words after a program's name. With `first`, all after the first operand are operands. With `exact`, what
 * the table does not know by its full name is unknown, every letter of it.
 */
export function readArguments(
  table: OptionTable,
  words: readonly ShellWord[],
  { first = false, exact = false } = {},
): Arguments {
  const operands: ShellWord[] = [];
  const unknownOptions: ShellWord[] = [];
  const numbers: ShellWord[] = [];
  const effects: MatchedOption[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const ends = word.kind === "literal" && word.value === "--" && !table.longDash;
    if (ends || (first && !isOption(word, table))) {
      operands.push(...words.slice(ends ? at + 1 : at));
      break;
    }
    if (!isOption(word, table)) {
      operands.push(word);
      continue;
    }
    const found = matchOption(word, { table, exact });
    const last = found.at(-1);
    if (last?.effect === "command") {
      const from = at + 1;
      while (++at < words.length && !/^[;+]$/.test(words[at]!.value)) continue;
      last.command = words.slice(from, at);
    } else if (last && !last.value && takesNext(last.effect)) last.value = words[++at];
    effects.push(...found);
    if (!last) unknownOptions.push(word);
    if (!last && !exact && /^\d+$/.test(words[at + 1]?.value ?? "")) numbers.push(words[++at]!);
  }
  return { operands, effects, unknownOptions, numbers };
}

/** Also words of a table without a dash. */
function isOption(word: ShellWord, { options }: OptionTable): boolean {
  if (/^-./.test(word.prefix)) return true;
  return word.kind === "literal" && options.has(word.value);
}

function takesNext(effect: Effect): boolean {
  return typeof effect === "string"
    ? !/^(flag|attached|rewrites|spares|saves)$/.test(effect)
    : effect.valued === true;
}

interface MatchedOption {
  readonly option: string;
  readonly effect: Effect;
  value: ShellWord | undefined;
  /** What it runs. */
  command?: readonly ShellWord[];
}

/** The options that a word stands for; none if no row has them, or with `exact` not all of what it says. */
function matchOption(
  word: ShellWord,
  { table, exact }: { table: OptionTable; exact: boolean },
): MatchedOption[] {
  const { options, longDash } = table;
  const effectOf = (name: string) =>
    options.get(name) ?? (exact ? undefined : usualEffect(name, table));
  const one = (option: string, value?: ShellWord) => {
    const effect = effectOf(option)!;
    return exact && effect === "flag" && value ? [] : [{ option, effect, value }];
  };
  if (/^-\d+$/.test(word.value) && options.has("-#")) return one("-#");
  const equals = word.prefix.search(longDash ? /[=:]/ : /=/);
  const name = equals > 0 ? word.prefix.slice(0, equals) : word.prefix;
  const value = equals > 0 ? sliceWord(word, equals + 1) : undefined;
  if (effectOf(name) && (value || word.kind === "literal")) return one(name, value);
  if (!word.prefix.startsWith("--")) return longDash ? [] : matchLetters(word, { effectOf, exact });
  // GNU programs accept any unmistakable beginning of a long option.
  const longer = exact || name.length < 3
    ? undefined
    : [...options.keys()].find((option) => option.startsWith(name));
  return longer === undefined ? [] : one(longer, value);
}

/** `-rf`, `-ofile`: up to the first letter with a value. */
function matchLetters(
  word: ShellWord,
  { effectOf, exact }: { effectOf: (option: string) => Effect | undefined; exact: boolean },
): MatchedOption[] {
  const found: MatchedOption[] = [];
  // Behind a sign no letter is an option.
  const letters = word.prefix.slice(1).match(/^[\w#]*/)![0].length;
  for (let at = 1; at <= letters; at++) {
    const option = `-${word.prefix[at]}`;
    const effect = effectOf(option);
    if (effect === undefined) {
      if (exact) return [];
      continue;
    }
    const isLast = at === word.value.length - 1;
    const valued = takesNext(effect) || effect === "attached";
    found.push({ option, effect, value: valued && !isLast ? sliceWord(word, at + 1) : undefined });
    if (valued) return exact && effect === "next" && !isLast ? [] : found;
  }
  const isWhole = word.kind === "literal" && letters === word.value.length - 1;
  return exact && !isWhole ? [] : found;
}

/** What remains of a word from a place of its beginning on. */
function sliceWord(word: ShellWord, from: number): ShellWord {
  const [value, prefix] = [word.value.slice(from), word.prefix.slice(from)];
  return { ...word, value, prefix, node: undefined };
}
