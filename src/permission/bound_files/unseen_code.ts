/**
 * Where a command of a script takes code from that none of the files shows which it names: text that another program
 * runs, a variable that turns commands into others, a place that anyone may fill.
 */
import { basename } from "node:path";
import { type Command, forEachChild, type ParsedScript, type SyntaxNode, type Word } from "unbash";
import { isFile, type PathFacts } from "../../core/path_facts.ts";
import type { CommandAnalysis } from "../../shell/command_analysis.ts";
import { filesInside } from "../../shell/paths.ts";
import { type Program, readArguments } from "../../shell/program.ts";
import { findProgram, isBuiltin } from "../../shell/programs/table.ts";
import { valueOf } from "../../shell/script_variables.ts";
import { isHijacking } from "../../shell/variables.ts";
import type { ShellWord } from "../../shell/words.ts";
import { KEEPS_CONTENT } from "./written.ts";

/** Names that are looked at by who follows the text that they run, or that change nothing that matters here. */
const FOLLOWED = /^(eval|trap|set|shopt|unalias|unset|logout|popd|cd|pushd)$/;
/** Builtins that take words for names of variables, or for sums. */
const CALCULATES = /^(let|printf|test|\[|read|declare|typeset|local|export|readonly|mapfile|wait)$/;
/** Code of another language that runs what is not written in it. */
const RUNS_MORE =
  /\b(exec\w*|eval|system|popen|spawn\w*|subprocess|child_process|runpy|compile|Function|do|load\w*|qx|source)\b|`|\brequire\b(?!\s*\(?\s*["']([\w@:-]+|[\w./-]+\.json)["'])/;
/** Places that anyone may fill, and what a command finds open. */
const ANYONES = /^\/(private\/)?(tmp|var\/tmp|dev|proc|run)\//;
/** Programs whose first word is a script of their own. */
const TRANSFORMS = /^(g?sed|[gmn]?awk)$/;
const TRANSFORMS_FROM_FILE = /^(-f|-l|-i.*|--file|--expression|-e)$/;

/** What takes plugins, and words of its own, from files, which its words name in more spellings than can be told. */
const COMPILER =
  /^([\w.]+-)*(cc|gcc|g\+\+|c\+\+|cpp|clang|clang\+\+|gfortran|rustc|javac|kotlinc|ghc|ocaml|ocamlc|ocamlopt|swiftc|ld|lld|gold|as|ar|nm|ranlib|strip|size|strings|objcopy|objdump|readelf|addr2line|protoc|bison|yacc|flex|lex|swig)(-[\d.]+)?$/;
/** Words by which a compiler takes in a file of further words, or code. */
const TAKES_IN =
  /^@|^--?(specs|wrapper|f?plu|load|fpass|X|B|mllvm|Z|extern|J-|proc|pgm|pp)|^-W[lap],.*(-plu|@)|^(-C|--codegen=)?(linker|link-args?|llvm-args)=/;

/** Whether a command runs what no file shows, as far as its own words say; what it starts is looked at by itself. */
export function runsUnseenCode(words: readonly ShellWord[], analysis: CommandAnalysis): boolean {
  const [name, ...rest] = words;
  if (!name || name.kind !== "literal") return false;
  const command = basename(name.value);
  if (FOLLOWED.test(command) && !name.value.includes("/")) return false;
  const program = findProgram(command);
  if (isAnyones(name.value)) return true;
  // In places of lists and in sums the shell runs what stands there, whatever the quotes around it.
  if (CALCULATES.test(command) && rest.some(({ value }) => /\$\(|`/.test(value))) return true;
  // What a wrapper starts is a command of its own.
  if (program?.wrapper) return analysis.opaque;
  if (program?.interpreter !== undefined) return runsUnseenText(program, { rest, analysis });
  const isMake = /^[bg]?make$/.test(command);
  if (isMake && (isElsewhere(rest) || readsInput(rest) || isTold(rest, analysis))) return true;
  if (TRANSFORMS.test(command) && isSupplied(rest)) return true;
  if (takesInMore(words.map(({ value }) => value))) return true;
  return analysis.opaque || analysis.mayRunText ||
    (isBuiltin(command) && analysis.finding.risk === "extreme");
}

