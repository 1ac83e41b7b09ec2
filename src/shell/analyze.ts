/**
 * How risky a command line is: as the riskiest of all commands in its syntax tree. What is not understood is extreme.
 */
import { basename } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import { type CommandPart, higherRisk, type Risk } from "../core/permission.ts";
import type { PlainArguments } from "../core/shell.ts";
import { cutSafely } from "../lib/excerpt.ts";
import { CommandAnalysis, ONLY_READS, riskier, type ScriptContext } from "./command_analysis.ts";
import { directoriesOf } from "./directory_tracker.ts";
import { GeneratedFiles } from "./generated_scripts.ts";
import { judgeWords } from "./judge.ts";
import { NotUnderstoodError, type ParsedCommand, type SimpleCommand } from "./parsed_command.ts";
import { isProtected, judgeRead, judgeWrite, type PathContext } from "./paths.ts";
import { judgeUnheld } from "./plain_programs.ts";
import { extreme, type Finding, held, tentative } from "./program.ts";
import { arithmeticHazard, numericVariables } from "./script/numeric_variables.ts";
import { type Rendering, ScriptRenderer } from "./script/render.ts";
import { literalValue } from "./script/rendered_word.ts";
import { commandsIn, type Segment, splitScript, staysInside, within } from "./script/segments.ts";
import { recursionHazard, subscriptHazard, textHazard } from "./script_hazards.ts";
import { constantValues, readVariables, uncertainVariables } from "./script_variables.ts";
import { parseScript, readCommands } from "./syntax.ts";
import { findHijacking, findOwnHijacking } from "./variables.ts";
import type { ShellWord } from "./words.ts";

/** What was found out about a command beside its risk; of git in all rounds of a loop. */
type Found = {
  readonly [Name in "programs" | "git" | "executes" | "needs" | "runsText" | "opaque"]: Readonly<
    CommandAnalysis[Name]
  >;
};

/** One part of a command, with what rules and grants need of it. */
export interface AnalyzedPart extends CommandPart, Found, Pick<Finding, "tentative" | "held"> {
  /** The arguments as the program gets them; absent if only running it shows them. */
  readonly argv?: readonly string[];
  /** What it finds on its standard input: `text:...`, `file:NAME` or `pipe`. */
  readonly stdin?: string;
  /** False for code given as text, and where the script changes what its own words mean. */
  readonly plain: boolean;
  /** Reads what lies outside of the workspace, or may be secret, beside its standard input. @default false */
  readonly readsOutside?: boolean;
  /** Where it stands in the script: characters from its beginning. */
  readonly at: number;
  /** Directories in which it may run. */
  readonly cwds: readonly string[];
  /** A person has given just this command what it gets. */
  readonly isNamed?: true;
  /** Nobody but a file of the project allows it. */
  readonly isOfProject?: true;
  /** Where no sandbox holds it: its words say that it only reads, or do not say all that it may do. */
  readonly unheld?: "reads" | "uncertain";
  /** Its risk where it does not run closed, if that is another. */
  readonly openRisk?: Risk;
}

/** What a script does, as a whole and by its parts. */
export interface ScriptAnalysis extends Finding {
  readonly parts: readonly AnalyzedPart[];
  /** What the script changes for its own commands: it is part of what they are. */
  readonly assignments: readonly string[];
  /** What bash gets in its place where nobody looks at it. */
  readonly rendering: Rendering;
  /** Its risk where it does not run closed, if that is another. */
  readonly openRisk?: Risk;
  /** What it is as a program with its arguments, where that is all it is and only reads. */
  readonly argv?: PlainArguments;
  /** Its parts, if each of them can run in a shell of its own; undefined if they share one. */
  readonly segments: Segment | undefined;
}

/** What runs without a question where the sandbox holds: all that names no power, or what is known to read only. */
export type UnaskedMode = "closed" | "safe";

/** What is found by the tree alone. */
type JudgedScript = Omit<ScriptAnalysis, "rendering" | "segments">;

/** Scripts inside scripts (`bash -c '...'`). */
const MAX_DEPTH = 5;

/** Where and how a command would run. */
interface AnalyzeOptions {
  readonly pathFacts: PathFacts;
  /** Absolute; @default the working directory */
  readonly cwd?: string;
  /** Whether it runs in a sandbox that holds. @default false */
  readonly sandboxed?: boolean;
  /** @default "closed" */
  readonly unasked?: UnaskedMode;
}

