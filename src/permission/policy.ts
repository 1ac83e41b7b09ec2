/**
 * Decides what a call may do: its accesses against the ban list, flags, configuration, the rules that
 * "Always" made and the class of what it does. Deny first; then what a rule allows; then the class says
 * whether to ask. The pipeline calls it.
 */
import { resolve } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import type {
  Access,
  CommandPart,
  GrantScope,
  Risk,
  Targets,
  Verdict,
} from "../core/permission.ts";
import type { Grant, Rule } from "../core/rule.ts";
import type { SandboxPolicy } from "../core/sandbox.ts";
import type { ScriptAnalysis } from "../shell/analyze.ts";
import { isProtected, secretsAt } from "../shell/paths.ts";
import { type Ban, DEFAULT_BANNED, findBanned } from "./banned.ts";
import { grantOf } from "./grants.ts";
import {
  accessName,
  banVerdict,
  howToAllow,
  publicPart,
  reasonOf,
  ruleReason,
  storedRuleName,
} from "./messages.ts";
import { RuleBook } from "./rule_book.ts";
import {
  matchAllow,
  matchDeny,
  matchPathDeny,
  remoteTool,
  type RuleMatch,
  type RulePart,
  type Rules,
} from "./rules.ts";
import { sandboxPolicyOf } from "./sandbox_policy.ts";

/** How grave an access is by itself, and what "Always" would store. */
interface AccessRisk {
  readonly risk: Risk;
  readonly why: string;
  readonly grant?: Grant;
  readonly analysis?: ScriptAnalysis;
}

/** What the policy thinks of one access. */
interface AccessVerdict extends Verdict {
  readonly analysis?: ScriptAnalysis;
}

/** What decides about calls. */
export interface PolicyOptions {
  /** The flags. */
  readonly rules: Rules;
  /** Rules of configuration files, beside the flags. */
  readonly configured?: readonly Rules[];
  /** What "Always" allowed. @default empty, and kept for the session only */
  readonly book?: RuleBook;
  /** Without a person to ask, what would ask is denied. */
  readonly interactive: boolean;
  readonly pathFacts: PathFacts;
  /** Programs that never run. @default the list of `banned.ts` */
  readonly banned?: readonly string[] | undefined;
  /** Whether commands run in a sandbox that holds, asked when one is judged. @default they do not */
  readonly sandboxed?: () => boolean | Promise<boolean>;
}

const RISK_ORDER: Readonly<Record<Risk, number>> = { safe: 0, sensitive: 1, extreme: 2 };

/** What a call that does more than read is told in plan mode. */
const PLAN_MODE_VERDICT: Verdict = {
  decision: "deny",
  risk: "sensitive",
  why: "plan mode: only reading",
  banned: "Look with read, grep, glob and ls, and answer with a plan. The user ends plan mode.",
};

/** Judges calls, and keeps what the user always allows. */
export class Policy {
  readonly #rules: readonly Rules[];
  readonly #book: RuleBook;
  readonly #interactive: boolean;
  readonly #banned: ReadonlySet<string>;
  readonly #pathFacts: PathFacts;
  readonly #sandboxed: () => boolean | Promise<boolean>;
  /** What a judgement offered to grant for an access. */
  readonly #offered = new WeakMap<Access, Grant>();
  /** The rules of the book that allowed an access. */
  readonly #used = new WeakMap<Access, readonly Rule[]>();
  readonly #options: PolicyOptions;
  /** What a command or an agent has approved beforehand. */
  #approved: Rules | undefined;
  /** The policy that this one is made of. */
  #parent: Policy | undefined;
  #planMode = false;

  constructor(options: PolicyOptions) {
    this.#rules = [options.rules, ...options.configured ?? []];
    this.#book = options.book ?? new RuleBook({ ground: options.pathFacts });
    this.#options = { ...options, book: this.#book };
    this.#interactive = options.interactive;
    this.#pathFacts = options.pathFacts;
    this.#sandboxed = options.sandboxed ?? (() => false);
    this.#banned = new Set(options.banned ?? DEFAULT_BANNED);
  }

