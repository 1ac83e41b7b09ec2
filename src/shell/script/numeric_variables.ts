/**
 * Variables of which it is certain that they hold numbers. Arithmetic evaluates the text of any other, subscripts with
 * substitutions in them too, and bash gives text of the script to variables of its own (`_`, `BASH_REMATCH`).
 */
import {
  type ArithmeticExpression,
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
} from "unbash";
import { type ScriptVariables, uncertainVariables } from "../script_variables.ts";
import { assignsNumber } from "./rendered_word.ts";

/** A name is no number: arithmetic goes on to what that holds. */
const NUMBER = /^-?\d*$/;
/** To which bash itself gives numbers only. */
const COUNTED = "EPOCHSECONDS EUID LINENO PPID RANDOM SECONDS SRANDOM UID".split(" ");

/** Why the arithmetic of a script may run code, or undefined if it cannot. */
export function arithmeticHazard(variables: ScriptVariables): string | undefined {
  const uncertain = uncertainVariables(variables, NUMBER);
  const name = [...variables.evaluated].find((one) => uncertain.has(one));
  return name && `evaluates ${name} as arithmetic, which can run code`;
}

/** The variables to which a script, or bash itself, gives nothing but numbers. */
export function numericVariables(script: ParsedScript, variables: ScriptVariables): Set<string> {
  const given = new Set([...COUNTED, ...variables.given.keys()]);
  const visit = (node: SyntaxNode): void => {
    const counter = counterOf(node);
    if (counter?.type === "ArithmeticWord") given.add(counter.value);
    forEachChild(node, visit);
  };
  visit(script);
  return given.difference(uncertainVariables(variables, NUMBER));
}

/** To what a step of arithmetic gives a number. */
function counterOf(node: SyntaxNode): ArithmeticExpression | undefined {
  if (node.type === "ArithmeticBinary") return assignsNumber(node) ? node.left : undefined;
  if (node.type === "ArithmeticUnary") return assignsNumber(node) ? node.operand : undefined;
  return undefined;
}
