/**
 * How risky a command line is: as risky as the riskiest of all commands that its syntax tree holds, wherever they
 * stand. What is not understood is extreme. No rule and no grant is looked at.
 */
import { basename } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import { type CommandPart, higherRisk, type Risk } from "../core/permission.ts";
import type { Need } from "../core/sandbox.ts";
import type { PlainArguments } from "../core/shell.ts";
import { cutEnd } from "../lib/text.ts";
import {
  type AnalysisContext,
  CommandAnalysis,
  riskierFinding,
  type ScriptContext,
} from "./command_analysis.ts";
import type { CommandInvocation } from "./command_invocation.ts";
import { GeneratedFiles } from "./generated_scripts.ts";
import { judgeWords } from "./judge.ts";
import {
  NotUnderstoodError,
  type ParsedCommand,
  type ShellRedirection,
  type SimpleCommand,
  type StdinSource,
} from "./parsed_command.ts";
import { judgeRead, judgeWrite, type PathContext, resolve } from "./paths.ts";
import { isPlain, plainWords } from "./plain_programs.ts";
import { extreme, type Finding, sensitive, tentative } from "./program.ts";
import { isBuiltin } from "./programs/shell.ts";
import { type Rendering, ScriptRenderer } from "./script/render.ts";
import { literalValue, quoteLiteral } from "./script/rendered_word.ts";
import { commandsIn, type Segment, splitScript, staysInside, within } from "./script/segments.ts";
import { fillsDisk, recursionHazard, subscriptHazard, textHazard } from "./script_hazards.ts";
import {
  arithmeticHazard,
  constantValues,
  readVariables,
  uncertainVariables,
} from "./script_variables.ts";
import { parseScript, readCommands } from "./syntax.ts";
import { findHijacking } from "./variables.ts";

/** One part of a command, with what rules and grants need of it. */
export interface AnalyzedPart extends CommandPart {
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
  /** Where it stands in the script: characters from its beginning. */
  readonly at: number;
  /** Directories in which it may run. */
  readonly cwds: readonly string[];
  /** Files of the workspace that decide what it does, absolute. */
  readonly executes: readonly string[];
  /** What it gets in the sandbox once it is allowed. */
  readonly needs: readonly Need[];
  /** Nothing speaks against it but that nobody knows what it needs, and it names no power. */
  readonly tentative?: true;
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
  const { words, ...analysis } = analyzeText(text, wholeScript({ pathFacts, cwd }));
  if (!sandboxed) return judgeUnheld(analysis, { words, pathFacts, cwds: [cwd] });
  return unasked === "closed" ? closeParts(analysis, pathFacts) : analysis;
}

/**
 * The programs that a command line would run, in order of appearance, also those behind wrappers, in substitutions and
 * in scripts passed as text; undefined if it cannot be understood. Advice follows from it, never a permission.
 */
export function listInvocations(text: string): readonly CommandInvocation[] | undefined {
  const context = wholeScript({ pathFacts: ANYWHERE, cwd: ANYWHERE.cwd });
  const { parts } = analyzeText(text, context);
  return parts.some(isOpaqueScript) ? undefined : context.invocations;
}

/** No machine in particular. */
const ANYWHERE: PathFacts = {
  cwd: "/",
  home: "~",
  posix: false,
  locate: (absolute) => ({ absolute, inside: true }),
  secretAt: () => undefined,
  gitHooks: () => Promise.resolve([]),
  fingerprint: () => undefined,
};

function wholeScript({ pathFacts, cwd }: { pathFacts: PathFacts; cwd: string }): ScriptContext {
  return {
    pathFacts,
    cwds: [cwd],
    depth: 0,
    posix: pathFacts.posix,
    generated: new GeneratedFiles(),
    scripts: [],
    fed: false,
    invocations: [],
  };
}

/** In a sandbox nothing is asked about parts that nobody knows, if they name no power; the rest decides about the whole. */
function closeParts(analysis: ScriptAnalysis, pathFacts: PathFacts): ScriptAnalysis {
  if (analysis.tentative) return { ...close(analysis), parts: analysis.parts.map(close) };
  const held = heldApart(analysis, pathFacts);
  if (held.size === 0) return analysis;
  const parts = analysis.parts.map((part) => held.has(part) ? close(part) : part);
  const risk = parts.map((part) => part.risk).reduce(higherRisk);
  return { ...analysis, risk, openRisk: analysis.risk, why: whyOf(parts), parts };
}

