/**
 * How risky one simple command is, by its row of the tables; wrappers, interpreters and `find` are handed on.
 */
import { basename } from "node:path";
import type { CommandAnalysis, GitWord, Invocation, SortedInvocation } from "./command_analysis.ts";
import { configFiles } from "./config_files.ts";
import { judgeInterpreter, judgeScript, unwrap } from "./inner_programs.ts";
import { needsOf } from "./needs.ts";
import { isProtected, resolve } from "./paths.ts";
import {
  extreme,
  type Finding,
  findingOf,
  type Program,
  readArguments,
  type Role,
  sensitive,
  tentative,
  textsInFront,
} from "./program.ts";
import { LOOKS } from "./program_rows.ts";
import { findProgram } from "./programs/table.ts";
import { judgeActions, judgeSent, staysHere } from "./special_programs.ts";
import { literalWord, type ShellWord } from "./words.ts";

/** At a terminal `!` begins an earlier command. Behind a redirection bash takes a reserved word for either. */
const USUAL_NAME =
  /^(?!-|!|([{}]|\[\[|\]\]|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|until|while)$)[\x21-\x7e]+$/;
/** Directories in which the system keeps its programs. */
const SYSTEM_BIN = /^\/(usr\/(local\/)?|opt\/[\w./+-]*)?s?bin\/[^/]+$/;
/** Where others keep theirs; what is temporary is anyone's. */
const OTHER_BIN = /^(?!\/(tmp|var\/tmp|dev\/shm|private\/tmp)\/).*\/s?bin\/[^/]+$/s;
/** Characters of an operand that is looked through. */
const MAX_MATCHED = 4096;

/** `node --version`, `git push --help`. */
const ASKS_FOR_VERSION =
  /^(?:(?:(?!(?:exec|run|x|dlx)\n)[a-z][a-z-]*\n)?--?(?:version|help)|-[vV])$/;

/** Judges the words of a command; what is found is added to its analysis. */
export function judgeWords(words: readonly ShellWord[], analysis: CommandAnalysis): void {
  const [name, ...rest] = words;
  if (!name) return;
  analysis.words = rest;
  if (name.kind !== "literal") {
    return analysis.addOpaque(`runs a program whose name is only known at run time: ${name.text}`);
  }
  if (!USUAL_NAME.test(name.value)) {
    return analysis.addOpaque(`runs a program with an unusual name: ${name.text}`);
  }
  const command = basename(name.value);
  analysis.programs.push(command);
  if (command === "git" && (!name.value.includes("/") || SYSTEM_BIN.test(name.value))) {
    analysis.git.push(rest.map(gitWord));
  }
  if (name.value.includes("/")) judgeLocation(name, analysis);
  const program = findProgram(command);
  if (!name.value.includes("/") && ASKS_FOR_VERSION.test(lineOf(rest))) {
    return analysis.add(tentative(sensitive(`${command} tells its version or its use`)));
  }
  if (program) judgeProgram(program, { name: command, rest, analysis });
  if (!analysis.onlyLooks) analysis.needs.push(...needsOf({ name: command, rest, analysis }));
  if (program) return;
  if (/^git-./.test(command)) {
    return analysis.add(extreme(`runs ${command}, a program that extends git`));
  }
  if (analysis.context.functions.has(name.value)) return;
  analysis.add(tentative(sensitive(`runs ${command}, an unknown program`)));
}

function gitWord({ kind, value, text }: ShellWord): GitWord {
  if (kind !== "literal") return { exact: false, ...(kind === "pattern" && { pattern: value }) };
  return { value, exact: !/[$`]/.test(text) || /[$`]/.test(value) };
}

/** Words as one text, one a line. */
function lineOf(
  words: readonly ShellWord[],
  unknown: (word: ShellWord) => string = () => "$",
): string {
  return words.map((word) =>
    word.kind === "literal" ? word.value.replaceAll("\n", " ") : unknown(word)
  ).join("\n");
}

