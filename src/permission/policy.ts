/**
 * Decides what a call may do: its accesses against flags, the session's grants and the class of what it
 * does. Deny first; then what a rule allows; then the class says whether to ask. The pipeline calls it.
 */
import type { Ground } from "../core/ground.ts";
import type { Access, CommandPart, PermissionClass, Verdict } from "../core/permission.ts";
import type { Judgement } from "./classify.ts";
import { type Grant, grantOf } from "./grants.ts";
import { isProtected } from "./paths.ts";
import { DEFAULT_BANNED, findBanned } from "./banned.ts";
import { allowed, denied, type Rules } from "./rules.ts";

/** How grave an access is by itself, and what "Always" would store. */
interface Assessment {
  readonly class: PermissionClass;
  readonly why: string;
  readonly grant?: Grant;
  readonly judgement?: Judgement;
}

/** What the policy thinks of one access. */
interface Opinion extends Verdict {
  readonly access: Access;
  readonly grant?: Grant;
}

const GRAVITY: Readonly<Record<PermissionClass, number>> = { safe: 0, sensitive: 1, extreme: 2 };

/** What a call that does more than read is told in plan mode. */
const PLANNING: Verdict = {
  decision: "deny",
  class: "sensitive",
  why: "plan mode: only reading",
  banned: "Look with read, grep, glob and ls, and answer with a plan. The user ends plan mode.",
};

/** Judges calls, and remembers what the user always allows in this session. */
export class Policy {
  readonly #rules: Rules;
  /** Without a person to ask, what would ask is denied. */
  readonly #interactive: boolean;
  readonly #banned: ReadonlySet<string>;
  readonly #ground: Ground;
  /** Keys of what is granted, with the text shown for each. */
  readonly #granted = new Map<string, string>();
  /** What a judgement offered to grant for an access. */
  readonly #offered = new WeakMap<Access, Grant>();
  /** Plan mode: nothing but reading, whatever the rules allow. */
  planning = false;

  /** `banned` are programs that never run. @default the list of `banned.ts` */
  constructor(options: {
    rules: Rules;
    interactive: boolean;
    ground: Ground;
    banned?: readonly string[] | undefined;
  }) {
    this.#rules = options.rules;
    this.#interactive = options.interactive;
    this.#ground = options.ground;
    this.#banned = new Set(options.banned ?? DEFAULT_BANNED);
  }

