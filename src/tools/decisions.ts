/**
 * What the log keeps of a decision about a call. The scheduler notes every one, automatic ones too.
 */
import type { Decision } from "../core/decision.ts";
import type { Prepared } from "./pipeline.ts";

/** The decision about a prepared call, with all that it wanted to do. */
export function decisionOn(
  { accesses, verdict, tool, call }: Prepared,
  { agent, decision, by }: Pick<Decision, "agent" | "decision" | "by">,
): Decision {
  return {
    agent,
    tool: tool.definition.name,
    callId: call.id,
    kinds: [...new Set(accesses.map(({ kind }) => kind))],
    what: accesses.map(({ target }) => target).join("\n"),
    class: verdict.class,
    reasons: verdict.parts?.map(({ command, why }) => `${command}: ${why}`) ?? [verdict.why],
    decision,
    by,
  };
}