  /** Plan mode: nothing but reading, whatever the rules allow. */
  get planMode(): boolean {
    return this.#parent?.planMode ?? this.#planMode;
  }

  set planMode(on: boolean) {
    if (this.#parent) this.#parent.planMode = on;
    else this.#planMode = on;
  }

  /** Whether there is a person to ask. */
  get interactive(): boolean {
    return this.#interactive;
  }

  /** The verdict on all that a call wants to do; the strictest access decides. */
  async judge(accesses: readonly Access[]): Promise<Verdict> {
    if (this.planMode && accesses.some(mayChange)) {
      return PLAN_MODE_VERDICT;
    }
    const confined = accesses.some(({ kind }) => kind === "run") && await this.#sandboxed();
    const opinions = await Promise.all(
      accesses.map((access) => this.#judgeOne(access, confined)),
    );
    const sandboxPolicy = this.#sandboxPolicyOf(opinions, confined);
    const verdict = this.#mergeVerdicts(opinions);
    return sandboxPolicy ? { ...verdict, sandboxPolicy } : verdict;
  }

  /** The opinions as one; the strictest decides. */
  #mergeVerdicts(verdicts: readonly AccessVerdict[]): Verdict {
    const risk = verdicts.reduce<Risk>(
      (worst, one) => RISK_ORDER[one.risk] > RISK_ORDER[worst] ? one.risk : worst,
      "safe",
    );
    const parts = verdicts.flatMap((one) => one.parts ?? []);
    const shown = parts.length > 0 ? { parts } : {};
    const deny = verdicts.find((one) => one.banned !== undefined) ??
      verdicts.find((one) => one.decision === "deny");
    if (deny) {
      const { why, rule, banned } = deny;
      const by = { ...(rule !== undefined && { rule }), ...(banned !== undefined && { banned }) };
      return { decision: "deny", risk, why, ...by, ...shown };
    }
    const asking = verdicts.filter((one) => one.decision === "ask");
    const first = asking[0];
    if (!first) {
      const why = verdicts.map((one) => one.why).join("; ") || "reads only";
      const rules = [...new Set(verdicts.flatMap(({ rule }) => rule ?? []))].join("; ");
      return { decision: "allow", risk, why, ...(rules && { rule: rules }), ...shown };
    }
    const worst = asking.find((one) => one.risk === "extreme") ?? first;
    const grants = asking.map((one) => one.always);
    const always = grants.every((one) => one !== undefined) ? grants.join(" ") : undefined;
    return {
      decision: "ask",
      risk: worst.risk,
      why: worst.why,
      ...(always === undefined || worst.risk === "extreme" ? {} : { always }),
      ...shown,
    };
  }

  /** The verdict on one command with all its parts, for explaining. */
  async explain(access: Access): Promise<{ verdict: Verdict; parts: readonly CommandPart[] }> {
    const { analysis, ...verdict } = await this.#judgeOne(access, await this.#sandboxed());
    return { verdict, parts: analysis?.parts.map(publicPart) ?? [] };
  }

  /**
   * Allows from now on what a judgement of these accesses offered to. Returns what people should know if
   * it could not be kept for as long as they wished.
   */
  async grant(accesses: readonly Access[], scope: GrantScope): Promise<string | undefined> {
    let problem: string | undefined;
    for (const access of accesses) {
      const grant = this.#offered.get(access);
      if (grant) problem = await this.#book.add(grant, scope) ?? problem;
    }
    return problem;
  }

  /**
   * The same policy with rules besides, for what is sensitive: nothing extreme is approved beforehand. Their paths
   * may be relative to the working directory. Plan mode and what "Always" allows are shared.
   */
  withApproved(rules: Rules): Policy {
    const { read, write } = rules.allow;
    const placed = (targets: Targets | undefined) =>
      Array.isArray(targets)
        ? targets.map((path) => this.#pathFacts.locate(resolve(this.#pathFacts.cwd, path)).absolute)
        : targets;
    const places = { read: placed(read), write: placed(write) };
    const policy = new Policy(this.#options);
    policy.#parent = this;
    policy.#approved = {
      ...rules,
      allow: {
        ...rules.allow,
        ...(places.read !== undefined && { read: places.read }),
        ...(places.write !== undefined && { write: places.write }),
      },
    };
    return policy;
  }

  /** Notes that these accesses, judged to be allowed, are made use of: the rules for it are dated. */
  async recordUse(accesses: readonly Access[]): Promise<void> {
    const rules = new Set(accesses.flatMap((access) => this.#used.get(access) ?? []));
    if (rules.size > 0) await this.#book.recordUse([...rules]);
  }

  /** How the sandbox is to hold what these accesses run. */
  #sandboxPolicyOf(
    verdicts: readonly AccessVerdict[],
    sandboxed: boolean,
  ): SandboxPolicy | undefined {
    const judgements = verdicts.flatMap(({ analysis }) => analysis ?? []);
    return judgements.length === 0
      ? undefined
      : { ...sandboxPolicyOf(judgements, this.#rules), sandboxRequired: sandboxed };
  }

  async #judgeOne(access: Access, sandboxed: boolean): Promise<AccessVerdict> {
    const assessed = await this.#assess(access, sandboxed);
    const { risk, why, grant, analysis } = assessed;
    const parts = analysis && analysis.parts.length > 1
      ? analysis.parts.map(publicPart)
      : undefined;
    const opinion = {
      risk,
      why,
      ...(parts && { parts }),
      ...(analysis && { analysis }),
    };
    const ban = analysis && this.#findBan(access, analysis);
    if (ban) return { ...opinion, ...banVerdict(ban) };
    const deny = this.#firstMatch(matchDeny, access, analysis);
    if (deny) return { ...opinion, decision: "deny", ...ruleReason(deny.rule, "forbids") };
    const shut = this.#matchPathDeny(access, {
      judgement: analysis,
      gravity: risk,
      confined: sandboxed,
    });
    if (shut) return { ...opinion, decision: "deny", ...shut };
    if (risk === "safe") return { ...opinion, decision: "allow" };
    const allow = this.#firstMatch(matchAllow, access, analysis);
    if (allow && (risk === "sensitive" || this.#allowsExtreme(access, allow.named))) {
      return { ...opinion, decision: "allow", ...ruleReason(allow.rule, "allows") };
    }
    const approved = risk === "sensitive" && this.#approved
      ? matchAllow(this.#approved, access, { parts: analysis?.parts })
      : undefined;
    if (approved) {
      return { ...opinion, decision: "allow", ...ruleReason(approved.rule, "allows") };
    }
    const rules = grant && await this.#book.findCovering(grant);
    if (rules) {
      this.#used.set(access, rules);
      return {
        ...opinion,
        decision: "allow",
        ...ruleReason(rules.map(storedRuleName).join(", "), "allows"),
      };
    }
    if (!this.#interactive) {
      return { ...opinion, decision: "deny", why: `${why}; ${howToAllow(access, risk)}` };
    }
    if (grant) this.#offered.set(access, grant);
    return { ...opinion, decision: "ask", ...(grant && { always: grant.text }) };
  }

  #findBan({ target }: Access, { parts }: ScriptAnalysis): Ban | undefined {
    return findBanned(target, { parts, banned: this.#banned });
  }

  /** The flags come first, then each configuration file. */
  #firstMatch(
    match: typeof matchDeny,
    access: Access,
    analysis: ScriptAnalysis | undefined,
  ): RuleMatch | undefined {
    for (const rules of this.#rules) {
      const found = match(rules, access, { parts: analysis?.parts ?? pluginPart(access) });
      if (found) return found;
    }
    return undefined;
  }

  /** How grave an access is by itself, and what "Always" would store. */
  async #assess(access: Access, sandboxed: boolean): Promise<AccessRisk> {
    const name = accessName(access);
    if (access.consented) return { risk: "safe", why: `agreed to: ${access.kind} ${name}` };
    if (access.tool !== undefined) return assessPlugin(access, access.tool);
    switch (access.kind) {
      case "read":
        return this.#assessRead(access, name);
      case "write":
        if (!access.inside) {
          return { risk: "extreme", why: `writes outside the workspace: ${name}` };
        }
        return isProtected(access.target)
          ? { risk: "extreme", why: `writes a protected place: ${name}` }
          : assessSensitive(access, "changes a file");
      case "run": {
        const { analyzeCommand } = await import("../shell/analyze.ts");
        const analysis = analyzeCommand(access.target, {
          ground: this.#pathFacts,
          confined: sandboxed,
          ...(access.cwd !== undefined && { cwd: access.cwd }),
        });
        const grant = grantOf(analysis, this.#pathFacts);
        const why = reasonOf(analysis);
        return { risk: analysis.risk, why, analysis, ...(grant && { grant }) };
      }
      default:
        if (access.extremeReason !== undefined) {
          return { risk: "extreme", why: access.extremeReason };
        }
        return assessSensitive(access, remoteWhy(access) ?? `uses ${access.kind} ${name}`);
    }
  }

  #assessRead(access: Access, name: string): AccessRisk {
    const { target: absolute, inside = false } = access;
    const holds = secretsAt({ absolute, inside }, this.#pathFacts);
    if (holds !== undefined) return { risk: "extreme", why: `reads secrets (${holds}): ${name}` };
    return inside
      ? { risk: "safe", why: "reads inside the workspace" }
      : assessSensitive(access, `reads outside the workspace: ${name}`);
  }

  /**
   * The rule by which a command may not run that could read or change what is denied: the kind as a whole, a
   * path that it names, or any path where no sandbox keeps it off. One whose programs the user named may run.
   */
  #matchPathDeny(
    access: Access,
    { judgement: analysis, gravity: risk, confined: sandboxed }: {
      judgement: ScriptAnalysis | undefined;
      gravity: Risk;
      confined: boolean;
    },
  ): { rule: string; why: string } | undefined {
    if (access.kind !== "run" || access.tool !== undefined) return undefined;
    for (const kind of ["read", "write"] as const) {
      if (kind === "write" && risk === "safe") continue;
      const found = this.#rules.flatMap((rules) =>
        matchPathDeny(kind, { rules, command: access.target, confined: sandboxed }) ?? []
      )[0];
      if (found && !this.#firstMatch(matchAllow, access, analysis)?.named) {
        return found;
      }
    }
    return undefined;
  }

  /** What is extreme is allowed only by `-A`, or for a path by naming it. */
  #allowsExtreme(access: Access, named: boolean): boolean {
    return this.#rules.some(({ allowAll }) => allowAll) || (named && access.kind !== "run");
  }
}

/** What plan mode refuses; what a server's tool does is known to nobody here. */
function mayChange({ kind, target }: Access): boolean {
  return kind === "write" || kind === "run" || remoteTool(target) !== undefined;
}

function remoteWhy({ target }: Access): string | undefined {
  const remote = remoteTool(target);
  return remote && `calls ${remote.tool} of the MCP server ${remote.server}`;
}

function assessSensitive(access: Access, why: string): AccessRisk {
  const { kind, pin } = access;
  const target = pin === undefined ? access.target : `${access.target}#${pin}`;
  return { risk: "sensitive", why, grant: { kind, target, text: `${kind}=${accessName(access)}` } };
}

/** "Always" for a plugin's tool is for that tool; the consent holds for the plugin's files. */
function assessPlugin({ cwd = "/", target }: Access, tool: string): AccessRisk {
  const part = { does: "run", argv: [tool, target], cwd, assignments: [], files: {} } as const;
  return {
    risk: "sensitive",
    why: `runs ${target}`,
    grant: { kind: "run", text: `run=${tool}`, parts: [part] },
  };
}

/** A plugin's tool is allowed by its own name, and denied also by that of its program. */
function pluginPart({ tool, target }: Access): readonly RulePart[] | undefined {
  if (tool === undefined) return undefined;
  const [program = ""] = target.split(" ");
  return [{ risk: "sensitive", argv: [tool], plain: true, programs: [tool, program] }];
}
