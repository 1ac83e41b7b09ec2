/**
 * The powers of commands in words, and what asking for one means that a first run lacked.
 */
import { type CommandPart, higherRisk, type Risk } from "../core/permission.ts";
import type { Need, Power, SandboxPolicy } from "../core/sandbox.ts";
import type { GrantOffers } from "../core/rule.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";

/** What lies beyond the workspace, in the order in which it is told. */
const NAMES: Readonly<Record<Need, string>> = {
  network: "the network",
  keys: "your keys",
  registries: "your logins to package registries",
  services: "the services of this machine",
  repository: ".git",
  repository_config: "git's configuration",
};

/** What a part of a command may do, for who wants to know. */
export function describePowers({ risk, powers = [], gets }: CommandPart): string {
  if (!powers.includes("write")) return "closed: it can change nothing";
  if (risk === "safe" && gets === undefined) {
    return "its redirections, and what runs with it, may change the workspace";
  }
  return gets === undefined ? "may change the workspace" : `may change the workspace, ${gets}`;
}

/** Powers with which harm is done outside of the sandbox too. */
const GRAVE: ReadonlySet<Power> = new Set(["keys", "services", "repository", "repository_config"]);

/** "with the network, with your keys, may change .git"; empty if there is nothing to say beyond a reason. */
export function describeNeeds(needs: readonly Power[], why = ""): string {
  const untold = inOrder(needs).filter((need) => !why.includes(NAMES[need]));
  return untold.map((need) => `${isGit(need) ? "may change" : "with"} ${NAMES[need]}`)
    .join(", ");
}

/** "without the network, without .git"; empty if there is nothing to say. */
export function describeWithheld(needs: readonly Need[]): string {
  return inOrder(needs).map((need) => `without ${NAMES[need]}`).join(", ");
}

/** "to change files of the workspace and the network". */
export function describeMissing(powers: readonly Power[]): string {
  return [
    ...(powers.includes("write") ? ["to change files of the workspace"] : []),
    ...inOrder(powers).map((need) => `${isGit(need) ? "to change " : ""}${NAMES[need]}`),
  ].join(" and ");
}

function inOrder(powers: readonly Power[]): Need[] {
  return (Object.keys(NAMES) as Need[]).filter((need) => powers.includes(need));
}

function isGit(need: Need): boolean {
  return need.startsWith("repository");
}

/** Whether code of the workspace could do lasting harm with a power. */
export function isGrave(power: Power): boolean {
  return GRAVE.has(power);
}

/** How risky it is to give powers to a command that was not known to need them. */
function riskOfPowers(powers: readonly Power[]): Risk {
  return powers.some(isGrave) ? "extreme" : "sensitive";
}

/** The same command as one that names these powers. */
export function withPowers(analysis: ScriptAnalysis, powers: readonly Power[]): ScriptAnalysis {
  const risk = riskOfPowers(powers);
  const onlyReads = analysis.parts.every(isKnownSafe);
  const needs = needsIn(powers);
  const parts = analysis.parts.map((part) => {
    if (isKnownSafe(part) && !onlyReads) return part;
    const { held, ...bare } = withNeeds(part, needs);
    return {
      ...bare,
      ...(held && needs.length === 0 && { held }),
      risk: higherRisk(part.risk, risk),
    };
  });
  return { ...analysis, risk: parts.map((part) => part.risk).reduce(higherRisk, risk), parts };
}

/** What is known to only read is not what lacked something, unless there is nothing else. */
function isKnownSafe({ risk, openRisk }: AnalyzedPart): boolean {
  return risk === "safe" && openRisk === undefined;
}

/** What a part of a command line gets that is given these powers too. */
export function withPolicyPowers(
  { withheld: _, tentative: _tentative, showsFiles: _shows, unnamed, ...policy }: SandboxPolicy,
  powers: readonly Power[],
): SandboxPolicy {
  const needs = [...new Set([...policy.needs, ...needsIn(powers)])];
  return {
    ...policy,
    write: true,
    needs,
    ...(unnamed && !powers.includes("keys") && { unnamed }),
  };
}

function needsIn(powers: readonly Power[]): Need[] {
  return powers.filter((power) => power !== "write");
}

/** What may be stored for a command that asks for these powers: only the workspace goes to more than itself. */
export function offersWithPowers(offers: GrantOffers, powers: readonly Power[]): GrantOffers {
  if (isOnlyWrite(powers)) return offers;
  return offers.exact ? { exact: offers.exact } : {};
}

/** Whether rules that allow a command give it what it lacked: nothing beyond the workspace. */
export function isOnlyWrite(powers: readonly Power[] | undefined): boolean {
  return powers?.every((power) => power === "write") ?? true;
}

/** The parts with what stored rules gave these very commands beside what they name. */
export function withGrantedNeeds<P extends Pick<AnalyzedPart, "argv" | "cwds" | "needs">>(
  parts: readonly P[],
  granted: readonly { argv: readonly string[]; cwd: string; needs?: readonly Need[] }[],
): P[] {
  return parts.map((part) => {
    const more = granted.filter(({ argv, cwd }) =>
      part.cwds.includes(cwd) && JSON.stringify(argv) === JSON.stringify(part.argv)
    ).flatMap(({ needs = [] }) => needs);
    return more.length === 0 ? part : withNeeds(part, more);
  });
}

/** A part with what a person gave it beside what it names. */
function withNeeds<P extends Pick<AnalyzedPart, "needs">>(part: P, more: readonly Need[]) {
  const isNamed = more.includes("keys") && { isNamed: true as const };
  return { ...part, needs: [...new Set([...part.needs, ...more])], ...isNamed };
}
