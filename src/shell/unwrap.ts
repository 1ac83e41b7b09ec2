/**
 * Takes a wrapper (`env`, `timeout`, `xargs`, ...) off a command, so that the inner command decides. What
 * the wrapper's row does not know is not guessed.
 */
import type { CommandAnalysis, Invocation } from "./command_analysis.ts";
import { extreme, type Program, sensitive, tentative } from "./program.ts";
import { isHijacking } from "./variables.ts";
import { type ShellWord, suppliedWord } from "./words.ts";

/** Judges what a wrapper runs. */
export function unwrap(program: Program, { name, rest, analysis }: Invocation): void {
  if (onlyLooksUp(name, rest)) return;
  const reading = readWrapper(program, rest);
  if (typeof reading === "string") return analysis.add(extreme(`${name} is given ${reading}`));
  for (const [variable, value] of reading.assignments) {
    if (isHijacking(variable, value)) {
      analysis.add(tentative(extreme(`sets ${variable}, which changes what programs do`)));
    }
  }
  const inner = rest.slice(reading.inner);
  for (const word of rest.slice(0, reading.inner)) {
    const path = /^(?:--?[\w-]+=?)?([/~].*)$/.exec(word.value)?.[1];
    if (path !== undefined) analysis.addWord("read", { ...word, value: path, prefix: path });
  }
  if (name === "flock") return judgeLock(rest, { at: reading.inner, analysis });
  if (inner.length === 0) return;
  if (!program.wrapper?.supplies) {
    analysis.addInner(inner);
    return;
  }
  const { placeholder } = reading;
  analysis.addInner(insertSupplied(inner, placeholder), {
    kind: "file",
    target: suppliedWord("-"),
  });
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
  const reading = onlyLooksUp(name, rest) ? "" : readWrapper(program, rest);
  return typeof reading === "string" ? [] : rest.slice(reading.inner);
}

interface WrapperArguments {
  /** Index of the inner command's name. */
  readonly inner: number;
  readonly assignments: readonly (readonly [name: string, value: ShellWord])[];
  /** What xargs replaces in the inner command. */
  readonly placeholder: string | undefined;
}

/** Reads a wrapper's own arguments, or says what of them is not understood. */
function readWrapper(
  { wrapper, flags, valued }: Program,
  words: readonly ShellWord[],
): WrapperArguments | string {
  const { skip: skipped = 0, assigns, supplies, numbers = false } = wrapper ?? {};
  const assignments: [string, ShellWord][] = [];
  let placeholder: string | undefined;
  let skip = skipped;
  let at = 0;
  let options = true;
  for (; at < words.length; at++) {
    const word = words[at]!;
    const variable = assigns && /^([A-Za-z_]\w*)=/.exec(word.prefix)?.[1];
    if (variable) {
      assignments.push([variable, { ...word, value: word.value.slice(variable.length + 1) }]);
    } else if (options && word.kind === "literal" && word.value === "--") {
      options = false;
    } else if (options && (/^-./.test(word.prefix) || flags.includes(word.value))) {
      const taken = optionLength(word, { flags, valued, numbers });
      if (taken === undefined) return `the unknown option ${word.text}`;
      const replaced = /^(?:-[0rtxo]*[Ii]|--replace=?)(.*)$/.exec(word.value)?.[1];
      if (supplies && replaced !== undefined) {
        placeholder = (taken > 1 ? words[at + 1]?.value : replaced) || "{}";
      }
      at += taken - 1;
    } else if (skip > 0) {
      skip--;
      options = false;
    } else {
      break;
    }
  }
  return { inner: at, assignments, placeholder };
}

/** How many words an option takes, or undefined if it is unknown. */
function optionLength(
  word: ShellWord,
  { flags, valued, numbers }: {
    flags: readonly string[];
    valued: readonly string[];
    numbers: boolean;
  },
): number | undefined {
  const text = word.prefix;
  if (word.kind === "literal") {
    if (flags.includes(text) || (numbers && /^-\d+$/.test(text))) return 1;
    if (/^(-i|--replace|-e|--eof)$/.test(text) && valued.includes(text)) return 1;
    if (valued.includes(text)) return 2;
  }
  if (text.startsWith("--")) {
    return valued.includes(text.split("=")[0]!) && text.includes("=") ? 1 : undefined;
  }
  for (let at = 1; at < text.length; at++) {
    const letter = `-${text[at]}`;
    if (valued.includes(letter)) return at === text.length - 1 && word.kind === "literal" ? 2 : 1;
    if (!flags.includes(letter)) return undefined;
  }
  return word.kind === "literal" ? 1 : undefined;
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

/** `flock FILE COMMAND`, `flock FILE -c TEXT`, `flock NUMBER`. */
function judgeLock(
  rest: readonly ShellWord[],
  { at, analysis }: { at: number; analysis: CommandAnalysis },
): void {
  const file = rest[at - 1];
  if (file && !/^\d+$/.test(file.value)) analysis.addWord("write", file);
  if (/^(-c|--command)$/.test(rest[at]?.value ?? "")) {
    const text = rest[at + 1];
    analysis.runsText = true;
    if (text?.kind === "literal") analysis.context.judgeScript(text.value, { posix: true });
    else {
      analysis.opaque = true;
      analysis.add(extreme("runs text as code"));
    }
    return;
  }
  analysis.add(sensitive("holds a lock"));
  analysis.addInner(rest.slice(at));
}
