/**
 * Words and arithmetic of the canonical text: literal text in single quotes, patterns of file names as patterns,
 * variables in braces, numbers. A form of which it is not certain that bash reads it as the parser did is refused.
 */
import type {
  ArithmeticExpression,
  Command,
  GlobPart,
  ParameterExpansionPart,
  ParsedScript,
  Word,
  WordPart,
} from "unbash";
import { innerParts, partsOf } from "../words.ts";

/** Thrown where a script cannot be rendered; the message says what it uses. */
export class NotRenderedError extends Error {
  override name = "NotRendered";
}

/** What surrounds a word or an expression. */
export interface RenderContext {
  /** Whether a shell may run it that knows nothing but the standard's syntax. */
  readonly posix: boolean;
  /** Variables that may hold what must not be split into arguments of a builtin that evaluates them. */
  readonly unsplit: ReadonlySet<string>;
  /** Variables that hold nothing but numbers. */
  readonly numbers: ReadonlySet<string>;
  /** Renders a substitution. */
  readonly renderScript: (script: ParsedScript | undefined) => string;
}

/**
 * Where a word stands: bash makes several words of an argument, matches a pattern, and takes a value and a
 * target as they are.
 */
type WordPlace = "argument" | "value" | "target" | "pattern";

/** Text as it is, or what bash expands. */
type Piece = { readonly literal: string } | { readonly raw: string };

/** How a word is to be rendered. */
interface RenderWordOptions extends RenderContext {
  readonly place: WordPlace;
  /** Whether what expands is put into quotes. @default false */
  readonly quoted?: boolean;
}

interface WordScope extends RenderWordOptions {
  readonly quoted: boolean;
}

