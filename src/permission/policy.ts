/**
 * Decides what a call may do: its accesses against flags, the session's grants and the class of what it
 * does. Deny first; then what a rule allows; then the class says whether to ask. The pipeline calls it.
 */
import type { Access, PermissionClass, Verdict } from "../core/permission.ts";
import { DEFAULT_BANNED, findBanned } from "./banned.ts";
import { classifyCommand, grantFor } from "./commands.ts";
import { allowed, denied, type Rules } from "./rules.ts";

/** What the policy thinks of one access. */
interface Opinion extends Verdict {
  readonly access: Access;
}

const GRAVITY: Readonly<Record<PermissionClass, number>> = { safe: 0, sensitive: 1, extreme: 2 };

/** Judges calls, and remembers what the user always allows in this session. */
export class Policy {
  readonly #rules: Rules;
  /** Without a person to ask, what would ask is denied. */
  readonly #interactive: boolean;
  readonly #banned: ReadonlySet<string>;
  readonly #granted = new Set<string>();

  /** `banned` are programs that never run. @default the list of `banned.ts` */
  constructor(
    options: { rules: Rules; interactive: boolean; banned?: readonly string[] | undefined },
  ) {
    this.#rules = options.rules;
    this.#interactive = options.interactive;
    this.#banned = new Set(options.banned ?? DEFAULT_BANNED);
  }

  /** The refusal of a call that would run a banned program; nothing that `judge` says can lift it. */
  async ban(accesses: readonly Access[]): Promise<Verdict | undefined> {
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
  judge(accesses: readonly Access[]): Verdict {
    const opinions = accesses.map((access) => this.#judgeOne(access));
    const gravest = opinions.reduce<PermissionClass>(
      (worst, one) => GRAVITY[one.class] > GRAVITY[worst] ? one.class : worst,
      "safe",
    );
    const deny = opinions.find((one) => one.decision === "deny");
    if (deny) return { decision: "deny", class: gravest, why: deny.why };
    const asking = opinions.filter((one) => one.decision === "ask");
    const first = asking[0];
    if (!first) {
      const why = opinions.map((one) => one.why).join("; ") || "reads only";
      return { decision: "allow", class: gravest, why };
    }
    const worst = asking.find((one) => one.class === "extreme") ?? first;
    const grants = asking.map((one) => one.always);
    const always = grants.every((one) => one !== undefined) ? grants.join(" ") : undefined;
    return {
      decision: "ask",
      class: worst.class,
      why: worst.why,
      ...(always === undefined || worst.class === "extreme" ? {} : { always }),
    };
  }

  /** Allows for the rest of the session what would have silenced the prompt for these accesses. */
  grant(accesses: readonly Access[]): void {
    for (const access of accesses) {
      const opinion = this.#judgeOne(access);
      if (opinion.always !== undefined) this.#granted.add(opinion.always);
    }
  }

  /** The session's grants, as `kind=target`. */
  get grants(): readonly string[] {
    return [...this.#granted];
  }

  #judgeOne(access: Access): Opinion {
    const { class: gravity, why, always } = assess(access);
    const deny = denied(this.#rules, access);
    if (deny) {
      return { access, decision: "deny", class: gravity, why: `${deny.rule} forbids it` };
    }
    if (gravity === "safe") return { access, decision: "allow", class: gravity, why };
    const allow = allowed(this.#rules, access);
    if (allow && (gravity === "sensitive" || this.#liftsExtreme(access, allow.named))) {
      return { access, decision: "allow", class: gravity, why: `${allow.rule} allows it` };
    }
    if (always !== undefined && this.#granted.has(always)) {
      return { access, decision: "allow", class: gravity, why: `always allowed: ${always}` };
    }
    if (!this.#interactive) {
      return {
        access,
        decision: "deny",
        class: gravity,
        why: `${why}; ${howToAllow(access, gravity)}`,
      };
    }
    return { access, decision: "ask", class: gravity, why, ...(always && { always }) };
  }

  /** What is extreme is allowed only by `-A`, or for a path by naming it. */
  #liftsExtreme(access: Access, named: boolean): boolean {
    return this.#rules.allowAll || (named && access.kind !== "run");
  }
}

/** How grave an access is by itself, and what "Always" would store. */
function assess(access: Access): { class: PermissionClass; why: string; always?: string } {
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
      return protectedName(access.target)
        ? { class: "extreme", why: `writes a protected place: ${name}` }
        : sensitive(access, "changes a file");
    case "run": {
      const judged = classifyCommand(access.target);
      const grant = judged.class === "sensitive" ? grantFor(access.target) : undefined;
      return { ...judged, ...(grant && { always: `run=${grant}` }) };
    }
    default:
      return sensitive(access, `uses ${access.kind} ${name}`);
  }
}

function sensitive(access: Access, why: string) {
  return { class: "sensitive" as const, why, always: `${access.kind}=${nameOf(access)}` };
}

function nameOf(access: Access): string {
  return access.display ?? access.target;
}

/** The insides of `.git` and `.ally`, whatever their case. */
function protectedName(path: string): boolean {
  return /(^|\/)\.(git|ally)(\/|$)/i.test(path);
}

function howToAllow(access: Access, gravity: PermissionClass): string {
  if (access.kind === "run") {
    return gravity === "extreme" ? "only --allow-all allows it" : "allow it with --allow-run";
  }
  const named = access.inside === false || gravity === "extreme" ? `=${nameOf(access)}` : "";
  return `allow it with --allow-${access.kind}${named}`;
}
