/**
 * Runs a call whose commands the sandbox holds. One that failed for want of a power runs again with it, if a rule or
 * a person allows that; one that the sandbox stopped for another reason runs once outside, if a person says so.
 */
import type { Access, Answer, PermissionRequest, Verdict } from "../core/permission.ts";
import type { Power, SandboxBlock } from "../core/sandbox.ts";
import type { CallState } from "../core/event.ts";
import type { ToolResult } from "../core/tool.ts";
import { type DecidedCall, outsideRequestFor, powerRequestFor } from "./call_state.ts";
import { execute, type PipelineDeps, type PreparedCall } from "./pipeline.ts";
import { withOutsideNote, withPowerNote, withSandboxHint } from "./sandboxed_shell.ts";

/** What the call's scheduler does for it. */
interface HeldRunOptions {
  readonly deps: PipelineDeps;
  readonly signal: AbortSignal;
  readonly setState: (state: CallState) => void;
  readonly ask: (request: PermissionRequest) => Promise<Answer>;
  /** Logs and tells a decision. */
  readonly record: (
    prepared: DecidedCall,
    how: { decision: Answer["kind"]; by: string },
  ) => void;
  /** Counts a denial that no person gave. */
  readonly countDenied: () => void;
  /** Keeps what "Always" allows. */
  readonly grant: (
    accesses: readonly Access[],
    answer: Extract<Answer, { kind: "always" }>,
  ) => Promise<void>;
}

/** Runs it, as often as it is allowed to. Never throws. */
export async function runHeld(
  prepared: PreparedCall,
  options: HeldRunOptions,
): Promise<ToolResult> {
  const { deps, signal } = options;
  const given: Power[] = [];
  for (let held = prepared;;) {
    let blocked: SandboxBlock | undefined;
    const started = performance.now();
    const ran = await execute(held, { deps, signal, onBlocked: (by) => blocked ??= by });
    const result = given.length > 0 ? withPowerNote(ran, given) : ran;
    if (!blocked || result.ok || signal.aborted) return result;
    const missing = missingOf(held, blocked).filter((power) => !given.includes(power));
    if (missing.length === 0) return await runOutside(held, { blocked, result, options });
    given.push(...missing);
    const ms = performance.now() - started;
    const decided = await decidePowers(held, { powers: given, ms, options });
    if ("refusal" in decided) {
      const instead = [decided.refusal, blocked.instead].filter(Boolean).join(" ");
      return withSandboxHint(result, { ...blocked, instead });
    }
    options.setState("executing");
    held = decided.allowed;
  }
}

/** What commands that were judged could be given; a tool's own programs are not judged. */
function missingOf(
  { accesses }: PreparedCall,
  { missing = [], doubtful }: SandboxBlock,
): readonly Power[] {
  return doubtful || !accesses.some(({ kind }) => kind === "run") ? [] : missing;
}

/** Judges the call as one that names these powers, and asks if need be. */
async function decidePowers(
  prepared: PreparedCall,
  { powers, ms, options }: { powers: readonly Power[]; ms: number; options: HeldRunOptions },
): Promise<{ allowed: PreparedCall } | { refusal: string }> {
  const { deps, setState, ask, record, countDenied, grant } = options;
  const accesses = prepared.accesses.map((access) =>
    access.kind === "run" ? { ...access, powers } : access
  );
  const verdict = await deps.policy.judge(accesses);
  const again = { ...prepared, accesses, verdict };
  if (verdict.decision === "ask") {
    setState("awaiting_approval");
    const answer = await ask(powerRequestFor(again, { agent: deps.agent, ms }));
    const decision = answer.kind === "edit" ? "deny" : answer.kind;
    record(again, { decision, by: "user" });
    if (answer.kind === "always") await grant(accesses, answer);
    if (decision === "allow" || decision === "always") return { allowed: again };
    return { refusal: refusalOf(answer) };
  }
  record(again, { decision: verdict.decision, by: verdict.rule ?? "default" });
  if (verdict.decision === "allow") {
    await deps.policy.recordUse(accesses);
    return { allowed: again };
  }
  countDenied();
  return { refusal: deniedAdvice(verdict) };
}

function refusalOf(answer: Answer): string {
  return answer.kind === "instead"
    ? `The user did not give it that and says: ${answer.text}`
    : "The user did not give it that.";
}

function deniedAdvice({ why }: Verdict): string {
  return `It was denied that: ${why}. Do without it, or tell the user what it would need.`;
}

/** Asks whether a call may run outside of the sandbox that stopped it. */
async function runOutside(
  prepared: PreparedCall,
  { blocked, result, options }: {
    blocked: SandboxBlock;
    result: ToolResult;
    options: HeldRunOptions;
  },
): Promise<ToolResult> {
  const { deps, signal, setState, ask, record } = options;
  // Advice is better than a way out where there is one, or where it may have failed by itself.
  if (!deps.policy.interactive || blocked.doubtful) return withSandboxHint(result, blocked);
  setState("awaiting_approval");
  const request = outsideRequestFor(prepared, { agent: deps.agent, blocked });
  const answer = await ask(request);
  const decision = answer.kind === "allow" || answer.kind === "instead" ? answer.kind : "deny";
  const { risk, why } = request;
  record({ ...prepared, verdict: { ...prepared.verdict, risk, why } }, { decision, by: "user" });
  if (answer.kind !== "allow") {
    const words = answer.kind === "instead" ? ` and says: ${answer.text}` : ".";
    const refusal = `The user did not let it run outside${words}`;
    return withSandboxHint(result, {
      ...blocked,
      instead: [refusal, blocked.instead].filter(Boolean).join(" "),
    });
  }
  setState("executing");
  return withOutsideNote(await execute(prepared, { deps, signal, outside: true }));
}