/** Judges by a row: its subcommand, or its own risk and its arguments. */
function judgeProgram(program: Program, { name, rest, analysis }: Invocation): void {
  analysis.executes.push(...configFiles(program, { name, analysis }));
  if (program.wrapper) {
    analysis.needs.push(...program.needs);
    analysis.add(findingOf(program, name));
    return unwrap(program, { name, rest, analysis });
  }
  if (program.interpreter !== undefined) {
    return judgeInterpreter(program, { name, rest, analysis });
  }
  const invocation = { program, name, rest, analysis };
  const first = readArguments(program, rest, { first: true });
  if (program.subcommands.size > 0 && judgeSubcommand({ ...invocation, args: first })) return;
  // Words behind a subcommand that has no row are still words of the program.
  const use = { ...invocation, args: readArguments(program, rest) };
  judgeActions(use);
  analysis.onlyLooks = onlyLooks(use);
  if (!analysis.onlyLooks || !program.needs.every((need) => need.startsWith("repository"))) {
    analysis.needs.push(...program.needs);
  }
  analysis.add(programFinding(use));
  judgeArguments(use);
}

/** Hands on to the row of a subcommand, if there is one. */
function judgeSubcommand({ program, name, args, analysis }: SortedInvocation): boolean {
  const [word, ...rest] = args.operands;
  if (word && word.kind !== "literal") {
    analysis.add(extreme(`does what is only known at run time: ${name} ${word.text}`));
    return true;
  }
  const sub = word && program.subcommands.get(word.value);
  if (name === "git" && word && !sub) {
    analysis.needs.push("repository");
    analysis.addOpaque(
      `git ${word.text} is not known: it may be an alias, or a program named git-${word.text}`,
    );
    return true;
  }
  if (!word || !sub) return false;
  const needs = sub.needs.length > 0 || sub.risk === "safe" ? sub.needs : program.needs;
  // A row without options has those of the program.
  const { options, longDash } = sub.options.size > 0 ? sub : program;
  judgeProgram({ ...sub, needs, options, longDash }, {
    name: `${name} ${word.value}`,
    rest,
    analysis,
  });
  // Behind what it needs: with some powers the sandbox holds less.
  analysis.addOptions(program, args);
  // Its configuration is another one then, and may run anything with what git gets.
  analysis.opaque ||= name === "git" &&
    args.effects.some(({ effect }) => typeof effect !== "string");
  const writes = name === "git" && sub.risk !== "safe" && !analysis.onlyLooks;
  if (writes && analysis.context.cwds?.some(isProtected)) {
    analysis.add(extreme("writes a protected place: the directory it begins in"));
  }
  for (const { option, value } of args.effects) {
    if (writes && option === "-C" && value) analysis.addWord("write", value);
  }
  return true;
}

/** The risk of a program by itself; what only looks is held by the closed shape, whatever it is. */
function programFinding({ program, name, analysis }: SortedInvocation): Finding {
  const finding = findingOf(program, name);
  if (!analysis.onlyLooks || finding.risk === "safe") return finding;
  // Nothing of git's is known to the table without a sandbox.
  return name.startsWith("git ")
    ? { ...finding, risk: "safe" }
    : tentative(sensitive(`${name} looks at what there is`));
}

/** Whether it is told to do no more than look. */
function onlyLooks({ program, rest, args }: SortedInvocation): boolean {
  const { operands, effects, unknownOptions, numbers } = args;
  if (effects.some(({ effect }) => typeof effect !== "string")) return false;
  if (operands.length + numbers.length <= (program.lists ?? -1)) return true;
  const values = new Set(effects.map(({ value }) => value));
  // What stands behind a letter that is not known may be its value.
  const mayBeValue = (before: ShellWord | undefined) =>
    before !== undefined && unknownOptions.includes(before) && /^-\w*[^-qv]$/.test(before.value);
  const words = rest.filter((word, at) =>
    word === operands[0] ||
    (!operands.includes(word) && !values.has(word) && !mayBeValue(rest[at - 1]))
  );
  return program.looks.some((pattern) => pattern.test(lineOf(pattern === LOOKS ? rest : words)));
}

