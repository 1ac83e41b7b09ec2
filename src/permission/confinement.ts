/**
 * How judged command lines run: what each may do in the sandbox, and which of them are cut into parts with sandboxes
 * of their own.
 */
import { resolve } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import type { CommandPart, Confinement } from "../core/permission.ts";
import type { Rule } from "../core/rule.ts";
import type { PartedScript, SandboxPolicy } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";
import { publicPart } from "./messages.ts";
import { filesBinding, isForAll } from "./grants.ts";
import type { Rules } from "./rules.ts";
import { fitsAnywhere, hasKeys, isClosed, sandboxPolicyOf } from "./sandbox_policy.ts";

/** A command line as it was judged. */
export interface JudgedScript {
  readonly text: string;
  readonly analysis: ScriptAnalysis;
  /** Rules that "Always" made, by which it runs without a question. @default none */
  readonly rules?: readonly Rule[] | undefined;
}

/** What decides about the sandbox, beside the commands. */
interface ConfinementOptions {
  readonly rules: readonly Rules[];
  readonly pathFacts: PathFacts;
  /** Whether there is a sandbox that holds. */
  readonly sandboxed: boolean;
  /** The canonical text of each command line; absent if they run as written. */
  readonly runs: Confinement["runs"];
}

/** How command lines run, and what is shown of the parts of each. */
export interface ConfinedScripts {
  readonly confinement: Confinement;
  readonly parts: readonly (readonly CommandPart[])[];
  /** The command that writes a place which every sandbox keeps, where others beside it are not to run outside. */
  readonly apart?: AnalyzedPart;
}

/**
 * Whether a part of a command line could change files that the rule for another part is bound to, and nothing would see
 * it before that one begins: they share a shell or a pipe, or these files are any that fit a pattern. A person who always
 * allows all of it has seen that.
 */
export async function mayOutrun(
  script: JudgedScript,
  options: ConfinementOptions,
): Promise<boolean> {
  const { text, rules = [], analysis: { parts } } = script;
  const acting = parts.filter(({ risk }) => risk !== "safe");
  if (acting.length < 2 || isForAll(acting, rules)) return false;
  const { confinement: { parted, sandboxPolicy } } = await confine([script], options);
  const files = Object.keys(sandboxPolicy?.unchanged ?? {});
  const changing = acting.filter((part) => mayChange(files, { part, ...options }));
  if (changing.length < 2) return false;
  const { bindsPartsApart } = await import("./parted_script.ts");
  const apart = parted?.get(text);
  // Which files a pattern stands for is known only when it is judged.
  return !apart || !bindsPartsApart(apart) || files.some(isPattern);
}

function isPattern(path: string): boolean {
  return /[*?]/.test(path);
}

/** Whether a part may change some of these files: a redirection by itself changes its target alone. */
function mayChange(
  files: readonly string[],
  { part: { programs, argv, cwds }, pathFacts }: {
    readonly part: AnalyzedPart;
    readonly pathFacts: PathFacts;
  },
): boolean {
  if (files.length === 0) return false;
  const target = programs.length === 0 ? argv?.at(-1) : undefined;
  if (target === undefined || cwds.length === 0 || files.some(isPattern)) return true;
  return cwds.some((cwd) => files.includes(pathFacts.locate(resolve(cwd, target)).absolute));
}