function close<T extends Finding>(judged: T): T {
  return judged.risk === "safe" ? judged : { ...judged, risk: "safe", openRisk: judged.risk };
}

/** The parts that nobody knows, and that no other shares a sandbox with which names a power. */
function heldApart(
  { segments, parts }: ScriptAnalysis,
  pathFacts: PathFacts,
): ReadonlySet<AnalyzedPart> {
  const commands = segments ? commandsIn(segments) : [];
  const isCut = commands.every((one) =>
    one.kind !== "cd" || staysInside(one, { parts, pathFacts })
  );
  const together = isCut ? commands.map((command) => within(command, parts)) : [];
  return new Set(
    together.filter((some) => some.every(isHeld)).flat().filter((part) => part.tentative),
  );
}

/** Beside a part with powers, code that comes through a pipe is what that part sent for: `curl URL | sh`. */
function isHeld({ risk, tentative, stdin }: AnalyzedPart): boolean {
  return risk === "safe" || (tentative === true && !(risk === "extreme" && stdin === "pipe"));
}

/** Why what only reads is asked about where no sandbox holds it. */
const UNHELD = sensitive("only reads as far as ally can tell, and no sandbox holds it");

/** Without a sandbox one plain program is safe; beside others, those parts are that need no question. */
function judgeUnheld(
  analysis: ScriptAnalysis,
  { words, ...context }: PathContext & Pick<ReadScript, "words">,
): ScriptAnalysis {
  if (analysis.parts.length === 0) return analysis;
  const safe = analysis.risk === "safe";
  if (safe && words && isPlain(words, context)) {
    return { ...analysis, argv: words, rendering: { text: words.map(quoteLiteral).join(" ") } };
  }
  // Of parts that are all harmless, something has to be asked.
  const harmless = analysis.parts.filter((part) => isHarmlessPart(part, context));
  const parts = analysis.parts.map((part) =>
    part.risk !== "safe" || (harmless.length < analysis.parts.length && harmless.includes(part))
      ? part
      : { ...part, ...UNHELD }
  );
  return { ...analysis, ...(safe && UNHELD), parts };
}

/** A builtin that was found to be safe, an assignment, or a plain program. */
function isHarmlessPart(
  { programs, argv, cwds }: AnalyzedPart,
  { pathFacts }: PathContext,
): boolean {
  const [name, ...others] = programs;
  if (name === undefined) return true;
  if (others.length === 0 && isBuiltin(name)) return true;
  return argv !== undefined && isPlain(argv, { pathFacts, cwds });
}

/** Builtins that change what later commands of a script get. */
const STATE_BUILTINS =
  /^(export|declare|typeset|readonly|local|unset|set|shopt|exec|source|\.|read|mapfile)$/;

type VariableContext = ScriptContext & Pick<AnalysisContext, "uncertain">;

/** A script that was read, and its words if it is one command with plain words. */
type ReadScript = ScriptAnalysis & { readonly words: PlainArguments | undefined };

function analyzeText(text: string, context: ScriptContext): ReadScript {
  const hazard = textHazard(text);
  if (hazard) return opaqueScript(text, hazard);
  if (context.depth > MAX_DEPTH) return opaqueScript(text, "is nested too deeply");
  const known = new Map([["HOME", context.pathFacts.home], ["PWD", "."]]);
  const { posix, scripts } = context;
  try {
    const script = parseScript(text);
    const variables = readVariables(script, text);
    const hazard = arithmeticHazard(variables);
    if (hazard) throw new NotUnderstoodError(hazard);
    const uncertain = uncertainVariables(variables, "words");
    const variants = constantValues(variables, known).map((constants, round) =>
      judgeScript(readCommands(script, { source: text, variables, known, constants, posix }), {
        ...context,
        invocations: round === 0 ? context.invocations : [],
        uncertain,
      })
    );
    const renderer = new ScriptRenderer({ unsplit: uncertain, posix, scripts });
    const rendering = renderer.render(script);
    const segments = context.depth === 0 && "text" in rendering
      ? splitScript(script, { source: text, render: (node) => renderer.node(node) })
      : undefined;
    return { ...mergeVariants(variants), rendering, segments, words: plainWords(script) };
  } catch (error) {
    return opaqueScript(
      text,
      error instanceof NotUnderstoodError ? error.message : "cannot be understood",
    );
  }
}

