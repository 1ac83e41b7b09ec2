/**
 * Patterns of paths, matched in linear time: all ways to match are followed at once, none is taken back. A regular
 * expression that backtracks can take for ever on a pattern with some stars and a name made for it. The syntax is read in
 * `glob.ts` and `ignore_file.ts`.
 */

/** One part of a pattern. No part but `text` and `anything` matches a slash. */
export type PathPart =
  | { readonly kind: "text"; readonly text: string }
  /** One character. */
  | { readonly kind: "one" }
  /** Any characters, also none. */
  | { readonly kind: "star" }
  /** The same with slashes. */
  | { readonly kind: "anything" }
  | { readonly kind: "class"; readonly ranges: readonly CodeRange[]; readonly negated: boolean }
  /** A number without leading zeros, the lower bound first. */
  | { readonly kind: "number"; readonly range: CodeRange }
  | { readonly kind: "sequence"; readonly parts: readonly PathPart[] }
  | { readonly kind: "choice"; readonly branches: readonly PathPart[] }
  /** Once if not `optional`, and more often if `many`. */
  | {
    readonly kind: "repeat";
    readonly part: PathPart;
    readonly optional: boolean;
    readonly many: boolean;
  }
  /** Any characters but those that match; with slashes if `crosses`. */
  | { readonly kind: "not"; readonly part: PathPart; readonly crosses: boolean };

/** Any directories, each with its slash, or none. */
export const ANY_DIRECTORIES: PathPart = {
  kind: "repeat",
  part: { kind: "sequence", parts: [{ kind: "anything" }, { kind: "text", text: "/" }] },
  optional: true,
  many: false,
};

/** Both ends belong to it. */
export type CodeRange = readonly [from: number, to: number];

/** How much more a part costs in a negation, which is tried from every position. */
export const NEGATION_COST = 20;

const SLASH = 47;
const DOT = 46;
const NEVER = -1;
const END = 0;

/** What a state does with the next character. */
interface State {
  readonly kind: "end" | "text" | "one" | "star" | "anything" | "class" | "split" | "later";
  /** The state after it. */
  readonly next: number;
  /** Of `text`: the character. */
  readonly code: number;
  /** Whether it does not match the dot of a hidden name. */
  readonly isWild: boolean;
  /** Of `class`. */
  readonly accepts?: (code: number) => boolean;
  /** Of `split`: the states that are entered at once. */
  readonly entries?: number[];
  /** Of `later`: where it may end. */
  readonly endsFrom?: (path: string, start: number) => readonly number[];
}

/** States that are entered at one position. */
interface StateSet {
  readonly states: readonly number[];
  readonly isEnd: boolean;
  /** Those at the next position, by the character plus one; the first where a hidden name begins there. */
  readonly then: (StateSet | undefined)[];
}

/** Sets of states that are remembered of one pattern, and characters by which. */
const MAX_SETS = 500;
const MAX_CODE = 128;

/** What a pattern takes to match, in steps for each character of a path. */
export function costOf(part: PathPart): number {
  switch (part.kind) {
    case "text":
      return part.text.length;
    case "sequence":
      return part.parts.reduce((sum, one) => sum + costOf(one), 0);
    case "choice":
      return part.branches.reduce((sum, one) => sum + costOf(one), 1);
    case "repeat":
      return 1 + costOf(part.part);
    case "not":
      return NEGATION_COST * (1 + costOf(part.part));
    default:
      return 1;
  }
}

/**
 * Makes a matcher of whole paths. Without `dot`, a dot at the start of a name matches only itself.
 */
export function pathMatcher(
  part: PathPart,
  { dot }: { dot: boolean },
): (path: string) => boolean {
  const parts = part.kind === "sequence" ? part.parts : [part];
  if (parts.every((one) => one.kind === "text")) {
    const text = parts.map((one) => one.text).join("");
    return (path) => path === text;
  }
  const last = parts.at(-1);
  const ending = last?.kind === "text" ? last.text : "";
  let program: Program | undefined;
  return (path) => path.endsWith(ending) && (program ??= new Program(part, { dot })).matches(path);
}

