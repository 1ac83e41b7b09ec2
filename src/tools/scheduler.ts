/**
 * Takes all calls of one reply through the pipeline: prepares and shows them all, asks once for all that
 * need it, then runs batch after batch: consecutive calls that only look run together, every other call
 * alone. Every call gets exactly one result, in source order, whatever happens. The turn calls it.
 */
import type { LogDecision, PermissionDecision } from "../core/decision.ts";
import type { CallState, EventBody, ResultRecord } from "../core/event.ts";
import type { FileMark, ToolCall } from "../core/message.ts";
import type { Access, Answer, AskPermission, PermissionRequest } from "../core/permission.ts";
import type { SandboxBlock } from "../core/sandbox.ts";
import type { ToolResult } from "../core/tool.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { mapLimited } from "../lib/pool.ts";
import {
  changedPathsOf,
  groupBatches,
  isRepetition,
  type ReadyCall,
  refusalOf,
  requestFor,
  type TrackedCall,
  verdictOf,
} from "./call_state.ts";
import { decisionOn } from "./decisions.ts";
import { applyEdit, askIfRiskier, editableCallOf, withEditNote } from "./edited_call.ts";
import { fileMarksOf } from "./file_marks.ts";
import {
  execute,
  type FailedResult,
  type PipelineDeps,
  prepare,
  type PreparedCall,
} from "./pipeline.ts";
import { failedResult, maskResult, previewLines, recordOf, textOf, withAdvice } from "./record.ts";
import { outsideQuestion, withOutsideNote, withSandboxHint } from "./sandboxed_shell.ts";
import { withStateTimes } from "./state_timing.ts";
import type { UsageHints } from "./usage_hints.ts";

export interface SchedulerDeps extends PipelineDeps {
  readonly ask: AskPermission;
  /** How many calls may run at once. */
  readonly maxParallel: number;
  /** Writes the log of decisions; absent where none is kept. */
  readonly noteDecision?: LogDecision;
  /** Watches the turn's calls; absent where nobody would take advice. */
  readonly hints?: UsageHints;
}

/** What a call came to. */
export interface CallOutcome {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly record: ResultRecord;
  /** What the model reads, secrets masked. */
  readonly text: string;
  /** What the model is to do otherwise; the record's suggestion says it too. */
  readonly advice?: string | undefined;
  /** Files that the text shows whole, or that the call has changed. */
  readonly files?: readonly FileMark[] | undefined;
}

export interface BatchOutcome {
  /** One for each call, in the order of the calls. */
  readonly results: readonly CallOutcome[];
  /** How many calls were denied, by a rule or by a person who did not say what to do instead. */
  readonly denied: number;
  /** Set if a person denied without saying what to do instead: the turn ends. */
  readonly stopped: boolean;
}

/** No answer is no permission. */
const DENIED: Answer = { kind: "deny" };

/** Runs the calls of one reply. Never throws. */
export async function runCalls(
  calls: readonly ToolCall[],
  options: {
    deps: SchedulerDeps;
    signal: AbortSignal;
    /** Told of each result as soon as it is there, and how many calls have not ended. */
    onSettled?: (outcome: CallOutcome, left: number) => void;
  },
): Promise<BatchOutcome> {
  return await new Batch(options).run(calls);
}

/** The life of one reply's calls. */
class Batch {
  readonly #deps: SchedulerDeps;
  readonly #signal: AbortSignal;
  readonly #onOutcome: Parameters<typeof runCalls>[1]["onSettled"];
  #denied = 0;
  /** A call was denied: what follows it does not run. */
  #closed = false;
  #stopped = false;

  constructor({ deps, signal, onSettled }: Parameters<typeof runCalls>[1]) {
    this.#onOutcome = onSettled;
    this.#deps = { ...deps, emit: withStateTimes(deps.emit) };
    this.#signal = signal;
  }

