/**
 * The grammar of permission, Deno's own: `read= write= run= net= env=`, each allowed or denied as a whole
 * kind or for a list of targets. Flags, configuration, rules and what a prompt offers all speak it.
 */
import { basename, resolve } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import type { Access, AccessKind, Risk, Targets } from "../core/permission.ts";
import { contains } from "../lib/contains.ts";
import type { AnalyzedPart } from "../shell/analyze.ts";

/** Where rules stand. */
export type RuleSource = "flag" | "config" | "project" | "command" | "agent" | "skill" | "ally";

/** What is allowed and denied, by kind. */
export interface Rules {
  readonly allow: Readonly<Partial<Record<AccessKind, Targets>>>;
  readonly deny: Readonly<Partial<Record<AccessKind, Targets>>>;
  /** `-A`: every kind and risk, but nothing outside the workspace that is not named. */
  readonly allowAll: boolean;
  /** @default "flag" */
  readonly source?: RuleSource;
  /** The configuration file as people know it, or the command, as `/name`; absent for flags. */
  readonly file?: string;
  /** Whether a file of the project approves it beforehand. @default false */
  readonly ofProject?: boolean;
}

/** Rules whose paths may be relative to the working directory, with the paths that they mean. */
export function locateRules(
  rules: Rules,
  { cwd, locate }: Pick<PathFacts, "cwd" | "locate">,
): Rules {
  const locateAll = (targets: Targets) =>
    targets === true ? targets : targets.map((path) => locate(resolve(cwd, path)).absolute);
  const allow = Object.fromEntries(
    Object.entries(rules.allow).map(([kind, targets]) => [
      kind,
      kind === "read" || kind === "write" ? locateAll(targets) : targets,
    ]),
  );
  return { ...rules, allow };
}

/** Rules that also deny what the paths that they deny lead to now: a link may have come in their place. */
export function followDenied(rules: Rules, { locate }: Pick<PathFacts, "locate">): Rules {
  const follow = (targets: Targets | undefined) =>
    Array.isArray(targets)
      ? [...new Set(targets.flatMap((path) => [path, locate(path).absolute]))]
      : targets;
  const [read, write] = [follow(rules.deny.read), follow(rules.deny.write)];
  return { ...rules, deny: { ...rules.deny, ...(read && { read }), ...(write && { write }) } };
}

/** How a rule decides, with the rule's own text for the person asking why. */
export interface RuleMatch {
  readonly rule: string;
  /** True if the target is named itself, not only its kind. */
  readonly named: boolean;
  /** What names it: programs of a command, of a path itself and directories above it. */
  readonly by?: readonly string[];
}

/** A rule as people read it: `--allow-run=git`, or `allow run=git (~/.ally/config.json)`. */
export function ruleText(
  { source = "flag", file }: Pick<Rules, "source" | "file">,
  { verb, kind, targets }: {
    verb: "allow" | "deny";
    kind: AccessKind;
    targets: Targets;
  },
): string {
  const list = targets === true ? "" : `=${targets.join(",")}`;
  return source === "flag"
    ? `--${verb}-${kind}${list}`
    : `${verb} ${kind}${list} (${file ?? source})`;
}

/** What rules need to know of one part of a command. */
export interface RulePart {
  readonly risk: Risk;
  /** Its risk where it does not run closed, if that is another. */
  readonly openRisk?: Risk;
  /** What it needs of the machine, such as "network"; absent if that is not known. */
  readonly needs?: readonly string[];
  /** The arguments, where they are known before it runs. */
  readonly argv?: readonly string[];
  /** Whether the part is a plain command: literal words, no code given as text. */
  readonly plain: boolean;
  /** The program and those it was wrapped round. */
  readonly programs: readonly string[];
  /** Where no sandbox holds it: its words say that it only reads, or do not say all that it may do. */
  readonly unheld?: "reads" | "uncertain";
}

