/**
 * How grave a command line is: the gravest of all commands that its syntax tree holds, wherever they stand.
 * What is not understood is extreme. No rule and no grant is looked at; `policy.ts` does that.
 */
import { basename } from "node:path";
import type { Ground } from "../core/path_facts.ts";
import type { CommandPart } from "../core/permission.ts";
import type { Need } from "../core/sandbox.ts";
import { cutEnd } from "../lib/text.ts";
import { Case, type Circumstances, graver } from "./analysis.ts";
import { settledValues } from "./constants.ts";
import { FreshFiles } from "./generated_scripts.ts";
import { judgeWords } from "./judge.ts";
import {
  type Input,
  NotUnderstood,
  type ParsedCommand,
  type ShellRedirection,
  type SimpleCommand,
} from "./parsed_command.ts";
import { judgeRead, judgeWrite, resolve } from "./paths.ts";
import { extreme, type Finding } from "./program.ts";
import { fillsDisk, hiddenSubscript, recursion, suspiciousText } from "./script_hazards.ts";
import { parseCommand } from "./syntax.ts";
import {
  arithmeticDanger,
  hijackedBy,
  hijacks,
  splitsLines,
  unknownVariables,
} from "./variables.ts";
import { literalWord, type ShellWord } from "./words.ts";

/** One part of a command, with what rules and grants need of it. */
export interface JudgedPart extends CommandPart {
  /** The arguments as the program gets them; absent if only running it shows them. */
  readonly argv?: readonly string[];
  /** What it finds on its standard input: `text:...`, `file:NAME` or `pipe`. */
  readonly stdin?: string;
  /** False for code given as text, and where the script changes what its own words mean. */
  readonly plain: boolean;
  /** Runs code given as text, as an argument or on its standard input. */
  readonly runsText: boolean;
  /** The program and those it was wrapped round. */
  readonly programs: readonly string[];
  /** Runs a program, or a shell's text, that only the shell will know. */
  readonly opaque: boolean;
  /** Directories in which it may run. */
  readonly cwds: readonly string[];
  /** Files of the workspace that decide what it does, absolute. */
  readonly executes: readonly string[];
  /** What it gets in the sandbox once it is allowed. */
  readonly needs: readonly Need[];
}

export interface Judgement extends Finding {
  readonly parts: readonly JudgedPart[];
  /** What the script changes for its own commands: it is part of what they are. */
  readonly assignments: readonly string[];
}

/** Scripts inside scripts (`bash -c '...'`). */
const MAX_DEPTH = 5;
/** Classifies one command line as it would run in `cwd`, `confined` if in a sandbox that holds. */
export function classifyCommand(
  text: string,
  options: { ground: Ground; cwd?: string; confined?: boolean },
): Judgement {
  const { ground, cwd = ground.cwd, confined = false } = options;
  return classify(text, {
    ground,
    confined,
    cwds: [cwd],
    depth: 0,
    posix: ground.posix,
    fresh: new FreshFiles(),
  });
}

/** Builtins that change what later commands of a script get. */
const SETTINGS =
  /^(export|declare|typeset|readonly|local|unset|set|shopt|exec|source|\.|read|mapfile)$/;

interface Setting {
  readonly ground: Ground;
  readonly confined: boolean;
  readonly cwds: readonly string[] | undefined;
  readonly depth: number;
  /** Whether the shell that runs it may know nothing but the standard's syntax. */
  readonly posix: boolean;
  readonly fresh: FreshFiles;
}

function classify(text: string, setting: Setting): Judgement {
  const suspicious = suspiciousText(text);
  if (suspicious) return wholly(text, suspicious);
  if (setting.depth > MAX_DEPTH) return wholly(text, "is nested too deeply");
  const known = new Map([["HOME", literalWord(setting.ground.home)], ["PWD", literalWord(".")]]);
  try {
    const { posix } = setting;
    const script = parseCommand(text, { known, posix });
    const variants = settledValues(script, unknownVariables(script)).map((settled) =>
      judgeScript(parseCommand(text, { known, settled, posix }), {
        ...setting,
        fresh: setting.fresh.copy(),
      })
    );
    return variants.length === 0 ? judgeScript(script, setting) : gravestOf(variants);
  } catch (error) {
    return wholly(text, error instanceof NotUnderstood ? error.message : "cannot be understood");
  }
}

