/**
 * What the variables of a makefile stand for in its recipes, as far as its text says it.
 */
import { literalWord, suppliedWord } from "../../shell/words.ts";
import type { PathFacts } from "../../core/path_facts.ts";
import { changesPrograms } from "./unseen_code.ts";

/** What stands in a command for what only make will know: a variable that no script sets. */
export const UNKNOWN_TO_MAKE = "${ALLY_UNKNOWN_TO_MAKE}";

/** What make gives some of them by itself. */
const BUILT_IN: ReadonlyMap<string, string> = new Map([
  ["MAKE", "make"],
  ["RM", "rm -f"],
  ["SHELL", "/bin/sh"],
  ["CURDIR", "."],
  ["PWD", "."],
  ...["CC", "AR", "LD", "AS", "FC", "YACC", "LEX", "CXX"].map((name) =>
    [name, name.toLowerCase()] as const
  ),
]);
const ASSIGNS =
  /^[ \t]*((?:(?:export|override|private)[ \t]+)*)([\w.-]+)[ \t]*(\?|\+|:{1,3}|!)?=[ \t]*(.*)$/;
const FOR_TARGET =
  /^[^\t#=][^=#]*:[ \t]*((?:(?:export|override|private)[ \t]+)*)([\w.-]+)[ \t]*(\?|\+|:{1,3}|!)?=[ \t]*(.*)$/;
/** What gives variables that no line names. */
const HIDDEN = /\$[({]eval\b|^[^:#\t=]*\$[({][^=]*=/;
/** Expansions that leave nothing behind. */
const SAYS = /^(info|warning|error)[ \t]/;
const EXPANSION = /\$(?:\$|\(((?:[^()]|\([^()]*\))*)\)|\{([^{}]*)\}|(.))/;
/** Values of one variable, texts that one line may become, and expansions in it. */
const LIMITS = { values: 4, texts: 8, steps: 100 };

/** One place that gives a variable a value. */
interface Assignment {
  readonly name: string;
  /** Undefined if only make knows it. */
  readonly value: string | undefined;
  readonly exported: boolean;
}

/** The variables of one makefile. */
export class MakeVariables {
  readonly assignments: readonly Assignment[];
  readonly #values = new Map<string, readonly string[] | undefined>();
  readonly #isHidden: boolean;

  constructor(lines: readonly string[], argv: readonly string[]) {
    const exportsAll = lines.some((line) => /^[ \t]*export[ \t]*$|^\.EXPORT_ALL_VAR/.test(line));
    this.assignments = lines.flatMap((line) => assignmentIn(line, exportsAll));
    this.#isHidden = lines.some((line) => HIDDEN.test(line));
    for (const { name, value } of this.assignments) {
      const before = this.#values.has(name) ? this.#values.get(name) : [];
      const all = before && value !== undefined ? [...new Set([...before, value])] : undefined;
      this.#values.set(name, all && all.length <= LIMITS.values ? all : undefined);
    }
    for (const word of argv) {
      const [, name, value] = /^(\w+)[:?]?=(.*)$/s.exec(word) ?? [];
      if (name !== undefined && value !== undefined) this.#values.set(name, [value]);
    }
  }

  /** All that a text may become; what is not known stays as `UNKNOWN_TO_MAKE`. */
  expand(text: string, automatic: ReadonlyMap<string, string> = new Map()): string[] {
    let texts = [{ done: "", rest: text }];
    for (let step = 0; texts.some(({ rest }) => EXPANSION.test(rest)); step++) {
      const isTooMuch = step > LIMITS.steps;
      texts = texts.flatMap(({ done, rest }) => {
        const match = EXPANSION.exec(rest);
        if (!match) return [{ done: done + rest, rest: "" }];
        const before = done + rest.slice(0, match.index);
        const behind = rest.slice(match.index + match[0].length);
        if (match[0] === "$$") return [{ done: `${before}$`, rest: behind }];
        const name = match[1] ?? match[2] ?? match[3] ?? "";
        const fixed = automatic.get(name) ?? (SAYS.test(name) ? "" : undefined);
        if (fixed !== undefined) return [{ done: before + fixed, rest: behind }];
        const values = isTooMuch || texts.length > LIMITS.texts ? undefined : this.#valuesOf(name);
        if (!values) return [{ done: before + UNKNOWN_TO_MAKE, rest: behind }];
        return values.map((value) => ({ done: before, rest: value + behind }));
      });
    }
    return texts.map(({ done, rest }) => done + rest);
  }

  #valuesOf(name: string): readonly string[] | undefined {
    if (this.#isHidden) return undefined;
    if (this.#values.has(name)) return this.#values.get(name);
    const known = BUILT_IN.get(name);
    return known === undefined ? undefined : [known];
  }

  /** Whether a variable that the recipes get turns commands into others. */
  hijacks(pathFacts: PathFacts): boolean {
    return this.assignments.some(({ name, value, exported }) => {
      const texts = value === undefined ? [UNKNOWN_TO_MAKE] : this.expand(value);
      return texts.some((text) => {
        const written = name === "PATH" ? text.replaceAll(UNKNOWN_TO_MAKE, "$(PATH)") : text;
        const word = text.includes("$") ? suppliedWord(written) : literalWord(text);
        return name !== "SHELL" && changesPrograms({ name, value: word, exported }, pathFacts);
      });
    });
  }
}

function assignmentIn(line: string, exportsAll: boolean): Assignment[] {
  const isRecipe = line.startsWith("\t");
  // In a recipe `A=b` is the shell's.
  if (isRecipe && !/^\t[ \t]*[\w.-]+[ \t]+[:?+]?=[ \t]/.test(line)) return [];
  const defined = /^[ \t]*(?:(?:override|export)[ \t]+)*define[ \t]+([\w.-]+)/.exec(line)?.[1];
  if (defined !== undefined) return [{ name: defined, value: undefined, exported: false }];
  const found = ASSIGNS.exec(line) ?? FOR_TARGET.exec(line);
  if (!found) return [];
  const [, words = "", name = "", operator, text = ""] = found;
  const isWhole = operator !== "+" && operator !== "!";
  const value = isWhole ? text.replace(/(^|[ \t])#.*$/, "").trimEnd() : undefined;
  return [{ name, value, exported: exportsAll || words.includes("export") }];
}
