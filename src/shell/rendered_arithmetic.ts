/**
 * Arithmetic of the canonical text: numbers and variables. bash evaluates whatever a variable holds: a script in which
 * one may hold anything but a number was refused before.
 */
import type { ArithmeticExpression } from "unbash";
import { NotRenderedError, type RenderContext } from "./render_context.ts";

const OPERATORS = /^(?:[-+*/%&|^!~<>]|\*\*|<<|>>|[<>=!]=|&&|\|\||[-+*]?=|\+\+|--)$/;
const OPERAND =
  /^(?:\d+|0[xX][0-9a-fA-F]+|\d{1,2}#\w+|\$?[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}|\$[#?]|\$\{#\})$/;
/** What may be given a number: no variable that means something to bash or to programs. */
const COUNTER = /^[a-z][a-z\d_]*$/;

type ArithmeticContext = Pick<RenderContext, "posix">;

/** An expression, each step of it in parentheses. @throws {NotRenderedError} it cannot be rendered */
export function renderArithmetic(
  node: ArithmeticExpression | undefined,
  context: ArithmeticContext,
): string {
  if (!node) throw new NotRenderedError("arithmetic that is not plain");
  const inner = (one: ArithmeticExpression) => renderArithmetic(one, context);
  switch (node.type) {
    case "ArithmeticBinary":
      return `(${renderTarget(node.left, { of: node, context })} ${node.operator} ${
        inner(node.right)
      })`;
    case "ArithmeticUnary": {
      const operand = renderTarget(node.operand, { of: node, context });
      return node.prefix ? `(${node.operator} ${operand})` : `(${operand} ${node.operator})`;
    }
    case "ArithmeticTernary":
      return `(${inner(node.test)} ? ${inner(node.consequent)} : ${inner(node.alternate)})`;
    case "ArithmeticGroup":
      return inner(node.expression);
    case "ArithmeticWord":
      return renderOperand(node.value);
    case "ArithmeticCommandExpansion":
      throw new NotRenderedError("arithmetic with the output of a command");
  }
}

/** Whether a step of arithmetic gives a variable another value. */
export function assignsNumber({ operator }: { readonly operator: string }): boolean {
  return /^([-+*]?=|\+\+|--)$/.test(operator);
}

/** The operand that an operator may assign to. */
function renderTarget(
  node: ArithmeticExpression,
  { of: step, context }: { of: { readonly operator: string }; context: ArithmeticContext },
): string {
  const isCounter = node.type === "ArithmeticWord" && COUNTER.test(node.value) && !context.posix;
  if (OPERATORS.test(step.operator) && (isCounter || !assignsNumber(step))) {
    return renderArithmetic(node, context);
  }
  throw new NotRenderedError(`${step.operator} in arithmetic`);
}

function renderOperand(value: string): string {
  if (OPERAND.test(value)) return value;
  throw new NotRenderedError(`${value} in arithmetic`);
}