/** All rounds of a loop as one script, as grave as the gravest; what they do has no Always. */
function gravestOf(variants: readonly Judgement[]): Judgement {
  const gravest = variants.reduce((worst, one) => graver(worst, one) === one ? one : worst);
  if (variants.length === 1) return gravest;
  const parts = new Map<string, JudgedPart>();
  for (const { argv: _, ...part } of variants.flatMap((variant) => variant.parts)) {
    parts.set(JSON.stringify([part.command, part.class, part.programs, part.needs]), part);
  }
  return { ...gravest, parts: [...parts.values()] };
}

/** A command of which nothing is known but that it is extreme. */
function wholly(text: string, why: string): Judgement {
  const part = {
    command: text,
    class: "extreme" as const,
    why,
    plain: false,
    runsText: true,
    programs: [],
    opaque: true,
    cwds: [],
    executes: [],
    needs: [],
  };
  return { class: "extreme", why, parts: [part], assignments: [] };
}

function judgeScript(script: ParsedCommand, setting: Setting): Judgement {
  const unknown = unknownVariables(script);
  const danger = arithmeticDanger(script, unknown) ?? recursion(script) ?? hiddenSubscript(script);
  if (danger) throw new NotUnderstood(danger);
  const assignments = changesOfState(script);
  const settled = assignments.length === 0 && script.functions.size === 0;
  const walk = new Directories(setting);
  const parts: JudgedPart[] = [];
  for (const command of script.commands) {
    const cwds = walk.before(command);
    const found = judgeSimple(command, { script, unknown, setting: { ...setting, cwds }, parts });
    const fresh = setting.fresh.among(found.scripts);
    if (fresh !== undefined) {
      found.add(extreme(`runs ${basename(fresh)}, which the command itself writes`));
    }
    setting.fresh.note(command, { ground: setting.ground, cwds });
    const { words } = command;
    const literal = words.every(({ kind }) => kind === "literal");
    const argv = words.map(({ value }) => value);
    if (words.length > 0 || command.assignments.length > 0) {
      parts.push({
        command: command.text,
        ...found.finding,
        ...(literal && words.length > 0 && { argv }),
        ...(command.input && { stdin: stdinOf(command.input) }),
        plain: literal && settled && !found.runsText && command.assignments.length === 0,
        runsText: found.runsText,
        programs: found.programs,
        opaque: found.opaque,
        cwds: cwds ?? [],
        executes: found.executes,
        needs: found.needs,
      });
    }
    parts.push(...redirectionParts(command, { ...setting, cwds }));
    walk.after(command);
  }
  const gravest = parts.reduce<Finding>(graver, { class: "safe", why: "only reads" });
  const hijacked = hijackedBy(script);
  if (gravest.class !== "extreme" && hijacked !== undefined) {
    throw new NotUnderstood(`sets ${hijacked}, which changes what programs do`);
  }
  return { class: gravest.class, why: whyOf(parts), parts, assignments };
}

function stdinOf(input: NonNullable<Input>): string {
  switch (input.kind) {
    case "text":
      return `text:${input.text}`;
    case "file":
      return `file:${input.target.value}`;
    case "names":
    case "unknown":
      return "pipe";
  }
}

/** The reason of the gravest part, which is named if there are others. */
function whyOf(parts: readonly JudgedPart[]): string {
  const [first, ...others] = parts;
  if (!first) return "runs nothing";
  const gravest = others.reduce(
    (worst, part) => graver(worst, part) === part ? part : worst,
    first,
  );
  if (others.length === 0 || gravest.class === "safe") return gravest.why;
  return `${cutEnd(gravest.command.replace(/\s+/g, " "), 60)}: ${gravest.why}`;
}

/** All by which a script changes what its own commands mean: as text, with `$` for what is not known. */
function changesOfState(script: ParsedCommand): string[] {
  const assigned = [...script.assigned].flatMap(([name, values]) =>
    values.map((value) => value?.kind === "literal" ? `${name}=${value.value}` : `${name}=$`)
  );
  const settings = script.commands.filter(({ words }) => SETTINGS.test(words[0]?.value ?? ""));
  return [...assigned, ...settings.map(({ text }) => text)];
}

