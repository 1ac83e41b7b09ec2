/**
 * Whether bash may run what only the data of a script holds: arithmetic, subscripts, prompts and names of variables are
 * evaluated once more, so that a number read from a file can be code.
 */
import { type Command, forEachChild, type ParsedScript, type SyntaxNode, type Word } from "unbash";
import { arithmeticHazard } from "../../shell/script/numeric_variables.ts";
import { evaluatedIn, readVariables, valueOf } from "../../shell/script_variables.ts";
import type { ShellWord } from "../../shell/words.ts";

/** What gives a number, whatever a file holds. */
const NUMBER = /^\$\((date \+%[sYmdHMS]|id -[ug]|nproc|wc -[lwcm] ?< ?["\w./${}-]+)\)$/;
const SUBSTITUTION = /\$\((?!\()|`|<\(/;
/** Transformations of a value that run nothing. */
const HARMLESS = /^[QEUuLKkAa]$/;
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
  const names: string[] = [];
  const commands: Command[] = [];
  const functions = new Set(["set"]);
  const texts: string[] = [];
  let isRun = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") commands.push(node);
    if (node.type === "Function") functions.add(node.name.value);
    texts.push(...textsEvaluated(node));
    if (node.type === "ArrayValue") names.push(...namesIn(texts.at(-1)));
    isRun ||= runsValue(node);
    forEachChild(node, visit);
  };
  visit(script);
  // Parameters are what the command line says, but for those of functions.
  const isGiven = texts.some((text) => /\$\{?[1-9@*]/.test(text)) &&
    commands.some(({ name, suffix }) =>
      functions.has(name?.value ?? "") &&
      suffix.some((one) => one.type === "Word" && read(one).kind !== "literal")
    );
  const evaluated = new Set([
    ...variables.evaluated,
    ...names,
    ...commands.flatMap(integersOf),
  ]);
  return isRun || isGiven || texts.some(isSubstituted) ||
    commands.some((command) => namesByData(command, read)) ||
    arithmeticHazard({ ...variables, evaluated }) !== undefined;
}

function namesIn(text = ""): string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

/** What of one node bash evaluates, as it is written, with substitutions and subscripts. */
function textsEvaluated(node: SyntaxNode): string[] {
  switch (node.type) {
    case "ArithmeticCommandExpansion":
      return [node.text];
    case "ArrayValue":
      return [node.elements.map(({ text }) => /^\[[^\]]*/.exec(text)?.[0] ?? "").join(" ")];
    default:
      return evaluatedIn(node).flatMap((one) =>
        one === undefined ? [] : [one.type === "Word" ? one.text : one.value]
      );
  }
}

/** Whether one node has bash run, or take for a name, what a variable holds. */
function runsValue(node: SyntaxNode): boolean {
  if (node.type === "Assignment") {
    const prompts = /^PS4$|^PROMPT_COMMAND$/.test(node.name);
    return prompts && /\$|`/.test(valueOf(node)?.text ?? "$");
  }
  if (node.type !== "ParameterExpansion") return false;
  const { index, operation, prefix } = node;
  if (prefix === "!" && !/^[@*]$/.test(index?.text ?? "")) return true;
  return operation?.type === "Transform" && !HARMLESS.test(operation.operand.value);
}

function isSubstituted(text: string): boolean {
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
    one.type === "Assignment" ? [one.name] : one.type === "Word" ? namesIn(one.value) : []
  );
}
