/**
 * How far each call of a reply has come, and what follows from that for the others: which may run together,
 * which repeat an earlier one, what a person is asked and what is logged of the answer. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import type { CommandChanges } from "../core/command_watch.ts";
import type { PermissionDecision } from "../core/decision.ts";
import type { ToolCall } from "../core/message.ts";
import type { PermissionRequest } from "../core/permission.ts";
import type { SandboxBlock } from "../core/sandbox.ts";
import type { AgentIdentity, Effect, ToolDefinition } from "../core/tool.ts";
import { cutEnd, formatDuration, quoteName } from "../lib/text.ts";
import type { JsonObject } from "../lib/schema.ts";
import type { ResumedScript } from "../permission/resumed_script.ts";
import { findUnusual } from "../permission/unusual.ts";
import { editableCallOf, type EditedCall } from "./edited_call.ts";
import { changedPaths } from "./edited_content.ts";
import type { PreparedCall } from "./pipeline.ts";
import { runsWithoutChanges } from "./read_only_call.ts";
import type { FailedResult } from "./record.ts";
import { describeTakenBack, outsideQuestion } from "./sandboxed_shell.ts";

/** How far a call has come. */
export type TrackedCall =
  & {
    readonly call: ToolCall;
    readonly input: JsonObject;
    /** Absent if there is no such tool or its arguments were wrong. */
    readonly definition: ToolDefinition | undefined;
    /** Set if the person edited the call. */
    readonly edited?: EditedCall;
    /** Set if the person was asked about the call and allowed it. */
    readonly chosen?: true;
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

/** Whether a call waits for its turn. */
export function isReady(tracked: TrackedCall): tracked is ReadyCall {
  return tracked.state === "ready";
}

/** Whether a person must be asked about a call. */
export function needsAnswer(tracked: TrackedCall): tracked is ReadyCall {
  return isReady(tracked) && tracked.prepared.verdict.decision === "ask";
}

/** The call as one that is prepared anew at its turn. */
export function defer({ call, input, definition }: TrackedCall): TrackedCall {
  return { call, input, definition, state: "deferred" };
}

/** What a person is asked about a call. */
export function requestFor(prepared: PreparedCall, agent: AgentIdentity): PermissionRequest {
  const { call, definition, description, verdict, previews } = prepared;
  const { outside } = verdict;
  const unusual = findUnusual(prepared);
  return {
    callId: call.id,
    agent,
    tool: definition.name,
    description,
    risk: verdict.risk,
    ...(outside === undefined ? { why: verdict.why } : {
      why: `${verdict.why}; it would run outside of the sandbox, which keeps ${
        quoteName(outside)
      } as it is`,
      outsideSandbox: true,
    }),
    offers: verdict.offers ?? [],
    parts: verdict.parts,
    previews,
    ...(unusual.length > 0 && { unusual }),
    editable: editableCallOf(prepared),
  };
}

/** What a person is asked once a call has failed because of the sandbox: neither Always nor an edit. */
export function outsideRequestFor(
  prepared: PreparedCall,
  { agent, blocked, changes }: {
    agent: AgentIdentity;
    blocked: SandboxBlock;
    /** What is taken back before. */
    changes: CommandChanges | undefined;
  },
): PermissionRequest {
  const { parts } = prepared.verdict;
  return {
    ...requestFor(prepared, agent),
    // What they got in the sandbox is not what they get.
    parts: parts?.map(({ gets: _, ...part }) => part),
    risk: "extreme",
    why: outsideQuestion(blocked, { hasParts: (parts?.length ?? 0) > 1, changes }),
    outsideSandbox: true,
    offers: [],
    editable: undefined,
  };
}

/** Milliseconds after which a command ran for long. */
const LONG = 10_000;

/** What a person is asked about a call that failed for want of a power, and would run again: no edit. */
export function powerRequestFor(
  prepared: PreparedCall,
  { agent, ms, from, isPart, changes }: {
    agent: AgentIdentity;
    ms: number;
    from: ResumedScript["from"];
    /** Whether it is but a part that failed. */
    isPart: boolean;
    /** What is taken back before. */
    changes: CommandChanges | undefined;
  },
): PermissionRequest {
  const { why } = prepared.verdict;
  const time = ms < LONG ? "" : ` (after ${formatDuration(ms)})`;
  const next = from === "part" ? "go on from there" : `run ${isPart ? "the command" : "it"} again`;
  return {
    ...requestFor(prepared, agent),
    why: `${why}${time}; give it that, ${describeTakenBack(changes) || "and "}${next}?`,
    editable: undefined,
  };
}

/** A call as far as a decision about it is about. */
export interface DecidedCall extends Pick<PreparedCall, "accesses" | "call"> {
  readonly definition: Pick<PreparedCall["definition"], "name">;
  readonly verdict: Pick<PreparedCall["verdict"], "risk" | "why" | "parts">;
  /** Stands for what is not known to be accessed. @default the accesses */
  readonly what?: string;
}

/** Characters that are kept of the arguments of a call that was refused. */
const MAX_ARGUMENTS = 2_000;

/** A call that was refused before anybody could allow it. */
export function refusedCall(
  { call, definition }: Pick<TrackedCall, "call" | "definition">,
  { error }: FailedResult,
): DecidedCall {
  const why = error.message.replace(/^Permission denied: /, "");
  return {
    call,
    definition: { name: definition?.name ?? call.name },
    accesses: [],
    verdict: { risk: "extreme", why },
    what: cutEnd(call.arguments, MAX_ARGUMENTS),
  };
}

/** What the log keeps of a decision about a call, with all that the call wanted to do. */
export function decisionOn(
  { accesses, verdict, definition, call, what }: DecidedCall,
  { agent, decision, by }: Pick<PermissionDecision, "agent" | "decision" | "by">,
): PermissionDecision {
  return {
    agent,
    tool: definition.name,
    callId: call.id,
    kinds: [...new Set(accesses.map(({ kind }) => kind))],
    what: what ?? accesses.map(({ target }) => target).join("\n"),
    risk: verdict.risk,
    reasons: verdict.parts?.map(({ command, why }) => `${command}: ${why}`) ?? [verdict.why],
    decision,
    by,
    ...by === "user" && { asked: accesses },
  };
}

/** Consecutive calls that may run together, and every other call by itself. */
export function groupBatches(
  calls: readonly TrackedCall[],
  options: { sandboxed: boolean },
): TrackedCall[][] {
  const batches: TrackedCall[][] = [];
  let open: TrackedCall[] | undefined;
  for (const tracked of calls) {
    if (!canRunInParallel(tracked, options)) {
      batches.push([tracked]);
      open = undefined;
    } else if (open && mayJoin(tracked, open)) {
      open.push(tracked);
    } else {
      batches.push(open = [tracked]);
    }
  }
  return batches;
}

function canRunInParallel(tracked: TrackedCall, options: { sandboxed: boolean }): boolean {
  return isReady(tracked) &&
    tracked.prepared.effects.every((effect) =>
      PARALLEL.has(effect) || effect === "exec" && runsWithoutChanges(tracked.prepared, options)
    );
}

/**
 * Commands run only beside what may run again: one of them may need more than to read, and then what began before its
 * end counts for nothing.
 */
function mayJoin(tracked: TrackedCall, batch: readonly TrackedCall[]): boolean {
  const all = [...batch, tracked];
  return !all.some(runsCommands) || all.every((one) => !effectsOf(one).some(isUnrepeatable));
}

/** Whether a call starts commands. */
export function runsCommands(tracked: TrackedCall): boolean {
  return effectsOf(tracked).includes("exec");
}

function effectsOf(tracked: TrackedCall): readonly Effect[] {
  return isReady(tracked) ? tracked.prepared.effects : [];
}

function isUnrepeatable(effect: Effect): boolean {
  return effect === "net" || effect === "delegate";
}

/** Whether an earlier call of the reply is the same, and nothing between the two may change what it gives. */
export function isRepetition(prepared: PreparedCall, earlier: readonly TrackedCall[]): boolean {
  const same = earlier.findLastIndex((tracked) =>
    isReady(tracked) && tracked.prepared.tool === prepared.tool &&
    isDeepStrictEqual(tracked.prepared.input, prepared.input)
  );
  return same >= 0 && !earlier.slice(same + 1).some(mayChange);
}

function mayChange(tracked: TrackedCall): boolean {
  const effects = effectsOf(tracked);
  return tracked.state === "deferred" || effects.includes("write") || effects.includes("exec");
}

/** The files that a call would change. */
export function changedPathsOf(tracked: TrackedCall): string[] {
  return isReady(tracked) ? changedPaths(tracked.prepared.plan) : [];
}

/** Why an edited call may not even be asked about. */
export function refusalOf(tracked: TrackedCall): string | undefined {
  if (tracked.state === "failed") return tracked.failed.error.message;
  if (!isReady(tracked)) return "an earlier call changes the same file first";
  const { decision, why } = tracked.prepared.verdict;
  return decision === "deny" ? why : undefined;
}
