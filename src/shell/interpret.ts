/**
 * Interpreters: where their code comes from, and what can be said of it. A shell's text is analyzed again;
 * other languages are looked through; what is known only at run time is extreme.
 */
import { judgeCode } from "./code.ts";
import type { CommandAnalysis, Invocation } from "./command_analysis.ts";
import { resolve } from "./paths.ts";
import {
  extreme,
  findingOf,
  type Interpreter,
  type Program,
  readArguments,
  type Role,
  sensitive,
  splitList,
  tentative,
} from "./program.ts";
import { type ShellWord, suppliedWord } from "./words.ts";

const PHP_LOADS = /auto_(prep|app)end|extension|include_path/;

/** Judges an interpreter's command line. */
export function judgeInterpreter(program: Program, use: Invocation): void {
  const { analysis, name } = use;
  const interpreter = program.interpreter!;
  analysis.add(findingOf(program, name));
  if (interpreter.language === "shell" && interpreter.code !== "") return judgeShell(program, use);
  const loads = splitList(interpreter.loads);
  const options = new Map<string, Role>([
    ...splitList(interpreter.code).map((key) => [key, "code"] as const),
    ...[...splitList(interpreter.valued), ...loads].map((key) => [key, "text"] as const),
  ]);
  const ownOptions = new Map([...program.options, ...options]);
  if (interpreter.language === "python") ownOptions.set("-m", "text");
  const { longDash } = program;
  const read = readArguments({ options: ownOptions, longDash }, use.rest, { first: true });
  for (const { effect, option, value } of read.effects) {
    if (name === "php" && option === "-d" && PHP_LOADS.test(value?.value ?? "")) {
      analysis.add(tentative(extreme("loads what its settings name")));
    } else if (typeof effect !== "string") analysis.add(effect);
    else if (effect === "code") judgeText(value, { interpreter, analysis });
    else if (loads.includes(option)) judgeLoaded(value, analysis);
    else if (option === "-m" && interpreter.language === "python") {
      return judgeModule(value, { args: read.operands, analysis });
    }
  }
  if (read.effects.some(({ effect }) => effect === "code")) return;
  if (read.effects.some(({ option }) => /^--(test|run)$/.test(option))) return;
  const [script, ...rest] = read.operands;
  if (name === "deno eval") return judgeText(script, { interpreter, analysis });
  if (script && script.value !== "-") return judgeScript(script, analysis);
  const asks = read.unknownOptions.some((word) =>
    /^(-v|-V|-h|--version|--help|--check)$/.test(word.value)
  );
  if (!asks || rest.length > 0) judgeInput({ interpreter, analysis });
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
    if (/^-[A-Zabefhiklmnpsuvxc]*o?$/.test(word.value) || /^\+[A-Za-z]+$/.test(word.value)) {
      isText ||= word.value.startsWith("-") && word.value.includes("c");
      fromInput ||= word.value.includes("s");
      if (word.value.endsWith("o")) at++;
      if (/O/.test(word.value)) return analysis.add(extreme(`is given ${word.text}`));
      continue;
    }
    return analysis.add(extreme(`is given the unknown option ${word.text}`));
  }
  if (rest[at]?.kind === "literal" && rest[at]!.value === "--") at++;
  const operand = rest[at];
  const interpreter: Interpreter = { code: "", language: "shell" };
  const shell = { posix: name !== "bash" };
  if (isText) return judgeText(operand, { interpreter, shell, analysis });
  if (!operand || fromInput || operand.value === "-") {
    return judgeInput({ interpreter, shell, analysis });
  }
  judgeScript(operand, analysis);
}

/** Code of an interpreter; `shell` says which syntax another shell than this one knows. */
interface CodeContext {
  readonly interpreter: Interpreter;
  readonly shell?: { readonly posix: boolean };
  readonly analysis: CommandAnalysis;
}

function judgeText(
  text: ShellWord | undefined,
  { interpreter, shell, analysis }: CodeContext,
): void {
  analysis.runsText = true;
  if (text?.kind !== "literal") {
    analysis.opaque ||= interpreter.language === "shell";
    return analysis.add(extreme("runs code only known at run time"));
  }
  if (interpreter.language === "shell") return analysis.context.judgeScript(text.value, shell);
  analysis.add(judgeCode(text.value, interpreter.language));
}

function judgeInput({ interpreter, shell, analysis }: CodeContext): void {
  const { input } = analysis.context;
  analysis.runsText = true;
  if (input?.kind === "file") return judgeScript(input.target, analysis);
  if (input?.kind !== "text") {
    analysis.opaque ||= interpreter.language === "shell";
    return analysis.add(tentative(extreme("runs code from its standard input")));
  }
  if (interpreter.language === "shell") return analysis.context.judgeScript(input.text, shell);
  analysis.add(judgeCode(input.text, interpreter.language));
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
  if (value?.kind === "literal" && /^(@[\w.-]+\/)?\w[\w.-]*(\/[\w./-]+)?$/.test(value.value)) {
    return analysis.add(tentative(sensitive(`loads ${value.text} first`)));
  }
  if (value?.kind === "literal" && /^data:/i.test(value.value)) {
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
  if (
    /^(pip|pytest|ruff|black|mypy|flake8|isort|uv|poetry|twine|virtualenv|venv|coverage)$/.test(
      module.value,
    )
  ) {
    analysis.addInner([module, ...args]);
  } else if (/^(http\.server|SimpleHTTPServer|smtpd|pdb|code|xmlrpc\.server)$/.test(module.value)) {
    analysis.add(extreme(`serves files or runs code: ${module.value}`));
  } else {
    const path = module.value.replaceAll(".", "/");
    for (const file of [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`]) {
      const locations = resolve(file, analysis.context) ?? [];
      analysis.executes.push(
        ...locations.flatMap(({ absolute, inside }) => inside ? [absolute] : []),
      );
    }
    analysis.add(tentative(sensitive(`runs the module ${module.value}`)));
  }
}
