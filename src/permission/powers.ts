/**
 * The powers of commands in words, and what asking for one means that a first run lacked.
 */
import { higherRisk, type Risk } from "../core/permission.ts";
import type { Need, Power } from "../core/sandbox.ts";
import type { GrantOffers } from "../core/rule.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";

/** What a command may do with a power, as its question says it. */
const GIVEN: Readonly<Record<Need, string>> = {
  network: "with the network",
  keys: "with your keys",
  registries: "with your logins to package registries",
  services: "with the services of this machine",
  repository: "may change .git",
  repository_config: "may change git's configuration",
};

/** What a command needs that lacked a power. */
const NEEDED: Readonly<Record<Power, string>> = {
  write: "to change files of the workspace",
  network: "the network",
  keys: "your keys",
  registries: "your logins to package registries",
  services: "the services of this machine",
  repository: "to change .git",
  repository_config: "to change git's configuration",
};

/** Powers that code of the workspace could do lasting harm with, outside of the sandbox too. */
const GRAVE: ReadonlySet<Power> = new Set(["keys", "services", "repository", "repository_config"]);

/** "with the network, with your keys, may change .git", in this order; empty if there is nothing to say. */
export function describeNeeds(needs: readonly Need[]): string {
  return Object.entries(GIVEN)
    .filter(([need]) => needs.includes(need as Need))
    .map(([, words]) => words).join(", ");
}

/** "to change files of the workspace and the network". */
export function describeMissing(powers: readonly Power[]): string {
  return powers.map((power) => NEEDED[power]).join(" and ");
}

/** How risky it is to give powers to a command that was not known to need them. */
export function riskOfPowers(powers: readonly Power[]): Risk {
  return powers.some((power) => GRAVE.has(power)) ? "extreme" : "sensitive";
}

/** The same command as one that names these powers. */
export function withPowers(analysis: ScriptAnalysis, powers: readonly Power[]): ScriptAnalysis {
  const risk = riskOfPowers(powers);
  const parts = analysis.parts.map((part) => ({
    ...part,
    risk: higherRisk(part.risk, risk),
    needs: [...new Set([...part.needs, ...needsIn(powers)])],
  }));
  return { ...analysis, risk: higherRisk(analysis.risk, risk), parts };
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
    return more.length === 0 ? part : { ...part, needs: [...new Set([...part.needs, ...more])] };
  });
}
