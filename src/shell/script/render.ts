/**
 * The canonical text of a script: written anew from its syntax tree, so that bash can only run what was seen in
 * the tree. Every literal word stands in single quotes. Whatever bash might read otherwise than the parser did,
 * or might evaluate, is refused: arrays, subscripts, `let`, arithmetic that assigns, code given as text.
 */
import type {
  ArithmeticExpression,
  Assignment,
  Command,
  CompoundList,
  ParsedScript,
  Pipeline,
  Redirection,
  Statement,
  SyntaxNode,
  TestExpression,
  Word,
} from "unbash";
import { requireHarmlessBuiltin } from "./rendered_builtins.ts";
import {
  literalValue,
  NotRenderedError,
  OWN_VARIABLES,
  quoteLiteral,
  renderArithmetic,
  type RenderContext,
  renderQuoted,
  renderWord,
} from "./rendered_word.ts";

/** The canonical text, or what a script uses that has none. */
export type Rendering = { readonly text: string } | { readonly problem: string };

/** Code given as text, which runs as it was rendered. */
export interface InnerScript {
  readonly text: string;
  /** The word that is this text and nothing else. */
  readonly word: Word | undefined;
  readonly rendering: Rendering;
}

/** What is known of a script beside its tree. */
interface RenderOptions extends Omit<RenderContext, "renderScript"> {
  /** Code in it that was judged as scripts of their own. */
  readonly scripts: readonly InnerScript[];
}

/** Bytes that one argument of a program may have on Linux, with room to spare. */
const MAX_BYTES = 120 * 1024;

const NAME = /^[A-Za-z_]\w*$/;
const DECLARES = /^(export|readonly|declare|typeset|local)$/;
/** A script without any sign of the shell's. */
const PLAIN_SCRIPT = /^[\w.,:@%+=/ \n-]*$/;
/** Words that begin a form of the syntax where a command may begin. */
const RESERVED =
  /^(!|\{|\}|\[\[|\]\]|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while)$/;