/** Judges the words and assignments of one command; scripts inside it add parts of their own. */
function judgeSimple(
  command: SimpleCommand,
  { script, unknown, setting, parts }: {
    script: ParsedCommand;
    unknown: ReadonlySet<string>;
    setting: Setting;
    parts: JudgedPart[];
  },
): Case {
  const around: Circumstances = {
    ground: setting.ground,
    confined: setting.confined,
    cwds: setting.cwds,
    input: command.input,
    functions: script.functions,
    unknown,
    judge: judgeWords,
    script: (text, shell) => {
      const inner = classify(text, { ...setting, depth: setting.depth + 1, ...shell });
      found.add(inner);
      found.programs.push(...inner.parts.flatMap((part) => part.programs));
      parts.push(...inner.parts);
    },
  };
  const found = new Case(around);
  for (const { name, value } of splitsLines(command) ? [] : command.assignments) {
    if (hijacks(name, value)) found.add(extreme(`sets ${name}, which changes what programs do`));
  }
  if (command.input?.kind === "file") found.add(judgeRead(command.input.target, found.around));
  judgeWords(command.words, found);
  if (fillsDisk(command)) found.add(extreme("writes without an end"));
  for (const words of likelyWords(command.words, script)) {
    const likely = new Case(around);
    judgeWords(words, likely);
    found.add(likely.finding);
  }
  return found;
}

/** The words with the values that the script itself gives to its variables, one variant for each. */
function likelyWords(words: readonly ShellWord[], script: ParsedCommand): ShellWord[][] {
  const variants = Math.max(
    0,
    ...words.map(({ variable }) => variable ? script.assigned.get(variable.name)?.length ?? 0 : 0),
  );
  return Array.from({ length: Math.min(variants, 20) }, (_, index) =>
    words.flatMap((word) => {
      const values = word.variable && script.assigned.get(word.variable.name);
      const value = values?.[Math.min(index, values.length - 1)];
      if (!word.variable || !value || value.kind === "dynamic") return [word];
      const pieces = `${value.value}${word.variable.rest}`.split(/\s+/).filter(Boolean);
      const kind = value.kind;
      return pieces.map((piece): ShellWord => ({
        text: word.text,
        kind: kind === "pattern" || /\$/.test(piece) ? "pattern" : "literal",
        value: piece,
        prefix: piece.replace(/[*?[$].*$/, ""),
      }));
    }));
}

/** Redirections that write are parts of their own: what they do is not the program's doing. */
function redirectionParts(command: SimpleCommand, setting: Setting): JudgedPart[] {
  return command.redirections.flatMap((one) => {
    const finding = judgeRedirection(one, setting);
    if (!finding) return [];
    return [{
      command: one.text,
      ...finding,
      ...(one.target.kind === "literal" && { argv: [one.operator, one.target.value] }),
      plain: false,
      runsText: false,
      programs: [],
      opaque: false,
      cwds: setting.cwds ?? [],
      executes: [],
      needs: [],
    }];
  });
}

function judgeRedirection(
  { operator, target }: ShellRedirection,
  setting: Setting,
): Finding | undefined {
  if (/^[<>]&$/.test(operator) && /^(\d+-?|-)$/.test(target.value)) return undefined;
  if (/^\/dev\/(tcp|udp)\//.test(target.value)) {
    return extreme(`network: sends data to another machine: ${target.text}`);
  }
  if (operator === "<" || operator === "<&") return judgeRead(target, setting);
  return judgeWrite(target, setting);
}

/** Follows `cd` through a script: every directory in which a command may run. */
class Directories {
  readonly #ground: Ground;
  #possible: readonly string[] | undefined;
  /** Where a chain is for sure, because all of its commands before have succeeded. */
  #certain: { chain: number; cwds: readonly string[] | undefined } | undefined;

  constructor(setting: Setting) {
    this.#ground = setting.ground;
    this.#possible = setting.cwds;
  }

  before({ chain }: SimpleCommand): readonly string[] | undefined {
    return this.#certain?.chain === chain ? this.#certain.cwds : this.#possible;
  }

  after(command: SimpleCommand): void {
    const [name, ...rest] = command.words;
    if (!name || !/^(cd|pushd|popd)$/.test(name.value)) {
      const inner = command.words.some(({ value }) => /^(cd|pushd|popd)$/.test(value));
      if (inner && /^(builtin|command)$/.test(name?.value ?? "")) this.#possible = undefined;
      return;
    }
    const cwds = this.before(command);
    const target = rest.find(({ value }) => !/^-./.test(value));
    const next = name.value !== "popd" && target?.kind === "literal" && target.value !== "-" && cwds
      ? resolve(target.value, { ground: this.#ground, cwds })?.map(({ absolute }) => absolute)
      : undefined;
    const relative = target !== undefined && !target.value.startsWith("/");
    if (!next || (command.repeated && relative)) {
      this.#possible = undefined;
      this.#certain = undefined;
      return;
    }
    if (!command.isolated) this.#certain = { chain: command.chain, cwds: next };
    this.#possible = this.#possible && [...new Set([...this.#possible, ...next])];
  }
}
