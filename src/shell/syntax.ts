/**
 * From the text of a command to everything it would run: one walk over the syntax tree that finds every
 * simple command wherever it stands, with its words, assignments, redirections and standard input. What
 * the parser does not understand without a doubt is an error.
 */
import { forEachChild, parse } from "unbash";
import type {
  Assignment,
  Command,
  ParsedScript,
  Pipeline,
  Redirection,
  Statement,
  SyntaxNode,
  Word,
} from "unbash";
import {
  NotUnderstoodError,
  type ParsedCommand,
  type ShellAssignment,
  type ShellRedirection,
  type SimpleCommand,
  type StdinSource,
} from "./parsed_command.ts";
import { type ScriptVariables, valueOf } from "./script_variables.ts";
import { type KnownVariables, literalWord, readWord, type ShellWord } from "./words.ts";

/** Bytes of text, commands and depth beyond which a script counts as not understood. */
const LIMITS = { bytes: 64 * 1024, commands: 200, depth: 60 };

/** Syntax of bash that other shells read as something else, which may run: `((curl x))` is two subshells. */
const BASH_ONLY = /^(ArithmeticCommand|ArithmeticFor|TestCommand|AnsiCQuoted|&>>?)$/;

/** What surrounds a node, in part what its commands are told. */
interface NodeContext
  extends
    Pick<SimpleCommand, "input" | "chain" | "shells" | "isolated" | "repeated" | "inFunction"> {
  readonly source: string;
  /**
   * Whether it is arithmetic, a subscript or a part of `${...}`, where bash reads a text as between double quotes: single
   * quotes hide nothing then, as in `$(( '$(rm x)' ))`, which runs rm, while the parser takes them for a text.
   */
  readonly evaluated: boolean;
  /** Whether it runs for sure, and in the shell itself. */
  readonly sure: boolean;
  readonly depth: number;
  /** Where the part begins that it stands in; undefined if it may hold several. */
  readonly at?: number;
}

/** What a script can be cut into parts at: all that another node holds stands where that node does. */
const CONTAINERS = /^(AndOr|Pipeline|Subshell|BraceGroup|CompoundList)$/;
/** What surely runs all that it begins with, in the shell itself. */
const TRANSPARENT = /^(Command|AndOr|Pipeline|For)$/;

/** Parses a script. @throws {Error} it has errors, or is too large */
export function parseScript(text: string): ParsedScript {
  if (new TextEncoder().encode(text).length > LIMITS.bytes) {
    throw new NotUnderstoodError("is longer than 64 KiB");
  }
  const script = parse(text);
  requireParsed(script);
  return script;
}

/** What is known of a script beside its tree. */
interface ReadOptions {
  /** Its text. */
  readonly source: string;
  readonly variables: ScriptVariables;
  readonly known: KnownVariables;
  /** The values of variables that it sets once, which stand in for them from there on. */
  readonly constants: KnownVariables;
  /** Whether a shell runs it that may know nothing but the standard's syntax. */
  readonly posix: boolean;
}

/** Finds every command of a script. @throws {NotUnderstoodError} it uses syntax that cannot be judged */
export function readCommands(script: ParsedScript, options: ReadOptions): ParsedCommand {
  const { source, variables: { given }, known, constants } = options;
  const collector = new CommandCollector(options);
  collector.script(script, {
    source,
    chain: 0,
    shells: [],
    isolated: false,
    repeated: false,
    evaluated: false,
    sure: true,
    depth: 0,
  });
  const { commands, functions } = collector;
  const values = new Map([...known, ...constants]);
  const read = (word: Word | undefined) => word && readWord(word, values);
  const assigned = [...given].map(([name, places]) => [name, places.flat().map(read)] as const);
  return { commands, functions, assignedValues: new Map(assigned) };
}

function requireParsed({ errors }: ParsedScript): void {
  if (errors?.length) throw new NotUnderstoodError(`cannot be parsed: ${errors[0]?.message}`);
}