/** What a command begins behind. Behind an assignment or a redirection, which the parser leaves out, bash takes no function. */
const COMMAND_START =
  /(?:^|[;&|(\n]|(?:^|[\s;&|(])(?:!|\{|do|elif|else|if|then|time|until|while)[ \t])[ \t]*$/;
/** A regular expression that is text alike to the parser and to bash; quotes would change what it matches. */
const PLAIN_REGEX = /^\^?[\w.*+?:-]*(?:\[[\w-]+\][*+?]?[\w.*+?:-]*)*\$?$/;

/** Renders one script. */
export class ScriptRenderer {
  readonly #posix: boolean;
  readonly #scripts: readonly InnerScript[];
  readonly #context: RenderContext;
  /** The text that positions of nodes are in. */
  #source = "";

  constructor({ scripts, ...known }: RenderOptions) {
    this.#posix = known.posix;
    this.#scripts = scripts;
    this.#context = { ...known, renderScript: (inner) => this.#script(inner) };
  }

  /** Renders a script that was parsed without an error from this text. Never throws. */
  render(script: ParsedScript, source: string): Rendering {
    try {
      this.#source = source;
      const text = this.#script(script);
      if (!this.#scripts.every(isWordOrPlain)) throw new NotRenderedError("code given as text");
      return new TextEncoder().encode(text).length > MAX_BYTES
        ? { problem: "more text than fits" }
        : { text };
    } catch (error) {
      if (error instanceof NotRenderedError) return { problem: error.message };
      return { problem: "what cannot be parsed" };
    }
  }

  #script(script: ParsedScript | undefined): string {
    if (!script || script.errors?.length) throw new NotRenderedError("what cannot be parsed");
    const outer = this.#source;
    this.#source = script.source ?? outer;
    const text = this.#list(script.commands);
    this.#source = outer;
    return text;
  }

  #list(statements: readonly Statement[]): string {
    return statements.map(({ command, background }, index) => {
      const end = background ? " &" : index < statements.length - 1 ? ";" : "";
      return this.node(command) + end;
    }).join(" ");
  }

  /** A list as it stands before a keyword. */
  #body({ commands }: CompoundList): string {
    if (commands.length === 0) throw new NotRenderedError("an empty list");
    return `${this.#list(commands)}${commands.at(-1)?.background ? "" : ";"}`;
  }

  /** Renders a node of a script. @throws {NotRenderedError} it has no canonical text */
  node(node: SyntaxNode): string {
    switch (node.type) {
      case "Command":
        return this.#command(node);
      case "AndOr":
        return node.commands.map((command, index) =>
          (index === 0 ? "" : ` ${node.operators[index - 1]} `) + this.node(command)
        ).join("");
      case "Pipeline":
        return this.#pipeline(node);
      case "Redirected":
        return [this.node(node.command), ...this.#redirections(node.redirects)].join(" ");
      case "Subshell":
        return `( ${this.#list(node.body.commands)} )`;
      case "BraceGroup":
        return `{ ${this.#body(node.body)} }`;
      case "If": {
        const branches = node.elif.map((one) =>
          `elif ${this.#body(one.clause)} then ${this.#body(one.then)} `
        );
        const last = node.else ? `else ${this.#body(node.else)} ` : "";
        return `if ${this.#body(node.clause)} then ${this.#body(node.then)} ${
          branches.join("")
        }${last}fi`;
      }
      case "While":
        return `${node.kind} ${this.#body(node.clause)} do ${this.#body(node.body)} done`;
      case "For": {
        const words = node.wordlist?.map((word) => this.#argument(word));
        const list = words ? ` in ${words.join(" ")}` : "";
        return `for ${this.#variable(node.name.value)}${list}; do ${this.#body(node.body)} done`;
      }
      case "Case":
        return this.#case(node);
      case "Function":
        if (!NAME.test(node.name.value)) throw new NotRenderedError(node.name.value);
        // The keyword stands before the name.
        if (this.#posix && node.name.pos > node.pos) throw new NotRenderedError("function");
        if (!COMMAND_START.test(this.#source.slice(0, node.pos).replaceAll("\\\n", ""))) {
          throw new NotRenderedError("a function behind other words");
        }
        return `${node.name.value}() ${this.node(node.body)}`;
      case "TestCommand":
        return `[[ ${this.#test(node.expression)} ]]`;
      case "ArithmeticCommand":
        return this.#arithmetic([node.expression]);
      case "ArithmeticFor": {
        const { initialize, test, update, body } = node;
        return `for ${this.#arithmetic([initialize, test, update])}; do ${this.#body(body)} done`;
      }
      default:
        throw new NotRenderedError(`the form ${node.type.toLowerCase()}`);
    }
  }

  #arithmetic(expressions: readonly (ArithmeticExpression | undefined)[]): string {
    return `(( ${expressions.map((one) => renderArithmetic(one, this.#context)).join("; ")} ))`;
  }

  #pipeline({ prefixes, commands, operators }: Pipeline): string {
    const [first, ...rest] = commands;
    if (!first || (this.#posix && operators.includes("|&"))) throw new NotRenderedError("a pipe");
    const before = prefixes.map((one) =>
      one.type === "Negation" ? "! " : one.posix ? "time -p " : "time "
    );
    const piped = rest.map((command, index) => ` ${operators[index]} ${this.node(command)}`);
    return before.join("") + this.node(first) + piped.join("");
  }

  #case(node: Extract<SyntaxNode, { type: "Case" }>): string {
    const word = renderWord(node.word, { ...this.#context, place: "value" });
    const items = node.items.map(({ pattern, body, terminator = ";;" }) => {
      if (this.#posix && terminator !== ";;") throw new NotRenderedError(terminator);
      const patterns = pattern.map((one) =>
        renderWord(one, { ...this.#context, place: "pattern" })
      );
      return `(${patterns.join("|")}) ${this.#list(body.commands)} ${terminator} `;
    });
    return `case ${word} in ${items.join("")}esac`;
  }

  #test(node: TestExpression): string {
    const word = (one: Word) => renderWord(one, { ...this.#context, place: "value" });
    switch (node.type) {
      case "TestUnary":
        if (/^-[vR]$/.test(node.operator)) throw new NotRenderedError(`[[ ${node.operator} ]]`);
        return `${node.operator} ${word(node.operand)}`;
      case "TestBinary": {
        const { operator, left, right } = node;
        if (operator === "=~" && PLAIN_REGEX.test(right.text)) {
          return `${word(left)} =~ ${right.text}`;
        }
        const compares = /^(=|==|!=)$/.test(operator);
        // The others evaluate their operands, or read what is quoted otherwise.
        if (!compares && !/^(<|>|-nt|-ot|-ef)$/.test(operator)) {
          throw new NotRenderedError(`[[ ${operator} ]]`);
        }
        const place = compares ? "pattern" as const : "value" as const;
        return `${word(left)} ${operator} ${renderWord(right, { ...this.#context, place })}`;
      }
      case "TestLogical":
        return node.operands.map((one) => this.#test(one)).join(` ${node.operator} `);
      case "TestNot":
        return `${"! ".repeat(node.negations.length)}${this.#test(node.operand)}`;
      case "TestGroup":
        return `( ${this.#test(node.expression)} )`;
    }
  }

  #command(node: Command): string {
    const { name } = node;
    const assigned = node.prefix.flatMap((one) =>
      one.type === "Assignment" ? [this.#assignment(one)] : []
    );
    // Behind a redirection it is a program's name, but of `$( )` bash brings it to the front.
    if (name && RESERVED.test(name.text)) throw new NotRenderedError(`${name.text} as a program`);
    const program = name && literalValue(name);
    const words = name ? [name, ...node.args].map((one) => this.#word(one, program)) : [];
    if (name) requireHarmlessBuiltin(node, this.#context);
    const parts = [...assigned, ...words, ...this.#redirections(node.redirects)];
    if (parts.length === 0) throw new NotRenderedError("an empty command");
    return parts.join(" ");
  }

  #word(node: Command["args"][number], program: string | undefined): string {
    const script = this.#scripts.find(({ word }) => word === node)?.rendering;
    if (script && "problem" in script) throw new NotRenderedError(script.problem);
    if (script) return quoteLiteral(script.text);
    if (node.type === "Word") return this.#argument(node);
    if (!DECLARES.test(program ?? "")) throw new NotRenderedError(node.text);
    // As a plain argument it would be split, and ~ would not be expanded.
    const { name, value } = this.#parts(node, { quoted: true });
    if (node.append || value.startsWith("~")) throw new NotRenderedError(node.text);
    return `${quoteLiteral(`${name}=`)}${value}`;
  }

  #argument(word: Word): string {
    return renderWord(word, { ...this.#context, place: "argument" });
  }

  #assignment(node: Assignment): string {
    const { name, value } = this.#parts(node);
    if (node.append && this.#posix) throw new NotRenderedError("+=");
    return `${name}${node.append ? "+=" : "="}${value}`;
  }

  #parts(
    { name, value, index }: Assignment,
    { quoted = false }: { quoted?: boolean } = {},
  ): { name: string; value: string } {
    if (value.type !== "Word") throw new NotRenderedError("an array");
    if (index) throw new NotRenderedError("a subscript");
    const rendered = value.text === ""
      ? ""
      : renderWord(value, { ...this.#context, place: "value", quoted });
    return { name: this.#variable(name), value: rendered };
  }

  #variable(name: string): string {
    if (NAME.test(name) && !OWN_VARIABLES.test(name)) return name;
    throw new NotRenderedError(`an assignment to ${name}`);
  }

  #redirections(nodes: readonly Redirection[]): string[] {
    return nodes.map((node) => {
      if (node.descriptor?.type === "FileDescriptorVariable") {
        throw new NotRenderedError(`{${node.descriptor.name}} as a descriptor`);
      }
      const descriptor = node.descriptor?.value ?? "";
      if (node.type === "Redirect") return `${descriptor}${this.#target(node)}`;
      if (this.#posix) throw new NotRenderedError(node.operator);
      if (node.type === "HereDoc") return `${descriptor}<<< ${this.#hereText(node)}`;
      if (!node.target) throw new NotRenderedError("a redirection to nowhere");
      return `${descriptor}<<< ${renderWord(node.target, { ...this.#context, place: "value" })}`;
    });
  }

  #target({ operator, target }: Extract<Redirection, { type: "Redirect" }>): string {
    if (!target) throw new NotRenderedError("a redirection to nowhere");
    if (/^[<>]&$/.test(operator)) {
      const copied = literalValue(target);
      if (copied === undefined || !/^(\d+-?|-)$/.test(copied)) throw new NotRenderedError(operator);
      return operator + copied;
    }
    return `${operator} ${renderWord(target, { ...this.#context, place: "target" })}`;
  }

  /** The text of a heredoc, as a string of its own: a string has no end that could be mistaken. */
  #hereText(
    { operator, delimiter, body: { text, parts = [] } }: Extract<Redirection, { type: "HereDoc" }>,
  ): string {
    if (!text.endsWith("\n")) throw new NotRenderedError("a heredoc without an end");
    if (delimiter?.quoted || !/[\\$`]/.test(text)) {
      return quoteLiteral((operator === "<<-" ? text.replace(/^\t+/gm, "") : text).slice(0, -1));
    }
    const last = parts.at(-1);
    // Tabs and backslashes mean something else beside what expands, and the end of another one may end this one.
    if (operator === "<<-" || /\\|<</.test(text) || last?.type !== "Literal") {
      throw new NotRenderedError("a heredoc that expands");
    }
    const end = { ...last, value: last.value.slice(0, -1) };
    return renderQuoted([...parts.slice(0, -1), end], { ...this.#context, place: "value" });
  }
}

/** What stands in no word of its own runs as it was written, if there is but one way to read it. */
function isWordOrPlain({ word, text, rendering }: InnerScript): boolean {
  return word !== undefined || ("text" in rendering && PLAIN_SCRIPT.test(text));
}
