/**
 * How risky an access is by itself, whatever the rules say, and what "Always" would store for it.
 */
import { join } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import { type Access, higherRisk, type Risk, type Verdict } from "../core/permission.ts";
import type { Grant, GrantOffers, Rule } from "../core/rule.ts";
import type { AnalyzedPart, ScriptAnalysis, UnaskedMode } from "../shell/analyze.ts";
import type { TextSpan } from "../core/sandbox.ts";
import { isGitPath, isProtected, secretsAt } from "../shell/paths.ts";
import { ALL_EDITS, offersOf } from "./grants.ts";
import { accessName, quotePart, reasonOf } from "./messages.ts";
import type { WithOuterTree } from "./outer_tree.ts";
import { describeMissing, offersWithPowers, withGrantedNeeds, withPowers } from "./powers.ts";
import { namedParts, remoteTool, type Rules } from "./rules.ts";

/** What is found out about an access. */
export interface AccessRisk {
  readonly risk: Risk;
  readonly why: string;
  /** What "Always" could store, looked up when it is asked for; absent if Always is not offered. */
  readonly offers?: () => GrantOffers;
  /** Of a change or of secrets in a protected place: whether a rule's path names it, as one above that place does not. */
  readonly isNamedBy?: (path: string) => Promise<boolean>;
  /** Of a command line. */
  readonly analysis?: ScriptAnalysis;
  /** Of one that git would do only half in the sandbox, as it writes a working tree beyond the workspace: its top. */
  readonly outerTree?: string;
  /** Programs of one that failed for want of keys, which a flag that names them gives. */
  readonly keyedByName?: readonly string[];
  /** What would have to be granted for one of its closed parts to run open. */
  readonly offersFor?: (part: AnalyzedPart) => GrantOffers;
  /** The same command line where all of it gets the network, as one question. */
  readonly withNetwork?: () => Pick<AccessRisk, "offers"> & { readonly analysis: ScriptAnalysis };
}

/** What an access is judged by. */
interface AssessOptions {
  readonly pathFacts: PathFacts;
  /** Whether commands run in a sandbox that holds. */
  readonly sandboxed: boolean;
  /** What then runs without a question. */
  readonly unasked: UnaskedMode;
}

/** Assesses one access. */
export async function assessAccess(
  access: Access,
  { pathFacts, sandboxed, unasked }: AssessOptions,
): Promise<AccessRisk> {
  const name = accessName(access);
  if (access.consented) return { risk: "safe", why: `agreed to: ${access.kind} ${name}` };
  if (access.tool !== undefined) return assessPlugin(access, access.tool);
  switch (access.kind) {
    case "read":
      return assessRead(access, pathFacts);
    case "write":
      return await assessWrite(access, pathFacts);
    case "run":
      return await assessCommand(access, { pathFacts, sandboxed, unasked });
    default:
      return access.extremeReason === undefined
        ? assessSensitive(
          access,
          remoteWhy(access) ?? `${access.kind === "net" ? "reaches" : "uses"} ${name}`,
        )
        : { risk: "extreme", why: access.extremeReason };
  }
}