/** Text in single quotes. */
export function quoteLiteral(text: string): string {
  if (text.includes("\0")) throw new NotRenderedError("a NUL character");
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word. @throws {NotRenderedError} it cannot be rendered */
export function renderWord(word: Word, context: RenderWordOptions): string {
  const scope = { quoted: false, ...context };
  const { home, parts } = splitTilde(word, scope);
  // Each further one would multiply the words.
  if (parts.filter(({ type }) => type === "BraceExpansion").length > 1) {
    throw new NotRenderedError("braces beside braces");
  }
  return joinPieces([...home, ...parts.flatMap((part) => renderPart(part, scope))]);
}

/** What stands between double quotes. @throws {NotRenderedError} it cannot be rendered */
export function renderQuoted(parts: readonly WordPart[], context: RenderWordOptions): string {
  return joinPieces(parts.flatMap((part) => renderPart(part, { ...context, quoted: true })));
}

/** The text of a word that is the same whatever the shell knows; undefined if it is not. */
export function literalValue(word: Word): string | undefined {
  const literal = !word.text.startsWith("~") &&
    innerParts(word).every(({ type }) => type === "Literal" || type === "SingleQuoted");
  return literal ? word.value : undefined;
}

/** The words of a command, each as the same text. */
export function literalWords({ name, args }: Command): (string | undefined)[] {
  return [...name ? [name] : [], ...args]
    .map((one) => one.type === "Word" ? literalValue(one) : undefined);
}

/** Pieces as one word; what stands together in quotes stays together. */
function joinPieces(pieces: readonly Piece[]): string {
  let text = "";
  let literal: string | undefined;
  for (const piece of [...pieces, { raw: "" }]) {
    if ("literal" in piece) {
      literal = (literal ?? "") + piece.literal;
      continue;
    }
    if (literal !== undefined) text += quoteLiteral(literal);
    literal = undefined;
    text += piece.raw;
  }
  return text;
}

/** `$'...'` of what every version of bash reads alike. */
const PLAIN_ANSI_C =
  /^\$'(?:[^\\']|\\(?:[ntr'"\\?]|x(?!00)[0-7][\da-fA-F](?![\da-fA-F])|(?!000)[01][0-7]{2}))*'$/;
/** What is not text for bash where no quotes stand round it, whatever the parser took it for. */
const SYNTAX = /[()<>;&|`\s]|\$[({\w'"]/;

/** The home directory at the beginning of a word, and what follows. */
function splitTilde(
  word: Word,
  { place }: WordScope,
): { home: Piece[]; parts: readonly WordPart[] } {
  const { text } = word;
  const parts = partsOf(word);
  const bare = parts.flatMap((part) => part.type === "Literal" ? [part.text] : []);
  if (bare.some((one) => /[=:]~/.test(one))) throw new NotRenderedError("~ inside a word");
  if (bare.some((one) => SYNTAX.test(one.replace(/\\[^]/g, "")))) {
    throw new NotRenderedError("signs of the shell inside a word");
  }
  if (!text.startsWith("~")) return { home: [], parts };
  const [first, ...rest] = parts;
  const whole = first?.type === "Literal" && first.text === "~" && rest.length === 0;
  const below = first?.type === "Literal" && first.text.startsWith("~/");
  if (!(whole || below) || place === "pattern") throw new NotRenderedError("~ with a name");
  if (whole) return { home: [{ raw: "~" }], parts: [] };
  const after = { ...first, text: first.text.slice(2), value: first.value.slice(2) };
  return { home: [{ raw: "~/" }], parts: after.value === "" ? rest : [after, ...rest] };
}

function renderPart(part: WordPart, scope: WordScope): Piece[] {
  const expansion = (text: string): Piece[] => [{ raw: scope.quoted ? `"${text}"` : text }];
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return [{ literal: part.value }];
    case "AnsiCQuoted":
      if (!PLAIN_ANSI_C.test(part.text)) throw new NotRenderedError(part.text);
      return [{ literal: part.value }];
    case "DoubleQuoted":
      return part.parts.length === 0
        ? [{ literal: "" }]
        : part.parts.flatMap((child) => renderPart(child, { ...scope, quoted: true }));
    case "Glob":
      return [renderGlob(part, scope)];
    case "SimpleExpansion":
      return expansion(`\${${variableName(part.text.slice(1))}}`);
    case "ParameterExpansion":
      return expansion(renderParameter(part, scope));
    case "CommandExpansion":
      return expansion(`$( ${scope.renderScript(part.script)} )`);
    case "ArithmeticExpansion":
      return expansion(`$(( ${renderArithmetic(part.expression, scope)} ))`);
    case "ProcessSubstitution":
      if (scope.posix || scope.place === "value") throw new NotRenderedError(part.operator + "( )");
      return [{ raw: `${part.operator}( ${scope.renderScript(part.script)} )` }];
    case "BraceExpansion":
      if (scope.quoted || scope.posix || scope.place !== "argument" || !BRACES.test(part.text)) {
        throw new NotRenderedError(`the braces ${part.text}`);
      }
      return [{ raw: part.text }];
    case "LocaleString":
      throw new NotRenderedError('$" "');
    case "ExtendedGlob":
      throw new NotRenderedError("an extended pattern");
  }
}

/** `{a,b*.ts}`, `{1..9}`: words that are plain text. */
const BRACES = /^\{(?:[\w.:@%+=/*?-]*(?:,[\w.:@%+=/*?-]*)+|(?!0\d)\d{1,2}\.\.(?!0\d)\d{1,2})\}$/;
const BRACKETS = String.raw`\[[!^]?(?:[\w.,+@%-]|\[:[a-z]+:\])+\]`;
const PLAIN_BRACKETS = new RegExp(`^${BRACKETS}$`);

function renderGlob(part: GlobPart, { place }: WordScope): Piece {
  if (part.kind === "bracket" && !PLAIN_BRACKETS.test(part.text)) {
    throw new NotRenderedError("a pattern with quotes in its brackets");
  }
  if (place === "target") throw new NotRenderedError("a redirection to a pattern");
  return place === "value" ? { literal: part.text } : { raw: part.text };
}

/** Variables to which bash gives a meaning of its own, some evaluated. */
export const OWN_VARIABLES =
  /^(BASH.*|COMP_.*|COPROC|DIRSTACK|EPOCH.*|FUNCNAME|GROUPS|HISTCMD|LINENO|MAPFILE|OPTIND|PIPESTATUS|RANDOM|SECONDS|SRANDOM|_)$/;
/** To which bash gives text of the script, so that nobody sees what is expanded. */
const FILLED = /^(_|BASH_(ARGV0?|COMMAND|EXECUTION_STRING|REMATCH))$/;

/** A name that can be expanded without evaluating anything. */
function variableName(name: string): string {
  if (/^(?:[A-Za-z_]\w*|[\d@*#?$!-])$/.test(name) && !FILLED.test(name)) return name;
  throw new NotRenderedError(`$${name}`);
}

const PARAMETER = String.raw`(?:[A-Za-z_]\w*|[\d@*#?$!-])`;
/** What is text to bash and to the parser alike, within quotes and without. */
const TEXT = String.raw`[\w.,:@+=/ -]`;
const PATTERN = String.raw`(?:[*?]|${BRACKETS}|(?!/)${TEXT}|'${TEXT}*')`;
/** A parameter with what stands in for it, or without its beginning or end: nothing is assigned or evaluated. */
const PLAIN_PARAMETER = new RegExp(
  String
    .raw`^\$\{(?:#?${PARAMETER}|${PARAMETER}(?::?[-+?]${TEXT}*|(?:##?|%%?)(?:/|${PATTERN})+))\}$`,
);
/** What only bash knows: all elements, a slice, a replacement, capital or small letters. */
const BASH_PARAMETER = new RegExp(
  String
    .raw`^\$\{${PARAMETER}(?:\[[@*]\]|(?:: ?-?\d+){1,2}|//?[#%]?${PATTERN}+(?:/${TEXT}*)?|\^\^?|,,?)\}$`,
);

function renderParameter(
  { text, parameter }: ParameterExpansionPart,
  { posix }: WordScope,
): string {
  if (FILLED.test(parameter)) throw new NotRenderedError(text);
  if (PLAIN_PARAMETER.test(text) || (!posix && BASH_PARAMETER.test(text))) return text;
  throw new NotRenderedError(text);
}

const OPERATORS = /^(?:[-+*/%&|^!~<>]|\*\*|<<|>>|[<>=!]=|&&|\|\||[-+*]?=|\+\+|--)$/;
const OPERAND =
  /^(?:\d+|0[xX][0-9a-fA-F]+|\d{1,2}#\w+|\$?[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}|\$[#?]|\$\{#\})$/;
/** What may be given a number: no variable that means something to bash or to programs. */
const COUNTER = /^[a-z][a-z\d_]*$/;

/**
 * An expression, each step of it in parentheses. bash evaluates whatever a variable holds, so only those may be in it
 * that hold numbers. @throws {NotRenderedError} it cannot be rendered
 */
export function renderArithmetic(
  node: ArithmeticExpression | undefined,
  context: Pick<RenderContext, "posix" | "numbers">,
): string {
  if (!node) throw new NotRenderedError("arithmetic that is not plain");
  const inner = (one: ArithmeticExpression) => renderArithmetic(one, context);
  /** The operand that an operator may assign to. */
  const target = (one: ArithmeticExpression, step: { readonly operator: string }) => {
    const isCounter = one.type === "ArithmeticWord" && COUNTER.test(one.value) &&
      !context.posix;
    if (OPERATORS.test(step.operator) && (isCounter || !assignsNumber(step))) return inner(one);
    throw new NotRenderedError(`${step.operator} in arithmetic`);
  };
  switch (node.type) {
    case "ArithmeticBinary":
      return `(${target(node.left, node)} ${node.operator} ${inner(node.right)})`;
    case "ArithmeticUnary": {
      const operand = target(node.operand, node);
      return node.prefix ? `(${node.operator} ${operand})` : `(${operand} ${node.operator})`;
    }
    case "ArithmeticTernary":
      return `(${inner(node.test)} ? ${inner(node.consequent)} : ${inner(node.alternate)})`;
    case "ArithmeticGroup":
      return inner(node.expression);
    case "ArithmeticWord":
      if (isNumber(node.value, context)) return node.value;
      throw new NotRenderedError(`${node.value} in arithmetic`);
    case "ArithmeticCommandExpansion":
      throw new NotRenderedError("arithmetic with the output of a command");
  }
}

function isNumber(operand: string, { numbers }: Pick<RenderContext, "numbers">): boolean {
  const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(operand)?.[1];
  return OPERAND.test(operand) && (name === undefined || numbers.has(name));
}

/** Whether a step of arithmetic gives a variable another value. */
export function assignsNumber({ operator }: { readonly operator: string }): boolean {
  return /^([-+*]?=|\+\+|--)$/.test(operator);
}
