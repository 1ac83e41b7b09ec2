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
  // `command -v NAME` only looks it up.
  if (name === "command" && /^-[pvV]*[vV]$/.test(rest[0]?.value ?? "")) return;
  const { skip = 0, assigns = false, supplies = false } = program.wrapper ?? {};
  const { operands, effects, unknownOptions: [unknown] } = readArguments(program, rest, {
    first: true,
    exact: true,
  });
  if (unknown) {
    analysis.opaque = true;
    return analysis.add(extreme(`${name} is given the unknown option ${unknown.text}`));
  }
  const command = assigns ? operands.findIndex(({ prefix }) => !ASSIGNS.test(prefix)) : 0;
  const from = command < 0 ? operands.length : command;
  const inner = operands.slice(from + skip);
  for (const word of rest.slice(0, rest.length - inner.length)) {
    const variable = assigns && ASSIGNS.exec(word.prefix)?.[1];
    const value = { ...word, value: word.value.replace(ASSIGNS, "") };
    if (variable && isHijacking(variable, value)) {
      analysis.add(tentative(extreme(`sets ${variable}, which changes what programs do`)));
    }
    analysis.addPathIn(word, "read");
  }
  const script = effects.find(({ effect }) => effect === "script")?.value;
  if (script) {
    analysis.runsText = true;
    analysis.opaque = true;
    analysis.add(extreme(`${name} runs text as code: ${script.text}`));
    analysis.context.judgeScript(script);
  }
  if (program.operands === "write") {
    operands.slice(from, from + skip).forEach((word) => analysis.addWord("write", word));
  }
  if (inner.length === 0) return;
  if (!supplies) return analysis.addInner(inner);
  const replaced = effects.findLast(({ option }) => /^(-[Ii]|--replace)$/.test(option));
  const placeholder = replaced && (replaced.value?.value || "{}");
  const input = { kind: "file", target: suppliedWord("-") } as const;
  analysis.addInner(insertSupplied(inner, placeholder), input);
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
