/**
 * What the log keeps of a decision about a call. The scheduler notes every one, automatic ones too.
 */
import type { PermissionDecision } from "../core/decision.ts";
import type { PreparedCall } from "./pipeline.ts";

/** The decision about a prepared call, with all that it wanted to do. */
export function decisionOn(
  { accesses, verdict, tool, call }: PreparedCall,
  { agent, decision, by }: Pick<PermissionDecision, "agent" | "decision" | "by">,
): PermissionDecision {
  return {
    agent,
    tool: tool.definition.name,
    callId: call.id,
    kinds: [...new Set(accesses.map(({ kind }) => kind))],
    what: accesses.map(({ target }) => target).join("\n"),
    risk: verdict.risk,
    reasons: verdict.parts?.map(({ command, why }) => `${command}: ${why}`) ?? [verdict.why],
    decision,
    by,
  };
}
