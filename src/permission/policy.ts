/**
 * Decides what a call may do: its accesses against the ban list, flags, configuration, the rules that
 * "Always" made and the class of what it does. Deny first; then what a rule allows; then the class says
 * whether to ask. The pipeline calls it.
 */
import { resolve } from "node:path";
import type { Ground } from "../core/path_facts.ts";
import type {
  Access,
  CommandPart,
  GrantScope,
  PermissionClass,
  Targets,
  Verdict,
} from "../core/permission.ts";
import type { Grant, Rule } from "../core/rule.ts";
import type { Confinement } from "../core/sandbox.ts";
import type { Judgement } from "../shell/classify.ts";
import { isProtected } from "../shell/paths.ts";
import { type Ban, DEFAULT_BANNED, findBanned } from "./banned.ts";
import { confinementOf } from "./confinement.ts";
import { grantOf } from "./grants.ts";
import { banned, decidedBy, howToAllow, nameOf, shownPart, storedName, whyOf } from "./messages.ts";
import { RuleBook } from "./rule_book.ts";
import {
  allowed,
  denied,
  type Match,
  mayTouch,
  remoteTool,
  type RulePart,
  type Rules,
} from "./rules.ts";

/** How grave an access is by itself, and what "Always" would store. */
interface Assessment {
  readonly class: PermissionClass;
  readonly why: string;
  readonly grant?: Grant;
  readonly judgement?: Judgement;
}

/** What the policy thinks of one access. */
interface Opinion extends Verdict {
  readonly judgement?: Judgement;
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
  readonly ground: Ground;
  /** Programs that never run. @default the list of `banned.ts` */
  readonly banned?: readonly string[] | undefined;
  /** Whether commands run in a sandbox that holds, asked when one is judged. @default they do not */
  readonly confined?: () => boolean | Promise<boolean>;
}

const GRAVITY: Readonly<Record<PermissionClass, number>> = { safe: 0, sensitive: 1, extreme: 2 };

/** What a call that does more than read is told in plan mode. */
const PLANNING: Verdict = {
  decision: "deny",
  class: "sensitive",
  why: "plan mode: only reading",
  banned: "Look with read, grep, glob and ls, and answer with a plan. The user ends plan mode.",
};

/** Judges calls, and keeps what the user always allows. */
export class Policy {
  readonly #rules: readonly Rules[];
  readonly #book: RuleBook;
  readonly #interactive: boolean;
  readonly #banned: ReadonlySet<string>;
  readonly #ground: Ground;
  readonly #confined: () => boolean | Promise<boolean>;
  /** What a judgement offered to grant for an access. */
  readonly #offered = new WeakMap<Access, Grant>();
  /** The rules of the book that allowed an access. */
  readonly #used = new WeakMap<Access, readonly Rule[]>();
  readonly #options: PolicyOptions;
  /** What a command or an agent has approved beforehand. */
  #approved: Rules | undefined;
  /** The policy that this one is made of. */
  #parent: Policy | undefined;
  #planning = false;

  constructor(options: PolicyOptions) {
    this.#rules = [options.rules, ...options.configured ?? []];
    this.#book = options.book ?? new RuleBook({ ground: options.ground });
    this.#options = { ...options, book: this.#book };
    this.#interactive = options.interactive;
    this.#ground = options.ground;
    this.#confined = options.confined ?? (() => false);
    this.#banned = new Set(options.banned ?? DEFAULT_BANNED);
  }

  /** Plan mode: nothing but reading, whatever the rules allow. */
  get planning(): boolean {
    return this.#parent?.planning ?? this.#planning;
  }