/** Whether a command does what no rule could allow it by itself: nobody follows what that may run. */
export function isExtreme(
  [name, ...rest]: readonly ShellWord[],
  { finding: { risk, why, tentative } }: CommandAnalysis,
): boolean {
  const command = basename(name?.value ?? "");
  if (FOLLOWED.test(command) || KEEPS_CONTENT.test(command)) return false;
  if (risk !== "extreme" || tentative) return false;
  const program = findProgram(command);
  // What these start is a command of its own.
  if (program?.wrapper || command === "find") return program?.risk === "extreme";
  // Where it writes is looked at by itself, and what it sends runs nothing, unless it also has words for code.
  return !program || !/^(writes to|network:) /.test(why) ||
    readArguments(program, rest).effects.some(({ effect }) =>
      typeof effect !== "string" || /^(code|script|loads|command|setting)$/.test(effect)
    );
}

function isAnyones(path: string): boolean {
  return ANYONES.test(path);
}

/** An interpreter: its script may be anyone's, its text may come from anywhere or run more. */
function runsUnseenText(
  program: Program,
  { rest, analysis }: { rest: readonly ShellWord[]; analysis: CommandAnalysis },
): boolean {
  const isShell = program.interpreter === "shell";
  const { operands, effects } = readArguments(program, rest, { first: true, exact: isShell });
  // As `--rcfile`: what is no script of its own, but runs before it.
  if (effects.some(({ effect }) => typeof effect !== "string")) return true;
  const loaded = effects.flatMap(({ effect, value }) => effect === "loads" && value ? [value] : []);
  const [script] = operands;
  const input = analysis.context.input;
  const fed = input?.kind === "file" ? [input.target] : [];
  if ([...script ? [script] : [], ...loaded, ...fed].some(({ value }) => isAnyones(value))) {
    return true;
  }
  if (loaded.some(({ kind }) => kind !== "literal")) return true;
  if (analysis.opaque) return true;
  // A shell's text is looked through, as is a file that it is fed.
  if (isShell) return false;
  const texts = effects.filter(({ effect }) => effect === "script");
  const code = program.interpreter === "text" ? script : undefined;
  if (texts.length === 0 && !code) return analysis.mayRunText && fed.length === 0;
  return [...texts.map(({ value }) => value), ...code ? [code] : []]
    .some((value) => value?.kind !== "literal" || RUNS_MORE.test(value.value));
}

/** Whether the words of a command have a compiler take in what they do not say. */
export function takesInMore(argv: readonly string[]): boolean {
  const at = argv.findIndex((word) => COMPILER.test(basename(word)));
  return at >= 0 && argv.slice(at + 1).some((word) => TAKES_IN.test(word));
}

/** Whether make finds its makefile on its standard input. */
export function readsInput(rest: readonly { readonly value: string }[]): boolean {
  return rest.some(({ value }, at) =>
    /^(-\w*f|--(file|makefile)=)(-|\/dev\/.*)$/.test(value) ||
    (/^(-|\/dev\/.*)$/.test(value) && /^-\w*f$|^--(file|makefile)$/.test(rest[at - 1]?.value ?? ""))
  );
}

/** Whether words give make a file of the workspace for a program. */
function isTold(rest: readonly ShellWord[], { context }: CommandAnalysis): boolean {
  const values = rest.flatMap(({ value }) => /^\w+[:?+]?=(.*)$/s.exec(value)?.[1] ?? []);
  return values.flatMap((value) => filesInside(value, context))
    .some((path) => isFile(context.pathFacts.fingerprint(path)));
}

/** Whether make looks for its files where only running it shows. */
function isElsewhere(rest: readonly ShellWord[]): boolean {
  return rest.some(({ kind, value }, at) =>
    kind !== "literal" &&
    (/^(-[CfI]|--(directory|file|makefile|include-dir)=)/.test(value) ||
      /^-\w*[CfI]$|^--(directory|file|makefile|include-dir)$/.test(rest[at - 1]?.value ?? ""))
  );
}

/** Whether the whole script of `sed` or `awk` comes from what only running it shows. */
function isSupplied(rest: readonly ShellWord[]): boolean {
  const script = rest.find(({ value }, at) =>
    TRANSFORMS_FROM_FILE.test(rest[at - 1]?.value ?? "") ||
    (!value.startsWith("-") && !/^-[vF]$/.test(rest[at - 1]?.value ?? ""))
  );
  return script?.kind === "dynamic" && script.prefix === "";
}

/** What a script gives one of its variables. */
interface Given {
  readonly name: string;
  readonly value: ShellWord | undefined;
  /** Whether other programs get it for sure. */
  readonly exported: boolean;
}

/** Names that programs have in their environment whether or not a script exports them, or that the shell itself obeys. */
const INHERITED = /^(PATH|BASH_ENV|ENV|HOME|SHELL|SHELLOPTS|BASHOPTS|CDPATH|(LD|DYLD)_.*)$/;
/** What changes how words are divided, how a shell speaks, or where temporary files lie, but not which code runs. */
const SPEAKS = /^(IFS|PS[0-4]|PWD|OLDPWD|TMPDIR|FUNCNEST|HISTFILE|INPUTRC|POSIXLY_CORRECT)$/;

