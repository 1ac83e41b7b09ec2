/**
 * Gives each part of a command line a sandbox of its own, with the powers that this part needs and no others.
 * Neighbours with the same powers stay together in one, unless that would hide how one of them ended.
 */
import type { PathFacts } from "../core/path_facts.ts";
import { isPipe, type PartedScript, type SandboxPolicy, type TextSpan } from "../core/sandbox.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";
import type { ShellOption } from "../shell/script/shell_state.ts";
import {
  type Chain,
  commandsIn,
  joinItems,
  type Segment,
  staysInside,
  within,
} from "../shell/script/segments.ts";
import { fitsAnywhere, hasKeys, isClosed, policiesOf } from "./sandbox_policy.ts";

/** What a command line is cut by. */
interface PartingOptions {
  /** The command line, if its parts run as somebody saw them written, without keys. @default they run as rendered */
  readonly source?: string | undefined;
  readonly pathFacts: PathFacts;
  /** What these parts together may do; undefined if they need nothing and can do no harm beside others. */
  readonly policyOf: (parts: readonly AnalyzedPart[]) => SandboxPolicy | undefined;
  /** What parts may do that fit beside anything. */
  readonly closed: SandboxPolicy;
}

/** A command line in parts; undefined if all of it may do the same, or if it cannot be cut. */
export function partScript(
  { segments, parts }: Pick<ScriptAnalysis, "segments" | "parts">,
  options: PartingOptions,
): PartedScript | undefined {
  if (!segments) return undefined;
  try {
    const parting = new Parting(parts, options);
    if (parting.isUniform(segments)) return undefined;
    const parted = parting.part(segments);
    return parted.kind === "uniform" ? undefined : parted.script;
  } catch (error) {
    if (error instanceof NotPartedError) return undefined;
    throw error;
  }
}

/** The parts that run in one sandbox with a part of a command line that is cut. */
export function neighboursOf<P extends Pick<AnalyzedPart, "at">>(
  part: P,
  { segments, parts }: { segments: Segment; parts: readonly P[] },
): readonly P[] {
  const own = commandsIn(segments).find((one) => within(one, [part]).length > 0);
  return within(own ?? segments, parts);
}

/** Whether each part that must find files unchanged begins when those that may change files before it have ended. */
export function bindsPartsApart(parted: PartedScript): boolean {
  switch (parted.kind) {
    case "chain": {
      const hasPipe = parted.operators.some(isPipe);
      const policies = policiesOf(parted).filter(({ write }) => write);
      const runsBeside = hasPipe && policies.length > 1 &&
        policies.some(({ unchanged }) => unchanged !== undefined);
      return !runsBeside && parted.items.every(bindsPartsApart);
    }
    case "subshell":
    case "group":
      return bindsPartsApart(parted.body);
    default:
      return true;
  }
}

/** Thrown where a part cannot run by itself. */
class NotPartedError extends Error {}

/** A piece of which all may do the same, or one that has been cut. */
type Piece =
  | {
    readonly kind: "uniform";
    readonly policy: SandboxPolicy | undefined;
    readonly text: string;
    readonly readsStatus: boolean;
    readonly span: TextSpan;
  }
  | { readonly kind: "parted"; readonly script: PartedScript };

type UniformPiece = Extract<Piece, { kind: "uniform" }>;

class Parting {
  readonly #parts: readonly AnalyzedPart[];
  readonly #options: PartingOptions;
  /** What each part is told: commands that set variables, and options. */
  readonly #variables: string[] = [];
  readonly #inner = new Set<ShellOption>();
  /** Whether the joining shell must see how each command ends: it ends at the first that fails. */
  #stepwise = false;

