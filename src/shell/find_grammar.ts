/**
 * `find`: what it does with every file found.
 */
import type { Invocation, SortedInvocation } from "./command_analysis.ts";
import { everythingBelow } from "./paths.ts";
import { extreme } from "./program.ts";
import type { ShellWord } from "./words.ts";

/** Places to look in beyond which the command is not judged. */
const MAX_ROOTS = 50;
const ACTION = /^-(exec|ok)(dir)?$/;

/** The words of find without its `-exec COMMAND ;`, and the commands that these name. */
export function cutActions(
  words: readonly ShellWord[],
): { rest: ShellWord[]; actions: (readonly ShellWord[])[] } {
  const rest: ShellWord[] = [];
  const actions: (readonly ShellWord[])[] = [];
  for (let at = 0; at < words.length; at++) {
    if (!ACTION.test(words[at]!.value)) {
      rest.push(words[at]!);
      continue;
    }
    const length = words.slice(at).findIndex(({ kind, value }) =>
      kind === "literal" && /^[;+]$/.test(value)
    );
    const end = length < 0 ? words.length : at + length;
    actions.push(words.slice(at + 1, end));
    at = end;
  }
  return { rest, actions };
}

/** Judges the commands that find runs for the files below its operands. */
export function judgeActions(
  actions: Invocation["rest"][],
  { args: { operands, effects }, analysis }: SortedInvocation,
): void {
  if (effects.some(({ option }) => option === "-delete")) analysis.programs.push("rm");
  const roots = operands.filter(({ value }) => !/^[(),!]$/.test(value));
  if (roots.length > MAX_ROOTS) {
    return analysis.add(extreme("looks in more places than can be judged"));
  }
  const known = roots.length > 0 && roots.every(({ kind }) => kind === "literal");
  const below = known ? roots.map(({ value }) => value) : ["."];
  for (const words of actions) {
    for (const directory of below) {
      const files = words.map((word, at) =>
        at > 0 && word.value.includes("{}") ? everythingBelow(directory) : word
      );
      const { finding } = analysis.runInner(files);
      if (finding.risk !== "safe") {
        analysis.add({ ...finding, ...extreme(`acts on every file found: ${finding.why}`) });
      }
    }
  }
}
