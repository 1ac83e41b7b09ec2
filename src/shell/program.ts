/**
 * What a row of the program tables says: which powers a program needs, and which of its options and words name
 * one. Options that only say what is read have no place in it: what names no power is held by the closed shape.
 */
import { isRiskier, type Risk } from "../core/permission.ts";
import type { Need } from "../core/sandbox.ts";
import type { ShellWord } from "./words.ts";

/** What speaks for a risk, and why. */
export interface Finding {
  readonly risk: Risk;
  readonly why: string;
  /** Nobody knows what it needs: it names no power, so that running it closed can change nothing. */
  readonly tentative?: true;
}

/** What a word is to a program: plain text, a file it reads or writes, `FILE:/PLACE`, or text it runs. */
export type Role = "text" | "read" | "write" | "volume" | "code";

/** What an option means: the role of its value, or a finding; `valued` if that takes a value as well. */
export type Effect = Role | (Finding & { readonly valued?: true });

/** How a wrapper's own arguments end and the inner command begins. */
interface Wrapper {
  /** Words between the options and the inner command. */
  readonly skip: number;
  /** Takes `NAME=VALUE` before the inner command. */
  readonly assigns: boolean;
  /** Adds words of its own to the inner command. */
  readonly supplies: boolean;
  /** Options such as `-10`. */
  readonly numbers: boolean;
}

/** What is known of a program's risk, by its options and operands. */
export interface Program extends Finding {
  /** What the words are that belong to no option; `copy` reads all but the last, which it writes. */
  readonly operands: Role | "copy";
  /** How many operands at the beginning are text, whatever `operands` says. */
  readonly skip: number;
  readonly options: ReadonlyMap<string, Effect>;
  /** What an operand means that looks so. */
  readonly matches: readonly (readonly [pattern: RegExp, finding: Finding])[];
  /** True if options are words with one dash, such as `-exec`. */
  readonly longDash: boolean;
  readonly subcommands: ReadonlyMap<string, Program>;
  /** What code has to judge beside the row. */
  readonly special?: "find" | "joined_text" | "network" | "statements" | "kill" | "many" | "cd";
  readonly wrapper?: Wrapper;
  /** The language of an interpreter, "" if it is none that can be looked at. */
  readonly interpreter?: string;
  /** Of a wrapper or an interpreter: options without a value, with one, with code, with a file that is loaded. */
  readonly flags: readonly string[];
  readonly valued: readonly string[];
  readonly code: readonly string[];
  readonly loads: readonly string[];
  /** Files of the workspace that say what it does: their content is part of a grant. */
  readonly executes: readonly string[];
  /** What it gets in the sandbox once it is allowed. */
  readonly needs: readonly Need[];
  /** Options with which the operands are written, whatever `operands` says. */
  readonly rewrites?: RegExp;
  /** Words with which it changes nothing by itself, and words with which no operand counts for what it matches. */
  readonly checks?: RegExp;
  readonly spares?: RegExp;
  /** With no more operands than these it only lists. */
  readonly lists?: number;
  /** `list`, `show` and their like only look. */
  readonly looks: boolean;
  /** Only reads, but may run programs that a configuration names: safe where the sandbox holds them. */
  readonly held: boolean;
}

/** A row of the table of programs. */
export type Row = readonly [name: string, program: Program];

/** A finding that is extremely sensitive. */
export const extreme = (why: string): Finding => ({ risk: "extreme", why });
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
  readonly effects: readonly {
    readonly effect: Effect;
    readonly option: string;
    readonly value: ShellWord | undefined;
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
  const effects: { effect: Effect; option: string; value: ShellWord | undefined }[] = [];
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
      // A number behind an option that is not known can only be its value.
      if (/^\d+$/.test(words[index + 1]?.value ?? "")) index++;
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
  readonly effect: Effect;
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
  return program.longDash ? undefined : matchCluster(options, word);
}

/** `-rf`, `-ofile`: the first letter that the table knows decides. */
function matchCluster(options: Program["options"], word: ShellWord): MatchedOption | undefined {
  for (let index = 1; index < word.prefix.length; index++) {
    const option = `-${word.prefix[index]}`;
    const effect = options.get(option);
    if (effect === undefined) continue;
    const after = sliceWord(word, index + 1);
    if (typeof effect === "string") return { option, effect, attached: after };
    // Plain letters after a flag without a value may hide a riskier one.
    const next = after &&
      matchCluster(options, { ...after, value: `-${after.value}`, prefix: `-${after.prefix}` });
    const riskier = typeof next?.effect === "object" && isRiskier(next.effect.risk, effect.risk);
    return next && riskier ? next : { option, effect, attached: undefined };
  }
  return undefined;
}

/** What remains of a word from a place of its beginning on. */
function sliceWord(word: ShellWord, from: number): ShellWord | undefined {
  const value = word.value.slice(from);
  return value === "" ? undefined : { ...word, value, prefix: word.prefix.slice(from) };
}
