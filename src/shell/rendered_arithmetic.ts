/**
 * Arithmetic of the canonical text: numbers, and variables of which it is known that they hold some. bash
 * evaluates whatever a variable holds, so that any other is refused.
 */
import type { ArithmeticExpression } from "unbash";
import { NotRenderedError, type RenderContext } from "./render_context.ts";

const OPERATORS = /^(?:[-+*/%&|^!~<>]|\*\*|<<|>>|[<>=!]=|&&|\|\|)$/;
const NUMBER = /^(?:\d+|0[xX][0-9a-fA-F]+|\d{1,2}#\w+)$/;

/** An expression, each step of it in parentheses. @throws {NotRenderedError} it cannot be rendered */
export function renderArithmetic(
  node: ArithmeticExpression | undefined,
  context: Pick<RenderContext, "unevaluated">,
): string {
  if (!node) throw new NotRenderedError("arithmetic that is not plain");
  const inner = (one: ArithmeticExpression) => renderArithmetic(one, context);
  switch (node.type) {
    case "ArithmeticBinary":
      return `(${inner(node.left)} ${requireOperator(node.operator)} ${inner(node.right)})`;
    case "ArithmeticUnary":
      return `(${requireOperator(node.operator)} ${inner(node.operand)})`;
    case "ArithmeticTernary":
      return `(${inner(node.test)} ? ${inner(node.consequent)} : ${inner(node.alternate)})`;
    case "ArithmeticGroup":
      return inner(node.expression);
    case "ArithmeticWord":
      return renderOperand(node.value, context);
    case "ArithmeticCommandExpansion":
      throw new NotRenderedError("arithmetic with the output of a command");
  }
}

function requireOperator(operator: string): string {
  if (OPERATORS.test(operator)) return operator;
  throw new NotRenderedError(`${operator} in arithmetic`);
}

function renderOperand(value: string, { unevaluated }: Pick<RenderContext, "unevaluated">): string {
  if (NUMBER.test(value)) return value;
  const name = /^(?:\$?([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}|\$([#?]|\{#\}))$/.exec(value);
  const variable = name?.[1] ?? name?.[2];
  if (!name || (variable !== undefined && unevaluated.has(variable))) {
    throw new NotRenderedError(`${value} in arithmetic`);
  }
  return value;
}
