/**
 * Programs that run others: wrappers (`env`, `timeout`, `xargs`, ...), behind whose own words the inner command decides,
 * and interpreters, by where their code comes from. A shell's text is analyzed again; of other code nobody knows what
 * it needs; what is known only at run time is extreme.
 */
import type { CommandAnalysis, Invocation } from "./command_analysis.ts";
import { filesInside, judgeRead, resolve } from "./paths.ts";
import { extreme, findingOf, held, type Program, readArguments, tentative } from "./program.ts";
import { findProgram } from "./programs/table.ts";
import { isHijacking } from "./variables.ts";
import { literalWord, type ShellWord, suppliedWord } from "./words.ts";

const ASSIGNS = /^([A-Za-z_]\w*)=/;

/** Judges what a wrapper runs. */
export function unwrap(program: Program, { name, rest, analysis }: Invocation): void {
  // `command -v NAME` only looks it up.
  if (name === "command" && /^-[pvV]*[vV]$/.test(rest[0]?.value ?? "")) return;
  const { skip, wrapper } = program;
  const assigns = wrapper === "assigns";
  const { operands, effects, unknownOptions: [unknown] } = readArguments(program, rest, {
    first: true,
    exact: true,
  });
  if (unknown) return analysis.addOpaque(`${name} is given the unknown option ${unknown.text}`);
  const command = assigns ? operands.findIndex(({ prefix }) => !ASSIGNS.test(prefix)) : 0;
  const from = command < 0 ? operands.length : command;
  const inner = operands.slice(from + skip);
  for (const word of rest.slice(0, rest.length - inner.length)) {
    const variable = assigns && ASSIGNS.exec(word.prefix)?.[1];
    const value = { ...word, value: word.value.replace(ASSIGNS, "") };
    if (variable && isHijacking(variable, value)) {
      analysis.opaque = true;
      analysis.add(tentative(extreme(`sets ${variable}, which changes what programs do`)));
    }
    analysis.addPathIn(word, "read");
  }
  const script = effects.find(({ effect }) => effect === "script")?.value;
  if (script) {
    analysis.runsText = true;
    analysis.addOpaque(`${name} runs text as code: ${script.text}`);
    analysis.context.judgeScript(script);
  }
  if (program.operands === "write") {
    operands.slice(from, from + skip).forEach((word) => analysis.addWord("write", word));
  }
  if (inner.length === 0) return;
  if (wrapper !== "supplies") return analysis.addInner(inner, { ofProject: wrapper === "project" });
  const replaced = effects.findLast(({ option }) => /^(-[Ii]|--replace)$/.test(option));
  const placeholder = replaced && (replaced.value?.value || "{}");
  const input = { kind: "file", target: suppliedWord("-") } as const;
  analysis.addInner(insertSupplied(inner, placeholder), { input });
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

/** Judges an interpreter's command line. */
export function judgeInterpreter(program: Program, { analysis, name, rest }: Invocation): void {
  analysis.add(findingOf(program, name));
  const isShell = program.interpreter === "shell";
  const source = { ...(isShell && { shell: { posix: name !== "bash" } }), analysis };
  const args = readArguments(program, rest, { first: true, exact: isShell });
  const { operands: [script], effects, unknownOptions: [unknown] } = args;
  if (isShell && (unknown || /^[-+]./.test(script?.prefix ?? ""))) {
    return analysis.add(extreme(`is given the unknown option ${(unknown ?? script)!.text}`));
  }
  let hasCode = false;
  for (const { effect, option, value } of effects) {
    if (typeof effect !== "string") analysis.add(effect);
    else if (option === "-m" && program.interpreter === "python") {
      return judgeModule(value, { rest: args.operands, analysis });
    } else if (effect === "loads") judgeScript(value ?? suppliedWord(""), analysis);
    else if (effect === "script") {
      hasCode = true;
      judgeText(value, source);
    }
  }
  if (hasCode) return;
  // The options of a shell say only that its first operand is code.
  const has = (letter: string) => isShell && effects.some(({ option }) => option === letter);
  if (program.interpreter === "text" || has("-c")) return judgeText(script, source);
  if (script && script.value !== "-" && !has("-s")) judgeScript(script, analysis);
  // `node --test` finds its code by itself.
  else if (script || !args.unknownOptions.some(({ value }) => value.startsWith("--"))) {
    judgeInput(source);
  }
}

/** Where code is found, and which syntax its shell knows, if it is for one. */
interface CodeContext {
  readonly shell?: { readonly posix: boolean };
  readonly analysis: CommandAnalysis;
}

function judgeText(word: ShellWord | undefined, { shell, analysis }: CodeContext): void {
  analysis.runsText = true;
  if (word?.kind !== "literal") {
    analysis.opaque ||= shell !== undefined;
    return analysis.add((shell ? extreme : held)("runs code only known at run time"));
  }
  if (shell) analysis.context.judgeScript(word, shell);
  else analysis.add(tentative(extreme("runs text as code")));
}

function judgeInput(source: CodeContext): void {
  const { analysis, analysis: { context: { input } } } = source;
  if (input?.kind === "text") return judgeText(literalWord(input.text), source);
  analysis.runsText = true;
  if (input?.kind === "file") return judgeScript(input.target, analysis);
  analysis.opaque ||= source.shell !== undefined;
  analysis.add(tentative(extreme("runs code from its standard input")));
}

/** A file of code. */
export function judgeScript(script: ShellWord, analysis: CommandAnalysis): void {
  if (script.kind !== "literal") {
    analysis.add(judgeRead(script, analysis.context));
    return analysis.add(held(`runs a script only known at run time: ${script.text}`));
  }
  if (/^data:/i.test(script.value)) {
    return analysis.add(tentative(extreme(`runs text as code: ${script.text}`)));
  }
  if (/^[a-z+.]+:\/\//i.test(script.value)) {
    return analysis.add(extreme(`runs code from the network: ${script.text}`));
  }
  const files = filesInside(script.value, analysis.context);
  for (const found of [analysis.executes, analysis.scripts]) found.push(...files);
  if (files.length !== resolve(script.value, analysis.context)?.length) {
    analysis.add(judgeRead(script, analysis.context));
    analysis.add(held(`runs code from outside the workspace: ${script.text}`));
  }
}

/** `python -m MODULE`. */
function judgeModule(
  module: ShellWord | undefined,
  { rest, analysis }: Omit<Invocation, "name">,
): void {
  if (module?.kind !== "literal") {
    return analysis.add(held("runs a module only known at run time"));
  }
  if (findProgram(module.value)) analysis.addInner([module, ...rest]);
  const path = module.value.replaceAll(".", "/");
  const files = [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`];
  analysis.executes.push(...files.flatMap((file) => filesInside(file, analysis.context)));
}
