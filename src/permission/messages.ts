/**
 * What a decision is called: by which rule it was made, what an access is about, how it can be allowed. The
 * policy says it to people and to the model.
 */
import type { Access, CommandPart, PermissionClass, Verdict } from "../core/permission.ts";
import type { Rule } from "../core/rule.ts";
import type { Judgement } from "../shell/classify.ts";
import type { Ban } from "./banned.ts";
import { remoteTool } from "./rules.ts";

/** The decision on a command that runs a banned program. */
export function banned(
  { program, why }: Ban,
): Pick<Verdict, "decision" | "why" | "rule" | "banned"> {
  return {
    decision: "deny",
    why: `${program} is banned: ${why}`,
    rule: `ban list: ${program}`,
    banned: `Do without ${program}, or tell the user. Only the user can allow it: ` +
      `with a list without it as "banned_commands" in ~/.ally/config.json ([] bans nothing).`,
  };
}

/** That a rule decided. */
export function decidedBy(rule: string, verb: "allows" | "forbids"): { rule: string; why: string } {
  return { rule, why: `${rule} ${verb} it` };
}

/** A stored rule, as it is named where it decides. */
export function storedName({ id, scope, text }: Rule): string {
  return `${scope} rule ${id} (${text})`;
}

/** Of a part of a command, what is shown. */
export function shownPart({ command, class: gravity, why }: CommandPart): CommandPart {
  return { command, class: gravity, why };
}

/** The reason, and that it gets the network if the reason does not say so. */
export function whyOf({ class: gravity, why, parts }: Judgement): string {
  const network = gravity !== "safe" && parts.some(({ needs }) => needs.includes("network"));
  return network && !/network/.test(why) ? `${why}, with network` : why;
}

/** What an access is about. */
export function nameOf(access: Access): string {
  return access.display ?? access.target;
}

/** Which flag would allow what nobody is there to ask about. */
export function howToAllow(access: Access, gravity: PermissionClass): string {
  if (access.kind === "run") {
    return gravity === "extreme" ? "only --allow-all allows it" : "allow it with --allow-run";
  }
  const remote = remoteTool(access.target);
  if (remote) return `allow it with --allow-net=mcp:${remote.server}`;
  const named = access.inside === false || gravity === "extreme" ? `=${nameOf(access)}` : "";
  return `allow it with --allow-${access.kind}${named}`;
}
