/**
 * How the sandbox is to hold commands that are allowed: by what was found out about them, and by the flags
 * on the network.
 */
import type { Need, SandboxPolicy } from "../core/sandbox.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";
import type { Rules } from "./rules.ts";

/** Programs that do to named files what was judged, and run nothing. */
const INERT = /^(mkdir|rmdir|touch|cp|mv|rm|tee|ln|chmod|cd)$/;

/** What commands that run together may do; what only reads gets nothing but the sight of its repository. */
export function sandboxPolicyOf(
  analyses: readonly ScriptAnalysis[],
  rules: readonly Pick<Rules, "allow" | "deny" | "allowAll">[],
): Omit<SandboxPolicy, "sandboxRequired"> {
  // Beside what gets more, the code that nobody knows gets it too.
  const parts = analyses.flatMap((analysis) => analysis.parts)
    .filter((part) => part.risk !== "safe" || part.tentative);
  const write = analyses.some((analysis) => analysis.risk !== "safe");
  const hidden = targetsDeniedByName("read", rules);
  const unwritable = targetsDeniedByName("write", rules);
  const shut = {
    ...(hidden.length > 0 && { hidden }),
    ...(unwritable.length > 0 && { unwritable }),
  };
  if (!write) return { write, needs: readsRepository(analyses) ? ["repository"] : [], ...shut };
  const asked = new Set(parts.flatMap((part) => part.needs));
  if (rules.some((one) => one.allowAll || one.allow.net === true)) asked.add("network");
  if (rules.some((one) => one.deny.net !== undefined)) {
    asked.delete("network");
    asked.delete("registries");
  }
  // What else runs beside git could write into the repository what git runs later, outside.
  const gitAlone = parts.every((part) => part.needs.includes("repository") || isInert(part));
  const fits = (need: Need) => gitAlone || !/^repository/.test(need);
  return { write, needs: [...asked].filter(fits), ...shut };
}

/**
 * Whether git is among programs that are known to only read: it has to see all of the repository that the workspace
 * lies in.
 */
function readsRepository(analyses: readonly ScriptAnalysis[]): boolean {
  const parts = analyses.flatMap((analysis) => analysis.parts);
  return parts.every(({ tentative }) => !tentative) &&
    parts.some(({ programs }) => programs.includes("git"));
}

/** How people call what a command gets: it only reads, writes the workspace, or reaches the network too. */
export type SandboxProfileName = "closed" | "workspace" | "network";

/** The name of a policy's profile. */
export function profileName(
  { write, needs }: Pick<SandboxPolicy, "write" | "needs">,
): SandboxProfileName {
  if (!write) return "closed";
  return needs.includes("network") || needs.includes("registries") ? "network" : "workspace";
}

/** The paths or hosts that rules deny by name. */
export function targetsDeniedByName(
  kind: "read" | "write" | "net",
  rules: readonly Pick<Rules, "deny">[],
): readonly string[] {
  return rules.flatMap(({ deny }) => Array.isArray(deny[kind]) ? deny[kind] : []);
}

/** A redirection, or a command that runs no code of the workspace. */
function isInert({ programs }: AnalyzedPart): boolean {
  return programs.every((program) => INERT.test(program));
}