/** All states of a pattern; the first is its end. */
class Program {
  readonly #states: State[] = [{ kind: "end", next: NEVER, code: NEVER, isWild: false }];
  readonly #start: number;
  readonly #dot: boolean;
  /** For each state, when it was last entered. */
  readonly #entered: Float64Array;
  #now = 0;
  readonly #sets = new Map<string, StateSet>();
  /** The first set, and that where a hidden name begins. */
  readonly #first: (StateSet | undefined)[] = [];
  readonly #hasLater: boolean;

  constructor(part: PathPart, { dot }: { dot: boolean }) {
    this.#dot = dot;
    this.#start = this.#add(part, END);
    this.#entered = new Float64Array(this.#states.length);
    this.#hasLater = this.#states.some(({ kind }) => kind === "later");
  }

  /** Whether a whole path matches. */
  matches(path: string): boolean {
    if (this.#hasLater || this.#sets.size > MAX_SETS) {
      return this.endsFrom(path, 0).at(-1) === path.length;
    }
    const hides = this.#hides(path, 0);
    let set = this.#first[Number(hides)] ??= this.#setOf([this.#start], hides);
    for (let at = 0; at < path.length; at++) {
      if (set.states.length === 0) return false;
      const code = path.charCodeAt(at);
      const hides = this.#hides(path, at + 1);
      if (code >= MAX_CODE) set = this.#follow(set, code, hides);
      else set = set.then[hides ? 0 : code + 1] ??= this.#follow(set, code, hides);
    }
    return set.isEnd;
  }