/** The deny rule that covers an access, if any. Deny is matched widely: in doubt it denies. */
export function matchDeny(
  rules: Rules,
  access: Access,
  { parts = [] }: { parts?: readonly RulePart[] | undefined } = {},
): RuleMatch | undefined {
  if (access.kind === "run") {
    const network = parts.some(({ needs = [] }) => needs.includes("network"));
    const reached = network ? matchDeniedHost(rules, access) : undefined;
    if (reached) return reached;
  }
  const targets = rules.deny[access.kind];
  if (targets === undefined) return undefined;
  const text = (targets: Targets) => ruleText(rules, { verb: "deny", kind: access.kind, targets });
  if (targets === true) return { rule: text(true), named: false };
  const target = targets.find((one) =>
    access.kind === "run"
      ? mentionsProgram(one, access) || startsProgram(one, parts)
      : coversTarget(one, access)
  );
  return target === undefined ? undefined : { rule: text([target]), named: true };
}

/** The deny rule for the network that covers a command which uses it: the kind, or a host it names. */
function matchDeniedHost(rules: Rules, { target }: Access): RuleMatch | undefined {
  const { net } = rules.deny;
  if (net === undefined) return undefined;
  const mentioned = (host: string) =>
    target.toLowerCase().includes(host.replace(/^\*\./, "").replace(/:\d+$/, "").toLowerCase());
  const hosts = net === true ? true : net.filter(mentioned);
  if (hosts !== true && hosts.length === 0) return undefined;
  const rule = ruleText(rules, { verb: "deny", kind: "net", targets: hosts });
  return { rule, named: hosts !== true };
}

/** What names places in a part of a command. */
type LinkedPart = Pick<AnalyzedPart, "argv" | "stdin" | "cwds">;

/** What words of a command's parts lead to, where a link makes that another place than they name. */
function placesLinked(
  parts: readonly LinkedPart[],
  { locate }: Pick<PathFacts, "locate">,
): string[] {
  return parts.flatMap(({ argv = [], stdin = "", cwds }) => {
    const input = stdin.startsWith("file:") ? [stdin.slice("file:".length)] : [];
    const words = [...argv, ...input].flatMap((word) => [word, word.replace(/^[^=]*=/, "")]);
    return cwds.flatMap((cwd) => words.map((word) => resolve(cwd, word))).flatMap((named) => {
      const { absolute } = locate(named);
      return absolute === named ? [] : [absolute];
    });
  });
}

/** A command of which a path may be denied. */
interface DeniedCommand {
  readonly command: string;
  /** What its words lead to by links. */
  readonly places: readonly string[];
  readonly sandboxed: boolean;
}

/** A rule on paths that denies a command, and whether the command names the path. */
type PathDeny = { rule: string; why: string; isNamed?: true };

/**
 * The rule on paths by which a command may not run, as it could read or change what is denied: anything, or a
 * path whose name occurs in it, or to which a link leads that it names; without a sandbox that keeps it off, any of them.
 * One whose path it names comes first. What is safe changes nothing.
 */
export function findPathDeny(
  layers: readonly Rules[],
  { risk, parts, pathFacts, ...command }: Omit<DeniedCommand, "places"> & {
    readonly risk: Risk;
    readonly parts: readonly LinkedPart[];
    readonly pathFacts: Pick<PathFacts, "locate">;
  },
): PathDeny | undefined {
  const kinds = risk === "safe" ? ["read"] as const : ["read", "write"] as const;
  const namesPaths = layers.some(({ deny }) => kinds.some((kind) => Array.isArray(deny[kind])));
  // A sandbox keeps it off what its words lead to.
  const places = namesPaths && !command.sandboxed ? placesLinked(parts, pathFacts) : [];
  const found = kinds.flatMap((kind) =>
    layers.flatMap((rules) => matchPathDeny(kind, rules, { ...command, places }) ?? [])
  );
  return found.find(({ isNamed }) => isNamed) ?? found[0];
}