  async run(calls: readonly ToolCall[]): Promise<BatchOutcome> {
    const slots = await this.#decide(await this.#prepareAll(calls));
    const results: CallOutcome[] = [];
    let left = slots.length;
    for (const batch of groupBatches(slots)) {
      const settled = await mapLimited(batch, {
        limit: this.#deps.maxParallel,
        run: async (state) => {
          const one = await this.#finishOne(state);
          this.#onOutcome?.(one, --left);
          return one;
        },
      });
      results.push(...settled.map((one, index) => this.#addHint(batch[index]!, one)));
    }
    return { results, denied: this.#denied, stopped: this.#stopped };
  }

  async #prepareAll(calls: readonly ToolCall[]): Promise<TrackedCall[]> {
    const slots: TrackedCall[] = [];
    for (const call of calls) {
      const state = await this.#prepareOne(call, { earlier: slots, announce: true });
      slots.push(state);
    }
    return slots;
  }

  async #prepareOne(
    call: ToolCall,
    { earlier, ...how }: {
      earlier: readonly TrackedCall[];
      announce: boolean;
      approved?: readonly Access[];
      content?: string | undefined;
    },
  ): Promise<TrackedCall> {
    const pending = earlier.flatMap((state) =>
      state.state === "ready" ? state.prepared.plan?.changes ?? [] : []
    );
    const unsettled = earlier.some((state) =>
      state.state === "ready" && !state.prepared.planned && state.prepared.effects.includes("write")
    );
    const options = { deps: this.#deps, signal: this.#signal, pending, unsettled, ...how };
    const preparation = await prepare(call, options);
    if (!preparation.ok) {
      const { failed, input, definition, mayRetry } = preparation;
      return mayRetry && earlier.length > 0
        ? { call, input, definition, state: "deferred" }
        : { call, input, definition, state: "failed", failed };
    }
    const { prepared } = preparation;
    const { input, tool: { definition } } = prepared;
    if (isRepetition(prepared, earlier)) {
      const failed = failedResult(
        "validation",
        "This reply already holds the same call",
        "Use the result of the first one.",
      );
      return { call, input, definition, state: "failed", failed };
    }
    return { call, input, definition, state: "ready", prepared };
  }

  /** Gives every prepared call its permission or its refusal, with one question for all. */
  async #decide(slots: readonly TrackedCall[]): Promise<TrackedCall[]> {
    const asking = slots.filter((state) => verdictOf(state) === "ask");
    for (const state of slots) {
      this.#emitState(state, verdictOf(state) === "ask" ? "awaiting_approval" : undefined);
    }
    const answers = asking.length > 0 ? await this.#ask(asking) : [];
    const decided: TrackedCall[] = [];
    const changed = new Set<string>();
    for (const state of slots) {
      const answer = answers[asking.indexOf(state)] ?? DENIED;
      if (state.state !== "ready") decided.push(state);
      else if (state.prepared.verdict.decision !== "ask") {
        decided.push(await this.#decideByRule(state));
      } else if (answer.kind !== "edit" || this.#signal.aborted) {
        decided.push(await this.#decideByUser(state, answer));
      } else {
        const edited = await this.#decideByEdit(state, { text: answer.text, earlier: decided });
        for (const path of [...changedPathsOf(state), ...changedPathsOf(edited)]) changed.add(path);
        decided.push(edited);
        continue;
      }
      // What was planned upon a call that is another one now is planned, and asked about, at its turn.
      const last = decided.at(-1)!;
      if (changedPathsOf(last).some((path) => changed.has(path))) {
        const { call, input, definition } = last;
        decided[decided.length - 1] = { call, input, definition, state: "deferred" };
      }
    }
    return decided;
  }

  /** Takes the edited call through the pipeline; what cannot run leads back to the question. */
  async #decideByEdit(
    slot: ReadyCall,
    { text, earlier }: { text: string; earlier: readonly TrackedCall[] },
  ): Promise<TrackedCall> {
    const { kind } = editableCallOf(slot.prepared);
    this.#emitPermission(slot, { decision: "edit", by: "user", edited: { kind, text } });
    const edited = await applyEdit(slot.prepared, text);
    const how = { earlier, announce: false, content: edited.content };
    const again = await this.#prepareOne(edited.call, how);
    const refused = refusalOf(again);
    let next: TrackedCall = slot;
    if (refused === undefined && again.state === "ready") {
      next = { ...again, prepared: askIfRiskier(slot.prepared, again.prepared), edited };
    } else {
      const why = `The edited call cannot run: ${refused}`;
      this.#deps.emit({ type: "notice", level: "warning", text: why });
      const { previews } = slot.prepared;
      this.#deps.emit({ type: "tool_preview", call_id: slot.call.id, previews });
    }
    const [decided] = await this.#decide([next]);
    return decided ?? next;
  }

  async #ask(slots: readonly TrackedCall[]): Promise<readonly Answer[]> {
    const requests = slots.flatMap((state) =>
      state.state === "ready" ? [requestFor(state.prepared, this.#deps.agent)] : []
    );
    try {
      return await this.#deps.ask(requests, this.#signal);
    } catch {
      return requests.map(() => DENIED);
    }
  }

  async #decideByRule(slot: ReadyCall): Promise<TrackedCall> {
    const { verdict, accesses } = slot.prepared;
    const decision = verdict.decision === "deny" ? "deny" : "allow";
    this.#logDecision(slot.prepared, { decision, by: verdict.rule ?? "default" });
    if (decision === "allow") await this.#deps.policy.recordUse(accesses);
    if (verdict.risk !== "safe" || decision === "deny") {
      this.#emitPermission(slot, { decision, by: "rule" });
    }
    if (decision === "allow") return this.#emitState(slot, "scheduled");
    this.#denied++;
    const failed = verdict.banned === undefined
      ? failedResult(
        "permission",
        `Permission denied: ${verdict.why}`,
        "Do without it, or tell the user what you would need.",
      )
      : failedResult("security", `Not allowed: ${verdict.why}`, verdict.banned);
    return { ...slot, state: "denied", failed };
  }

  async #decideByUser(slot: ReadyCall, answer: Answer): Promise<TrackedCall> {
    if (this.#signal.aborted) return slot;
    this.#logDecision(slot.prepared, { decision: answer.kind, by: "user" });
    this.#emitPermission(slot, { decision: answer.kind, by: "user" });
    if (answer.kind === "allow" || answer.kind === "always") {
      const { accesses, verdict } = slot.prepared;
      if (answer.kind === "always" && verdict.always !== undefined) {
        const problem = await this.#deps.policy.grant(accesses, answer.scope);
        if (problem) this.#deps.emit({ type: "notice", level: "warning", text: problem });
      }
      return this.#emitState(slot, "scheduled");
    }
    if (answer.kind === "deny") {
      this.#denied++;
      this.#stopped = true;
    }
    const failed = answer.kind === "instead"
      ? failedResult("permission", `The user denied this call and says: ${answer.text}`)
      : failedResult("permission", "The user denied this call");
    return { ...slot, state: "denied", failed };
  }

  /** Brings one call to its end; what follows a denial or an abort does not start. */
  async #finishOne(state: TrackedCall): Promise<CallOutcome> {
    if (this.#signal.aborted) return this.#finish(state, interruptedResult());
    if (this.#closed) return this.#finish(state, notRunResult());
    switch (state.state) {
      case "failed":
        return this.#finish(state, state.failed);
      case "denied":
        this.#closed = true;
        return this.#finish(state, state.failed);
      case "deferred":
        return await this.#prepareAgain(state);
      case "ready": {
        const { planned, accesses } = state.prepared;
        // Its commands are allowed now: with them it can be planned, and asked about if need be.
        if (!planned) return await this.#prepareAgain(state, accesses);
        const since = performance.now();
        this.#emitState(state, "executing");
        const result = await this.#execute(state);
        // A plugin that the person did not let run is known only when it is called.
        if (!result.ok && result.error.kind === "permission") this.#denied++;
        return this.#finish(state, result, since);
      }
    }
  }

  /** Runs a call; what the sandbox stopped runs once more outside, if a person says so. */
  async #execute(slot: ReadyCall): Promise<ToolResult> {
    const { prepared } = slot;
    const options = { deps: this.#deps, signal: this.#signal };
    let blocked: SandboxBlock | undefined;
    const onBlocked = (by: SandboxBlock) => blocked ??= by;
    const result = await execute(prepared, { ...options, onBlocked });
    if (!blocked || result.ok || this.#signal.aborted) return result;
    if (!this.#deps.policy.interactive) return withSandboxHint(result, blocked, undefined);
    this.#emitState(slot, "awaiting_approval");
    const risk = "extreme";
    const why = outsideQuestion(blocked);
    const request: PermissionRequest = {
      ...requestFor(prepared, this.#deps.agent),
      risk,
      why,
      outsideSandbox: true,
      always: undefined,
      editable: undefined,
    };
    const [answer = DENIED] = await this.#deps.ask([request], this.#signal).catch(() => []);
    const decision = answer.kind === "allow" || answer.kind === "instead" ? answer.kind : "deny";
    this.#logDecision(prepared, { decision, by: "user" });
    this.#deps.emit({
      type: "permission",
      call_id: slot.call.id,
      class: risk,
      decision,
      why,
      by: "user",
    });
    if (decision !== "allow") return withSandboxHint(result, blocked, answer);
    this.#emitState(slot, "executing");
    return withOutsideNote(await execute(prepared, { ...options, outside: true }));
  }

  /** Prepares a call again now that those before it have run, and asks for it alone if need be. */
  async #prepareAgain(state: TrackedCall, approved: readonly Access[] = []): Promise<CallOutcome> {
    const again = await this.#prepareOne(state.call, { earlier: [], announce: false, approved });
    const [decided = again] = await this.#decide([again]);
    const edited = decided.edited ?? state.edited;
    return await this.#finishOne(edited ? { ...decided, edited } : decided);
  }

  #finish(state: TrackedCall, outcome: ToolResult, since = performance.now()): CallOutcome {
    const { call, input, definition, edited } = state;
    const { secrets } = this.#deps;
    const result = edited ? withEditNote(outcome, edited) : outcome;
    const tool = state.state === "ready" ? state.prepared.tool : undefined;
    const record = recordOf(result, { name: call.name, input });
    const cancelled = !result.ok && result.error.kind === "interrupted";
    this.#emitState(state, result.ok ? "success" : cancelled ? "cancelled" : "error");
    this.#deps.emit({
      type: "tool_end",
      call_id: call.id,
      name: definition?.name ?? call.name,
      duration_ms: Math.round(performance.now() - since),
      result: record,
      ...(result.ok ? {} : { message: result.error.message }),
      preview: previewLines(tool, result),
    });
    const masked = maskResult(result, {
      secrets,
      ran: state.state === "ready",
      effects: definition?.effects ?? [],
    });
    const sent = mapStrings(input, (text) => secrets.remask(text));
    const text = textOf(masked, recordOf(masked, { name: call.name, input: sent }));
    const files = fileMarksOf(result, state.state === "ready" ? state.prepared.plan : undefined);
    return { call, result, record, text, files };
  }

