/**
 * Words of the canonical text: literal text in single quotes, patterns of file names as patterns, variables in
 * braces. A form of which it is not certain that bash reads it as the parser did is refused.
 */
import type {
  Command,
  GlobPart,
  ParameterExpansionPart,
  ParameterOperation,
  Word,
  WordPart,
} from "unbash";
import { NotRenderedError, type RenderContext } from "./render_context.ts";
import { renderArithmetic } from "./rendered_arithmetic.ts";
import { partsOf } from "./words.ts";

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

/** A word that stays one. @throws {NotRenderedError} it cannot be rendered */
export function renderWord(
  word: Word,
  context: RenderWordOptions,
): string {
  const [only = "", ...others] = renderWords(word, context);
  if (others.length > 0) throw new NotRenderedError("braces where they may not be expanded");
  return only;
}

/** A word, or those that its braces make of it. @throws {NotRenderedError} it cannot be rendered */
export function renderWords(
  word: Word,
  context: RenderWordOptions,
): string[] {
  const scope = { quoted: false, ...context };
  const { home, parts } = splitTilde(word, scope);
  let variants: Piece[][] = [home];
  for (const part of parts) {
    const choices = part.type === "BraceExpansion"
      ? expandBrace(part.text, scope)
      : [renderPart(part, scope)];
    variants = variants.flatMap((before) => choices.map((choice) => [...before, ...choice]));
    if (variants.length > MAX_WORDS) throw new NotRenderedError("braces that make many words");
  }
  return variants.map(joinPieces);
}

/** What stands between double quotes. @throws {NotRenderedError} it cannot be rendered */
export function renderQuoted(parts: readonly WordPart[], context: RenderWordOptions): string {
  return joinPieces(parts.flatMap((part) => renderPart(part, { ...context, quoted: true })));
}

/** The text of a word that is the same whatever the shell knows; undefined if it is not. */
export function literalValue(word: Word): string | undefined {
  const parts = word.parts ?? [];
  const literal = !/^~/.test(word.text) &&
    parts.every((part) =>
      /^(Literal|SingleQuoted)$/.test(part.type) ||
      (part.type === "DoubleQuoted" && part.parts.every(({ type }) => type === "Literal"))
    );
  return literal ? word.value : undefined;
}

/** The words of a command, each as the same text. */
export function literalWords({ name, args }: Command): (string | undefined)[] {
  return [...name ? [name] : [], ...args]
    .map((one) => one.type === "Word" ? literalValue(one) : undefined);
}

/** Words that braces may make of one. */
const MAX_WORDS = 64;

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
      throw new NotRenderedError("braces inside quotes");
    case "LocaleString":
      throw new NotRenderedError('$" "');
    case "ExtendedGlob":
      throw new NotRenderedError("an extended pattern");
  }
}

const PLAIN_BRACKETS = /^\[[!^]?(?:[\w.,+@%-]|\[:[a-z]+:\])+\]$/;

function renderGlob(part: GlobPart, { place }: WordScope): Piece {
  if (part.kind === "bracket" && !PLAIN_BRACKETS.test(part.text)) {
    throw new NotRenderedError("a pattern with quotes in its brackets");
  }
  if (place === "target") throw new NotRenderedError("a redirection to a pattern");
  return place === "value" ? { literal: part.text } : { raw: part.text };
}