function matchPathDeny(
  kind: "read" | "write",
  rules: Rules,
  { command, places, sandboxed }: DeniedCommand,
): PathDeny | undefined {
  const targets = rules.deny[kind];
  if (targets === undefined) return undefined;
  const does = kind === "read" ? "read" : "change";
  const verdict = (targets: Targets, reason: string) => {
    const rule = ruleText(rules, { verb: "deny", kind, targets });
    return { rule, why: `${rule} forbids it: ${reason}` };
  };
  if (targets === true) return verdict(true, `the command may ${does} files`);
  const words = command.replace(/["'\\]/g, "").split(/[^\p{L}\p{N}_.+-]+/u);
  const named = targets.find((path) =>
    words.includes(basename(path)) || places.some((place) => contains(path, place))
  );
  if (named !== undefined) return { ...verdict([named], "the command names it"), isNamed: true };
  return sandboxed || targets.length === 0
    ? undefined
    : verdict(targets, `without a sandbox the command may ${does} it`);
}

/** The allow rule that covers an access, if any. Allow is matched narrowly: in doubt it does not. */
export function matchAllow(
  rules: Rules,
  access: Access,
  { parts = [] }: { parts?: readonly RulePart[] | undefined } = {},
): RuleMatch | undefined {
  const targets = rules.allow[access.kind];
  const text = (targets: Targets) => ruleText(rules, { verb: "allow", kind: access.kind, targets });
  if (Array.isArray(targets)) {
    const by = access.kind === "run"
      ? coveringPrograms(targets, parts)
      : targets.filter((one) => coversTarget(one, access));
    const names = access.kind === "run" ? by : by.slice(0, 1);
    if (names.length > 0) return { rule: text(names), named: true, by };
  }
  if (targets === true && access.inside !== false) return { rule: text(true), named: false };
  if (rules.allowAll && access.inside !== false) return { rule: "--allow-all", named: false };
  return undefined;
}

/**
 * Whether what a file approves beforehand counts for an access. What a project's own file names gets nothing of the
 * machine beyond the workspace; where no sandbox holds it, it only reads, as its words say.
 */
export function mayApprove(
  { ofProject = false }: Rules,
  { access: { kind }, sandboxed, analysis }: {
    readonly access: Access;
    readonly sandboxed: boolean;
    readonly analysis?: { readonly parts: readonly ApprovedPart[] };
  },
): boolean {
  if (!ofProject || kind !== "run") return true;
  const parts = analysis?.parts ?? [];
  return parts.every(({ needs }) => needs.every((need) => need === "repository")) &&
    (sandboxed || parts.every(({ unheld }) => unheld === "reads"));
}

/** What people are told of that, behind what a file approves; empty where all of it counts. */
export function approvalLimit({ allow, ofProject }: Pick<Rules, "allow" | "ofProject">): string {
  return ofProject && allow.run !== undefined ? " (commands as far as the sandbox holds them)" : "";
}

/** What counts of a command that a file approves. */
type ApprovedPart = Required<Pick<RulePart, "needs">> & Pick<RulePart, "unheld">;

/** A plugin's tool is allowed by its own name, and denied also by that of its program. */
export function pluginPart({ tool, target }: Access): readonly RulePart[] | undefined {
  if (tool === undefined) return undefined;
  const [program = ""] = target.split(" ");
  return [{ risk: "sensitive", argv: [tool], plain: true, programs: [tool, program] }];
}

/** Server and tool of a target such as `mcp:server/tool`; undefined for hosts. */
export function remoteTool(target: string): { server: string; tool: string } | undefined {
  const match = /^mcp:([^/]+)\/([^]+)$/.exec(target);
  return match?.[1] && match[2] ? { server: match[1], tool: match[2] } : undefined;
}

/** A path or anything below it, a host with or without its port, a variable; `*` as Deno has it. */
function coversTarget(target: string, { kind, target: wanted }: Access): boolean {
  if (wanted === target) return true;
  switch (kind) {
    case "net": {
      const remote = remoteTool(wanted);
      if (remote) return target === "mcp:*" || target === `mcp:${remote.server}`;
      const host = wanted.replace(/:\d+$/, "").toLowerCase();
      const named = target.toLowerCase();
      return host === named || wanted.toLowerCase() === named ||
        (named.startsWith("*.") && host.endsWith(named.slice(1)));
    }
    case "env":
      return target.endsWith("*") && wanted.startsWith(target.slice(0, -1));
    default:
      return wanted.startsWith(target.endsWith("/") ? target : `${target}/`);
  }
}

/**
 * The names of a list that together allow a command: every part must be safe, or a plain command that begins
 * with the words of one name. `git` covers `git status`; `git status` covers `git status -s`.
 */
function coveringPrograms(targets: readonly string[], parts: readonly RulePart[]): string[] {
  const used = new Set<string>();
  for (const part of parts) {
    const target = nameOf(part, targets);
    if (target !== undefined) used.add(target);
    else if (part.risk !== "safe") return [];
  }
  return [...used];
}

/** The name that allows a part to run, with the workspace to write. */
function nameOf(
  { risk, openRisk = risk, plain, argv = [], unheld }: RulePart,
  targets: readonly string[],
): string | undefined {
  if (!plain || openRisk === "extreme" || unheld === "uncertain") return undefined;
  return targets.find((one) => beginsWith(argv, one));
}

/**
 * Why a list that names programs of a command does not allow it: a part that it does not name, or how one is written;
 * undefined if it names none, or the command is extreme.
 */
export function whyUncovered(
  { allow: { run } }: Pick<Rules, "allow">,
  parts: readonly AnalyzedPart[],
): { readonly part: AnalyzedPart; readonly isNamed: boolean } | undefined {
  if (!Array.isArray(run) || parts.some(({ risk }) => risk === "extreme")) return undefined;
  const asking = parts.filter((part) => part.risk !== "safe" && nameOf(part, run) === undefined);
  const isNamed = ({ argv, programs }: RulePart) =>
    run.some((target) => argv ? beginsWith(argv, target) : programs.includes(target));
  const other = asking.find((part) => !isNamed(part));
  const part = other ?? asking[0];
  return part && parts.some(isNamed) ? { part, isNamed: other === undefined } : undefined;
}

/** The parts of a command that rules allow by name, or `true` if they allow it whatever it holds. */
export function namedParts<P extends RulePart>(
  { allow, allowAll }: Rules,
  { access: { inside }, parts }: { access: Access; parts: readonly P[] },
): readonly P[] | true {
  const targets = allow.run;
  if (targets === true || (allowAll && inside !== false)) return true;
  return parts.filter((part) => nameOf(part, targets ?? []) !== undefined);
}

/** Whether rules allow every command, by no name. */
export function allowsAnyCommand(rules: readonly Pick<Rules, "allow" | "allowAll">[]): boolean {
  return rules.some(({ allow, allowAll }) => allowAll || allow.run === true);
}

/** Whether rules allow a program, or some of its commands, by name. */
export function namesProgram(
  { allow: { run = [] } }: Pick<Rules, "allow">,
  program: string,
): boolean {
  return run !== true && run.some((target) => programOf(target) === program);
}

function programOf(target: string): string {
  return basename(target.split(" ")[0] ?? "");
}

function beginsWith(argv: readonly string[], target: string): boolean {
  const wanted = target.split(" ").filter((word) => word !== "");
  return wanted.length > 0 && wanted.every((word, index) => argv[index] === word);
}

/** Whether a command runs a program, wherever it stands in it and whatever is wrapped round it. */
function startsProgram(target: string, parts: readonly RulePart[]): boolean {
  const wanted = programOf(target);
  return parts.some((part) => part.programs.includes(wanted));
}

/** Whether a program's name occurs as a word anywhere in a command. */
function mentionsProgram(target: string, access: Access): boolean {
  const wanted = target.split(" ")[0];
  return access.target.replace(/["'\\]/g, "").split(/[^A-Za-z0-9_.+/-]+/)
    .some((word) => word === wanted || basename(word) === wanted);
}

/** ally's own settings: a rule for the whole kind does not show them. */
const OWN = /^(OPENAI|ALLY)_/i;

/**
 * Whether rules show an environment variable to commands: false if one denies it by name, true if one allows
 * it, undefined if they leave it as it is. `-A` shows none.
 */
export function showsVariable(layers: readonly Rules[], name: string): boolean | undefined {
  const access: Access = { kind: "env", target: name };
  if (layers.some((rules) => matchDeny(rules, access)?.named)) return false;
  const shown = layers.some((rules) => {
    const allow = matchAllow({ ...rules, allowAll: false }, access);
    return allow !== undefined && (allow.named || !OWN.test(name));
  });
  return shown ? true : undefined;
}