const UNKNOWN: StdinSource = { kind: "unknown" };
/** What begins an expansion. */
const EXPANDS = /[$`]/;

/** One walk over one tree. */
class CommandCollector {
  readonly commands: SimpleCommand[] = [];
  readonly functions = new Set<string>();
  readonly #options: ReadOptions;
  readonly #known: Map<string, string>;
  #chains = 0;
  #shells = 0;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#known = new Map(options.known);
  }

  script(script: ParsedScript | undefined, scope: NodeContext): void {
    if (!script) throw new NotUnderstoodError("holds a substitution that cannot be parsed");
    requireParsed(script);
    const { source = scope.source } = script;
    this.#list(script.commands, { ...scope, source, evaluated: false });
  }

  #list(statements: readonly Statement[], scope: NodeContext): void {
    for (const statement of statements) {
      const inner = statement.background === true ? this.#inShell(scope) : scope;
      this.#node(statement.command, { ...inner, chain: ++this.#chains });
    }
  }

  #node(node: SyntaxNode, outer: NodeContext): void {
    const sure = outer.sure && TRANSPARENT.test(node.type);
    const at = outer.at ?? (CONTAINERS.test(node.type) ? undefined : node.pos);
    const scope = { ...outer, sure, at, depth: outer.depth + 1 };
    this.#requireStandard(node.type);
    if (scope.depth > LIMITS.depth) throw new NotUnderstoodError("is nested too deeply");
    switch (node.type) {
      case "Command":
        return this.#command(node, scope);
      case "AndOr":
        return node.commands.forEach((command, index) => {
          const chained = index === 0 || node.operators[index - 1] === "&&";
          if (!chained) scope.chain = ++this.#chains;
          this.#node(command, { ...scope, sure: scope.sure && index === 0 });
        });
      case "Pipeline":
        return this.#pipeline(node, scope);
      case "Redirected":
        return this.#redirected(node, scope);
      case "CompoundList":
        return this.#list(node.commands, scope);
      case "Subshell":
        return this.#node(node.body, this.#inShell(scope));
      case "Function":
        this.functions.add(node.name.value);
        return this.#node(node.body, {
          ...scope,
          ...{ input: UNKNOWN, inFunction: node.name.value, repeated: true, isolated: false },
        });
      case "For":
      case "Select":
        this.#settle(node.name.value, scope);
        return this.#children(node, { ...scope, repeated: true, sure: false });
      case "While":
      case "ArithmeticFor":
        return this.#children(node, { ...scope, repeated: true });
      case "Coproc":
        throw new NotUnderstoodError("starts a coprocess");
      default:
        return this.#inner(node, scope);
    }
  }

  /** What stands inside words and expressions. */
  #inner(node: SyntaxNode, scope: NodeContext): void {
    switch (node.type) {
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion": {
        const isFed = node.type === "ProcessSubstitution" && node.operator === ">";
        const input = isFed ? UNKNOWN : scope.input;
        return this.script(node.script, { ...this.#inShell(scope), input });
      }
      case "SingleQuoted":
      case "AnsiCQuoted":
        if (scope.evaluated && EXPANDS.test(node.text.slice(1) + node.value)) {
          throw new NotUnderstoodError("holds quotes where bash may take them for none");
        }
        return;
      case "ArithmeticWord":
      case "ArithmeticExpansion":
      case "ArithmeticCommand":
        if (node.type !== "ArithmeticWord" && !node.expression) {
          throw new NotUnderstoodError("holds arithmetic that is not understood");
        }
        return this.#children(node, { ...scope, evaluated: true });
      case "ParameterExpansion":
        if (node.prefix === "!") {
          throw new NotUnderstoodError("expands a variable by another's name");
        }
        if (node.operation?.type === "Transform" && node.operation.operand.value !== "Q") {
          throw new NotUnderstoodError("evaluates the value of a variable");
        }
        return this.#children(node, { ...scope, evaluated: true });
      case "Assignment":
        if (node.index) this.#node(node.index, { ...scope, evaluated: true });
        return this.#node(node.value, scope);
      case "ArrayValue":
        return node.elements.forEach((one) =>
          this.#node(one, { ...scope, evaluated: one.text.startsWith("[") })
        );
      case "ExtendedGlob":
        throw new NotUnderstoodError("holds an extended pattern");
      case "Unknown":
        throw new NotUnderstoodError("holds an expansion of a kind that is unknown");
      default:
        return this.#children(node, scope);
    }
  }

  #children(node: SyntaxNode, scope: NodeContext): void {
    forEachChild(node, (child) => this.#node(child, scope));
  }

  /** In a shell of its own, where what is done to it shows in the chains that begin there. */
  #inShell(scope: NodeContext): NodeContext {
    return { ...scope, shells: [...scope.shells, ++this.#shells], isolated: false, sure: false };
  }

  #pipeline({ commands, prefixes }: Pipeline, scope: NodeContext): void {
    const isolated = scope.isolated || commands.length > 1 || prefixes.length > 0;
    const sure = scope.sure && commands.length === 1;
    commands.forEach((command, index) => {
      const input = index === 0 ? scope.input : UNKNOWN;
      this.#node(command, { ...scope, isolated, sure, input });
    });
  }

  #redirected(node: Extract<SyntaxNode, { type: "Redirected" }>, scope: NodeContext): void {
    const redirections = node.redirects.flatMap((one) => this.#redirection(one));
    const text = node.redirects.map((one) => scope.source.slice(one.pos, one.end)).join(" ");
    this.#add({ ...scope, text, assignments: [], words: [], redirections });
    for (const redirect of node.redirects) this.#children(redirect, scope);
    this.#node(node.command, { ...scope, input: this.#input(node.redirects, scope.input) });
  }

  #command(node: Command, scope: NodeContext): void {
    const assignments = node.prefix.flatMap((one) =>
      one.type === "Assignment" ? [this.#assignment(one)] : []
    );
    const words = node.name ? [this.#read(node.name)] : [];
    for (const one of node.suffix) {
      if (one.type === "Word") words.push(this.#read(one));
      else if (one.type === "Assignment") words.push(this.#assignmentWord(one));
    }
    const redirections = node.redirects.flatMap((one) => this.#redirection(one));
    const text = scope.source.slice(node.pos, node.end);
    const input = this.#input(node.redirects, scope.input);
    this.#add({ ...scope, text, assignments, words, redirections, input });
    this.#children(node, { ...scope, input: scope.input, sure: false });
    if (words.length === 0) assignments.forEach(({ name }) => this.#settle(name, scope));
  }

  #add(command: Omit<SimpleCommand, "at"> & NodeContext): void {
    this.commands.push({ ...command, at: command.at ?? 0 });
    if (this.commands.length > LIMITS.commands) {
      throw new NotUnderstoodError("holds more than 200 commands");
    }
  }

  /** `export A=1` and its like: an argument that assigns. */
  #assignmentWord(node: Assignment): ShellWord {
    const { name, value } = this.#assignment(node);
    const { text } = node;
    if (value?.kind === "literal") return { ...literalWord(`${name}=${value.value}`), text };
    return { text, kind: "dynamic", value: text, prefix: `${name}=` };
  }

  #assignment(node: Assignment): ShellAssignment {
    const value = valueOf(node);
    return { name: node.name, value: value && this.#read(value) };
  }

  /** From here on a variable holds what was found for it, if it was given that for sure. */
  #settle(name: string, { sure }: NodeContext): void {
    const value = this.#options.constants.get(name);
    if (sure && value) this.#known.set(name, value);
  }

  #redirection(node: Redirection): ShellRedirection[] {
    if (node.type !== "Redirect") return [];
    if (!node.target) throw new NotUnderstoodError("redirects to nowhere");
    this.#requireStandard(node.operator);
    return [{ operator: node.operator, target: this.#read(node.target) }];
  }

  /** What the redirections leave as standard input. */
  #input(redirects: readonly Redirection[], before: StdinSource): StdinSource {
    const last = redirects.findLast(({ operator, descriptor }) =>
      operator.startsWith("<") &&
      (!descriptor || (descriptor.type === "FileDescriptor" && descriptor.value === 0))
    );
    if (!last) return before;
    if (last.type === "HereDoc") {
      const { parts, text } = last.body;
      const literal = last.delimiter?.quoted ||
        (!text.includes("\\") && (parts ?? []).every((part) => part.type === "Literal"));
      return literal ? { kind: "text", text } : UNKNOWN;
    }
    const target = last.target && this.#read(last.target);
    if (target && last.operator === "<") return { kind: "file", target };
    const literal = last.type === "HereString" && target?.kind === "literal";
    return literal ? { kind: "text", text: target.value } : UNKNOWN;
  }

  #requireStandard(syntax: string): void {
    if (!this.#options.posix || !BASH_ONLY.test(syntax)) return;
    throw new NotUnderstoodError("uses what means something else to a shell but bash");
  }

  #read(word: Word): ShellWord {
    const read = readWord(word, this.#known);
    if (read.value.includes("\0")) throw new NotUnderstoodError("holds a NUL character");
    return read;
  }
}
