/**
 * What a script gives to its variables, all of it at once. Where bash evaluates a variable, or makes several arguments
 * of it, a value that is not written out plainly could be code.
 */
import {
  type ArithmeticWord,
  type Assignment,
  type Command,
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
  type Word,
} from "unbash";
import { possibleNames } from "./script/rendered_builtins.ts";
import { innerParts, type KnownVariables, readWord } from "./words.ts";

/** The variables of a script. */
export interface ScriptVariables {
  /** For each the values of every place that gives it some; undefined is what only running the script shows. */
  readonly given: ReadonlyMap<string, readonly (readonly (Word | undefined)[])[]>;
  /** Those that builtins such as `read` fill. */
  readonly filled: ReadonlySet<string>;
  /** Names in what bash evaluates as arithmetic. */
  readonly evaluated: ReadonlySet<string>;
  /** It may change variables without showing it. */
  readonly hidden: boolean;
}

/** What a caller supplies, and what bash and its builtins fill if no name is given. */
const SUPPLIED = "_ BASH_REMATCH REPLY MAPFILE OPTARG 1 2 3 4 5 6 7 8 9 @ *".split(" ");
const FILLS = /^(read|mapfile|readarray|getopts|printf|wait)$/;
const CHANGES = /^(unset|local|declare|typeset|source|\.|eval|let|builtin|command|set|shift)$/;
const NAME = /^[A-Za-z_]\w*$/;
/** Values of one variable beyond which it is not followed. */
const MAX_VALUES = 20;

/** Reads what a script does to its variables. */
export function readVariables(script: ParsedScript): ScriptVariables {
  const given = new Map<string, (readonly (Word | undefined)[])[]>();
  const filled = new Set(SUPPLIED);
  const evaluated = new Set<string>();
  let hidden = false;
  const visit = (node: SyntaxNode): void => {
    hidden ||= node.type === "Function";
    if (node.type === "Command") {
      hidden ||= CHANGES.test(node.name?.value ?? "");
      for (const name of filledBy(node)) filled.add(name);
    }
    for (const [name, words] of givenBy(node)) given.set(name, [...given.get(name) ?? [], words]);
    for (const one of evaluatedIn(node)) {
      for (const [name] of one?.value.matchAll(/[A-Za-z_]\w*/g) ?? []) evaluated.add(name);
    }
    forEachChild(node, visit);
  };
  visit(script);
  return { given, filled, evaluated, hidden };
}

/** The variables to which one node gives values. */
function givenBy(node: SyntaxNode): (readonly [name: string, values: (Word | undefined)[]])[] {
  switch (node.type) {
    case "Assignment":
      return [[node.name, [valueOf(node)]]];
    case "For":
    case "Select":
      return [[node.name.value, [...node.wordlist ?? [undefined]]]];
    case "ParameterExpansion":
      return node.operation?.type === "Default" && node.operation.operator.endsWith("=")
        ? [[node.parameter, [undefined]]]
        : [];
    default:
      return [];
  }
}

/** The value that an assignment gives, where it is one word and nothing else. */
export function valueOf({ value, append, index }: Assignment): Word | undefined {
  return value.type === "Word" && !append && !index ? value : undefined;
}

function filledBy({ name, args }: Command): string[] {
  const words = [name, ...args].map((one) => one?.type === "Word" ? one.value : "");
  const at = words.findIndex((word) => FILLS.test(word));
  return at < 0 ? [] : words.slice(at + 1).flatMap(possibleNames).filter((word) => NAME.test(word));
}

/** What of one node bash evaluates. */
export function evaluatedIn(node: SyntaxNode): readonly (Word | ArithmeticWord | undefined)[] {
  switch (node.type) {
    case "ArithmeticWord":
      return [node];
    case "TestBinary":
      return /^-(eq|ne|lt|le|gt|ge)$/.test(node.operator) ? [node.left, node.right] : [];
    case "TestUnary":
      return /^-[vR]$/.test(node.operator) ? [node.operand] : [];
    case "Assignment":
      return [node.index];
    case "ParameterExpansion": {
      const { index, operation } = node;
      return operation?.type === "Slice" ? [index, operation.offset, operation.length] : [index];
    }
    default:
      return [];
  }
}

/** What the shell neither splits nor expands. */
const PLAIN = /^[\w.,:@%+/=-]*$/;

/** The variables that may hold something else than is `plain`: by default what is one word whatever the shell does. */
export function uncertainVariables(
  { given, filled }: ScriptVariables,
  plain = PLAIN,
): Set<string> {
  const uncertain = [...given].filter(([, values]) =>
    values.flat().some((word) => !word || !isPlainWord(word, plain))
  );
  return new Set([...filled, ...uncertain.map(([name]) => name)]);
}

/** Arithmetic yields a number. */
function isPlainWord(word: Word, plain: RegExp): boolean {
  return innerParts(word).every((part) => {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
        return plain.test(part.value);
      case "BraceExpansion":
        return plain.test(part.text.slice(1, -1).replace(/,|\.\./g, ""));
      default:
        return part.type === "ArithmeticExpansion";
    }
  });
}

/**
 * The values of variables that a script sets once, in plain sight, before it uses them: one map, or one for each
 * round of a loop.
 */
export function constantValues(
  { given, filled, evaluated, hidden }: ScriptVariables,
  known: KnownVariables,
): readonly KnownVariables[] {
  const constants = [...given].flatMap(([name, [first = [], ...others]]) => {
    const values = first.flatMap((word) => word ? readWord(word, known) : [])
      .flatMap(({ kind, value }) => kind === "literal" && PLAIN.test(value) ? [value] : []);
    const sure = !hidden && others.length === 0 && values.length <= MAX_VALUES &&
      !filled.has(name) && !evaluated.has(name);
    return sure && values.length > 0 && values.length === first.length
      ? [[name, values] as const]
      : [];
  });
  const several = constants.find(([, values]) => values.length > 1);
  const followed = constants.filter((one) => one === several || one[1].length === 1);
  return Array.from(
    { length: several?.[1].length ?? 1 },
    (_, at) => new Map(followed.map(([name, values]) => [name, values[at] ?? values[0]!])),
  );
}