  /** The refusal of a call in plan mode, or of one that would run a banned program; nothing that `judge` says can lift it. */
  async ban(accesses: readonly Access[]): Promise<Verdict | undefined> {
    if (this.planning && accesses.some(({ kind }) => kind === "write" || kind === "run")) {
      return PLANNING;
    }
    for (const { kind, target } of accesses) {
      const ban = kind === "run" ? await findBanned(target, this.#banned) : undefined;
      if (ban === undefined) continue;
      return {
        decision: "deny",
        class: "extreme",
        why: `${ban.program} is banned: ${ban.why}`,
        banned: `Do without ${ban.program}, or tell the user. Only the user can allow it: ` +
          `with a list without it as "banned_commands" in ~/.ally/config.json ([] bans nothing).`,
      };
    }
    return undefined;
  }

  /** The verdict on all that a call wants to do; the strictest access decides. */
  async judge(accesses: readonly Access[]): Promise<Verdict> {
    const opinions = await Promise.all(accesses.map((access) => this.#judgeOne(access)));
    const gravest = opinions.reduce<PermissionClass>(
      (worst, one) => GRAVITY[one.class] > GRAVITY[worst] ? one.class : worst,
      "safe",
    );
    const parts = opinions.flatMap((one) => one.parts ?? []);
    const shown = parts.length > 0 ? { parts } : {};
    const deny = opinions.find((one) => one.decision === "deny");
    if (deny) return { decision: "deny", class: gravest, why: deny.why, ...shown };
    const asking = opinions.filter((one) => one.decision === "ask");
    const first = asking[0];
    if (!first) {
      const why = opinions.map((one) => one.why).join("; ") || "reads only";
      return { decision: "allow", class: gravest, why, ...shown };
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

  /** Allows for the rest of the session what a judgement of these accesses offered to. */
  grant(accesses: readonly Access[]): void {
    for (const access of accesses) {
      const grant = this.#offered.get(access);
      for (const key of grant?.keys ?? []) this.#granted.set(key, grant!.text);
    }
  }

  /** The session's grants, as `kind=target`. */
  get grants(): readonly string[] {
    return [...new Set(this.#granted.values())];
  }

  async #judgeOne(access: Access): Promise<Opinion> {
    const assessed = await this.#assess(access);
    const { class: gravity, why, grant, judgement } = assessed;
    const parts = judgement && judgement.parts.length > 1
      ? judgement.parts.map(shownPart)
      : undefined;
    const opinion = { access, class: gravity, why, ...(parts && { parts }) };
    const deny = denied(this.#rules, access, { parts: judgement?.parts });
    if (deny) return { ...opinion, decision: "deny", why: `${deny.rule} forbids it` };
    if (gravity === "safe") return { ...opinion, decision: "allow" };
    if (this.#mightWrite(access, judgement)) {
      const why = "--deny-write forbids it: the command may change files";
      return { ...opinion, decision: "deny", why };
    }
    const allow = allowed(this.#rules, access, { parts: judgement?.parts });
    if (allow && (gravity === "sensitive" || this.#liftsExtreme(access, allow.named))) {
      return { ...opinion, decision: "allow", why: `${allow.rule} allows it` };
    }
    if (grant?.keys.every((key) => this.#granted.has(key))) {
      return { ...opinion, decision: "allow", why: `always allowed: ${grant.text}` };
    }
    if (!this.#interactive) {
      return { ...opinion, decision: "deny", why: `${why}; ${howToAllow(access, gravity)}` };
    }
    if (grant) this.#offered.set(access, grant);
    return { ...opinion, decision: "ask", ...(grant && { always: grant.text }) };
  }

  /** How grave an access is by itself, and what "Always" would store. */
  async #assess(access: Access): Promise<Assessment> {
    const name = nameOf(access);
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
        const { classifyCommand } = await import("./classify.ts");
        const judgement = classifyCommand(access.target, {
          ground: this.#ground,
          ...(access.cwd !== undefined && { cwd: access.cwd }),
        });
        const grant = grantOf(judgement, this.#ground);
        return { class: judgement.class, why: judgement.why, judgement, ...(grant && { grant }) };
      }
      default:
        return sensitive(access, `uses ${access.kind} ${name}`);
    }
  }

  /** Whether a command could do what is denied as a whole; one whose programs the user named may run. */
  #mightWrite(access: Access, judgement: Judgement | undefined): boolean {
    return access.kind === "run" && this.#rules.deny.write === true &&
      !allowed(this.#rules, access, { parts: judgement?.parts })?.named;
  }

  /** What is extreme is allowed only by `-A`, or for a path by naming it. */
  #liftsExtreme(access: Access, named: boolean): boolean {
    return this.#rules.allowAll || (named && access.kind !== "run");
  }
}

function sensitive(access: Access, why: string): Assessment {
  const text = `${access.kind}=${nameOf(access)}`;
  return { class: "sensitive", why, grant: { text, keys: [`${access.kind}=${access.target}`] } };
}

function shownPart({ command, class: gravity, why }: CommandPart): CommandPart {
  return { command, class: gravity, why };
}

function nameOf(access: Access): string {
  return access.display ?? access.target;
}

function howToAllow(access: Access, gravity: PermissionClass): string {
  if (access.kind === "run") {
    return gravity === "extreme" ? "only --allow-all allows it" : "allow it with --allow-run";
  }
  const named = access.inside === false || gravity === "extreme" ? `=${nameOf(access)}` : "";
  return `allow it with --allow-${access.kind}${named}`;
}