  /** In source order, whichever call ended first: the same reply always brings the same advice. */
  #addHint({ definition, input }: TrackedCall, outcome: CallOutcome): CallOutcome {
    const { result, record } = outcome;
    const advice = definition && this.#deps.hints?.hintFor({ definition, input, result });
    return advice === undefined
      ? outcome
      : { ...outcome, record: withAdvice(record, advice), advice };
  }

  #emitState<S extends TrackedCall>(slot: S, state: CallState | undefined): S {
    if (state) this.#deps.emit({ type: "tool_state", call_id: slot.call.id, state });
    return slot;
  }

  #logDecision(prepared: PreparedCall, how: Pick<PermissionDecision, "decision" | "by">): void {
    const { agent, noteDecision } = this.#deps;
    noteDecision?.(decisionOn(prepared, { agent: agent.id, ...how }));
  }

  #emitPermission(
    slot: ReadyCall,
    how: Pick<Extract<EventBody, { type: "permission" }>, "decision" | "by" | "edited">,
  ): void {
    const { risk, why } = slot.prepared.verdict;
    this.#deps.emit({ type: "permission", call_id: slot.call.id, class: risk, why, ...how });
  }
}

function interruptedResult(): FailedResult {
  return failedResult("interrupted", "[Request interrupted by user for tool use]");
}

function notRunResult(): FailedResult {
  return failedResult("permission", "Not run, because an earlier call of this reply was denied");
}
