/**
 * The words of a command as the shell will see them after it removed the quotes: literal text, a pattern
 * of file names, or something that is known only at run time.
 */
import type { SyntaxNode, Word, WordPart } from "unbash";

/** A word of a command, as far as its value is known. */
export interface ShellWord {
  /** As written. */
  readonly text: string;
  /** Where it stands in the tree, if it is all that stands there. */
  readonly node?: Word | undefined;
  /** `literal`: the value is the argument. `pattern`: it names files. `dynamic`: it is unknown. */
  readonly kind: "literal" | "pattern" | "dynamic";
  /** The argument, or for what is not literal its text without quotes. */
  readonly value: string;
  /** What is known of its beginning. */
  readonly prefix: string;
}

/** Values of variables, and of substitutions as they are written, that are known before they are used. */
export type KnownVariables = ReadonlyMap<string, string>;

/** A word that is what it says. */
export function literalWord(value: string): ShellWord {
  return { text: value, kind: "literal", value, prefix: value };
}

/** A word that another program will supply. */
export function suppliedWord(text: string): ShellWord {
  return { text, kind: "dynamic", value: text, prefix: "" };
}

/** Reads a word; `~` and what is in `known` are replaced. */
export function readWord(word: Word, known: KnownVariables): ShellWord {
  let value = "";
  let kind: ShellWord["kind"] = "literal";
  let prefix: string | undefined;
  for (const part of innerParts(word)) {
    const read = readPart(part, known);
    if (read.kind !== "literal") prefix ??= value;
    if (read.kind === "dynamic" || kind === "literal") kind = read.kind;
    value += read.value;
  }
  const home = known.get("HOME") ?? "";
  // `~user` is an absolute place that is not this user's; `~+`, `~-` and `~1` are where the shell is or was.
  const isPlace = /^~[+\-\d]/.test(word.text);
  const expand = (text: string) =>
    word.text.startsWith("~")
      ? text.replace(/^(?:~(?=\/|$)|)/, (own) => own ? home : "/home/")
      : text;
  return {
    text: word.text,
    node: word,
    kind: isPlace || (kind === "pattern" && !isPlainPattern(expand(value))) ? "dynamic" : kind,
    value: expand(value),
    prefix: expand(prefix ?? value),
  };
}

/** The parts of a word; one that is nothing but text is its only one. */
export function partsOf({ parts, pos, end, text, value }: Word): readonly WordPart[] {
  return parts ?? [{ type: "Literal", pos, end, text, value }];
}

/** The parts of a word, those within double quotes in the place of these. */
export function innerParts(word: Word): WordPart[] {
  return partsOf(word).flatMap<WordPart>((part) =>
    part.type === "DoubleQuoted" ? part.parts : [part]
  );
}

/** The parameter that an expansion reads. */
export function parameterOf(node: SyntaxNode): string | undefined {
  if (node.type === "SimpleExpansion") return node.text.slice(1);
  return node.type === "ParameterExpansion" ? node.parameter : undefined;
}

function readPart(part: WordPart, known: KnownVariables): Pick<ShellWord, "kind" | "value"> {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return { kind: "literal", value: part.value };
    case "Glob":
    case "BraceExpansion":
      return { kind: "pattern", value: part.text };
    case "ProcessSubstitution":
      // The shell puts the name of a pipe here.
      return { kind: "dynamic", value: "/dev/fd/63" };
    default: {
      const value = known.get(plainParameterOf(part) ?? part.text);
      return value ? { kind: "literal", value } : { kind: "dynamic", value: part.text };
    }
  }
}

/** The parameter of which an expansion is the value as it stands. */
function plainParameterOf(part: WordPart): string | undefined {
  const changes = part.type === "ParameterExpansion" &&
    (part.operation || part.index || part.prefix);
  return changes ? undefined : parameterOf(part);
}

/** Words that braces may make of one, beyond which it is not looked through. */
const MAX_WORDS = 64;

/** A pattern whose matches can only lie below its fixed beginning, and cannot be options. */
function isPlainPattern(value: string): boolean {
  const words = expandBraces(value);
  return words !== undefined && !/[$`]/.test(value) &&
    words.every((word) =>
      (!/^[-/~]/.test(word) || word[0] === value[0]) &&
      // A pattern that begins with a dot may match the directory above.
      !/(^|\/)\.\.(\/|$)|(^|\/)\.[*?[][^/]*\//.test(word)
    );
}

/** What braces make of a word, the innermost first; undefined if that is too much, or not understood. */
export function expandBraces(text: string): string[] | undefined {
  let words = [text];
  for (;;) {
    const word = words.find((one) => /\{[^{}]*\}/.test(one));
    if (word === undefined) return words;
    const [group, inner = ""] = /\{([^{}]*)\}/.exec(word)!;
    const parts = inner.includes(",")
      ? inner.split(",")
      : /^(\d+|[A-Za-z])\.\.(\d+|[A-Za-z])$/.test(inner)
      ? ["0"]
      : inner.includes("..")
      ? undefined
      : [`\u0001${inner}\u0001`];
    if (!parts || words.length + parts.length > MAX_WORDS) return undefined;
    words = [
      ...words.filter((other) => other !== word),
      ...parts.map((part) => word.replace(group, () => part)),
    ];
  }
}
