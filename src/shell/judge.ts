/**
 * How grave one simple command is: its name is looked up in the tables, its arguments are read by the row,
 * and wrappers, interpreters and programs with a language of their own are handed on. `classify.ts` calls.
 */
import { basename } from "node:path";
import type { Case } from "./analysis.ts";
import { pinnedFiles } from "./config_files.ts";
import { judgeGrammar } from "./grammars.ts";
import { judgeInterpreter } from "./interpret.ts";
import { needsOf } from "./needs.ts";
import { resolve } from "./paths.ts";
import {
  type Arguments,
  extreme,
  type Finding,
  type Program,
  readArguments,
  sensitive,
} from "./program.ts";
import { classOfLook, tellsOfItself } from "./programs/read_only_uses.ts";
import { findProgram } from "./programs/table.ts";
import { peel } from "./unwrap.ts";
import type { ShellWord } from "./words.ts";

/** Directories in which the system keeps its programs. */
const SYSTEM_BIN = /^\/(usr\/(local\/)?|opt\/[\w./+-]*)?s?bin\/[^/]+$/;
const TEMPORARY = /^\/(tmp|var\/tmp|dev\/shm|private\/tmp)\//;
/** Words of an unknown program that are looked at as commands. */
const MOST_PROBED = 12;

/** Judges the words of a command; what is found is added to its case. */
export function judgeWords(words: readonly ShellWord[], found: Case): void {
  const [name, ...rest] = words;
  if (!name) return;
  found.words = rest;
  if (name.kind !== "literal") {
    found.opaque = true;
    return found.add(extreme(`runs a program that is known only when it runs: ${name.text}`));
  }
  // At a terminal a name that begins so stands for an earlier command.
  if (!/^[\x21-\x7e]+$/.test(name.value) || /^!./.test(name.value)) {
    return found.add(extreme(`runs a program with an unusual name: ${name.text}`));
  }
  const command = name.value;
  found.programs.push(basename(command));
  found.needs.push(...needsOf(words));
  const program = findProgram(command);
  if (command.includes("/")) judgeLocation(name, found);
  const look = command.includes("/") || found.around.functions.has(command)
    ? undefined
    : classOfLook(command, rest);
  if (look) return found.add({ class: look, why: `${command} only looks` });
  if (!program) {
    if (!found.around.functions.has(command)) judgeUnknown(basename(command), { rest, found });
    return;
  }
  if (!command.includes("/") && tellsOfItself(command, rest)) return;
  if (program.subcommands && asksForHelp(rest)) return;
  judgeProgram(program, { name: basename(command), rest, found });
}

/** What nothing is known of may be a wrapper: it is as grave as the gravest command among its words. */
function judgeUnknown(
  name: string,
  { rest, found }: { rest: readonly ShellWord[]; found: Case },
): void {
  found.add(sensitive(`runs ${name}, of which nothing is known`));
  const isProgram = ({ kind, value }: ShellWord) =>
    kind === "literal" && /^[/\w][\w./+-]*$/.test(value) && findProgram(value) !== undefined;
  for (const [at, word] of rest.slice(0, MOST_PROBED).entries()) {
    if (!isProgram(word)) continue;
    const inner = found.probe(rest.slice(at));
    if (inner.class !== "extreme") continue;
    return found.add(extreme(`${name} may run a command: ${inner.why}`));
  }
}

/** Judges by a row: the program's own class, then its arguments. */
function judgeProgram(
  program: Program,
  { name, rest, found }: { name: string; rest: readonly ShellWord[]; found: Case },
): void {
  found.needs.push(...program.needs);
  found.executes.push(...pinnedFiles(program, { name, words: found.words, where: found.around }));
  if (program.wrapper) {
    found.add({ class: program.class, why: `${name} ${program.why}` });
    return peel(program.wrapper, { name, rest, found });
  }
  if (program.interpreter) return judgeInterpreter(program, { name, rest, found });
  const read = readArguments(program, rest, { first: program.subcommands !== undefined });
  if (program.grammar && judgeGrammar(program, { name, rest, read, found })) return;
  if (program.subcommands) return judgeSubcommand(program, { name, read, found });
  found.add(ownFinding(program, { name, found }));
  judgeArguments(program, { read, found });
}

/** Of a program by itself; what the sandbox holds does no harm by what it runs. */
function ownFinding(
  program: Program,
  { name, found }: { name: string; found: Case },
): Finding {
  const safe = program.safeConfined && found.around.confined && program.class === "sensitive";
  return { class: safe ? "safe" : program.class, why: `${name} ${program.why}` };
}

/** Options and operands by their roles. */
function judgeArguments(program: Program, { read, found }: { read: Arguments; found: Case }): void {
  found.useOptions(program, read);
  const { operands } = read;
  const dangerous = [...program.options.values()].some((effect) =>
    effect === "code" || effect === "write" ||
    (typeof effect !== "string" && effect.class === "extreme")
  );
  const rewritten = program.rewrites !== undefined &&
    read.effects.some(({ option }) => program.rewrites!.test(option));
  operands.forEach((word, index) => {
    if (dangerous && found.mayBecomeOption(word)) {
      found.add(
        word.kind === "pattern"
          ? sensitive(`names files that may be taken for options: ${word.text}`)
          : program.class === "safe"
          ? extreme(`may get options that are known only when it runs: ${word.text}`)
          : sensitive(`may get options that are known only when it runs: ${word.text}`),
      );
    }
    if (index < program.skip) return;
    if (rewritten) return found.use("write", word);
    if (program.operands !== "copy") return found.use(program.operands, word);
    if (/^[\w.@-]+:(?!\\)/.test(word.value)) {
      return found.add(extreme(`network: sends data to another machine: ${word.text}`));
    }
    found.use(index === operands.length - 1 && index > 0 ? "write" : "read", word);
  });
}

function judgeSubcommand(
  program: Program,
  { name, read, found }: { name: string; read: Arguments; found: Case },
): void {
  found.useOptions(program, read);
  const [word, ...rest] = read.operands;
  if (word && word.kind !== "literal") {
    return found.add(extreme(`does what is known only when it runs: ${name} ${word.text}`));
  }
  const sub = word && program.subcommands?.get(word.value);
  if (!word || !sub) return found.add({ class: program.class, why: `${name} ${program.why}` });
  judgeProgram(sub, { name: `${name} ${word.value}`, rest, found });
}

/** A program that is named by its path: the system's, the workspace's, or anyone's. */
function judgeLocation(name: ShellWord, found: Case): void {
  const path = name.value;
  if (SYSTEM_BIN.test(path)) return;
  if (/^[a-z+.]+:\/\//i.test(path)) {
    return found.add(extreme(`runs code from the network: ${path}`));
  }
  const places = resolve(path, found.around);
  if (places?.every((place) => place.inside)) {
    const files = places.map((place) => place.absolute);
    found.executes.push(...files);
    found.scripts.push(...files);
    return found.add(sensitive(`runs a program of the workspace: ${path}`));
  }
  const installed = places?.every(({ absolute, inside }) =>
    inside || (/\/s?bin\/[^/]+$/.test(absolute) && !TEMPORARY.test(absolute))
  );
  found.add(
    installed
      ? sensitive(`runs a program from outside the workspace: ${path}`)
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
