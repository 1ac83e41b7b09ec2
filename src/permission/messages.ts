/**
 * How a decision is told to people and to the model: by which rule it was made, what an access is about, how it
 * can be allowed.
 */
import type { Access, CommandPart, Risk, Verdict } from "../core/permission.ts";
import type { Rule } from "../core/rule.ts";
import type { SandboxPolicy, TextSpan } from "../core/sandbox.ts";
import { cutSafely } from "../lib/excerpt.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";
import type { Ban } from "./banned.ts";
import { describeNeeds, describeWithheld, isOnlyWrite } from "./powers.ts";
import { remoteTool, type Rules } from "./rules.ts";
import { powersOf } from "./sandbox_policy.ts";

/** What a call that does more than read is told in plan mode. */
export const PLAN_MODE_VERDICT: Verdict = {
  decision: "deny",
  risk: "sensitive",
  why: "plan mode: only reading",
  banned: "Look with read, grep, glob and ls, and answer with a plan. The user ends plan mode.",
};

/** The decision on a command that runs a banned program. */
export function banDecision(
  { program, why }: Ban,
): Pick<Verdict, "decision" | "why" | "rule" | "banned"> {
  return {
    decision: "deny",
    why: `${program} is banned: ${why}`,
    rule: `ban list: ${program}`,
    banned:
      `Do without ${program}, by whatever name, or tell the user. Only the user can allow it: ` +
      `with a list without it as "banned_commands" in ~/.ally/config.json ([] bans nothing).`,
  };
}

/** The verdict on a command line of which one part fits into no sandbox, and what stands beside it is to run in one. */
export function refuseApart(
  verdict: Verdict,
  part: Pick<AnalyzedPart, "command" | "outside"> | undefined,
): Verdict {
  if (!part || verdict.decision !== "ask") return verdict;
  const name = `\`${shorten(part.command)}\``;
  return {
    ...verdict,
    decision: "deny",
    why:
      `no sandbox lets ${name} write ${part.outside}, and what stands beside it is to run in one`,
    banned: `Run ${name} by itself: the user can let that run outside. Then run the rest.`,
  };
}

/** That a rule decided. */
export function ruleReason(
  rule: string,
  verb: "allows" | "forbids",
): { rule: string; why: string } {
  return { rule, why: `${rule} ${verb} it` };
}

/** A stored rule, as it is named where it decides. */
export function storedRuleName({ id, scope, text }: Rule): string {
  return `${scope} rule ${id} (${text})`;
}

/** Of a part of a command, what is shown, with what it may do in the sandbox if there is one. */
export function publicPart(
  { command, risk, why, needs, openRisk, programs, opaque }: AnalyzedPart,
  policy?: SandboxPolicy,
): CommandPart {
  if (!policy) return { command, risk, why };
  const powers = powersOf(policy);
  const withheld = describeWithheld(needs.filter((need) => policy.withheld?.includes(need)));
  const unnamed = programs.find((program) => policy.unnamed?.includes(program));
  const reason = unnamed
    ? `as nobody named it (--allow-run=${unnamed})`
    : opaque
    ? "as only running it shows what these would be given to"
    : "because it shares its shell";
  const closed = openRisk === undefined || policy.write ? "" : "closed, so that it changes nothing";
  const gets = risk === "safe" ? closed : [
    describeNeeds(powers),
    withheld && `${withheld}, ${reason}`,
  ].filter((text) => text !== "").join(", ");
  return { command, risk, why, powers, ...(gets !== "" && { gets }) };
}

/** The reason, with what a command gets beyond the workspace; of several parts each says that itself. */
export function reasonOf({ risk, why, parts }: ScriptAnalysis): string {
  const [only, ...others] = parts;
  const gets = risk === "safe" || !only || others.length > 0 ? "" : describeNeeds(only.needs, why);
  return gets === "" ? why : `${why}, ${gets}`;
}

/** A part of a command line, as people and the model know it. */
export function quotePart(command: string, { pos, end }: TextSpan): string {
  return `\`${shorten(command.slice(pos, end))}\``;
}

