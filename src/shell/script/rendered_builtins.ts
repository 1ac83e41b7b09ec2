/**
 * Builtins of bash that evaluate their arguments: names with subscripts, numbers that are expressions, code for
 * completion. What could make one of them run something, or give a variable that means something a value, is refused.
 */
import type { Command, Word } from "unbash";
import { isHijacking } from "../variables.ts";
import { innerParts, parameterOf, readWord } from "../words.ts";
import {
  literalValue,
  NotRenderedError,
  OWN_VARIABLES,
  type RenderContext,
} from "./rendered_word.ts";

/** These run or evaluate text, or change which program a name means. */
const EVALUATING =
  /^(let|eval|compgen|complete|compopt|bind|fc|enable|hash|alias|trap|builtin|jobs|history)$/;
/** These take names of variables; a name may have a subscript, which bash evaluates. */
const TAKES_NAMES =
  /^(export|readonly|declare|typeset|local|read|mapfile|readarray|getopts|unset)$/;
/** These do what their first words say. */
const TOLD =
  /^(bg|caller|dirs|disown|fg|logout|popd|set|shift|shopt|source|\.|suspend|times|ulimit|umask)$/;
const EVALUATES = new RegExp(
  `${EVALUATING.source}|${TAKES_NAMES.source}|^(printf|test|\\[|wait)$`,
);
/** Attributes that change what assigning or reading a variable does. */
const ATTRIBUTES = /^[-+](?=[a-zA-Z])[a-zA-Z]*[aAinClu]/;

/** Refuses a builtin whose arguments bash might evaluate. @throws {NotRenderedError} */
export function requireHarmlessBuiltin(
  { name, args }: Command,
  { unsplit }: Pick<RenderContext, "unsplit">,
): void {
  const words = [...name ? [name] : [], ...args];
  const [program, ...rest] = words.map((one) => one.type === "Word" ? literalValue(one) : "");
  if (program === undefined) throw new NotRenderedError("a program that is not named");
  if (rest.length === 0) return;
  if (program === "command" && !/^-[vV]$/.test(rest[0] ?? "")) {
    const evaluates = (value: string | undefined) => value === undefined || EVALUATES.test(value);
    if (rest.some(evaluates)) throw new NotRenderedError("command with a builtin");
  }
  if (EVALUATING.test(program)) throw new NotRenderedError(program);
  if (program === "wait" && args.some(({ text }) => !/^("?\$!"?|%?\d+)$/.test(text))) {
    throw new NotRenderedError("wait with a name");
  }
  if (TAKES_NAMES.test(program)) return requireNames(program, rest);
  // `set -- "$@"`: what follows is no option, whatever it is.
  if (TOLD.test(program) && rest[0] !== "--" && rest.includes(undefined)) {
    throw new NotRenderedError(`${program} with what is only known at run time`);
  }
  if (program === "printf") return requireFormat(args);
  if (program === "test" || program === "[") return requirePlainTest(args, { program, unsplit });
}

function requireNames(program: string, values: readonly (string | undefined)[]): void {
  const declares = !/^(read|mapfile|readarray|getopts|unset)$/.test(program);
  for (const value of values) {
    if (value === undefined || value.includes("[")) {
      throw new NotRenderedError(`${program} with a name that is not plain`);
    }
    if (declares && ATTRIBUTES.test(value)) throw new NotRenderedError(`${program} ${value}`);
    const names = possibleNames(value).map((name) => name.replace(/=.*/s, ""));
    if (names.some((one) => isHijacking(one) || OWN_VARIABLES.test(one))) {
      throw new NotRenderedError(`${program} ${value}`);
    }
  }
}

/** What of a builtin's word may be a name: all of it, or what stands right behind the letter of an option. */
export function possibleNames(word: string): string[] {
  return word.startsWith("-") ? Array.from(word, (_, at) => word.slice(at)) : [word];
}

/** How a format of `printf` gives a number to the variable that an argument names. */
const STORES = /%[^a-zA-Z%]*[hlLjtz]*n/;

/** `printf -v NAME` assigns, and so does `%n`; a format that is not known may begin so, or hold that. */
function requireFormat(args: Command["args"]): void {
  const words = args[0]?.text === "--" ? args.slice(1) : args;
  const [format, ...values] = words.map((one) =>
    one.type === "Word" ? readWord(one, new Map()) : undefined
  );
  if (words.length === 0) return;
  const isKnown = format?.kind === "literal" && !STORES.test(format.value.replaceAll("%%", ""));
  if (!format || /^(-v.*|-?)$/s.test(format.prefix) || (!isKnown && values.length > 0)) {
    throw new NotRenderedError("printf with an unknown format");
  }
}

const UNARY = /^-[abcdefghknoprstuwxzGLNOS]$/;
const BINARY = /^(=|==|!=|<|>|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/**
 * `[ -v NAME ]` evaluates a subscript. What is only known at run time could be such an operator, so that it stands
 * where bash looks for none: alone, behind an operator, or around one.
 */
function requirePlainTest(
  args: Command["args"],
  { program, unsplit }: { program: string; unsplit: ReadonlySet<string> },
): void {
  const words = program === "[" ? args.slice(0, -1) : args;
  const values = words.map((one) => one.type === "Word" ? literalValue(one) : undefined);
  if (values.some((value) => value !== undefined && /^-[vR]$/.test(value))) {
    throw new NotRenderedError("[ -v ]");
  }
  if (!values.includes(undefined)) return;
  const rest = values[0] === "!" ? values.slice(1) : values;
  const [first = "", second = ""] = rest;
  const isPlain = rest.length === 1 ||
    (rest.length === 2 && UNARY.test(first)) ||
    (rest.length === 3 && BINARY.test(second));
  const isOne = (one: Command["args"][number]) => one.type === "Word" && isOneWord(one, unsplit);
  if (!isPlain || !words.every(isOne)) {
    throw new NotRenderedError("[ ] with what may be an operator");
  }
}

/** Whether bash makes one word of it, whatever variables hold and files are called. */
function isOneWord(word: Word, unsplit: ReadonlySet<string>): boolean {
  const mayBeSeveral = (type: string) => /^(Glob|ExtendedGlob|BraceExpansion)$/.test(type);
  if (innerParts(word).some(({ type }) => mayBeSeveral(type))) return false;
  return (word.parts ?? []).every((part) =>
    part.type !== "CommandExpansion" && !unsplit.has(parameterOf(part) ?? "")
  );
}
