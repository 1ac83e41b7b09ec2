/**
 * How far each call of a reply has come, and what follows from that for the others: which may run together,
 * which repeat an earlier one, what a person is asked. Pure; the scheduler moves calls from state to state.
 */
import { isDeepStrictEqual } from "node:util";
import type { ToolCall } from "../core/message.ts";
import type { PermissionRequest } from "../core/permission.ts";
import type { AgentIdentity, Effect, ToolDefinition } from "../core/tool.ts";
import type { JsonObject } from "../lib/schema.ts";
import { draftOf, type EditedCall } from "./edited.ts";
import { changedPaths } from "./edited_content.ts";
import type { Failed, Prepared } from "./pipeline.ts";

/** How far a call has come. */
export type Slot =
  & {
    readonly call: ToolCall;
    readonly input: JsonObject;
    /** Absent if there is no such tool or its arguments were wrong. */
    readonly definition: ToolDefinition | undefined;
    /** Set if the person edited the call. */
    readonly edited?: EditedCall;
  }
  & (
    | { readonly state: "ready"; readonly prepared: Prepared }
    | { readonly state: "failed"; readonly failed: Failed }
    | { readonly state: "denied"; readonly failed: Failed }
    /** Could not be prepared while earlier calls have not run; tried again at its turn. */
    | { readonly state: "deferred" }
  );

/** A call that waits for its turn. */
export type ReadySlot = Slot & { readonly state: "ready" };

const PARALLEL: ReadonlySet<Effect> = new Set(["read", "net", "delegate"]);

/** What a person is asked about a call. */
export function requestFor(prepared: Prepared, agent: AgentIdentity): PermissionRequest {
  const { call, tool, description, verdict, previews } = prepared;
  return {
    callId: call.id,
    agent,
    tool: tool.definition.name,
    description,
    class: verdict.class,
    why: verdict.why,
    always: verdict.always,
    parts: verdict.parts,
    previews,
    draft: draftOf(prepared),
  };
}

/** Consecutive calls that may run together, and every other call by itself. */
export function batches(slots: readonly Slot[]): Slot[][] {
  const result: Slot[][] = [];
  let open: Slot[] | undefined;
  for (const slot of slots) {
    if (!mayRunBeside(slot)) {
      result.push([slot]);
      open = undefined;
    } else if (open) {
      open.push(slot);
    } else {
      result.push(open = [slot]);
    }
  }
  return result;
}

function mayRunBeside(slot: Slot): boolean {
  return slot.state === "ready" &&
    slot.prepared.effects.every((effect) => PARALLEL.has(effect));
}

/** Whether an earlier call of the reply is the same. */
export function isRepetition(prepared: Prepared, earlier: readonly Slot[]): boolean {
  return earlier.some((slot) =>
    slot.state === "ready" && slot.prepared.tool === prepared.tool &&
    isDeepStrictEqual(slot.prepared.input, prepared.input)
  );
}

/** What the policy says of a call that could be prepared. */
export function verdictOf(slot: Slot): "allow" | "ask" | "deny" | undefined {
  return slot.state === "ready" ? slot.prepared.verdict.decision : undefined;
}

/** The files that a call would change. */
export function pathsOf(slot: Slot): string[] {
  return slot.state === "ready" ? changedPaths(slot.prepared.plan) : [];
}

/** Why an edited call may not even be asked about. */
export function refusalOf(slot: Slot): string | undefined {
  if (slot.state === "failed") return slot.failed.error.message;
  if (slot.state !== "ready") return "an earlier call changes the same file first";
  const { decision, why } = slot.prepared.verdict;
  return decision === "deny" ? why : undefined;
}
