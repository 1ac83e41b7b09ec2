/**
 * How judged command lines run: what each may do in the sandbox, and which of them are cut into parts with sandboxes
 * of their own.
 */
import type { PathFacts } from "../core/path_facts.ts";
import type { Confinement } from "../core/permission.ts";
import type { PartedScript, SandboxPolicy } from "../core/sandbox.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";
import type { Rules } from "./rules.ts";
import { fitsAnywhere, sandboxPolicyOf } from "./sandbox_policy.ts";

/** A command line as it was judged. */
export interface JudgedScript {
  readonly text: string;
  readonly analysis: ScriptAnalysis;
}

/** What decides about the sandbox, beside the commands. */
interface ConfinementOptions {
  readonly rules: readonly Rules[];
  readonly pathFacts: PathFacts;
  /** Whether there is a sandbox that holds. */
  readonly sandboxed: boolean;
  /** The canonical text of each command line; absent if they run as written. */
  readonly runs: Confinement["runs"];
}

/** How these command lines run; command lines of one call share nothing but their call. */
export async function confine(
  scripts: readonly JudgedScript[],
  { rules, pathFacts, sandboxed, runs }: ConfinementOptions,
): Promise<Confinement> {
  const policyOf = (parts: readonly AnalyzedPart[]): SandboxPolicy => ({
    ...sandboxPolicyOf(parts, rules),
    sandboxRequired: sandboxed,
  });
  const sandboxPolicy = policyOf(scripts.flatMap(({ analysis }) => analysis.parts));
  if (!sandboxed) return { sandboxPolicy };
  const parted = new Map<string, PartedScript>();
  for (const { text, analysis } of scripts) {
    const script = await partScript({ text, analysis }, { policyOf, pathFacts, runs });
    const canonical = runs?.get(text) ?? text;
    if (script) parted.set(text, script);
    else if (scripts.length > 1 && typeof canonical === "string") {
      const policy = policyOf(analysis.parts);
      parted.set(text, { kind: "script", text: canonical, policy, readsStatus: false });
    }
  }
  return { sandboxPolicy, ...(parted.size > 0 && { parted }) };
}

async function partScript(
  { text, analysis }: JudgedScript,
  { policyOf, pathFacts, runs }:
    & { policyOf: (parts: readonly AnalyzedPart[]) => SandboxPolicy }
    & Pick<ConfinementOptions, "pathFacts" | "runs">,
): Promise<PartedScript | undefined> {
  if (!analysis.segments || analysis.risk === "safe") return undefined;
  const { partScript } = await import("./parted_script.ts");
  return partScript(analysis, {
    source: text,
    form: runs ? "canonical" : "written",
    pathFacts,
    policyOf: (parts) => fitsAnywhere(parts) ? undefined : policyOf(parts),
    closed: policyOf([]),
  });
}