/** A command in one line of 60 characters at most. */
function shorten(command: string): string {
  return cutSafely(command.replace(/\s+/g, " "), 60);
}

/** What an access is about. */
export function accessName(access: Access): string {
  return access.display ?? access.target;
}

/** Why a command is asked about that would run unasked if it had a canonical text. */
export function plainnessReason(problem: string): string {
  return `ally cannot write it anew in plain words, and so cannot be sure what bash makes of it (it uses ${problem})`;
}

/** Why rules for all parts of a command line are none for the whole. */
export const RULES_APART =
  "rules allow its parts each by itself: here one could change files that the rule for another is bound to";

/** Why a list of programs does not allow a command though it names some of them. */
export function uncoveredReason(
  { part: { command, why, unheld }, isNamed }: {
    readonly part: AnalyzedPart;
    readonly isNamed: boolean;
  },
): string {
  const part = shorten(command);
  return isNamed && unheld !== "uncertain"
    ? `${part}: its program is allowed in plain commands alone, not with variables, settings of the shell, patterns or redirections`
    : `${part}: ${why}`;
}

/** What to do about it where nobody can be asked. */
export const WRITE_PLAINLY =
  "write it as simple commands with plain words, pipes and loops, or allow all commands with --allow-run";

/** How a command is allowed by `--allow-run`, of which a list may be given already. */
function howToList(parts: readonly AnalyzedPart[], rules: readonly Rules[]): string {
  const listed = rules.flatMap(({ source = "flag", allow: { run } }) =>
    source === "flag" && Array.isArray(run) ? run : []
  );
  const isListed = listed.length > 0;
  const all = isListed ? "give --allow-run without a list" : "allow it with --allow-run";
  const asking = parts.filter(({ risk }) => risk !== "safe");
  if (asking.some(({ unheld }) => unheld === "uncertain")) {
    return `make one plain command a call of its own, or ${all}`;
  }
  const programs = asking.flatMap(({ argv = [] }) => argv.slice(0, 1))
    .filter((program) => !listed.includes(program));
  // What is no plain command is covered by no name.
  if (!isListed || programs.length === 0 || !asking.every(({ plain }) => plain)) return all;
  return `name its program (--allow-run=${
    [...new Set([...listed, ...programs])].join(",")
  }) or ${all}`;
}

/** Which flag would allow an access that is denied because there is no one to ask. */
export function howToAllow(
  access: Access,
  { risk, outerTree, keyedByName = [], analysis, rules = [] }: {
    readonly risk: Risk;
    /** The top of a working tree that a command of git writes beyond the workspace. @default it writes none */
    readonly outerTree?: string | undefined;
    /** Programs of a command that failed for want of keys, which a flag that names them gives. */
    readonly keyedByName?: readonly string[];
    /** Of a command line. */
    readonly analysis?: ScriptAnalysis | undefined;
    /** Those in force. @default none */
    readonly rules?: readonly Rules[];
  },
): string {
  if (access.kind === "run") {
    if (outerTree !== undefined) {
      return `start ally in ${outerTree}, or with --add-dir ${outerTree}: here git would go on without the files beyond ` +
        "the workspace (git add, git commit, git restore FILE and what only reads work)";
    }
    if (keyedByName.length > 0) return `allow it with --allow-run=${keyedByName.join(",")}`;
    if (!isOnlyWrite(access.powers)) {
      const isNetwork = access.powers?.every((power) => power === "network" || power === "write");
      return isNetwork ? "allow the network with --allow-net" : "only a person can allow it";
    }
    if (risk === "extreme") return "only --allow-all allows it";
    return howToList(analysis?.parts ?? [], rules);
  }
  const remote = remoteTool(access.target);
  if (remote) return `allow it with --allow-net=mcp:${remote.server}`;
  const named = access.inside === false || risk === "extreme" ? `=${accessName(access)}` : "";
  return `allow it with --allow-${access.kind}${named}`;
}