/** All rounds of a loop as one script, as risky as the riskiest; what they do has no Always. */
function mergeVariants(variants: readonly JudgedScript[]): JudgedScript {
  const riskiest = variants.reduce((worst, one) =>
    riskierFinding(worst, one) === one ? one : worst
  );
  if (variants.length === 1) return riskiest;
  const parts = new Map<string, AnalyzedPart>();
  for (const { argv: _, ...part } of variants.flatMap((variant) => variant.parts)) {
    const { command, risk, tentative, programs, needs, at } = part;
    parts.set(JSON.stringify([command, risk, tentative, programs, needs, at]), part);
  }
  return { ...riskiest, parts: [...parts.values()] };
}

/** What is so of a part if nothing else is said. */
const BARE_PART = {
  plain: false,
  runsText: false,
  programs: [],
  opaque: false,
  cwds: [],
  executes: [],
  needs: [],
} as const;

/** A command of which nothing is known but that it is extreme. */
function opaqueScript(text: string, why: string): ReadScript {
  const finding = extreme(why);
  const part = { ...BARE_PART, ...finding, command: text, at: 0, runsText: true, opaque: true };
  const rendering = { problem: why };
  const nothing = { assignments: [], segments: undefined, words: undefined };
  return { ...finding, parts: [part], rendering, ...nothing };
}

/** Of all parts only a script that was not understood runs a text without a program. */
function isOpaqueScript({ runsText, programs }: AnalyzedPart): boolean {
  return runsText && programs.length === 0;
}

function judgeScript(
  script: ParsedCommand,
  context: VariableContext,
): JudgedScript {
  const hazard = recursionHazard(script) ?? subscriptHazard(script) ??
    secretHazard(script, context);
  if (hazard) throw new NotUnderstoodError(hazard);
  const assignments = changesOfState(script);
  const keepsState = assignments.length === 0 && script.functions.size === 0;
  const directories = new DirectoryTracker(context);
  const parts: AnalyzedPart[] = [];
  for (const command of script.commands) {
    const cwds = directories.before(command);
    const analysis = judgeSimple(command, {
      script,
      scriptContext: { ...context, cwds },
      parts,
    });
    const generated = context.generated.findIn(analysis.scripts);
    if (generated !== undefined) {
      analysis.add(extreme(`runs ${basename(generated)}, which the command itself writes`));
    }
    const { needs } = analysis;
    context.generated.record(command, { pathFacts: context.pathFacts, cwds, needs });
    const { words } = command;
    const literal = words.every(({ kind }) => kind === "literal");
    const argv = words.map(({ value }) => value);
    if (words.length > 0 || command.assignments.length > 0) {
      parts.push({
        command: command.text,
        ...analysis.finding,
        ...(literal && words.length > 0 && { argv }),
        ...(command.input && { stdin: stdinOf(command.input) }),
        plain: literal && keepsState && !analysis.runsText && command.assignments.length === 0,
        runsText: analysis.runsText,
        programs: analysis.programs,
        opaque: analysis.opaque,
        at: command.at,
        cwds: cwds ?? [],
        executes: analysis.executes,
        needs: analysis.needs,
      });
    }
    parts.push(...redirectionParts(command, { ...context, cwds }));
    directories.after(command);
  }
  const judged = withHijacking(parts, findHijacking(script));
  const { risk } = judged.reduce<Finding>(riskierFinding, { risk: "safe", why: "only reads" });
  const held = judged.every((part) => part.risk === "safe" || part.tentative);
  const mark = risk !== "safe" && held && { tentative: true as const };
  return { risk, why: whyOf(judged), ...mark, parts: judged, assignments };
}

/** Where the script sets a variable that changes what programs do, each part may do anything. */
function withHijacking(parts: AnalyzedPart[], name: string | undefined): AnalyzedPart[] {
  if (name === undefined || parts.some(({ risk }) => risk === "extreme")) return parts;
  const finding = extreme(`the script sets ${name}, which changes what programs do`);
  return parts.map(({ tentative: held, ...part }) => ({
    ...part,
    ...(part.risk === "safe" || held ? tentative(finding) : finding),
    opaque: true,
  }));
}

/** A variable that holds the path of a secret place, wherever it is used. */
function secretHazard(script: ParsedCommand, context: PathContext): string | undefined {
  for (const [name, values] of script.assignedValues) {
    const isSecret = values.some((value) =>
      value?.value.startsWith("/") && judgeRead(value, context)?.risk === "extreme"
    );
    if (isSecret) return `keeps the path of a secret place in ${name}`;
  }
  return undefined;
}

function stdinOf(input: NonNullable<StdinSource>): string {
  if (input.kind === "text") return `text:${input.text}`;
  return input.kind === "file" ? `file:${input.target.value}` : "pipe";
}

