/**
 * Variables of a script that may come to hold anything: all to which it gives a value that is not written out
 * plainly. Where bash evaluates a variable, or makes several arguments of it, such a value could be code.
 */
import { type Assignment, type Command, forEachChild, type SyntaxNode, type Word } from "unbash";

/** What must be certain of a variable: that it is a word or a number. */
export type Certainty = "words" | "numbers";

/** What a caller supplies, and what builtins fill if no name is given. */
const SUPPLIED = "REPLY MAPFILE OPTARG 1 2 3 4 5 6 7 8 9 @ *".split(" ");
const FILLS = /^(read|mapfile|readarray|getopts|printf|wait)$/;
/** What a plain value looks like. A name is no number: arithmetic goes on to what that holds. */
const PLAIN: Readonly<Record<Certainty, RegExp>> = {
  words: /^[\w.,:@%+/=-]*$/,
  numbers: /^\d*$/,
};

/** The variables of a script of which that is not certain. */
export function uncertainVariables(script: SyntaxNode, certainty: Certainty): Set<string> {
  const plain = PLAIN[certainty];
  const uncertain = new Set<string>(SUPPLIED);
  const visit = (node: SyntaxNode): void => {
    for (const name of namesFilled(node, plain)) uncertain.add(name);
    forEachChild(node, visit);
    if ("script" in node && node.script) visit(node.script);
  };
  visit(script);
  return uncertain;
}

/** The variables to which one node gives a value that is not plain. */
function namesFilled(node: SyntaxNode, plain: RegExp): string[] {
  switch (node.type) {
    case "Assignment":
      return isPlainAssignment(node, plain) ? [] : [node.name];
    case "For":
    case "Select":
      return node.wordlist?.every((word) => isPlainWord(word, plain)) ? [] : [node.name.value];
    case "ParameterExpansion":
      return node.operation?.type === "Default" && node.operation.operator.endsWith("=")
        ? [node.parameter]
        : [];
    case "Command":
      return filledBy(node);
    default:
      return [];
  }
}

function isPlainAssignment({ value, append, index }: Assignment, plain: RegExp): boolean {
  return value.type === "Word" && !append && !index && isPlainWord(value, plain);
}

/** Arithmetic yields a number. */
function isPlainWord({ text, value, parts = [] }: Word, plain: RegExp): boolean {
  if (parts.length === 0) return plain.test(value) && !text.startsWith("~");
  return parts.every((part) => {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
        return plain.test(part.value);
      case "DoubleQuoted":
        return part.parts.every((one) =>
          one.type === "ArithmeticExpansion" || (one.type === "Literal" && plain.test(one.value))
        );
      case "BraceExpansion":
        return plain.test(part.text.slice(1, -1).replace(/,|\.\./g, ""));
      default:
        return part.type === "ArithmeticExpansion";
    }
  });
}

function filledBy({ name, args }: Command): string[] {
  if (!FILLS.test(name?.value ?? "")) return [];
  return args.flatMap((one) =>
    one.type === "Word" && /^[A-Za-z_]\w*$/.test(one.value) ? [one.value] : []
  );
}