  set planning(on: boolean) {
    if (this.#parent) this.#parent.planning = on;
    else this.#planning = on;
  }

  /** Whether there is a person to ask. */
  get interactive(): boolean {
    return this.#interactive;
  }

  /** The verdict on all that a call wants to do; the strictest access decides. */
  async judge(accesses: readonly Access[]): Promise<Verdict> {
    if (this.planning && accesses.some(mayChange)) {
      return PLANNING;
    }
    const confined = accesses.some(({ kind }) => kind === "run") && await this.#confined();
    const opinions = await Promise.all(
      accesses.map((access) => this.#judgeOne(access, confined)),
    );
    const confinement = this.#confinementOf(opinions, confined);
    const verdict = this.#decide(opinions);
    return confinement ? { ...verdict, confinement } : verdict;
  }

  /** The opinions as one; the strictest decides. */
  #decide(opinions: readonly Opinion[]): Verdict {
    const gravest = opinions.reduce<PermissionClass>(
      (worst, one) => GRAVITY[one.class] > GRAVITY[worst] ? one.class : worst,
      "safe",
    );
    const parts = opinions.flatMap((one) => one.parts ?? []);
    const shown = parts.length > 0 ? { parts } : {};
    const deny = opinions.find((one) => one.banned !== undefined) ??
      opinions.find((one) => one.decision === "deny");
    if (deny) {
      const { why, rule, banned } = deny;
      const by = { ...(rule !== undefined && { rule }), ...(banned !== undefined && { banned }) };
      return { decision: "deny", class: gravest, why, ...by, ...shown };
    }
    const asking = opinions.filter((one) => one.decision === "ask");
    const first = asking[0];
    if (!first) {
      const why = opinions.map((one) => one.why).join("; ") || "reads only";
      const rules = [...new Set(opinions.flatMap(({ rule }) => rule ?? []))].join("; ");
      return { decision: "allow", class: gravest, why, ...(rules && { rule: rules }), ...shown };
    }
    const worst = asking.find((one) => one.class === "extreme") ?? first;
    const grants = asking.map((one) => one.always);
    const always = grants.every((one) => one !== undefined) ? grants.join(" ") : undefined;
    return {
      decision: "ask",
      class: worst.class,
      why: worst.why,
      ...(always === undefined || worst.class === "extreme" ? {} : { always }),
      ...shown,
    };
  }

  /** The verdict on one command with all its parts, for explaining. */
  async explain(access: Access): Promise<{ verdict: Verdict; parts: readonly CommandPart[] }> {
    const { judgement, ...verdict } = await this.#judgeOne(access, await this.#confined());
    return { verdict, parts: judgement?.parts.map(shownPart) ?? [] };
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
  approving(rules: Rules): Policy {
    const { read, write } = rules.allow;
    const placed = (targets: Targets | undefined) =>
      Array.isArray(targets)
        ? targets.map((path) => this.#ground.place(resolve(this.#ground.cwd, path)).absolute)
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
  async noteUse(accesses: readonly Access[]): Promise<void> {
    const rules = new Set(accesses.flatMap((access) => this.#used.get(access) ?? []));
    if (rules.size > 0) await this.#book.used([...rules]);
  }

  /** How the sandbox is to hold what these accesses run. */
  #confinementOf(opinions: readonly Opinion[], confined: boolean): Confinement | undefined {
    const judgements = opinions.flatMap(({ judgement }) => judgement ?? []);
    return judgements.length === 0
      ? undefined
      : { ...confinementOf(judgements, this.#rules), relied: confined };
  }

  async #judgeOne(access: Access, confined: boolean): Promise<Opinion> {
    const assessed = await this.#assess(access, confined);
    const { class: gravity, why, grant, judgement } = assessed;
    const parts = judgement && judgement.parts.length > 1
      ? judgement.parts.map(shownPart)
      : undefined;
    const opinion = {
      class: gravity,
      why,
      ...(parts && { parts }),
      ...(judgement && { judgement }),
    };
    const ban = judgement && this.#ban(access, judgement);
    if (ban) return { ...opinion, ...banned(ban) };
    const deny = this.#firstMatch(denied, access, judgement);
    if (deny) return { ...opinion, decision: "deny", ...decidedBy(deny.rule, "forbids") };
    const shut = this.#mightTouch(access, { judgement, gravity, confined });
    if (shut) return { ...opinion, decision: "deny", ...shut };
    if (gravity === "safe") return { ...opinion, decision: "allow" };
    const allow = this.#firstMatch(allowed, access, judgement);
    if (allow && (gravity === "sensitive" || this.#liftsExtreme(access, allow.named))) {
      return { ...opinion, decision: "allow", ...decidedBy(allow.rule, "allows") };
    }
    const approved = gravity === "sensitive" && this.#approved
      ? allowed(this.#approved, access, { parts: judgement?.parts })
      : undefined;
    if (approved) {
      return { ...opinion, decision: "allow", ...decidedBy(approved.rule, "allows") };
    }
    const rules = grant && await this.#book.covering(grant);
    if (rules) {
      this.#used.set(access, rules);
      return {
        ...opinion,
        decision: "allow",
        ...decidedBy(rules.map(storedName).join(", "), "allows"),
      };
    }
    if (!this.#interactive) {
      return { ...opinion, decision: "deny", why: `${why}; ${howToAllow(access, gravity)}` };
    }
    if (grant) this.#offered.set(access, grant);
    return { ...opinion, decision: "ask", ...(grant && { always: grant.text }) };
  }

  #ban({ target }: Access, { parts }: Judgement): Ban | undefined {
    return findBanned(target, { parts, banned: this.#banned });
  }

  /** The flags come first, then each configuration file. */
  #firstMatch(
    match: typeof denied,
    access: Access,
    judgement: Judgement | undefined,
  ): Match | undefined {
    for (const rules of this.#rules) {
      const found = match(rules, access, { parts: judgement?.parts ?? pluginPart(access) });
      if (found) return found;
    }
    return undefined;
  }

  /** How grave an access is by itself, and what "Always" would store. */
  async #assess(access: Access, confined: boolean): Promise<Assessment> {
    const name = nameOf(access);
    if (access.agreed) return { class: "safe", why: `agreed to: ${access.kind} ${name}` };
    if (access.tool !== undefined) return ofPlugin(access, access.tool);
    switch (access.kind) {
      case "read":
        return access.inside
          ? { class: "safe", why: "reads inside the workspace" }
          : sensitive(access, `reads outside the workspace: ${name}`);
      case "write":
        if (!access.inside) {
          return { class: "extreme", why: `writes outside the workspace: ${name}` };
        }
        return isProtected(access.target)
          ? { class: "extreme", why: `writes a protected place: ${name}` }
          : sensitive(access, "changes a file");
      case "run": {
        const { classifyCommand } = await import("../shell/classify.ts");
        const judgement = classifyCommand(access.target, {
          ground: this.#ground,
          confined,
          ...(access.cwd !== undefined && { cwd: access.cwd }),
        });
        const grant = grantOf(judgement, this.#ground);
        const why = whyOf(judgement);
        return { class: judgement.class, why, judgement, ...(grant && { grant }) };
      }
      default:
        if (access.grave !== undefined) return { class: "extreme", why: access.grave };
        return sensitive(access, remoteWhy(access) ?? `uses ${access.kind} ${name}`);
    }
  }

  /**
   * The rule by which a command may not run that could read or change what is denied: the kind as a whole, a
   * path that it names, or any path where no sandbox keeps it off. One whose programs the user named may run.
   */
  #mightTouch(
    access: Access,
    { judgement, gravity, confined }: {
      judgement: Judgement | undefined;
      gravity: PermissionClass;
      confined: boolean;
    },
  ): { rule: string; why: string } | undefined {
    if (access.kind !== "run" || access.tool !== undefined) return undefined;
    for (const kind of ["read", "write"] as const) {
      if (kind === "write" && gravity === "safe") continue;
      const found = this.#rules.flatMap((rules) =>
        mayTouch(kind, { rules, command: access.target, confined }) ?? []
      )[0];
      if (found && !this.#firstMatch(allowed, access, judgement)?.named) {
        return found;
      }
    }
    return undefined;
  }

  /** What is extreme is allowed only by `-A`, or for a path by naming it. */
  #liftsExtreme(access: Access, named: boolean): boolean {
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

function sensitive(access: Access, why: string): Assessment {
  const { kind, pin } = access;
  const target = pin === undefined ? access.target : `${access.target}#${pin}`;
  return { class: "sensitive", why, grant: { kind, target, text: `${kind}=${nameOf(access)}` } };
}

/** "Always" for a plugin's tool is for that tool; the consent holds for the plugin's files. */
function ofPlugin({ cwd = "/", target }: Access, tool: string): Assessment {
  const part = { does: "run", argv: [tool, target], cwd, assignments: [], files: {} } as const;
  return {
    class: "sensitive",
    why: `runs ${target}`,
    grant: { kind: "run", text: `run=${tool}`, parts: [part] },
  };
}

/** A plugin's tool is allowed by its own name, and denied also by that of its program. */
function pluginPart({ tool, target }: Access): readonly RulePart[] | undefined {
  if (tool === undefined) return undefined;
  const [program = ""] = target.split(" ");
  return [{ class: "sensitive", argv: [tool], plain: true, programs: [tool, program] }];
}