/** How these command lines run; command lines of one call share nothing but their call. */
export async function confine(
  scripts: readonly JudgedScript[],
  { rules, pathFacts, sandboxed, runs }: ConfinementOptions,
): Promise<ConfinedScripts> {
  const stored = scripts.flatMap((script) => script.rules ?? []);
  const isRendered = scripts.every(({ analysis }) => "text" in analysis.rendering);
  const policyOf = (parts: readonly AnalyzedPart[]): SandboxPolicy => {
    const policy = sandboxPolicyOf(parts, { rules, isRendered });
    const unchanged = policy.write ? filesBinding(parts, stored) : undefined;
    return { ...policy, ...(unchanged && { unchanged }), sandboxRequired: sandboxed };
  };
  const sandboxPolicy = policyOf(scripts.flatMap(({ analysis }) => analysis.parts));
  if (!sandboxed) {
    const parts = scripts.map(({ analysis }) => analysis.parts.map((part) => publicPart(part)));
    return { confinement: { sandboxPolicy }, parts };
  }
  const parted = new Map<string, PartedScript>();
  const parts: CommandPart[][] = [];
  for (const { text, analysis } of scripts) {
    const script = await partScript({ text, analysis }, { policyOf, pathFacts, runs });
    const policy = policyOf(analysis.parts);
    const whole = scripts.length > 1 ? runs?.get(text) ?? text : undefined;
    const alone = runs ? whole : textWithKeys(analysis, policy) ?? whole;
    if (script) parted.set(text, script);
    else if (typeof alone === "string") {
      const span = { pos: 0, end: text.length };
      parted.set(text, {
        kind: "script",
        text: alone,
        policy,
        readsStatus: false,
        span,
        setup: "",
      });
    }
    parts.push(await showParts(analysis, { isCut: script !== undefined, policyOf }));
  }
  const [only, ...others] = scripts;
  const writing = only && others.length === 0 ? findOutside(only.analysis, pathFacts) : undefined;
  const isApart = only?.analysis.parts.some((part) => part !== writing && !fitsAnywhere([part]));
  const confinement = {
    sandboxPolicy,
    ...(parted.size > 0 && { parted }),
    ...(writing && !isApart && { outside: writing.outside }),
  };
  return { confinement, parts, ...(writing && isApart && { apart: writing }) };
}

/** Where every sandbox has files of its own, or devices. */
const HAS_OWN = /^\/(?:tmp|var\/tmp|dev|proc|private\/(?:var\/)?tmp)(?:\/|$)/;

/** The command of a line that writes a place which every sandbox keeps as it is. */
function findOutside(
  { parts }: ScriptAnalysis,
  { home, cwd }: PathFacts,
): AnalyzedPart & { outside: string } | undefined {
  const isKept = (path: string) => !HAS_OWN.test(path) || (home !== "" && contains(home, path));
  const writes = (part: AnalyzedPart): part is AnalyzedPart & { outside: string } =>
    part.outside !== undefined &&
    // A repository around the workspace is no place of the sandbox's own, wherever it lies.
    (isKept(part.outside) || (part.git.length > 0 && contains(part.outside, cwd)));
  return parts.find(writes);
}

/** What runs in place of a text as it was written, if it has keys: these hang on how it is understood. */
function textWithKeys({ rendering }: ScriptAnalysis, policy: SandboxPolicy): string | undefined {
  return hasKeys(policy) && "text" in rendering ? rendering.text : undefined;
}

/** Each part with what it may do where it runs. */
async function showParts(
  { segments, parts }: ScriptAnalysis,
  { isCut, policyOf }: {
    isCut: boolean;
    policyOf: (parts: readonly AnalyzedPart[]) => SandboxPolicy;
  },
): Promise<CommandPart[]> {
  if (!isCut || !segments) return parts.map((part) => publicPart(part, policyOf(parts)));
  const { neighboursOf } = await import("./parted_script.ts");
  return parts.map((part) => publicPart(part, policyOf(neighboursOf(part, { segments, parts }))));
}

async function partScript(
  { text, analysis }: JudgedScript,
  { policyOf, pathFacts, runs }:
    & { policyOf: (parts: readonly AnalyzedPart[]) => SandboxPolicy }
    & Pick<ConfinementOptions, "pathFacts" | "runs">,
): Promise<PartedScript | undefined> {
  if (!analysis.segments) return undefined;
  if (analysis.risk === "safe" && !analysis.parts.some(isClosed)) return undefined;
  const { partScript } = await import("./parted_script.ts");
  return partScript(analysis, {
    source: runs ? undefined : text,
    pathFacts,
    policyOf: (parts) => fitsAnywhere(parts) ? undefined : policyOf(parts),
    closed: policyOf([]),
  });
}