async function assessCommand(
  access: Access,
  { pathFacts, sandboxed, unasked }: AssessOptions,
): Promise<AccessRisk> {
  const { analyzeCommand } = await import("../shell/analyze.ts");
  const analyzed = analyzeCommand(access.target, {
    pathFacts,
    sandboxed,
    unasked,
    ...(access.cwd !== undefined && { cwd: access.cwd }),
  });
  const { powers, span } = access;
  const { analysis: known, ...beyond } = sandboxed
    ? await withHeldGit(analyzed, pathFacts)
    : { analysis: await withUnheld(analyzed, pathFacts) };
  const judged = span ? await partOf(known, span) : known;
  const analysis = powers ? withPowers(judged, powers) : judged;
  const { programPrefix, repositoryWork } = await import("./program_prefix.ts");
  const [{ followExecuted }, { isDecidedByWords }, { repositoryMarks }] = await Promise.all([
    import("./bound_files/closure.ts"),
    import("./bound_files/decided_by_words.ts"),
    import("./bound_files/repositories.ts"),
  ]);
  const changesGit = analysis.parts.some(({ needs }) => needs.includes("repository"));
  const gitHooks = changesGit ? await pathFacts.gitHooks() : [];
  const offer = (of: ScriptAnalysis) =>
    offersOf(of, {
      pathFacts,
      gitHooks,
      sandboxed,
      heldRisk: heldRiskOf(analysis),
      follow: followExecuted,
      isDecidedByWords,
      repositoryMarks,
      prefixOf: programPrefix,
      repositoryWork,
    });
  const { risk } = analysis;
  // What only runs closed does not ask, unless nothing does: then a rule may open it.
  const offers = once(() => offer(risk === "safe" ? withOpenRisk(analysis) : analysis));
  const offersFor = (part: AnalyzedPart) =>
    offer(withOpenRisk({ ...analysis, risk: "safe", parts: [part] }));
  const withNetwork = () => {
    const wider = withPowers(analysis, ["network"]);
    return { analysis: wider, offers: once(() => offersWithPowers(offer(wider), ["network"])) };
  };
  if (!powers) {
    return { risk, why: reasonOf(analysis), analysis, ...beyond, offers, offersFor, withNetwork };
  }
  const what = span ? quotePart(access.target, span) : "it";
  const why = `${what} failed because it needs ${describeMissing(powers)}`;
  const keyed = judged.parts.filter(({ needs }) => needs.includes("keys"));
  return {
    ...{ risk, why, analysis },
    ...beyond,
    ...(powers.every((power) => power === "keys") &&
      { keyedByName: [...new Set(keyed.flatMap(({ programs }) => programs.slice(-1)))] }),
    offers: once(() => offersWithPowers(offers(), powers)),
  };
}

/** The same command, with what git would do only half where a sandbox holds it. */
async function withHeldGit(
  analysis: ScriptAnalysis,
  pathFacts: PathFacts,
): Promise<WithOuterTree> {
  if (analysis.parts.every(({ git }) => git.length === 0)) return { analysis };
  return (await import("./outer_tree.ts")).withOuterTree(analysis, pathFacts);
}

/** The same command, with what is found only where no sandbox holds it. */
async function withUnheld(analysis: ScriptAnalysis, pathFacts: PathFacts): Promise<ScriptAnalysis> {
  const [{ withSearchedSecrets }, { withUnheldWords }] = await Promise.all([
    import("./searched_secrets.ts"),
    import("./unheld_words.ts"),
  ]);
  return withUnheldWords(withSearchedSecrets(analysis, pathFacts), pathFacts);
}

/** The risk of a command in the sandbox, where some of it can do no more than the workspace allows. */
function heldRiskOf({ risk, parts }: ScriptAnalysis): Risk {
  return parts.some(({ held }) => held)
    ? parts.map((part) => part.held ? "sensitive" : part.risk).reduce(higherRisk)
    : risk;
}

/** A part of a command that runs in a sandbox of its own, as a command. */
async function partOf(analysis: ScriptAnalysis, span: TextSpan): Promise<ScriptAnalysis> {
  const { within } = await import("../shell/script/segments.ts");
  const { why, assignments, rendering } = analysis;
  const parts = within(span, analysis.parts);
  const risk = parts.map((part) => part.risk).reduce(higherRisk, "safe");
  return { risk, why, parts, assignments, rendering, segments: undefined };
}

/** The same command where it, or some of its parts, do not run closed: the risk that a rule has to cover. */
function withOpenRisk(
  analysis: ScriptAnalysis,
  isOpen: (part: AnalyzedPart) => boolean = () => true,
): ScriptAnalysis {
  const parts = analysis.parts.map((part) =>
    isOpen(part) ? { ...part, risk: part.openRisk ?? part.risk } : part
  );
  const whole = parts.map(({ risk }) => risk).reduce(higherRisk, analysis.risk);
  return { ...analysis, risk: whole, parts };
}

