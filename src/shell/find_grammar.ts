/**
 * `find`: what it does with every file found.
 */
import type { Invocation, SortedInvocation } from "./command_analysis.ts";
import { judgeRead } from "./paths.ts";
import { extreme } from "./program.ts";
import type { ShellWord } from "./words.ts";

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

/** What stands for every file found, where all places to look in lie in the workspace. */
const FOUND: ShellWord = { text: "{}", kind: "pattern", value: "./*", prefix: "./" };

/** Judges the commands that find runs for the files below its operands. */
export function judgeActions(
  actions: Invocation["rest"][],
  { args: { operands, effects }, analysis }: SortedInvocation,
): void {
  if (effects.some(({ option }) => option === "-delete")) analysis.programs.push("rm");
  const isInside = operands.every((word) => !judgeRead(word, analysis.context));
  for (const words of actions) {
    const named = words.map((word, at) => at > 0 && word.value.includes("{}") ? FOUND : word);
    const { finding } = analysis.runInner(named);
    if (finding.risk === "safe" && isInside) continue;
    analysis.add({ ...finding, ...extreme(`acts on every file found: ${finding.why}`) });
  }
}
