/**
 * Whether bash may run what only the data of a script holds: arithmetic, subscripts, prompts and names of variables are
 * evaluated once more, so that a number read from a file can be code.
 */
import { type Command, forEachChild, type ParsedScript, type SyntaxNode, type Word } from "unbash";
import { arithmeticHazard } from "../../shell/script/numeric_variables.ts";
import { readVariables, valueOf } from "../../shell/script_variables.ts";
import type { ShellWord } from "../../shell/words.ts";

/** What gives a number, whatever a file holds. */
const NUMBER = /^\$\((date \+%[sYmdHMS]|id -[ug]|nproc|wc -[lwcm] ?< ?["\w./${}-]+)\)$/;
const SUBSTITUTION = /\$\((?!\()|`|<\(/;
/** Transformations of a value that run nothing. */
const HARMLESS = /^[QEUuLKkAa]$/;
const COMPARES = /^-(eq|ne|lt|le|gt|ge)$/;
/** Builtins that declare integers, and names for other names. */
const DECLARES = /^(declare|typeset|local|readonly|export)$/;
/** Builtins that take any word for a name, which may have a subscript, and the option that says so where not all are. */
const NAMES: ReadonlyMap<string, RegExp> = new Map([
  ["unset", /(?:)/],
  ["let", /(?:)/],
  ["wait", /^-\w*p$/],
  ["mapfile", /^-\w*C$/],
  ["readarray", /^-\w*C$/],
  ["test", /^-[vR]$/],
  ["[", /^-[vR]$/],
]);

/** Whether a script has bash evaluate what it does not hold itself. */
export function evaluatesData(
  script: ParsedScript,
  { read }: { read: (word: Word) => ShellWord },
): boolean {
  const variables = readVariables(script);
  const integers: string[] = [];
  let found = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") {
      found ||= namesByData(node, read);
      integers.push(...integersOf(node));
    }
    found ||= isEvaluated(node);
    if (!found) forEachChild(node, visit);
  };
  visit(script);
  const evaluated = new Set([...variables.evaluated, ...integers]);
  return found || arithmeticHazard({ ...variables, evaluated }) !== undefined;
}

/** Whether one node evaluates what a command puts out, or what a variable holds. */
function isEvaluated(node: SyntaxNode): boolean {
  switch (node.type) {
    case "ArithmeticWord":
      return isSubstituted(node.value);
    case "ArithmeticCommandExpansion":
      return !NUMBER.test(node.text);
    case "TestBinary":
      return COMPARES.test(node.operator) &&
        [node.left, node.right].some(({ text }) => isSubstituted(text));
    case "TestUnary":
      return /^-[vR]$/.test(node.operator) && isSubstituted(node.operand.text);
    case "Assignment":
      return isSubstituted(node.index?.text) ||
        (/^PS4$|^PROMPT_COMMAND$/.test(node.name) && /\$|`/.test(valueOf(node)?.text ?? "$"));
    case "ParameterExpansion": {
      const { index, operation, prefix } = node;
      if (prefix === "!" && !/^[@*]$/.test(index?.text ?? "")) return true;
      if (operation?.type === "Transform") return !HARMLESS.test(operation.operand.value);
      const slice = operation?.type === "Slice" ? [operation.offset, operation.length] : [];
      return [index, ...slice].some((one) => isSubstituted(one?.text));
    }
    default:
      return false;
  }
}

function isSubstituted(text = ""): boolean {
  return SUBSTITUTION.test(text) && !NUMBER.test(text.replace(/^"|"$/g, ""));
}

/** Whether a builtin takes for a name what only running it shows. */
function namesByData({ name, suffix }: Command, read: (word: Word) => ShellWord): boolean {
  const builtin = name?.value ?? "";
  const words = suffix.flatMap((one) => one.type === "Word" ? [read(one)] : []);
  const option = NAMES.get(builtin);
  if (option && words.some(({ value }) => option.test(value))) {
    return words.some(({ kind }) => kind !== "literal");
  }
  // By its reference bash evaluates the name that a variable holds.
  return DECLARES.test(builtin) && words.some(({ value }) => /^-\w*n/.test(value)) &&
    suffix.some((one) => one.type === "Assignment" && /\$|`/.test(valueOf(one)?.text ?? "$"));
}

/** The variables that a command evaluates, or declares to be integers: whatever they are given is evaluated then. */
function integersOf({ name, suffix }: Command): string[] {
  const isInteger = DECLARES.test(name?.value ?? "") &&
    suffix.some((one) => one.type === "Word" && /^-\w*i/.test(one.value));
  if (!isInteger && name?.value !== "let") return [];
  return suffix.flatMap((one) =>
    one.type === "Assignment"
      ? [one.name]
      : one.type === "Word"
      ? one.value.match(/[A-Za-z_]\w*/g) ?? []
      : []
  );
}