  #follow({ states }: StateSet, code: number, hides: boolean): StateSet {
    return this.#setOf(states.map((state) => this.#step(state, code)), hides);
  }

  #setOf(entered: readonly number[], hides: boolean): StateSet {
    const states: number[] = [];
    this.#now++;
    for (const state of entered) this.#enter(state, { into: states, hides });
    const isEnd = this.#entered[END] === this.#now;
    const key = `${isEnd} ${states.sort((a, b) => a - b)}`;
    return this.#sets.getOrInsertComputed(key, () => ({ states, isEnd, then: [] }));
  }

  /** All positions at which a match that begins at `start` may end, in order. */
  endsFrom(path: string, start: number): number[] {
    const ends: number[] = [];
    const later = new Map<number, Set<number>>();
    const leave = (state: number, at: number): boolean => {
      const { next, endsFrom } = this.#states[state]!;
      const ends = endsFrom!(path, at);
      for (const end of ends) {
        if (end > at) later.getOrInsertComputed(end, () => new Set()).add(next);
      }
      return ends[0] === at;
    };
    let entered: Iterable<number> = [this.#start];
    for (let at = start;; at++) {
      const states: number[] = [];
      const hides = this.#hides(path, at);
      this.#now++;
      for (const state of [...entered, ...later.get(at) ?? []]) {
        this.#enter(state, { into: states, hides, leave: (state) => leave(state, at) });
      }
      later.delete(at);
      if (this.#entered[END] === this.#now) ends.push(at);
      if (at === path.length || (states.length === 0 && later.size === 0)) return ends;
      const code = path.charCodeAt(at);
      entered = states.map((state) => this.#step(state, code));
    }
  }

  /** The state after a character, or that there is none. */
  #step(index: number, code: number): number {
    const { kind, next, code: own, accepts } = this.#states[index]!;
    switch (kind) {
      case "text":
        return code === own ? next : NEVER;
      case "one":
        return code === SLASH ? NEVER : next;
      case "star":
        return code === SLASH ? NEVER : index;
      case "anything":
        return index;
      case "class":
        return code !== SLASH && accepts!(code) ? next : NEVER;
      default:
        return NEVER;
    }
  }

  /**
   * Notes a state, and all that is reached from it without a character. `leave` notes where a state ends later, and
   * says whether it ends at once.
   */
  #enter(
    state: number,
    { into, hides, leave }: {
      into: number[];
      hides: boolean;
      leave?: (state: number) => boolean;
    },
  ): void {
    const rest = [state];
    while (rest.length > 0) {
      const index = rest.pop()!;
      if (index === NEVER || this.#entered[index] === this.#now) continue;
      this.#entered[index] = this.#now;
      const { kind, next, entries, isWild } = this.#states[index]!;
      if (hides && isWild) continue;
      if (kind === "split") rest.push(...entries!);
      else if (kind === "later") {
        if (leave!(index)) rest.push(next);
      } else if (kind !== "end") {
        into.push(index);
        // They match nothing, too.
        if (kind === "star" || kind === "anything") rest.push(next);
      }
    }
  }

  /** Whether a name begins here whose dot must be spelled. */
  #hides(path: string, at: number): boolean {
    return !this.#dot && isHidden(path, at);
  }

  /** Adds the states of a part that goes on with `next`; returns its first one. */
  #add(part: PathPart, next: number): number {
    switch (part.kind) {
      case "text": {
        let first = next;
        for (let at = part.text.length - 1; at >= 0; at--) {
          first = this.#push("text", first, { code: part.text.charCodeAt(at) });
        }
        return first;
      }
      case "class":
        return this.#push("class", next, { accepts: classTest(part), isWild: part.negated });
      case "sequence":
        return part.parts.reduceRight((first, one) => this.#add(one, first), next);
      case "choice":
        return this.#split(part.branches.map((one) => this.#add(one, next)));
      case "repeat": {
        if (!part.many) return this.#split([this.#add(part.part, next), next]);
        const entries = [next];
        const again = this.#split(entries);
        const first = this.#add(part.part, again);
        entries.push(first);
        return part.optional ? again : first;
      }
      case "number": {
        const endsFrom = (path: string, start: number) => numberEnds(path, { start, ...part });
        return this.#push("later", next, { endsFrom });
      }
      case "not": {
        const program = new Program(part.part, { dot: this.#dot });
        const endsFrom = (path: string, start: number) => {
          const ends = new Set(program.endsFrom(path, start));
          return this.#reach(path, { start, ...part }).filter((end) => !ends.has(end));
        };
        return this.#push("later", next, { endsFrom, isWild: true });
      }
      default:
        return this.#push(part.kind, next, { isWild: true });
    }
  }

  /** The positions up to which any characters may stand. */
  #reach(path: string, { start, crosses }: { start: number; crosses: boolean }): number[] {
    const ends = [start];
    for (let at = start; at < path.length; at++) {
      if (!crosses && path.charCodeAt(at) === SLASH) break;
      if (this.#hides(path, at)) break;
      ends.push(at + 1);
    }
    return ends;
  }

  #split(entries: number[]): number {
    return this.#push("split", NEVER, { entries });
  }

  #push(kind: State["kind"], next: number, more: Partial<State>): number {
    return this.#states.push({ kind, next, code: NEVER, isWild: false, ...more }) - 1;
  }
}

/** Whether a name begins with a dot here. */
function isHidden(path: string, at: number): boolean {
  return path.charCodeAt(at) === DOT && (at === 0 || path.charCodeAt(at - 1) === SLASH);
}

function classTest(
  { ranges, negated }: Extract<PathPart, { kind: "class" }>,
): (code: number) => boolean {
  return (code) => ranges.some(([from, to]) => from <= code && code <= to) !== negated;
}

function numberEnds(
  path: string,
  { start, range: [from, to] }: { start: number; range: CodeRange },
): number[] {
  const digits = /^-?(?:0|[1-9]\d{0,15})/.exec(path.slice(start, start + 17))?.[0] ?? "";
  const ends: number[] = [];
  for (let length = 1; length <= digits.length; length++) {
    const value = Number(digits.slice(0, length));
    if (from <= value && value <= to) ends.push(start + length);
  }
  return ends;
}
