/**
 * Cuts a script into the parts that a shell joins by `;`, `&&`, `||` and `|`, so that each can run in a shell of its
 * own. A script whose parts share more of their shell than its directory cannot be cut.
 */
import { resolve } from "node:path";
import type { CommandNode, ParsedScript, Statement, SyntaxNode } from "unbash";
import type { PathFacts } from "../../core/path_facts.ts";
import { literalWords } from "./rendered_word.ts";
import {
  setupOf,
  type ShellOption,
  type ShellSetup,
  type StateUse,
  stateUseOf,
} from "./shell_state.ts";

/** What stands between two parts. */
type Operator = ";" | "&&" | "||" | "|" | "|&";

/** What every part has. */
interface Span {
  /** Where it stands: characters from the beginning of the script. */
  readonly pos: number;
  readonly end: number;
  /** Its canonical text. */
  readonly text: string;
}

/** A part of a script. */
export type Segment =
  & Span
  & (
    | {
      readonly kind: "command";
      /** It uses the exit status of what ran before it. */
      readonly readsStatus: boolean;
    }
    | {
      readonly kind: "chain";
      readonly items: readonly Segment[];
      /** One less than items. */
      readonly operators: readonly Operator[];
      /** Its exit status is turned round. */
      readonly negated: boolean;
    }
    | { readonly kind: "subshell" | "group"; readonly body: Segment }
    /** A step of the shell itself, which the parts after it depend on. */
    | { readonly kind: "cd"; readonly directory: string }
    | { readonly kind: "exit"; readonly code: string | undefined }
    /** What each part after it is told too. */
    | ({ readonly kind: "setup" } & ShellSetup)
  );

