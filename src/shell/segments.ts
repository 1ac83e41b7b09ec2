/**
 * Cuts a script into the parts that a shell joins by `;`, `&&`, `||` and `|`, so that each can run in a shell of its
 * own. A script whose parts share more of their shell than its directory cannot be cut.
 */
import {
  type CommandNode,
  forEachChild,
  parse,
  type ParsedScript,
  type Statement,
  type SyntaxNode,
} from "unbash";
import { nodeRenderer, type RenderOptions } from "./render.ts";
import { literalValue } from "./rendered_word.ts";
import { type StateUse, stateUseOf } from "./shared_state.ts";

/** What stands between two parts. */
export type Operator = ";" | "&&" | "||" | "|" | "|&";

/** What every part has. */
interface Span {
  /** Where it stands: characters from the beginning of the script. */
  readonly pos: number;
  readonly end: number;
  /** As written; undefined if the script has a here-document, whose text stands elsewhere. */
  readonly written: string | undefined;
  /** Rendered; undefined if the script has no canonical text. */
  readonly canonical: string | undefined;
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
  );

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

/** Cuts a script into its parts; undefined if it has but one, or if they share their shell. */
export function splitScript(text: string, options: RenderOptions): Segment | undefined {
  if (options.posix) return undefined;
  try {
    const script = parse(text);
    if (script.errors?.length) return undefined;
    return new Splitter(text, script, options).split();
  } catch {
    return undefined;
  }
}

/** Neighbours of a chain as one text; undefined if they have none in that form. */
export function joinItems(
  { items, operators }: Pick<Chain, "items" | "operators">,
  { source, form }: { source: string; form: "written" | "canonical" },
): string | undefined {
  const [first] = items;
  const last = items.at(-1);
  if (!first || !last) return undefined;
  if (form === "written" && items.every(({ written }) => written !== undefined)) {
    return source.slice(first.pos, last.end);
  }
  const texts = items.map(({ canonical }) => canonical);
  if (texts.includes(undefined)) return undefined;
  return texts.map((text, at) => at === 0 ? text : `${between(operators[at - 1]!)}${text}`).join(
    "",
  );
}

function between(operator: Operator): string {
  return operator === ";" ? "; " : ` ${operator} `;
}

/** Thrown where the parts share their shell. */
class SharedStateError extends Error {}

class Splitter {
  readonly #source: string;
  readonly #script: ParsedScript;
  readonly #render: ((node: SyntaxNode) => string) | undefined;
  readonly #contiguous: boolean;

  constructor(source: string, script: ParsedScript, options: RenderOptions) {
    this.#source = source;
    this.#script = script;
    this.#render = nodeRenderer(script, options);
    this.#contiguous = !hasHereDocument(script);
  }

  /** @throws {SharedStateError} */
  split(): Segment | undefined {
    const segment = this.#list(this.#script.commands);
    return segment?.kind === "command" ? undefined : segment;
  }

  #list(statements: readonly Statement[]): Segment | undefined {
    const items = statements.map(({ command, background }) => {
      if (background) throw new SharedStateError();
      return this.#node(command);
    });
    return chainOf(items, { operators: items.slice(1).map(() => ";"), source: this.#source });
  }

  #node(node: SyntaxNode): Segment {
    switch (node.type) {
      case "AndOr": {
        const items = node.commands.map((one) => this.#node(one));
        return chainOf(items, { operators: node.operators, source: this.#source })!;
      }
      case "Pipeline": {
        const { prefixes, commands, operators } = node;
        const negated = prefixes.length > 0;
        if (prefixes.length > 1 || prefixes.some(({ type }) => type !== "Negation")) {
          return this.#command(node);
        }
        const items = commands.map((one) => this.#element(one, { isolated: commands.length > 1 }));
        const span = this.#span(node);
        return { kind: "chain", ...span, items, operators, negated };
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

  /** `cd DIRECTORY` and `exit CODE`, which are for the shell that joins the parts. */
  #step(node: Extract<SyntaxNode, { type: "Command" }>): Segment | undefined {
    if (node.prefix.length > 0 || node.redirects.length > 0 || !node.name) return undefined;
    const [program, operand, ...others] = [node.name, ...node.args]
      .map((word) => word.type === "Word" ? literalValue(word) : undefined);
    if (others.length > 0 || node.args.length > 1) return undefined;
    const span = this.#span(node);
    if (program === "cd" && operand !== undefined && !/^(-.*|)$/.test(operand)) {
      return { kind: "cd", ...span, directory: operand };
    }
    const plain = node.args.length === 0 || /^\d{1,3}$/.test(operand ?? "");
    return program === "exit" && plain ? { kind: "exit", ...span, code: operand } : undefined;
  }

  #command(node: SyntaxNode, { isolated = false } = {}): Segment {
    const use = stateUseOf(node, { source: this.#source, isolated });
    if (use.shared || this.#leaksLoop(node, use)) throw new SharedStateError();
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
    return {
      pos: node.pos,
      end: node.end,
      written: this.#contiguous ? this.#source.slice(node.pos, node.end) : undefined,
      canonical: this.#render?.(node),
    };
  }
}

function chainOf(
  items: readonly Segment[],
  { operators, source }: { operators: readonly Operator[]; source: string },
): Segment | undefined {
  const [first] = items;
  const last = items.at(-1);
  if (!first || !last) return undefined;
  if (items.length === 1) return first;
  const joined = { items, operators };
  const canonical = joinItems(joined, { source, form: "canonical" });
  const separate = items.some(({ written }) => written === undefined);
  const written = separate ? undefined : source.slice(first.pos, last.end);
  const { pos } = first;
  return { kind: "chain", ...joined, negated: false, pos, end: last.end, written, canonical };
}

/** Whether the words of a script do not stand together: the text of a here-document comes after its line. */
function hasHereDocument(node: SyntaxNode): boolean {
  if (node.type === "HereDoc") return true;
  // What stands in a substitution stands there whole.
  if (node.type === "CommandExpansion" || node.type === "ProcessSubstitution") return false;
  let found = false;
  forEachChild(node, (child) => {
    found ||= hasHereDocument(child);
  });
  return found;
}