/** Analyzes one command line. */
export function analyzeCommand(text: string, options: AnalyzeOptions): ScriptAnalysis {
  const { pathFacts, cwd = pathFacts.cwd, sandboxed = false, unasked = "closed" } = options;
  const analysis = analyzeText(text, {
    pathFacts,
    cwds: [cwd],
    sandboxed,
    depth: 0,
    posix: pathFacts.posix,
    generated: new GeneratedFiles(),
    scripts: [],
    uncertain: new Set(),
  });
  if (!sandboxed) return judgeUnheld(withSyntax(analysis, text), { pathFacts, cwds: [cwd] });
  return unasked === "closed" ? closeParts(analysis, { text, pathFacts }) : analysis;
}

/**
 * In a sandbox nothing is asked about parts that nobody knows, if they name no power; and what is extreme is held where no
 * power is in reach, and no protected place is named. The rest decides about the whole.
 */
function closeParts(
  analysis: ScriptAnalysis,
  { text, pathFacts }: Pick<AnalyzeOptions, "pathFacts"> & { readonly text: string },
): ScriptAnalysis {
  const { parts: known, tentative: isClosed } = analysis;
  const groups = partsTogether(analysis, pathFacts);
  const closed = isClosed ? known : groups.filter((some) => some.every(isHeld)).flat();
  const needsOf = (some: readonly AnalyzedPart[]) => some.flatMap(({ needs }) => needs).join();
  const isGrave = /network|keys|services/.test(needsOf(known)) ||
    text.split(/[\s"'=:;|&()<>]+/).some(isProtected);
  const kept = isGrave ? [] : groups.filter((some) => !/repository/.test(needsOf(some))).flat();
  const parts = known.map((one): AnalyzedPart => {
    const { held, ...part } = one;
    const { risk, tentative, opaque } = part;
    if (tentative && closed.includes(one)) return { ...part, risk: "safe", openRisk: risk };
    const mayBe = risk === "extreme" && (held || (tentative && !opaque));
    return mayBe && kept.includes(one) ? { ...part, held: true } : part;
  });
  const risk = parts.map((part) => part.risk).reduce(higherRisk, "safe");
  const why = risk === "safe" ? analysis.why : whyOf(parts);
  const open = risk !== analysis.risk && { openRisk: analysis.risk };
  return { ...analysis, risk, ...open, why, parts };
}

/** Parts that may share a sandbox: all of them, unless each command of the script can have its own. */
function partsTogether({ segments, parts }: ScriptAnalysis, pathFacts: PathFacts) {
  const commands = segments ? commandsIn(segments) : [];
  const isCut = segments &&
    commands.every((one) => one.kind !== "cd" || staysInside(one, { parts, pathFacts }));
  return isCut ? commands.map((command) => within(command, parts)) : [parts];
}

/** Beside a part with powers, code that comes through a pipe is what that part sent for: `curl URL | sh`. */
function isHeld({ risk, tentative, stdin }: AnalyzedPart): boolean {
  return risk === "safe" || (tentative === true && !(risk === "extreme" && stdin === "pipe"));
}

/** Syntax alone runs, too: `[[ ]]`, `(( ))`, a loop. */
function withSyntax(analysis: ScriptAnalysis, command: string): ScriptAnalysis {
  const { parts, rendering, risk, why } = analysis;
  if (parts.length > 0 || ("text" in rendering && rendering.text === "")) return analysis;
  return { ...analysis, parts: [{ ...BARE_PART, risk, why, command, at: 0 }] };
}

/** Builtins that change what later commands of a script get. */
const STATE_BUILTINS =
  /^(export|declare|typeset|readonly|local|unset|set|shopt|exec|source|\.|read|mapfile)$/;

/** Settings by which a script ends sooner, or shows what it does. */
const SETS_ERRORS = /^set( [-+]([eux]+|[eux]*o (errexit|nounset|pipefail|xtrace)))+$/;

function analyzeText(text: string, context: ScriptContext): ScriptAnalysis {
  try {
    const hazard = textHazard(text);
    if (hazard) throw new NotUnderstoodError(hazard);
    if (context.depth > MAX_DEPTH) throw new NotUnderstoodError("is nested too deeply");
    return readScript(text, context);
  } catch (error) {
    const why = error instanceof NotUnderstoodError ? error.message : "cannot be understood";
    const [finding, rendering] = [extreme(why), { problem: why }];
    const part = { ...BARE_PART, ...finding, command: text, at: 0, runsText: true, opaque: true };
    return { ...finding, parts: [part], rendering, assignments: [], segments: undefined };
  }
}

function readScript(text: string, context: ScriptContext): ScriptAnalysis {
  const { posix, scripts } = context;
  const script = parseScript(text);
  const variables = readVariables(script);
  const known = new Map([["HOME", context.pathFacts.home], ["PWD", "."]]);
  // Where nothing may have given the word another meaning.
  if (!variables.hidden) known.set("$(pwd)", ".").set("$(mktemp -d)", "/tmp/tmp.X");
  const hazard = arithmeticHazard(variables);
  if (hazard) throw new NotUnderstoodError(hazard);
  const uncertain = uncertainVariables(variables);
  const variants = constantValues(variables, known).map((constants) => {
    const commands = readCommands(script, { source: text, variables, known, constants, posix });
    return judgeScript(commands, { ...context, uncertain });
  });
  const numbers = numericVariables(script, variables);
  const renderer = new ScriptRenderer({ unsplit: uncertain, numbers, posix, scripts });
  const rendering = renderer.render(script, text);
  const segments = context.depth === 0 && "text" in rendering
    ? splitScript(script, { source: text, render: (node) => renderer.node(node) })
    : undefined;
  return { ...mergeVariants(variants), rendering, segments };
}

/** All rounds of a loop as one script, as risky as the riskiest; what they do has no Always. */
function mergeVariants(variants: readonly JudgedScript[]): JudgedScript {
  const worst = variants.reduce(riskier);
  if (variants.length === 1) return worst;
  const parts = new Map<string, AnalyzedPart>();
  for (const { argv: _, ...part } of variants.flatMap((variant) => variant.parts)) {
    const { command, risk, tentative, held, programs, needs, at } = part;
    const key = JSON.stringify([command, risk, tentative, held, programs, needs, at]);
    parts.set(key, { ...part, git: [...parts.get(key)?.git ?? [], ...part.git] });
  }
  return { ...worst, parts: [...parts.values()] };
}

/** What is so of a part if nothing else is said. */
const BARE_PART = {
  plain: false,
  runsText: false,
  programs: [],
  git: [],
  opaque: false,
  cwds: [],
  executes: [],
  needs: [],
} as const;

function judgeScript(script: ParsedCommand, context: ScriptContext): JudgedScript {
  const hazard = recursionHazard(script) ?? subscriptHazard(script) ??
    secretHazard(script, context);
  if (hazard) throw new NotUnderstoodError(hazard);
  const assignments = changesOfState(script);
  const keepsState = assignments.length === 0 && script.functions.size === 0;
  const directories = directoriesOf(script.commands, context);
  const found = script.commands.flatMap((command, index) => {
    const how = { ...context, functions: script.functions, keepsState, cwds: directories[index] };
    return withHijacking(judgeCommand(command, how), findOwnHijacking(command, script));
  });
  const parts = withHijacking(found, findHijacking(script));
  const { risk, held } = parts.reduce<Finding>(riskier, ONLY_READS);
  const fits = parts.every((part) => part.risk === "safe" || part.tentative);
  const mark = held ? { held } : risk !== "safe" && fits && { tentative: true as const };
  return { risk, why: whyOf(parts), ...mark, parts, assignments };
}

/** Where a variable is set that changes what programs do, each part that gets it may do anything. */
function withHijacking(parts: AnalyzedPart[], name: string | undefined): AnalyzedPart[] {
  if (name === undefined) return parts;
  const finding = held(`the script sets ${name}, which changes what programs do`);
  return parts.map(({ tentative: only, ...part }) => ({
    ...part,
    ...(part.risk === "safe" || only ? tentative(finding) : riskier<Finding>(part, finding)),
    opaque: true,
  }));
}

/** A variable that holds the path of a secret place, wherever it is used. */
function secretHazard({ assignedValues }: ParsedCommand, context: PathContext) {
  const isSecret = (word: ShellWord | undefined) =>
    word?.value.startsWith("/") && judgeRead(word, context)?.risk === "extreme";
  const name = [...assignedValues].find(([, values]) => values.some(isSecret))?.[0];
  return name && `keeps the path of a secret place in ${name}`;
}

/** The reason of the riskiest part, which is named if there are others. */
function whyOf(parts: readonly AnalyzedPart[]): string {
  if (parts.length === 0) return "runs nothing";
  const { risk, why, command } = parts.reduce(riskier);
  if (parts.length === 1 || risk === "safe") return why;
  return `${cutSafely(command.replace(/\s+/g, " "), 60)}: ${why}`;
}

/** All by which a script changes what its own commands mean: as text, with `$` for what is unknown. */
function changesOfState({ assignedValues, commands }: ParsedCommand): string[] {
  const assigned = [...assignedValues].flatMap(([name, values]) =>
    values.map((value) => `${name}=${value?.kind === "literal" ? value.value : "$"}`)
  );
  const settings = commands.filter(({ words, text }) =>
    STATE_BUILTINS.test(words[0]?.value ?? "") && !SETS_ERRORS.test(text)
  );
  return [...assigned, ...settings.map(({ text }) => text)];
}

/** The parts of one command: those of scripts inside it, itself, and its redirections that do something. */
function judgeCommand(
  command: SimpleCommand,
  context: ScriptContext & Pick<ParsedCommand, "functions"> & { readonly keepsState: boolean },
): AnalyzedPart[] {
  const { words, input, at } = command;
  const parts: AnalyzedPart[] = [];
  const analysis = new CommandAnalysis({
    ...context,
    input,
    judgeWords,
    judgeScript: ({ value: text, node }, shell) => {
      const depth = context.depth + 1;
      const { isHeld: sandboxed } = analysis;
      const inner = analyzeText(text, { ...context, sandboxed, depth, scripts: [], ...shell });
      const word = node && literalValue(node) === text ? node : undefined;
      context.scripts.push({ text, word, rendering: inner.rendering });
      analysis.add(inner);
      analysis.programs.push(...inner.parts.flatMap((part) => part.programs));
      analysis.git.push(...inner.parts.flatMap((part) => part.git));
      parts.push(...inner.parts.map((part) => ({ ...part, at })));
    },
  });
  if (input?.kind === "file") analysis.add(judgeRead(input.target, context));
  judgeWords(words, analysis);
  const own = context.generated.findIn(analysis.scripts);
  if (own !== undefined) analysis.add(held(`runs ${basename(own)}, which it writes itself`));
  const { finding, needs, runsText, reads, programs, git, opaque, executes } = analysis;
  context.generated.record(command, { ...context, needs });
  const literal = words.every(({ kind }) => kind === "literal");
  if (words.length > 0 || command.assignments.length > 0) {
    parts.push({
      command: command.text,
      ...finding,
      ...(literal && words.length > 0 && { argv: words.map(({ value }) => value) }),
      ...(input && { stdin: stdinOf(input) }),
      plain: literal && context.keepsState && !runsText && command.assignments.length === 0,
      runsText,
      ...(reads.risk !== "safe" && { readsOutside: true }),
      programs,
      git,
      opaque,
      at,
      cwds: context.cwds ?? [],
      executes,
      needs,
    });
  }
  return [...parts, ...redirectionParts(command, context)];
}

function stdinOf(input: NonNullable<SimpleCommand["input"]>): string {
  if (input.kind === "text") return `text:${input.text}`;
  return input.kind === "file" ? `file:${input.target.value}` : "pipe";
}

/** Redirections that write are parts of their own: the program does not do it. */
function redirectionParts(
  { redirections, at }: SimpleCommand,
  context: ScriptContext,
): AnalyzedPart[] {
  return redirections.flatMap((redirection) => {
    const { operator, target } = redirection;
    const finding = judgeRedirection(redirection, context);
    if (!finding) return [];
    const command = `${operator} ${target.text}`;
    const argv = target.kind === "literal" && { argv: [operator, target.value] };
    return [{ ...BARE_PART, ...finding, command, ...argv, at, cwds: context.cwds ?? [] }];
  });
}

function judgeRedirection(
  { operator, target }: SimpleCommand["redirections"][number],
  context: ScriptContext,
): Finding | undefined {
  if (/^[<>]&$/.test(operator) && /^(\d+-?|-)$/.test(target.value)) return undefined;
  if (/^\/dev\/(tcp|udp)\//.test(target.value)) {
    return extreme(`network: sends data to another machine: ${target.text}`);
  }
  return /^<&?$/.test(operator) ? judgeRead(target, context) : judgeWrite(target, context);
}