/** The exit status of what ran before, as a word: what a shell ends with of its own accord. */
const STATUS = /^("?)\$(?:\?|\{\?\})\1$/;

/** A chain of parts. */
export type Chain = Extract<Segment, { kind: "chain" }>;

/** The commands and steps of a part, in their order. */
export function commandsIn(segment: Segment): readonly Segment[] {
  switch (segment.kind) {
    case "chain":
      return segment.items.flatMap(commandsIn);
    case "subshell":
    case "group":
      return commandsIn(segment.body);
    default:
      return [segment];
  }
}

/** What of some things in a script stands in a part of it. */
export function within<T extends { readonly at: number }>(
  { pos, end }: Pick<Segment, "pos" | "end">,
  things: readonly T[],
): T[] {
  return things.filter(({ at }) => pos <= at && at < end);
}

/** Whether a step leads within the workspace: elsewhere may be another place in a sandbox than outside of it. */
export function staysInside(
  step: Extract<Segment, { kind: "cd" }>,
  { parts, pathFacts }: {
    parts: readonly { readonly at: number; readonly cwds: readonly string[] }[];
    pathFacts: PathFacts;
  },
): boolean {
  const cwds = within(step, parts).flatMap((part) => part.cwds);
  return cwds.length > 0 &&
    cwds.every((cwd) => pathFacts.locate(resolve(cwd, step.directory)).inside);
}

/** What a script is cut by. */
interface SplitOptions {
  /** The script as written. */
  readonly source: string;
  /** Renders one of its nodes. */
  readonly render: (node: SyntaxNode) => string;
}

/** Cuts a script that has a canonical text; undefined if it has but one part, or if its parts share their shell. */
export function splitScript(script: ParsedScript, options: SplitOptions): Segment | undefined {
  try {
    const segment = new Splitter(options).split(script);
    return segment?.kind === "command" ? undefined : segment;
  } catch (error) {
    if (error instanceof SharedStateError) return undefined;
    throw error;
  }
}

/** Neighbours of a chain as one text. */
export function joinItems({ items, operators }: Pick<Chain, "items" | "operators">): string {
  return items.map(({ text }, at) => at === 0 ? text : `${between(operators[at - 1]!)}${text}`)
    .join("");
}

function between(operator: Operator): string {
  return operator === ";" ? "; " : ` ${operator} `;
}

/** Thrown where the parts share their shell. */
class SharedStateError extends Error {}

class Splitter {
  readonly #source: string;
  readonly #render: (node: SyntaxNode) => string;
  /** Whether nothing but setups came before. */
  #begins = true;
  readonly #options = new Set<ShellOption>();
  readonly #variables = new Set<string | undefined>(["?"]);
  readonly #read: (string | undefined)[] = [];
  #hasCompound = false;

  constructor({ source, render }: SplitOptions) {
    this.#source = source;
    this.#render = render;
  }

  /** @throws {SharedStateError} */
  split({ commands }: ParsedScript): Segment | undefined {
    const segment = this.#list(commands);
    // A part that ends the whole shell would end but its own.
    const mayStop = this.#options.has("nounset") &&
      this.#read.some((name) => !this.#variables.has(name));
    // Whether a failure in it ends the shell hangs on where in it that happened.
    if (mayStop || (this.#options.has("errexit") && this.#hasCompound)) {
      throw new SharedStateError();
    }
    return segment;
  }

  #list(statements: readonly Statement[]): Segment | undefined {
    const items = statements.map(({ command, background }) => {
      if (background) throw new SharedStateError();
      return this.#node(command);
    });
    return chainOf(items, items.slice(1).map(() => ";"));
  }

  #node(node: SyntaxNode): Segment {
    const setup = this.#setup(node);
    if (setup) return setup;
    switch (node.type) {
      case "AndOr":
        return chainOf(node.commands.map((one) => this.#node(one)), node.operators)!;
      case "Pipeline": {
        const { prefixes, commands, operators } = node;
        const negated = prefixes.length > 0;
        if (prefixes.length > 1 || prefixes.some(({ type }) => type !== "Negation")) {
          return this.#command(node);
        }
        const items = commands.map((one) => this.#element(one, { isolated: commands.length > 1 }));
        return { kind: "chain", ...this.#span(node), items, operators, negated };
      }
      case "Subshell":
        return this.#group(node) ?? this.#command(node);
      case "BraceGroup": {
        const group = this.#group(node);
        if (!group) throw new SharedStateError();
        return group;
      }
      case "Command":
        return this.#step(node) ?? this.#command(node);
      default:
        return this.#command(node);
    }
  }

  /** At the beginning, what the shell is told; what contains others may hold such a beginning. */
  #setup(node: SyntaxNode): Segment | undefined {
    const found = this.#begins ? setupOf(node) : undefined;
    if (!found) {
      this.#begins &&= node.type === "AndOr";
      return undefined;
    }
    for (const option of found.options) this.#options.add(option);
    for (const name of found.variables) this.#variables.add(name);
    return { kind: "setup", ...this.#span(node), ...found };
  }

  /** What stands in a pipe changes nothing for what follows. */
  #element(node: CommandNode, { isolated }: { isolated: boolean }): Segment {
    if (!isolated) return this.#node(node);
    const isGroup = node.type === "Subshell" || node.type === "BraceGroup";
    return (isGroup ? this.#group(node) : undefined) ?? this.#command(node, { isolated });
  }

  /** Undefined if its parts share their shell. */
  #group(node: Extract<SyntaxNode, { type: "Subshell" | "BraceGroup" }>): Segment | undefined {
    try {
      const body = this.#list(node.body.commands);
      const kind = node.type === "Subshell" ? "subshell" : "group";
      return body && { kind, ...this.#span(node), body };
    } catch (error) {
      if (error instanceof SharedStateError) return undefined;
      throw error;
    }
  }

  /** `cd DIRECTORY`, `exit CODE` and `exit $?`, which are for the shell that joins the parts. */
  #step(node: Extract<SyntaxNode, { type: "Command" }>): Segment | undefined {
    if (node.prefix.length > 0 || node.redirects.length > 0 || !node.name) return undefined;
    const [program, operand, ...others] = literalWords(node);
    if (others.length > 0 || node.args.length > 1) return undefined;
    const span = this.#span(node);
    if (program === "cd" && operand !== undefined && !/^(-.*|)$/.test(operand)) {
      return { kind: "cd", ...span, directory: operand };
    }
    const [code] = node.args;
    const plain = !code || STATUS.test(code.text) || /^\d{1,3}$/.test(operand ?? "");
    return program === "exit" && plain ? { kind: "exit", ...span, code: operand } : undefined;
  }

  #command(node: SyntaxNode, { isolated = false } = {}): Segment {
    const use = stateUseOf(node, { isolated });
    if (use.shared || this.#leaksLoop(node, use)) throw new SharedStateError();
    this.#read.push(...use.parameters.filter((name) => !use.loopVariables.includes(name ?? "")));
    this.#hasCompound ||= node.type !== "Command";
    return { kind: "command", ...this.#span(node), readsStatus: use.readsStatus };
  }

  /** The variable of a loop keeps its last value, which other parts may use. */
  #leaksLoop({ pos, end }: SyntaxNode, { loopVariables }: StateUse): boolean {
    const others = `${this.#source.slice(0, pos)} ${this.#source.slice(end)}`;
    return loopVariables.some((name) =>
      name !== name.toLowerCase() || new RegExp(`\\b${name}\\b`).test(others)
    );
  }

  #span(node: SyntaxNode): Span {
    return { pos: node.pos, end: node.end, text: this.#render(node) };
  }
}

function chainOf(items: readonly Segment[], operators: readonly Operator[]): Segment | undefined {
  const [first] = items;
  const last = items.at(-1);
  if (!first || !last || items.length === 1) return first;
  const chain = { items, operators, negated: false, pos: first.pos, end: last.end };
  return { kind: "chain", ...chain, text: joinItems(chain) };
}