  constructor(parts: readonly AnalyzedPart[], options: PartingOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Whether all commands in it may do the same, and it ends as those end that may lack a power. */
  isUniform(segment: Segment): boolean {
    const [first, ...others] = this.#policiesIn(segment);
    return (first === undefined || others.every((other) => isSamePolicy(first, other))) &&
      !this.#hides(segment);
  }

  /** Whether there is something in it of which nobody would see that it failed. */
  #hides(segment: Segment): boolean {
    switch (segment.kind) {
      case "chain":
        return segment.items.some((item, at) => this.#hidesEnd(segment, at) || this.#hides(item));
      case "subshell":
      case "group":
        return this.#hides(segment.body);
      default:
        return false;
    }
  }

  /** Whether an item that may lack a power is followed by what ends well in any case: `npm test | tail`, `x || true`. */
  #hidesEnd({ items, operators }: Chain, at: number): boolean {
    const operator = operators[at];
    if (operator === undefined || operator === "&&") return false;
    if (!within(items[at]!, this.#parts).some(isClosed)) return false;
    return isPipe(operator) ||
      fitsAnywhere(items.slice(at + 1).flatMap((one) => within(one, this.#parts)));
  }

  /** @throws {NotPartedError} */
  part(segment: Segment): Piece {
    switch (segment.kind) {
      case "command":
        return {
          kind: "uniform",
          policy: this.#policyOf(segment),
          text: this.#textOf([segment], []),
          readsStatus: segment.readsStatus,
          span: spanOf(segment),
        };
      case "cd":
        if (!staysInside(segment, { parts: this.#parts, ...this.#options })) {
          throw new NotPartedError();
        }
        return { kind: "parted", script: { kind: "cd", directory: segment.directory } };
      case "exit":
        return { kind: "parted", script: { kind: "exit", code: segment.code } };
      case "setup":
        return this.#setUp(segment);
      case "subshell":
        // What it does to its directory and its end stays in it.
        if (!this.#stepwise && this.isUniform(segment)) return this.#whole(segment);
        return this.#group(segment);
      case "group":
        return this.#group(segment);
      case "chain":
        return this.#chain(segment);
    }
  }

  #setUp(segment: Extract<Segment, { kind: "setup" }>): Piece {
    const { options, variables } = segment;
    this.#stepwise ||= options.includes("errexit");
    for (const option of options.filter((one) => one !== "errexit")) this.#inner.add(option);
    if (variables.length > 0) this.#variables.push(segment.text);
    const own = options.filter((one) => one === "errexit" || one === "pipefail");
    return { kind: "parted", script: { kind: "options", options: own } };
  }

  #toScript({ policy, text, readsStatus, span }: UniformPiece): PartedScript {
    const options = [...this.#inner].map((option) => `-o ${option}`).join(" ");
    const setup = [...this.#variables, ...(options ? [`set ${options}`] : [])];
    return {
      kind: "script",
      text,
      policy: policy ?? this.#options.closed,
      readsStatus,
      span,
      setup: setup.map((one) => `${one}; `).join(""),
    };
  }

  #whole(segment: Segment): Piece {
    const policy = joinPolicies(this.#policiesIn(segment));
    const text = this.#textOf([segment], []);
    return { kind: "uniform", policy, text, readsStatus: true, span: spanOf(segment) };
  }

  #group(segment: Extract<Segment, { kind: "subshell" | "group" }>): Piece {
    const body = this.part(segment.body);
    if (body.kind === "uniform") {
      return { ...body, text: this.#textOf([segment], []), span: spanOf(segment) };
    }
    return { kind: "parted", script: { kind: segment.kind, body: body.script } };
  }

  #chain(chain: Chain): Piece {
    const { operators, negated } = chain;
    const pieces = chain.items.map((item) => this.part(item));
    const items: PartedScript[] = [];
    const between: Chain["operators"][number][] = [];
    for (let at = 0; at < pieces.length;) {
      const end = this.#stepwise ? at + 1 : this.#runEnd(pieces, { at, chain });
      const piece = pieces[at]!;
      if (at > 0) between.push(operators[at - 1]!);
      if (piece.kind === "parted") items.push(piece.script);
      else {
        const run = pieces.slice(at, end) as UniformPiece[];
        const joined = this.#join(chain, { run, at, end });
        if (run.length === pieces.length && !this.#stepwise) {
          return { ...joined, text: this.#textOf([chain], []), span: spanOf(chain) };
        }
        items.push(this.#toScript(joined));
      }
      at = end;
    }
    return { kind: "parted", script: { kind: "chain", items, operators: between, negated } };
  }

  /** Where the neighbours end that can run as one with the piece at `at`, and mean the same. */
  #runEnd(pieces: readonly Piece[], { at, chain }: { at: number; chain: Chain }): number {
    const { operators } = chain;
    const first = pieces[at]!;
    if (first.kind === "parted") return at + 1;
    let { policy } = first;
    let end = at + 1;
    for (; end < pieces.length; end++) {
      const next = pieces[end]!;
      if (next.kind === "parted" || this.#hidesEnd(chain, end - 1)) break;
      // `a || b && c` is `(a || b) && c`: what does not begin the chain must be joined as it is joined to what is before.
      if (at > 0 && operators[end - 1] !== operators[at - 1]) break;
      if (policy && next.policy && !isSamePolicy(policy, next.policy)) break;
      policy ??= next.policy;
    }
    return end;
  }

  #join(
    { items, operators }: Chain,
    { run, at, end }: { run: readonly UniformPiece[]; at: number; end: number },
  ): UniformPiece {
    const joined = { items: items.slice(at, end), operators: operators.slice(at, end - 1) };
    return {
      kind: "uniform",
      policy: joinPolicies(run.flatMap(({ policy }) => policy ?? [])),
      text: this.#textOf(joined.items, joined.operators),
      readsStatus: run.some((piece) => piece.readsStatus),
      span: { pos: run[0]!.span.pos, end: run.at(-1)!.span.end },
    };
  }

  #textOf(items: readonly Segment[], operators: Chain["operators"]): string {
    const { source } = this.#options;
    // All hangs on how words with keys are understood, and the text of a here-document stands behind its line.
    const isRendered = source === undefined || /<<(?!<)/.test(source) ||
      items.some((item) => this.#policiesIn(item).some(hasKeys));
    if (isRendered) return joinItems({ items, operators });
    return source.slice(items[0]!.pos, items.at(-1)!.end);
  }

  #policiesIn(segment: Segment): SandboxPolicy[] {
    return commandsIn(segment).filter(({ kind }) => kind === "command")
      .flatMap((command) => this.#policyOf(command) ?? []);
  }

  #policyOf(command: Segment): SandboxPolicy | undefined {
    return this.#options.policyOf(within(command, this.#parts));
  }
}

function spanOf({ pos, end }: Segment): TextSpan {
  return { pos, end };
}

/** What parts may do that share a sandbox, each of them the same; undefined if there are none. */
function joinPolicies(policies: readonly SandboxPolicy[]): SandboxPolicy | undefined {
  const [first] = policies;
  if (first === undefined) return undefined;
  const { gitAlone: _alone, tentative: _tentative, showsFiles: _shows, ...rest } = first;
  return {
    ...rest,
    ...(policies.every(({ gitAlone }) => gitAlone) && { gitAlone: true as const }),
    ...(policies.some(({ tentative }) => tentative) && { tentative: true as const }),
    ...(policies.some(({ showsFiles }) => showsFiles) && { showsFiles: true as const }),
  };
}

/** What must find files unchanged, or has keys, begins by itself, when it is known what the others have done. */
function isSamePolicy(one: SandboxPolicy, other: SandboxPolicy): boolean {
  return !one.unchanged && !other.unchanged && !hasKeys(one) && !hasKeys(other) &&
    one.write === other.write && one.history === other.history &&
    one.needs.length === other.needs.length &&
    one.needs.every((need) => other.needs.includes(need)) &&
    JSON.stringify([one.settings, one.unnamed]) === JSON.stringify([other.settings, other.unnamed]);
}