/** A name that can be expanded without evaluating anything. */
function variableName(name: string): string {
  if (/^(?:[A-Za-z_]\w*|[\d@*#?$!-])$/.test(name)) return name;
  throw new NotRenderedError(`$${name}`);
}

/** What an operand may hold: nothing that bash expands, or reads otherwise within quotes. */
const PLAIN_OPERAND = /^[\w.,:@+=/ -]*$/;

function renderParameter(part: ParameterExpansionPart, scope: WordScope): string {
  const { operation, prefix, index } = part;
  const name = variableName(part.parameter);
  if (index) {
    // All elements: nothing is evaluated to find them.
    const all = /^[@*]$/.test(index.text) && !operation && prefix === undefined && !scope.posix;
    if (!all) throw new NotRenderedError("a subscript");
    return `\${${name}[${index.text}]}`;
  }
  if (prefix === "#" && !operation) return `\${#${name}}`;
  if (prefix !== undefined) throw new NotRenderedError(part.text);
  return `\${${name}${operation ? renderOperation(operation, { part, scope }) : ""}}`;
}

function renderOperation(
  operation: ParameterOperation,
  { part, scope }: { part: ParameterExpansionPart; scope: WordScope },
): string {
  const refuse = (): never => {
    throw new NotRenderedError(part.text);
  };
  const plain = (word: Word | undefined) => {
    const value = word && literalValue(word);
    return value !== undefined && PLAIN_OPERAND.test(value) ? value : refuse();
  };
  const pattern = (word: Word) => {
    const pieces = (word.parts ?? []).map((one) =>
      one.type === "Glob" && (one.kind !== "bracket" || PLAIN_BRACKETS.test(one.text))
        ? one.text
        : /^(Literal|SingleQuoted)$/.test(one.type) && "value" in one
        ? plain({ ...word, parts: [], text: one.text, value: one.value })
        : refuse()
    );
    const text = word.parts ? pieces.join("") : plain(word);
    return text === "" || text.startsWith("~") ? refuse() : text;
  };
  switch (operation.type) {
    case "Default": {
      if (/=/.test(operation.operator)) return refuse();
      const quotes = /['"\\]/.test(operation.operand.text);
      const value = plain(operation.operand);
      return quotes || (!scope.quoted && / /.test(value)) ? refuse() : operation.operator + value;
    }
    case "Remove":
      return operation.operator + pattern(operation.operand);
    case "Replace": {
      const from = pattern(operation.pattern);
      if (scope.posix || from.includes("/")) return refuse();
      return `${operation.operator}${from}/${plain(operation.replacement)}`;
    }
    case "Slice": {
      const numbers = [operation.offset, ...operation.length ? [operation.length] : []]
        .map((word) => plain(word).trim());
      if (scope.posix || !numbers.every((one) => /^-?\d+$/.test(one))) return refuse();
      return numbers.map((one) => `: ${one}`).join("");
    }
    case "CaseModification":
      return scope.posix || operation.operand ? refuse() : operation.operator;
    default:
      return refuse();
  }
}

/** The words of braces that hold plain text: `{a,b*.ts}`, `{1..9}`. */
function expandBrace(text: string, { place, posix }: WordScope): Piece[][] {
  const inner = /^\{([^{}"'\\$`~]*)\}$/.exec(text)?.[1];
  if (inner === undefined || place !== "argument" || posix) {
    throw new NotRenderedError(`the braces ${text}`);
  }
  if (inner.includes(",")) return inner.split(",").map(globPieces);
  const [, from, to] = /^(\d{1,6})\.\.(\d{1,6})$/.exec(inner) ?? [];
  if (from === undefined || to === undefined || /^0\d/.test(from) || /^0\d/.test(to)) {
    throw new NotRenderedError(`the braces ${text}`);
  }
  const [first, last] = [Number(from), Number(to)];
  const count = Math.abs(last - first) + 1;
  if (count > MAX_WORDS) throw new NotRenderedError("braces that make many words");
  const step = Math.sign(last - first);
  return Array.from({ length: count }, (_, at) => [{ literal: `${first + at * step}` }]);
}

function globPieces(text: string): Piece[] {
  if (!/^[\w.,:@%+=/*?-]*$/.test(text)) throw new NotRenderedError(`the braces around ${text}`);
  return text.split(/([*?])/).filter((one) => one !== "")
    .map((one): Piece => /[*?]/.test(one) ? { raw: one } : { literal: one });
}