/** Whether a variable, as it is given, turns commands into others whose files nobody knows. */
export function changesPrograms({ name, value, exported }: Given, pathFacts: PathFacts): boolean {
  // The shell runs what stands in its prompts.
  if (/^PS\d$|^PROMPT/.test(name) && /\$\(|`/.test(value?.value ?? "$(")) return true;
  if (SPEAKS.test(name) || !(exported || INHERITED.test(name))) return false;
  if (name === "PATH" && value) return !isPathOutside(value, pathFacts);
  return value?.value !== "" && isHijacking(name, value);
}

/** Programs that are found where no file of the workspace lies, and nothing that is temporary. */
function isPathOutside({ value }: ShellWord, pathFacts: PathFacts): boolean {
  return value.split(":").every((directory) =>
    /^\$(\{PATH\}|\(PATH\)|PATH)$/.test(directory) ||
    (/^\/[^$`*?]*$/.test(directory) && !isAnyones(`${directory}/`) &&
      !pathFacts.locate(directory).inside)
  );
}

/** Builtins whose words give variables. */
const DECLARES = /^(export|declare|typeset|readonly|local)$/;
const FILLS = /^(read|mapfile|readarray|getopts|printf)$/;
/** From here on what is given is exported. */
const EXPORTS_ALL = /^-[a-z]*a[a-z]*$|^allexport$/;

/** Whether a script gives a variable, or an alias, a value that turns commands into others. */
export function hijacks(
  script: ParsedScript,
  { read, pathFacts }: { read: (word: Word) => ShellWord; pathFacts: PathFacts },
): boolean {
  const commands = commandsOf(script);
  // An alias makes any word another command.
  if (commands.some(({ name, suffix }) => name?.value === "alias" && suffix.length > 0)) {
    return true;
  }
  const exportsAll = commands.some(({ name, suffix }) =>
    name?.value === "set" && suffix.some((one) => "text" in one && EXPORTS_ALL.test(one.text))
  );
  // Of a name that no word says nobody knows what it turns.
  if (commands.some((command) => givesAnyName(command, read))) return true;
  const later = new Set(
    commands.filter(({ name }) => DECLARES.test(name?.value ?? ""))
      .flatMap(({ suffix }) => suffix.flatMap((one) => one.type === "Word" ? [one.value] : [])),
  );
  return commands.flatMap((command) => givenBy(command, read)).some((given) =>
    changesPrograms({
      ...given,
      exported: given.exported || exportsAll || later.has(given.name),
    }, pathFacts)
  );
}

/** Whether a builtin gives a variable whose name only running it shows. */
function givesAnyName({ name, suffix }: Command, read: (word: Word) => ShellWord): boolean {
  const builtin = name?.value ?? "";
  const words = suffix.flatMap((one) => one.type === "Word" ? [read(one)] : []);
  const isName = (at: number) =>
    DECLARES.test(builtin)
      ? !/^[A-Za-z_]\w*\+?=/.test(words[at]!.prefix)
      : builtin === "printf"
      ? words[at - 1]?.value === "-v"
      : FILLS.test(builtin) && !/^-\w*[adinNptuCcOs]$/.test(words[at - 1]?.value ?? "");
  return words.some(({ kind }, at) => kind !== "literal" && isName(at));
}

function commandsOf(script: ParsedScript): Command[] {
  const commands: Command[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") commands.push(node);
    forEachChild(node, visit);
  };
  visit(script);
  return commands;
}

function givenBy({ name, prefix, suffix }: Command, read: (word: Word) => ShellWord): Given[] {
  const assigned = [...prefix, ...suffix].flatMap((one) => {
    if (one.type !== "Assignment") return [];
    const value = valueOf(one);
    const exported = name !== undefined && !/^(readonly|local)$/.test(name.value);
    return [{ name: one.name, value: value && read(value), exported }];
  });
  const words = suffix.flatMap((one) => one.type === "Word" ? [read(one)] : []);
  const declared = DECLARES.test(name?.value ?? "")
    ? words.flatMap((word) => {
      const [, named, text] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word.value) ?? [];
      if (named === undefined || text === undefined) return [];
      return [{ name: named, value: { ...word, value: text }, exported: true }];
    })
    : [];
  const filled = FILLS.test(name?.value ?? "")
    ? words.map(({ value }) => ({ name: value, value: undefined, exported: false }))
    : [];
  return [...assigned, ...declared, ...filled];
}
