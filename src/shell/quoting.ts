/**
 * Where single quotes quote nothing: in arithmetic, in subscripts and in parts of `${...}` bash reads a text as
 * between double quotes, so that `$(( '$(rm x)' ))` runs rm, while the parser takes it for a text. `syntax.ts`
 * refuses what stands so.
 */
import { forEachChild, type SyntaxNode } from "unbash";

/** Whether quotes stand in this very node that bash may take for none, and that hide something if it does. */
export function misreadsQuotes(node: SyntaxNode, source: string): boolean {
  switch (node.type) {
    case "ArithmeticWord":
    case "ParameterExpansion":
      return hidesExpansion(node);
    case "ArithmeticExpansion":
    case "ArithmeticCommand": {
      const text = source.slice(node.pos, node.end);
      return node.expression ? hidesExpansion(node) : text.includes("'") && EXPANDS.test(text);
    }
    case "Assignment":
      return (node.index !== undefined && hidesExpansion(node.index)) ||
        (node.value.type === "ArrayValue" &&
          node.value.elements.some((one) => /^\[/.test(one.text) && hidesExpansion(one)));
    default:
      return false;
  }
}

/** What begins an expansion. */
const EXPANDS = /[$`]/;

/** Whether an expansion stands in single quotes somewhere in a node, nested scripts left out. */
function hidesExpansion(node: SyntaxNode): boolean {
  switch (node.type) {
    case "SingleQuoted":
      return EXPANDS.test(node.value);
    case "AnsiCQuoted":
      return EXPANDS.test(node.text.slice(1)) || EXPANDS.test(node.value);
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      return false;
    default: {
      let found = false;
      forEachChild(node, (child) => {
        found ||= hidesExpansion(child);
      });
      return found;
    }
  }
}