/** What a rule allows is not closed, though without that it would be: it gets the workspace. */
export function openAllowed(
  analysis: ScriptAnalysis,
  { decision, rule, used = [], access, layers, granted }: Pick<Verdict, "decision"> & {
    rule?: string;
    /** Rules that "Always" made, which allow what asked. */
    used: readonly Rule[] | undefined;
    access: Access;
    /** The rules that may name its parts, or allow them all. */
    layers: readonly Rules[];
    /** What "Always" allows of its closed parts. */
    granted: ReadonlyMap<AnalyzedPart, readonly Rule[]>;
  },
): ScriptAnalysis {
  if (decision === "deny") return analysis;
  const named = layers.map((rules) => ({
    ...rules,
    parts: namedParts(rules, { access, parts: analysis.parts }),
  }));
  const isNamed = (part: AnalyzedPart, isOfProject: boolean) =>
    decision === "allow" && rule !== undefined &&
    named.some(({ parts, ofProject = false }) =>
      ofProject === isOfProject && (parts === true || parts.includes(part))
    );
  const isOwn = (part: AnalyzedPart) =>
    granted.has(part) || isNamed(part, false) || (used.length > 0 && part.openRisk === undefined);
  const parts = analysis.parts.map((part) =>
    !isOwn(part) && isNamed(part, true) ? { ...part, isOfProject: true as const } : part
  );
  const open = withOpenRisk({ ...analysis, parts }, (part) => part.isOfProject || isOwn(part));
  const rules = [...used, ...[...granted.values()].flat()];
  return { ...open, parts: withGrantedNeeds(open.parts, rules.flatMap(({ parts = [] }) => parts)) };
}

/** Secrets are as extreme to read for a tool as they are for a command. */
function assessRead(access: Access, pathFacts: PathFacts): AccessRisk {
  const { target: absolute, inside = false } = access;
  const name = accessName(access);
  const holds = secretsAt({ absolute, inside }, pathFacts);
  if (holds !== undefined) {
    // A skill's own files are no secret place, whatever they are called.
    const mustBeNamed = inside && pathFacts.isSkillFile?.(absolute) !== true;
    const isNamedBy = (path: string) =>
      Promise.resolve(path === absolute || isSecretPlace(path, pathFacts));
    const why = `reads secrets (${holds}): ${name}`;
    return { risk: "extreme", why, ...(mustBeNamed && { isNamedBy }) };
  }
  return inside
    ? { risk: "safe", why: "reads inside the workspace" }
    : assessSensitive(access, `reads outside the workspace: ${name}`);
}

/** Whether all that may lie at or below a path of the workspace is secret. */
function isSecretPlace(path: string, pathFacts: PathFacts): boolean {
  return [path, join(path, "x")].some((one) =>
    secretsAt({ absolute: one, inside: true }, pathFacts) !== undefined
  );
}

async function assessWrite(access: Access, pathFacts: PathFacts): Promise<AccessRisk> {
  const { target, inside } = access;
  const name = accessName(access);
  if (!inside) return { risk: "extreme", why: `writes outside the workspace: ${name}` };
  const owner = await pathFacts.ownerOf(target);
  const isNamedBy = async (path: string) =>
    path === target || isProtected(path) || await pathFacts.ownerOf(join(path, "x")) !== undefined;
  if (isProtected(target)) {
    const mustBeNamed = owner === "ally" || isGitPath(target);
    const why = `writes a protected place: ${name}`;
    return { risk: "extreme", why, ...(mustBeNamed && { isNamedBy }) };
  }
  if (owner === undefined) return assessSensitive(access, "changes a file");
  const why = `writes a protected place, ${OWNERS[owner]}: ${name}`;
  return { risk: "extreme", why, isNamedBy };
}

/** What a protected place is that its name does not tell. */
const OWNERS = {
  git: "a repository for git",
  ally: "ally's own files",
  user: "your keys, or settings that you work by everywhere",
} as const;

function remoteWhy({ target }: Access): string | undefined {
  const remote = remoteTool(target);
  return remote && `calls ${remote.tool} of the MCP server ${remote.server}`;
}

function assessSensitive(access: Access, why: string): AccessRisk {
  const { kind, pin } = access;
  const target = pin === undefined ? access.target : `${access.target}#${pin}`;
  const exact: Grant = { kind, target, text: `${kind}=${accessName(access)}` };
  const isEdit = kind === "write" && access.inside === true;
  return { risk: "sensitive", why, offers: () => ({ exact, ...(isEdit && { kind: ALL_EDITS }) }) };
}

/** "Always" for a plugin's tool is for that tool; the consent holds for the plugin's files. */
function assessPlugin({ cwd = "/", target }: Access, tool: string): AccessRisk {
  const part = { does: "run", argv: [tool, target], cwd, assignments: [], files: {} } as const;
  return {
    risk: "sensitive",
    why: `runs ${target}`,
    offers: () => ({ exact: { kind: "run", text: `run=${tool}`, parts: [part] } }),
  };
}

/** What is looked up once, when it is wanted: it reads files. */
function once<T>(look: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: look() }).value;
}
