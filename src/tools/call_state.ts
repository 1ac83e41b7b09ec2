/**
 * How far each call of a reply has come, and what follows from that for the others: which may run together,
 * which repeat an earlier one, what a person is asked. Pure; the scheduler moves calls from state to state.
 */
import { isDeepStrictEqual } from "node:util";
import type { ToolCall } from "../core/message.ts";
import type { PermissionRequest } from "../core/permission.ts";
import type { AgentIdentity, Effect, ToolDefinition } from "../core/tool.ts";
import type { JsonObject } from "../lib/schema.ts";
import { editableCallOf, type EditedCall } from "./edited_call.ts";
import { changedPaths } from "./edited_content.ts";
import type { FailedResult, PreparedCall } from "./pipeline.ts";

/** How far a call has come. */
export type TrackedCall =
  & {
    readonly call: ToolCall;
    readonly input: JsonObject;
    /** Absent if there is no such tool or its arguments were wrong. */
    readonly definition: ToolDefinition | undefined;
    /** Set if the person edited the call. */
    readonly edited?: EditedCall;
  }
  & (
    | { readonly state: "ready"; readonly prepared: PreparedCall }
    | { readonly state: "failed"; readonly failed: FailedResult }
    | { readonly state: "denied"; readonly failed: FailedResult }
    /** Could not be prepared while earlier calls have not run; tried again at its turn. */
    | { readonly state: "deferred" }
  );

/** A call that waits for its turn. */
export type ReadyCall = TrackedCall & { readonly state: "ready" };

const PARALLEL: ReadonlySet<Effect> = new Set(["read", "net", "delegate"]);

/** What a person is asked about a call. */
export function requestFor(prepared: PreparedCall, agent: AgentIdentity): PermissionRequest {
  const { call, tool, description, verdict, previews } = prepared;
  return {
    callId: call.id,
    agent,
    tool: tool.definition.name,
    description,
    risk: verdict.risk,
    why: verdict.why,
    always: verdict.always,
    parts: verdict.parts,
    previews,
    editable: editableCallOf(prepared),
  };
}

/** Consecutive calls that may run together, and every other call by itself. */
export function groupBatches(slots: readonly TrackedCall[]): TrackedCall[][] {
  const result: TrackedCall[][] = [];
  let open: TrackedCall[] | undefined;
  for (const state of slots) {
    if (!canRunInParallel(state)) {
      result.push([state]);
      open = undefined;
    } else if (open) {
      open.push(state);
    } else {
      result.push(open = [state]);
    }
  }
  return result;
}

function canRunInParallel(state: TrackedCall): boolean {
  return state.state === "ready" &&
    state.prepared.effects.every((effect) => PARALLEL.has(effect));
}

/** Whether an earlier call of the reply is the same. */
export function isRepetition(prepared: PreparedCall, earlier: readonly TrackedCall[]): boolean {
  return earlier.some((state) =>
    state.state === "ready" && state.prepared.tool === prepared.tool &&
    isDeepStrictEqual(state.prepared.input, prepared.input)
  );
}

/** What the policy says of a call that could be prepared. */
export function verdictOf(state: TrackedCall): "allow" | "ask" | "deny" | undefined {
  return state.state === "ready" ? state.prepared.verdict.decision : undefined;
}

/** The files that a call would change. */
export function changedPathsOf(state: TrackedCall): string[] {
  return state.state === "ready" ? changedPaths(state.prepared.plan) : [];
}

/** Why an edited call may not even be asked about. */
export function refusalOf(state: TrackedCall): string | undefined {
  if (state.state === "failed") return state.failed.error.message;
  if (state.state !== "ready") return "an earlier call changes the same file first";
  const { decision, why } = state.prepared.verdict;
  return decision === "deny" ? why : undefined;
}
