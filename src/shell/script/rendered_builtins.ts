/**
 * Builtins of bash that evaluate their arguments: names with subscripts, numbers that are expressions, code for
 * completion. What could make one of them run something is refused.
 */
import type { Command } from "unbash";
import { parameterOf, readWord } from "../words.ts";
import { literalValue, NotRenderedError, type RenderContext } from "./rendered_word.ts";

/** These run or evaluate text, or change which program a name means. */
const EVALUATING = /^(let|eval|compgen|complete|compopt|bind|fc|enable|hash|alias|trap|builtin)$/;
/** These take names of variables; a name may have a subscript, which bash evaluates. */
const TAKES_NAMES =
  /^(export|readonly|declare|typeset|local|read|mapfile|readarray|getopts|unset)$/;
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
  if (program === "printf") return requireFormat(args[0]);
  if (program === "test" || program === "[") return requirePlainTest(args, unsplit);
}

function requireNames(program: string, values: readonly (string | undefined)[]): void {
  const declares = !/^(read|mapfile|readarray|getopts|unset)$/.test(program);
  for (const value of values) {
    if (value === undefined || value.includes("[")) {
      throw new NotRenderedError(`${program} with a name that is not plain`);
    }
    if (declares && ATTRIBUTES.test(value)) throw new NotRenderedError(`${program} ${value}`);
  }
}

/** `printf -v NAME` assigns; a format that is not known may begin so. */
function requireFormat(format: Command["args"][number] | undefined): void {
  if (format === undefined) return;
  const known = format.type === "Word" ? readWord(format, new Map()).prefix : "";
  if (/^(-v.*|-?)$/s.test(known)) throw new NotRenderedError("printf with an unknown format");
}

/** `[ -v NAME ]` evaluates a subscript, and what is not in quotes may become that. */
function requirePlainTest(args: Command["args"], unsplit: ReadonlySet<string>): void {
  for (const one of args) {
    if (one.type !== "Word") throw new NotRenderedError(one.text);
    const { kind, value } = readWord(one, new Map());
    const fixed = value.replace(/\[[^\]]*\]|[*?]/g, "");
    // A pattern may match a file of that name.
    if (/^-[vR]$/.test(value) || (kind !== "literal" && /^[-vR]*$/.test(fixed))) {
      throw new NotRenderedError(`[ ${one.text} ]`);
    }
    for (const part of one.parts ?? []) {
      if (part.type === "BraceExpansion") throw new NotRenderedError(`[ ${one.text} ]`);
      if (part.type === "CommandExpansion" || unsplit.has(parameterOf(part) ?? "")) {
        throw new NotRenderedError("[ ] with a value that is not in quotes");
      }
    }
  }
}
