/**
 * Takes a wrapper (`env`, `timeout`, `xargs`, ...) off a command, so that the inner command decides. What
 * the wrapper's row does not know is not guessed.
 */
import type { Invocation } from "./command_analysis.ts";
import { extreme, type Program, readArguments, tentative } from "./program.ts";
import { isHijacking } from "./variables.ts";
import { type ShellWord, suppliedWord } from "./words.ts";

const ASSIGNS = /^([A-Za-z_]\w*)=/;

/** Judges what a wrapper runs. */
export function unwrap(program: Program, { name, rest, analysis }: Invocation): void {
  if (onlyLooksUp(name, rest)) return;
  const { inner, own, skipped, unknown, placeholder } = readWrapper(program, rest);
  if (unknown) return analysis.add(extreme(`${name} is given the unknown option ${unknown.text}`));
  for (const word of own) {
    const variable = program.wrapper?.assigns && ASSIGNS.exec(word.prefix)?.[1];
    const value = { ...word, value: word.value.replace(ASSIGNS, "") };
    if (variable && isHijacking(variable, value)) {
      analysis.add(tentative(extreme(`sets ${variable}, which changes what programs do`)));
    }
    analysis.addPathIn(word, "read");
  }
  if (program.operands === "write") skipped.forEach((word) => analysis.addWord("write", word));
  if (inner.length === 0) return;
  if (program.wrapper?.supplies) {
    const input = { kind: "file", target: suppliedWord("-") } as const;
    analysis.addInner(insertSupplied(inner, placeholder), input);
  } else analysis.addInner(inner);
}

/** `command -v NAME`. */
function onlyLooksUp(name: string, rest: readonly ShellWord[]): boolean {
  return name === "command" && /^-[pvV]*[vV]$/.test(rest[0]?.value ?? "");
}

/** The words of the command in a wrapper; none if there is no command, or an option that is unknown. */
export function innerCommand(
  program: Program,
  { name, rest }: Omit<Invocation, "analysis">,
): readonly ShellWord[] {
  const { inner, unknown } = readWrapper(program, rest);
  return onlyLooksUp(name, rest) || unknown ? [] : inner;
}

interface WrapperArguments {
  readonly inner: readonly ShellWord[];
  /** What stands before the inner command. */
  readonly own: readonly ShellWord[];
  /** Of that, what its row skips. */
  readonly skipped: readonly ShellWord[];
  /** An option that is not in its row. */
  readonly unknown: ShellWord | undefined;
  /** What xargs replaces in the inner command. */
  readonly placeholder: string | undefined;
}

function readWrapper(program: Program, words: readonly ShellWord[]): WrapperArguments {
  const { skip = 0, assigns = false } = program.wrapper ?? {};
  const { operands, effects, unknownOptions: [unknown] } = readArguments(program, words, {
    first: true,
    exact: true,
  });
  const command = assigns ? operands.findIndex(({ prefix }) => !ASSIGNS.test(prefix)) : 0;
  const from = command < 0 ? operands.length : command;
  const inner = operands.slice(from + skip);
  const replaced = effects.findLast(({ option }) => /^(-[Ii]|--replace)$/.test(option));
  return {
    inner,
    own: words.slice(0, words.length - inner.length),
    skipped: operands.slice(from, from + skip),
    unknown,
    placeholder: replaced && (replaced.value?.value || "{}"),
  };
}

/** The inner command of xargs with the words that come from its input. */
function insertSupplied(
  words: readonly ShellWord[],
  placeholder: string | undefined,
): ShellWord[] {
  if (placeholder === undefined) return [...words, suppliedWord("(its input)")];
  return words.map((word) => {
    const at = word.value.indexOf(placeholder);
    return at < 0 ? word : { ...suppliedWord(word.text), prefix: word.value.slice(0, at) };
  });
}
