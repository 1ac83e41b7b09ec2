/**
 * Interpreters: where their code comes from, and what can be said of it. A shell's text is classified again;
 * other languages are looked through; what is only known when it runs is grave.
 */
import type { Case } from "./analysis.ts";
import { judgeCode } from "./code.ts";
import { resolve } from "./paths.ts";
import {
  extreme,
  type Interpreter,
  type Program,
  readArguments,
  type Role,
  sensitive,
} from "./program.ts";
import { type ShellWord, suppliedWord } from "./words.ts";

const PHP_LOADS = /auto_(prep|app)end|extension|include_path/;

interface Use {
  readonly name: string;
  readonly rest: readonly ShellWord[];
  readonly found: Case;
}

/** Judges an interpreter's command line. */
export function judgeInterpreter(program: Program, use: Use): void {
  const { found, name } = use;
  const interpreter = program.interpreter!;
  found.add({ class: program.class, why: `${name} ${program.why}` });
  if (interpreter.language === "shell" && interpreter.code !== "") return judgeShell(program, use);
  const options = new Map<string, Role>([
    ...interpreter.code.split(" ").filter(Boolean).map((key) => [key, "code"] as const),
    ...`${interpreter.valued ?? ""} ${interpreter.loads ?? ""}`.split(" ").filter(Boolean)
      .map((key) => [key, "text"] as const),
  ]);
  const ownOptions = new Map([...program.options, ...options]);
  if (interpreter.language === "python") ownOptions.set("-m", "text");
  const { longDash } = program;
  const read = readArguments({ options: ownOptions, longDash }, use.rest, { first: true });
  for (const { effect, option, value } of read.effects) {
    if (name === "php" && option === "-d" && PHP_LOADS.test(value?.value ?? "")) {
      found.add(extreme("loads what its settings name"));
    } else if (typeof effect !== "string") found.add(effect);
    else if (effect === "code") judgeText(value, { interpreter, found });
    else if (interpreter.loads?.split(" ").includes(option)) judgeLoaded(value, found);
    else if (option === "-m" && interpreter.language === "python") {
      return judgeModule(value, { read: read.operands, found });
    }
  }
  if (read.effects.some(({ effect }) => effect === "code")) return;
  if (read.effects.some(({ option }) => /^--(test|run)$/.test(option))) return;
  const [script, ...rest] = read.operands;
  if (name === "deno eval") return judgeText(script, { interpreter, found });
  if (script && script.value !== "-") return judgeScript(script, found);
  const asks = read.others.some((word) => /^(-v|-V|-h|--version|--help|--check)$/.test(word.value));
  if (!asks || rest.length > 0) judgeInput({ interpreter, found });
}

/** bash and its kin: `-c` is a flag, and the first operand is then the text. */
function judgeShell(program: Program, { name, rest, found }: Use): void {
  let isText = false;
  let fromInput = false;
  let at = 0;
  for (; at < rest.length; at++) {
    const word = rest[at]!;
    if (word.kind !== "literal" || !/^[-+]./.test(word.value) || word.value === "--") break;
    const known = program.options.get(word.value);
    if (known !== undefined && typeof known !== "string") return found.add(known);
    if (known !== undefined) continue;
    if (/^-[A-Zabefhiklmnpsuvxc]*o?$/.test(word.value) || /^\+[A-Za-z]+$/.test(word.value)) {
      isText ||= word.value.startsWith("-") && word.value.includes("c");
      fromInput ||= word.value.includes("s");
      if (word.value.endsWith("o")) at++;
      if (/O/.test(word.value)) return found.add(extreme(`is given ${word.text}`));
      continue;
    }
    return found.add(extreme(`is given the option ${word.text}, which is not known`));
  }
  if (rest[at]?.kind === "literal" && rest[at]!.value === "--") at++;
  const operand = rest[at];
  const interpreter: Interpreter = { code: "", language: "shell" };
  const shell = { posix: name !== "bash" };
  if (isText) return judgeText(operand, { interpreter, shell, found });
  if (!operand || fromInput || operand.value === "-") {
    return judgeInput({ interpreter, shell, found });
  }
  judgeScript(operand, found);
}

/** Code of an interpreter; `shell` says which syntax another shell than this one knows. */
interface Code {
  readonly interpreter: Interpreter;
  readonly shell?: { readonly posix: boolean };
  readonly found: Case;
}

function judgeText(text: ShellWord | undefined, { interpreter, shell, found }: Code): void {
  found.runsText = true;
  if (text?.kind !== "literal") {
    found.opaque ||= interpreter.language === "shell";
    return found.add(extreme("runs code that is known only when it runs"));
  }
  if (interpreter.language === "shell") return found.around.script(text.value, shell);
  found.add(judgeCode(text.value, interpreter.language));
}

function judgeInput({ interpreter, shell, found }: Code): void {
  const { input } = found.around;
  found.runsText = true;
  if (input?.kind === "file") return judgeScript(input.target, found);
  if (input?.kind !== "text") {
    found.opaque ||= interpreter.language === "shell";
    return found.add(extreme("runs code from its standard input"));
  }
  if (interpreter.language === "shell") return found.around.script(input.text, shell);
  found.add(judgeCode(input.text, interpreter.language));
}

function judgeScript(script: ShellWord, found: Case): void {
  if (script.kind !== "literal") {
    return found.add(extreme(`runs a script that is known only when it runs: ${script.text}`));
  }
  if (/^\/dev\/(stdin|fd\/0)$|^\/proc\/self\/fd\//.test(script.value)) {
    return found.add(extreme("runs code from its standard input"));
  }
  if (/^[a-z]+:\/\//i.test(script.value)) {
    return found.add(extreme(`runs code from the network: ${script.text}`));
  }
  const places = resolve(script.value, found.around);
  if (!places || places.some((place) => !place.inside)) {
    return found.add(extreme(`runs code from outside the workspace: ${script.text}`));
  }
  const files = places.map((place) => place.absolute);
  found.executes.push(...files);
  found.scripts.push(...files);
  found.add(sensitive(`runs ${script.text}`));
}

/** A file or a package that is loaded before anything else runs. */
function judgeLoaded(value: ShellWord | undefined, found: Case): void {
  if (value?.kind === "literal" && /^(@[\w.-]+\/)?\w[\w.-]*(\/[\w./-]+)?$/.test(value.value)) {
    return found.add(sensitive(`loads ${value.text} first`));
  }
  if (value?.kind === "literal" && /^data:/i.test(value.value)) {
    return found.add(extreme(`runs text as code: ${value.text}`));
  }
  judgeScript(value ?? suppliedWord(""), found);
}

/** `python -m MODULE`. */
function judgeModule(
  module: ShellWord | undefined,
  { read, found }: { read: readonly ShellWord[]; found: Case },
): void {
  if (module?.kind !== "literal") {
    return found.add(extreme("runs a module that is known only when it runs"));
  }
  if (
    /^(pip|pytest|ruff|black|mypy|flake8|isort|uv|poetry|twine|virtualenv|coverage)$/.test(
      module.value,
    )
  ) {
    found.inner([module, ...read]);
  } else if (/^(http\.server|SimpleHTTPServer|smtpd|pdb|code|xmlrpc\.server)$/.test(module.value)) {
    found.add(extreme(`serves files or runs code: ${module.value}`));
  } else {
    const path = module.value.replaceAll(".", "/");
    for (const file of [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`]) {
      const places = resolve(file, found.around) ?? [];
      found.executes.push(...places.flatMap(({ absolute, inside }) => inside ? [absolute] : []));
    }
    found.add(sensitive(`runs the module ${module.value}`));
  }
}
