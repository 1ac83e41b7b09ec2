/**
 * Interpreters: where their code comes from. A shell's text is analyzed again; of other code nobody knows what it
 * needs; what is known only at run time is extreme.
 */
import type { CommandAnalysis, Invocation } from "./command_analysis.ts";
import { resolve } from "./paths.ts";
import {
  type Effect,
  extreme,
  findingOf,
  type Program,
  readArguments,
  sensitive,
  tentative,
} from "./program.ts";
import { type ShellWord, suppliedWord } from "./words.ts";

/** Modules of Python that are programs of the table. */
const PROGRAM_MODULES =
  /^(pip|pytest|ruff|black|mypy|flake8|isort|uv|poetry|twine|virtualenv|venv|coverage)$/;
const SERVING_MODULES = /^(http\.server|SimpleHTTPServer|smtpd|pdb|code|xmlrpc\.server)$/;

/** Judges an interpreter's command line. */
export function judgeInterpreter(program: Program, use: Invocation): void {
  const { analysis, name, rest } = use;
  analysis.needs.push(...program.needs);
  analysis.add(findingOf(program, name));
  const isShell = program.interpreter === "shell";
  if (isShell && program.code.length > 0) return judgeShell(program, use);
  const options = new Map<string, Effect>([
    ...program.options,
    ...[...program.code, ...program.valued, ...program.loads].map((key) => [key, "text"] as const),
  ]);
  const { longDash } = program;
  const read = readArguments({ options, longDash }, rest, { first: true });
  let hasCode = false;
  for (const { effect, option, value } of read.effects) {
    if (typeof effect !== "string") analysis.add(effect);
    else if (option === "-m" && program.interpreter === "python") {
      return judgeModule(value, { args: read.operands, analysis });
    } else if (program.loads.includes(option)) judgeLoaded(value, analysis);
    else if (program.code.includes(option)) {
      hasCode = true;
      judgeText(value, { isShell, analysis });
    }
  }
  const [script, ...others] = read.operands;
  if (hasCode) return;
  if (program.interpreter === "text") return judgeText(script, { isShell, analysis });
  if (script && script.value !== "-") return judgeScript(script, analysis);
  const asks = read.unknownOptions.some(({ value }) => /^-(v|V|h|-\w[\w-]*)$/.test(value));
  if (!asks || others.length > 0) judgeInput({ isShell, analysis });
}

/** bash and its kin: `-c` is a flag, and the first operand is then the text. */
function judgeShell(program: Program, { name, rest, analysis }: Invocation): void {
  let isText = false;
  let fromInput = false;
  let at = 0;
  for (; at < rest.length; at++) {
    const word = rest[at]!;
    if (word.kind !== "literal" || !/^[-+]./.test(word.value) || word.value === "--") break;
    const known = program.options.get(word.value);
    if (known !== undefined && typeof known !== "string") return analysis.add(known);
    if (known !== undefined) continue;
    if (!/^-[A-Zabefhiklmnpsuvxc]*o?$/.test(word.value) && !/^\+[A-Za-z]+$/.test(word.value)) {
      return analysis.add(extreme(`is given the unknown option ${word.text}`));
    }
    isText ||= word.value.startsWith("-") && word.value.includes("c");
    fromInput ||= word.value.includes("s");
    if (word.value.endsWith("o")) at++;
  }
  if (rest[at]?.kind === "literal" && rest[at]!.value === "--") at++;
  const operand = rest[at];
  const source = { isShell: true, shell: { posix: name !== "bash" }, analysis };
  if (isText) return judgeText(operand, source);
  if (!operand || fromInput || operand.value === "-") return judgeInput(source);
  judgeScript(operand, analysis);
}

/** Code of an interpreter; `shell` says which syntax another shell than this one knows. */
interface CodeContext {
  readonly isShell: boolean;
  readonly shell?: { readonly posix: boolean };
  readonly analysis: CommandAnalysis;
}

function judgeText(word: ShellWord | undefined, { isShell, shell, analysis }: CodeContext): void {
  analysis.runsText = true;
  if (word?.kind !== "literal") {
    analysis.opaque ||= isShell;
    return analysis.add(extreme("runs code only known at run time"));
  }
  if (isShell) analysis.context.judgeScript(word.value, shell);
  else analysis.add(tentative(extreme("runs text as code")));
}

function judgeInput({ isShell, shell, analysis }: CodeContext): void {
  const { input } = analysis.context;
  analysis.runsText = true;
  if (input?.kind === "file") return judgeScript(input.target, analysis);
  if (input?.kind === "text" && isShell) {
    return analysis.context.judgeScript(input.text, shell);
  }
  analysis.opaque ||= isShell;
  analysis.add(tentative(extreme("runs code from its standard input")));
}

function judgeScript(script: ShellWord, analysis: CommandAnalysis): void {
  if (script.kind !== "literal") {
    return analysis.add(extreme(`runs a script only known at run time: ${script.text}`));
  }
  if (/^\/dev\/(stdin|fd\/0)$|^\/proc\/self\/fd\//.test(script.value)) {
    return analysis.add(tentative(extreme("runs code from its standard input")));
  }
  if (/^[a-z]+:\/\//i.test(script.value)) {
    return analysis.add(extreme(`runs code from the network: ${script.text}`));
  }
  const locations = resolve(script.value, analysis.context);
  if (!locations || locations.some(({ inside }) => !inside)) {
    return analysis.add(extreme(`runs code from outside the workspace: ${script.text}`));
  }
  analysis.addScripts(locations);
  analysis.add(tentative(sensitive(`runs ${script.text}`)));
}

/** A file or a package that is loaded before anything else runs. */
function judgeLoaded(value: ShellWord | undefined, analysis: CommandAnalysis): void {
  const isLiteral = value?.kind === "literal";
  if (isLiteral && /^(@[\w.-]+\/)?\w[\w.-]*(\/[\w./-]+)?$/.test(value.value)) {
    return analysis.add(tentative(sensitive(`loads ${value.text} first`)));
  }
  if (isLiteral && /^data:/i.test(value.value)) {
    return analysis.add(tentative(extreme(`runs text as code: ${value.text}`)));
  }
  judgeScript(value ?? suppliedWord(""), analysis);
}

/** `python -m MODULE`. */
function judgeModule(
  module: ShellWord | undefined,
  { args, analysis }: { args: readonly ShellWord[]; analysis: CommandAnalysis },
): void {
  if (module?.kind !== "literal") {
    return analysis.add(extreme("runs a module only known at run time"));
  }
  if (PROGRAM_MODULES.test(module.value)) {
    analysis.addInner([module, ...args]);
    return;
  }
  if (SERVING_MODULES.test(module.value)) {
    return analysis.add(extreme(`serves files or runs code: ${module.value}`));
  }
  const path = module.value.replaceAll(".", "/");
  for (const file of [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`]) {
    const locations = resolve(file, analysis.context) ?? [];
    analysis.executes.push(
      ...locations.flatMap(({ absolute, inside }) => inside ? [absolute] : []),
    );
  }
  analysis.add(tentative(sensitive(`runs the module ${module.value}`)));
}
