/**
 * How risky one simple command is: its name is looked up in the tables, its arguments are read by the row,
 * and wrappers, interpreters and programs with a language of their own are handed on.
 */
import { basename } from "node:path";
import {
  type CommandAnalysis,
  type Invocation,
  optionHazard,
  type SortedInvocation,
} from "./command_analysis.ts";
import { configFiles } from "./config_files.ts";
import { judgeGrammar } from "./grammars.ts";
import { judgeInterpreter } from "./interpret.ts";
import { needsOf } from "./needs.ts";
import { resolve } from "./paths.ts";
import {
  extreme,
  type Finding,
  findingOf,
  type Program,
  readArguments,
  sensitive,
  tentative,
} from "./program.ts";
import { asksForVersion, riskOfReadOnlyUse } from "./programs/read_only_uses.ts";
import { findProgram } from "./programs/table.ts";
import { unwrap } from "./unwrap.ts";
import type { ShellWord } from "./words.ts";

/** Directories in which the system keeps its programs. */
const SYSTEM_BIN = /^\/(usr\/(local\/)?|opt\/[\w./+-]*)?s?bin\/[^/]+$/;
const TEMPORARY = /^\/(tmp|var\/tmp|dev\/shm|private\/tmp)\//;
/** Words of an unknown program that are looked at as commands. */
const MAX_PROBED = 12;

/** Judges the words of a command; what is found is added to its analysis. */
export function judgeWords(words: readonly ShellWord[], analysis: CommandAnalysis): void {
  const [name, ...rest] = words;
  if (!name) return;
  analysis.words = rest;
  if (name.kind !== "literal") {
    analysis.opaque = true;
    return analysis.add(
      extreme(`runs a program whose name is only known at run time: ${name.text}`),
    );
  }
  // At a terminal a name that begins so stands for an earlier command.
  if (!/^[\x21-\x7e]+$/.test(name.value) || /^!./.test(name.value)) {
    return analysis.add(extreme(`runs a program with an unusual name: ${name.text}`));
  }
  const command = name.value;
  analysis.programs.push(basename(command));
  analysis.needs.push(...needsOf(words));
  const program = findProgram(command);
  if (command.includes("/")) judgeLocation(name, analysis);
  const readOnlyRisk = command.includes("/") || analysis.context.functions.has(command)
    ? undefined
    : riskOfReadOnlyUse(command, rest);
  if (readOnlyRisk) return analysis.add({ risk: readOnlyRisk, why: `${command} only reads` });
  if (!program) {
    if (/^git-./.test(basename(command))) {
      return analysis.add(extreme(`runs ${command}, a program that extends git`));
    }
    if (!analysis.context.functions.has(command)) {
      judgeUnknown(basename(command), { rest, analysis });
    }
    return;
  }
  if (!command.includes("/") && asksForVersion(command, rest)) return;
  if (program.subcommands && asksForHelp(rest)) return;
  judgeProgram(program, { name: basename(command), rest, analysis });
}

/** An unknown program may be a wrapper: it is as risky as the riskiest command among its words. */
function judgeUnknown(
  name: string,
  { rest, analysis }: Omit<Invocation, "name">,
): void {
  analysis.add(tentative(sensitive(`runs ${name}, an unknown program`)));
  const isProgram = ({ kind, value }: ShellWord) =>
    kind === "literal" && /^[/\w][\w./+-]*$/.test(value) && findProgram(value) !== undefined;
  for (const [at, word] of rest.slice(0, MAX_PROBED).entries()) {
    if (!isProgram(word)) continue;
    const inner = analysis.judgeInner(rest.slice(at));
    if (inner.risk !== "extreme") continue;
    return analysis.add(tentative(extreme(`${name} may run a command: ${inner.why}`)));
  }
}

/** Judges by a row: the program's own risk, then its arguments. */
function judgeProgram(
  program: Program,
  { name, rest, analysis }: Invocation,
): void {
  analysis.needs.push(...program.needs);
  analysis.executes.push(
    ...configFiles(program, { name, words: analysis.words, where: analysis.context }),
  );
  if (program.wrapper) {
    analysis.add(findingOf(program, name));
    return unwrap(program.wrapper, { name, rest, analysis });
  }
  if (program.interpreter) return judgeInterpreter(program, { name, rest, analysis });
  const args = readArguments(program, rest, { first: program.subcommands !== undefined });
  const use = { program, name, rest, args, analysis };
  if (program.grammar && judgeGrammar(program.grammar, use)) return;
  if (program.subcommands) return judgeSubcommand(use);
  analysis.add(programFinding(use));
  judgeArguments(use);
}