/** Options and operands by their roles. */
function judgeArguments(use: SortedInvocation): void {
  const { program, name, args: { operands, effects, numbers }, args, analysis } = use;
  const isNetwork = program.special === "network";
  const checked = program.operands === "write" && analysis.onlyLooks;
  analysis.addOptions(program, args, { here: isNetwork && staysHere(use), checked });
  const has = (role: Role) => effects.some(({ effect }) => effect === role);
  const texts = effects.flatMap(({ effect, value }) => effect === "text" && value ? [value] : []);
  const words = [...operands, ...texts];
  const matched = analysis.onlyLooks || has("spares") ? [] : [...words, ...numbers];
  matched.forEach((word) => judgeMatches(word, use));
  if (isNetwork) judgeSent(use, words);
  judgeLine(use);
  const own = program.operands === "link" ? analysis.isHeld ? "copy" : "write" : program.operands;
  const role = checked ? "read" : has("rewrites") ? "write" : own;
  const target = operands.length > 1 ? operands.at(-1) : undefined;
  const isTold = program.operands !== "text" || program.options.size > 0;
  const [maybe] = isTold ? operands.filter((one) => one.kind !== "literal" && !one.prefix) : [];
  if (maybe) analysis.add(tentative(sensitive(`may take options from ${maybe.text}`)));
  for (const word of operands.slice(textsInFront(program, args))) {
    if (role !== "copy") analysis.addWord(role, word);
    else if (/^[\w.@-]+:(?!\\)/.test(word.value)) {
      analysis.add(extreme(`network: sends data to another machine: ${word.text}`));
    } else analysis.addWord(word === target ? "write" : "read", word);
  }
  for (const number of numbers) {
    if (role === "copy") analysis.addWord("read", number);
    analysis.addWord(role === "copy" ? "write" : role, number);
  }
  if (has("rewrites")) analysis.add(sensitive(`${name} changes files`));
}

function judgeMatches(word: ShellWord, { program, analysis }: SortedInvocation): void {
  if (program.matches.length > 0 && word.value.length > MAX_MATCHED) {
    return analysis.add(tentative(extreme("is told more than can be looked through")));
  }
  for (const [pattern, finding] of program.matches) {
    if (pattern.test(word.value)) analysis.add({ ...finding, why: `${finding.why}: ${word.text}` });
  }
}

function judgeLine({ program: { unless }, rest, analysis }: SortedInvocation): void {
  if (!unless || analysis.onlyLooks) return;
  const [pattern, finding] = unless;
  // What no word of the script says comes from somewhere else.
  const isVariable = ({ node, value }: ShellWord) =>
    node && /^[^`(]*\$(?!\{?PPID\b)[^`(]*$/.test(value);
  const input = analysis.context.input ? [literalWord("<")] : [];
  const line = lineOf([...rest, ...input], (word) => isVariable(word) ? "$" : "\0");
  if (line.length > MAX_MATCHED || !pattern.test(line)) analysis.add(finding);
}

/** A program that is named by its path: the system's, the workspace's, or anyone's. */
function judgeLocation(name: ShellWord, analysis: CommandAnalysis): void {
  const path = name.value;
  if (SYSTEM_BIN.test(path)) return;
  const isInstalled = resolve(path, analysis.context)?.every(({ absolute, inside }) =>
    !inside && OTHER_BIN.test(absolute)
  );
  const where = isInstalled ? "from outside" : "of";
  analysis.add(tentative(sensitive(`runs a program ${where} the workspace: ${path}`)));
  if (!isInstalled) judgeScript(name, analysis);
}