/** The reason of the riskiest part, which is named if there are others. */
function whyOf(parts: readonly AnalyzedPart[]): string {
  const riskiest = parts.reduce<AnalyzedPart | undefined>(
    (worst, part) => worst && riskierFinding(worst, part) === worst ? worst : part,
    undefined,
  );
  if (!riskiest) return "runs nothing";
  if (parts.length === 1 || riskiest.risk === "safe") return riskiest.why;
  return `${cutEnd(riskiest.command.replace(/\s+/g, " "), 60)}: ${riskiest.why}`;
}

/** All by which a script changes what its own commands mean: as text, with `$` for what is unknown. */
function changesOfState(script: ParsedCommand): string[] {
  const assigned = [...script.assignedValues].flatMap(([name, values]) =>
    values.map((value) => value?.kind === "literal" ? `${name}=${value.value}` : `${name}=$`)
  );
  const settings = script.commands.filter(({ words }) =>
    STATE_BUILTINS.test(words[0]?.value ?? "")
  );
  return [...assigned, ...settings.map(({ text }) => text)];
}

/** Judges the words and assignments of one command; scripts inside it add parts of their own. */
function judgeSimple(
  command: SimpleCommand,
  { script, scriptContext, parts }: {
    script: ParsedCommand;
    scriptContext: VariableContext;
    parts: AnalyzedPart[];
  },
): CommandAnalysis {
  const context: AnalysisContext = {
    ...scriptContext,
    input: command.input,
    functions: script.functions,
    fed: scriptContext.fed || hasOwnInput(command) ||
      (command.input?.kind === "caller" && script.commands.some(callsFed(script))),
    judgeWords,
    judgeScript: ({ value: text, node }, shell) => {
      const inner = analyzeText(text, {
        ...scriptContext,
        depth: scriptContext.depth + 1,
        scripts: [],
        fed: context.fed,
        ...shell,
      });
      const word = node && literalValue(node) === text ? node : undefined;
      scriptContext.scripts.push({ text, word, rendering: inner.rendering });
      analysis.add(inner);
      analysis.programs.push(...inner.parts.flatMap((part) => part.programs));
      parts.push(...inner.parts.map((part) => ({ ...part, at: command.at })));
    },
  };
  const analysis = new CommandAnalysis(context);
  if (command.input?.kind === "file") {
    analysis.add(judgeRead(command.input.target, analysis.context));
  }
  judgeWords(command.words, analysis);
  if (fillsDisk(command)) analysis.add(extreme("writes endlessly"));
  return analysis;
}

function hasOwnInput({ input }: SimpleCommand): boolean {
  return input !== undefined && input.kind !== "caller";
}

/** Whether a command calls a function of the script, and feeds it. */
function callsFed({ functions }: ParsedCommand): (command: SimpleCommand) => boolean {
  return (command) => hasOwnInput(command) && functions.has(command.words[0]?.value ?? "");
}

/** Redirections that write are parts of their own: the program does not do it. */
function redirectionParts(command: SimpleCommand, context: ScriptContext): AnalyzedPart[] {
  return command.redirections.flatMap((one) => {
    const finding = judgeRedirection(one, context);
    if (!finding) return [];
    const { operator, target, text } = one;
    const argv = target.kind === "literal" && { argv: [operator, target.value] };
    const { at } = command;
    return [{ ...BARE_PART, ...finding, command: text, ...argv, at, cwds: context.cwds ?? [] }];
  });
}

function judgeRedirection(
  { operator, target }: ShellRedirection,
  context: ScriptContext,
): Finding | undefined {
  if (/^[<>]&$/.test(operator) && /^(\d+-?|-)$/.test(target.value)) return undefined;
  if (/^\/dev\/(tcp|udp)\//.test(target.value)) {
    return extreme(`network: sends data to another machine: ${target.text}`);
  }
  if (operator === "<" || operator === "<&") return judgeRead(target, context);
  return judgeWrite(target, context);
}

/** Follows `cd` through a script: every directory in which a command may run. */
class DirectoryTracker {
  readonly #pathFacts: PathFacts;
  #possible: readonly string[] | undefined;
  /** Where a chain is for sure, because all of its commands before have succeeded. */
  #certain: { chain: number; cwds: readonly string[] | undefined } | undefined;

  constructor(context: ScriptContext) {
    this.#pathFacts = context.pathFacts;
    this.#possible = context.cwds;
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
      ? resolve(target.value, { pathFacts: this.#pathFacts, cwds })?.map(({ absolute }) => absolute)
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