/** The risk of a program by itself: what it runs does no harm if the sandbox holds it. */
function programFinding({ program, name, rest, analysis }: SortedInvocation): Finding {
  const finding = findingOf(program, name);
  if (onlyChecks(program, rest)) return tentative(finding);
  const safe = program.safeSandboxed && analysis.context.sandboxed && program.risk === "sensitive";
  return safe ? { ...finding, risk: "safe" } : finding;
}

function onlyChecks({ onlyChecks }: Program, rest: readonly ShellWord[]): boolean {
  return onlyChecks !== undefined &&
    rest.some(({ kind, value }) => kind === "literal" && onlyChecks.test(value));
}

/** Options and operands by their roles. */
function judgeArguments({ program, rest, args, analysis }: SortedInvocation): void {
  analysis.addOptions(program, args);
  const checked = onlyChecks(program, rest) && program.operands === "write";
  const { operands } = args;
  const dangerous = [...program.options.values()].some((effect) =>
    effect === "code" || effect === "write" ||
    (typeof effect !== "string" && effect.risk === "extreme")
  );
  const rewritten = program.rewrites !== undefined &&
    args.effects.some(({ option }) => program.rewrites!.test(option));
  operands.forEach((word, index) => {
    if (dangerous && analysis.mayBecomeOption(word)) {
      const hazard = optionHazard(word, "options");
      analysis.add(program.risk === "safe" ? hazard : tentative(sensitive(hazard.why)));
    }
    if (index < program.skip) return;
    if (rewritten) return analysis.addWord("write", word);
    if (checked) return analysis.addWord("read", word);
    if (program.operands !== "copy") return analysis.addWord(program.operands, word);
    if (/^[\w.@-]+:(?!\\)/.test(word.value)) {
      return analysis.add(extreme(`network: sends data to another machine: ${word.text}`));
    }
    analysis.addWord(index === operands.length - 1 && index > 0 ? "write" : "read", word);
  });
}

function judgeSubcommand({ program, name, args, analysis }: SortedInvocation): void {
  analysis.addOptions(program, args);
  const [word, ...rest] = args.operands;
  if (word && word.kind !== "literal") {
    return analysis.add(extreme(`does what is only known at run time: ${name} ${word.text}`));
  }
  const sub = word && program.subcommands?.get(word.value);
  if (!word || !sub) return analysis.add(findingOf(program, name));
  judgeProgram(sub, { name: `${name} ${word.value}`, rest, analysis });
}

/** A program that is named by its path: the system's, the workspace's, or anyone's. */
function judgeLocation(name: ShellWord, analysis: CommandAnalysis): void {
  const path = name.value;
  if (SYSTEM_BIN.test(path)) return;
  if (/^[a-z+.]+:\/\//i.test(path)) {
    return analysis.add(extreme(`runs code from the network: ${path}`));
  }
  const locations = resolve(path, analysis.context);
  if (locations?.every(({ inside }) => inside)) {
    analysis.addScripts(locations);
    return analysis.add(tentative(sensitive(`runs a program of the workspace: ${path}`)));
  }
  const installed = locations?.every(({ absolute, inside }) =>
    inside || (/\/s?bin\/[^/]+$/.test(absolute) && !TEMPORARY.test(absolute))
  );
  analysis.add(
    installed
      ? tentative(sensitive(`runs a program from outside the workspace: ${path}`))
      : extreme(`runs a program from outside the workspace: ${path}`),
  );
}

/** `git push --help`; what runs another program hands the option on to it. */
function asksForHelp(rest: readonly ShellWord[]): boolean {
  const words = rest.map(({ kind, value }) => kind === "literal" ? value : "");
  const help = words.pop();
  return /^--?help$/.test(help ?? "") && words.length > 0 && words.length < 3 &&
    words.every((word) => /^(?!(exec|run|x|dlx|tool|foreach)$)[a-z][a-z-]*$/.test(word));
}
