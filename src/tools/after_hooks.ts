/**
 * The hooks after a call: they learn what it came to, and may tell the model something besides.
 */
import type { Files } from "../core/files.ts";
import type { Hooks } from "../core/hooks.ts";
import type { AgentIdentity } from "../core/tool.ts";
import type { CallOutcome } from "./call_outcome.ts";
import { namedPaths, resolvePaths } from "./hooked_call.ts";
import type { PreparedCall } from "./pipeline.ts";

/** What they are run with. */
interface AfterOptions {
  readonly agent: AgentIdentity;
  readonly hooks: Hooks;
  readonly signal: AbortSignal;
  readonly files: Files;
  readonly prepared: PreparedCall;
}

/** Runs the hooks after a call that ran; the outcome with what the model is told of them. */
export async function runHooksAfter(
  outcome: CallOutcome,
  { agent, hooks, signal, files, prepared }: AfterOptions,
): Promise<CallOutcome> {
  const { call, definition, input, plan } = prepared;
  const planned = plan?.changes.map(({ path }) => path.absolute) ?? [];
  const marked = outcome.files?.filter(({ how }) => how === "changed").map(({ path }) => path) ??
    [];
  const named = await resolvePaths([...namedPaths(definition, input), ...marked], files);
  const { notes } = await hooks.run("after_tool", {
    tool: definition.name,
    call_id: call.id,
    arguments: input,
    paths: [...new Set([...planned, ...named])],
    success: outcome.result.ok,
    result: outcome.record,
  }, { agent, signal });
  return { ...outcome, notes: [...outcome.notes ?? [], ...notes] };
}
