/**
 * Takes all calls of one reply through the pipeline: prepares and shows them all, asks once for all that
 * need it, then runs batch after batch: consecutive calls that only look run together, every other call
 * alone. Every call gets exactly one result, in source order, whatever happens.
 */
import type { LogDecision, PastQuestion, PermissionDecision } from "../core/decision.ts";
import type { CallState, EventBody } from "../core/event.ts";
import { BudgetSpentError } from "../core/errors.ts";
import type { ToolCall } from "../core/message.ts";
import type {
  Access,
  Answer,
  AskPermission,
  EditAnswer,
  PermissionRequest,
  Verdict,
} from "../core/permission.ts";
import type { ToolResult } from "../core/tool.ts";
import { mapLimited } from "../lib/pool.ts";
import { type CallOutcome, outcomeOf } from "./call_outcome.ts";
import {
  changedPathsOf,
  type DecidedCall,
  decisionOn,
  defer,
  groupBatches,
  isReady,
  isRepetition,
  needsAnswer,
  type ReadyCall,
  refusalOf,
  refusedCall,
  requestFor,
  runsCommands,
  type TrackedCall,
} from "./call_state.ts";
import { DENIED, readAnswers } from "./answers.ts";
import { applyEdit, askIfRiskier, editableCallOf, withEditNote } from "./edited_call.ts";
import type { HookOutcomes } from "./hooked_call.ts";
import { runHeld } from "./held_run.ts";
import { type PipelineDeps, prepare, type PreparedCall } from "./pipeline.ts";
import { runsWithoutChanges } from "./read_only_call.ts";
import { boundFailure, type FailedResult, failedResult, previewOf, withHint } from "./record.ts";
import { ALONE, createPlaces, type Place } from "./source_order.ts";
import { withStateTimes } from "./state_timing.ts";
import type { UsageHints } from "./usage_hints.ts";

/** What the calls of an agent are run with. */
export interface SchedulerDeps extends PipelineDeps {
  readonly ask: AskPermission;
  /** How many calls may run at once. */
  readonly maxParallel: number;
  /** Writes the log of decisions; absent if there is none. */
  readonly logDecision?: LogDecision;
  /** What a person was asked today; absent where there is nobody to ask. */
  readonly pastQuestions?: () => Promise<readonly PastQuestion[]>;
  /** Watches the turn's calls; absent where no model would read a hint. */
  readonly hints?: UsageHints;
}

/** What the calls of a reply came to. */
export interface BatchOutcome {
  /** One for each call, in the order of the calls. */
  readonly results: readonly CallOutcome[];
  /** How many calls were denied, by a rule or by a person who did not say what to do instead. */
  readonly denied: number;
  /** Set if a person denied without saying what to do instead: the turn ends. */
  readonly stopped: boolean;
}

/** What the calls of one reply are run with. */
interface RunCallsOptions {
  readonly deps: SchedulerDeps;
  readonly signal: AbortSignal;
  /** Told of each result as soon as it is there, and how many calls have not ended. */
  readonly onOutcome?: (outcome: CallOutcome, left: number) => void;
}

/** Runs the calls of one reply. Never throws. */
export async function runCalls(
  calls: readonly ToolCall[],
  options: RunCallsOptions,
): Promise<BatchOutcome> {
  return await new Batch(options).run(calls);
}

/** The life of one reply's calls. */
class Batch {
  readonly #deps: SchedulerDeps;
  readonly #signal: AbortSignal;
  readonly #onOutcome: RunCallsOptions["onOutcome"];
  readonly #hookOutcomes: HookOutcomes = new WeakMap();
  #denied = 0;
  /** A call was denied: of what follows it, only calls that the person allowed run. */
  #closed = false;
  #stopped = false;
  /** Other calls have run, or a person was asked, since the calls were judged. */
  #isLater = false;

  constructor({ deps, signal, onOutcome }: RunCallsOptions) {
    this.#deps = { ...deps, emit: withStateTimes(deps.emit) };
    this.#signal = signal;
    this.#onOutcome = onOutcome;
  }

  async run(calls: readonly ToolCall[]): Promise<BatchOutcome> {
    const decided = await this.#decide(await this.#prepareAll(calls));
    const results: CallOutcome[] = [];
    let left = decided.length;
    const sandboxed = this.#deps.sandboxed !== false;
    for (const batch of groupBatches(decided, { sandboxed })) {
      const places = batch.some(runsCommands) ? createPlaces(batch.length) : [];
      const ended = await mapLimited(batch, {
        limit: this.#deps.maxParallel,
        run: async (tracked, index) => {
          const place = places[index] ?? ALONE;
          const outcome = await this.#finishOne(tracked, place).finally(place.end);
          this.#onOutcome?.(outcome, --left);
          return { tracked, outcome };
        },
      });
      this.#isLater = true;
      results.push(...ended.map(({ tracked, outcome }) => this.#addHint(tracked, outcome)));
    }
    return { results, denied: this.#denied, stopped: this.#stopped };
  }

  async #prepareAll(calls: readonly ToolCall[]): Promise<TrackedCall[]> {
    const prepared: TrackedCall[] = [];
    for (const call of calls) {
      prepared.push(await this.#prepareOne(call, { earlier: prepared, announce: true }));
    }
    return prepared;
  }

  async #prepareOne(
    call: ToolCall,
    { earlier, ...how }: {
      earlier: readonly TrackedCall[];
      announce: boolean;
      approved?: readonly Access[];
      contents?: readonly string[] | undefined;
    },
  ): Promise<TrackedCall> {
    const before = earlier.filter(isReady).map(({ prepared }) => prepared);
    const preparation = await prepare(call, {
      deps: this.#deps,
      signal: this.#signal,
      pending: before.flatMap(({ plan }) => plan?.changes ?? []),
      earlierUnplanned: before.some(({ awaitsPlan, effects }) =>
        awaitsPlan && effects.includes("write")
      ),
      outcomes: this.#hookOutcomes,
      ...how,
    });
    if (!preparation.ok) {
      const { failed, input, definition, mayRetry } = preparation;
      return mayRetry && earlier.length > 0
        ? { call, input, definition, state: "deferred" }
        : { call, input, definition, state: "failed", failed };
    }
    const { prepared } = preparation;
    const { input, definition } = prepared;
    return isRepetition(prepared, earlier)
      ? { call, input, definition, state: "failed", failed: repetitionResult() }
      : { call, input, definition, state: "ready", prepared };
  }

  /** Gives every prepared call its permission or its refusal, with one question for all. */
  async #decide(calls: readonly TrackedCall[]): Promise<TrackedCall[]> {
    const answers = await this.#ask(calls.filter(needsAnswer));
    const decided: TrackedCall[] = [];
    /** Files that an edited call leaves otherwise than the calls after it were planned on. */
    const edited = new Set<string>();
    for (const tracked of calls) {
      const answer = answers.get(tracked);
      if (answer?.kind === "edit" && isReady(tracked) && !this.#signal.aborted) {
        const next = await this.#decideByEdit(tracked, { answer, earlier: decided });
        for (const path of [tracked, next].flatMap(changedPathsOf)) edited.add(path);
        decided.push(next);
      } else {
        const next = await this.#decideOne(tracked, answer);
        const isOutdated = changedPathsOf(next).some((path) => edited.has(path));
        decided.push(isOutdated ? defer(next) : next);
      }
    }
    return decided;
  }

  /** The answers to one question about all these calls. */
  async #ask(calls: readonly ReadyCall[]): Promise<ReadonlyMap<TrackedCall, Answer>> {
    if (calls.length === 0) return new Map();
    for (const tracked of calls) this.#emitState(tracked, "awaiting_approval");
    const requests = await Promise.all(calls.map(async ({ prepared }) => {
      const request = requestFor(prepared, this.#deps.agent);
      return calls.length > 1 ? request : await this.#measure(request, prepared);
    }));
    const answers = await this.#answersTo(requests);
    this.#isLater = true;
    return new Map(calls.map((tracked, index) => [tracked, answers[index] ?? DENIED]));
  }

  /** The question about a call with what its answers would have covered today, if that can be counted. */
  async #measure(
    request: PermissionRequest,
    { accesses }: Pick<PreparedCall, "accesses">,
  ): Promise<PermissionRequest> {
    const { policy, pastQuestions } = this.#deps;
    try {
      const questions = await pastQuestions?.() ?? [];
      if (questions.length === 0 || request.offers.length === 0) return request;
      return { ...request, offers: await policy.measure(request.offers, { accesses, questions }) };
    } catch {
      return request;
    }
  }

  async #answersTo(requests: readonly PermissionRequest[]): Promise<readonly Answer[]> {
    try {
      const { hooks, policy, agent } = this.#deps;
      const text = requests.map(({ description }) => description).join("\n");
      if (policy.interactive) hooks?.notify({ kind: "question", text }, agent);
      return readAnswers(await this.#deps.ask(requests, this.#signal));
    } catch {
      return [];
    }
  }

  async #decideOne(tracked: TrackedCall, answer: Answer | undefined): Promise<TrackedCall> {
    if (!isReady(tracked)) return tracked;
    return answer === undefined
      ? await this.#decideByRule(tracked)
      : await this.#decideByUser(tracked, answer);
  }

  /** Takes the edited call through the pipeline; what cannot run leads back to the question. */
  async #decideByEdit(
    tracked: ReadyCall,
    { answer, earlier }: { answer: EditAnswer; earlier: readonly TrackedCall[] },
  ): Promise<TrackedCall> {
    const { prepared } = tracked;
    const { kind } = editableCallOf(prepared);
    const text = [answer.text, ...answer.others ?? []].join("\n");
    this.#emitPermission(prepared, { decision: "edit", by: "user", edited: { kind, text } });
    const edited = await applyEdit(prepared, answer);
    const how = { earlier, announce: false, contents: edited.contents };
    const again = await this.#prepareOne(edited.call, how);
    const refused = refusalOf(again);
    let next: TrackedCall = tracked;
    if (refused === undefined && isReady(again)) {
      next = { ...again, prepared: askIfRiskier(prepared, again.prepared), edited };
    } else {
      const why = `The edited call cannot run: ${refused}`;
      this.#deps.emit({ type: "notice", level: "warning", text: why });
      const { call, previews } = prepared;
      this.#deps.emit({ type: "tool_preview", call_id: call.id, previews });
    }
    const [decided = next] = await this.#decide([next]);
    return decided;
  }

  async #decideByRule(tracked: ReadyCall): Promise<TrackedCall> {
    const { prepared, prepared: { verdict, accesses } } = tracked;
    const decision = verdict.decision === "deny" ? "deny" : "allow";
    this.#logDecision(prepared, { decision, by: verdict.rule ?? "default" });
    if (decision === "allow") await this.#deps.policy.recordUse(accesses);
    if (verdict.risk !== "safe" || decision === "deny") {
      this.#emitPermission(prepared, { decision, by: "rule" });
    }
    if (decision === "allow") return this.#schedule(tracked);
    this.#denied++;
    return { ...tracked, state: "denied", failed: forbiddenResult(verdict) };
  }

  async #decideByUser(tracked: ReadyCall, answer: Answer): Promise<TrackedCall> {
    if (this.#signal.aborted) return tracked;
    const { prepared, prepared: { accesses, verdict } } = tracked;
    this.#logDecision(prepared, { decision: answer.kind, by: "user" });
    this.#emitPermission(prepared, { decision: answer.kind, by: "user" });
    if (answer.kind === "always" && verdict.offers !== undefined) {
      await this.#grant(accesses, answer);
    }
    if (answer.kind === "allow" || answer.kind === "always") {
      return { ...this.#schedule(tracked), chosen: true };
    }
    if (answer.kind === "deny") {
      this.#denied++;
      this.#stopped = true;
    }
    return { ...tracked, state: "denied", failed: deniedResult(answer) };
  }

  async #grant(
    accesses: readonly Access[],
    { scope, breadth = "exact" }: Extract<Answer, { kind: "always" }>,
  ): Promise<void> {
    const problem = await this.#deps.policy.grant(accesses, { scope, breadth });
    if (problem) this.#deps.emit({ type: "notice", level: "warning", text: problem });
  }

  #schedule(tracked: ReadyCall): ReadyCall {
    this.#emitState(tracked, "scheduled");
    return tracked;
  }

  /** Brings one call to its end; what follows an abort does not start, nor what the person was not asked about after a denial. */
  async #finishOne(tracked: TrackedCall, place = ALONE): Promise<CallOutcome> {
    if (this.#signal.aborted) return this.#finish(tracked, interruptedResult());
    if (this.#closed && !tracked.chosen) return this.#finish(tracked, notRunResult());
    switch (tracked.state) {
      case "failed":
        if (tracked.failed.error.kind === "permission") {
          this.#recordRefused(tracked, tracked.failed);
        }
        return this.#finish(tracked, tracked.failed);
      case "denied":
        this.#closed = true;
        return this.#finish(tracked, tracked.failed);
      case "deferred":
        return await this.#prepareAgain(tracked);
      case "ready": {
        const { awaitsPlan, accesses } = tracked.prepared;
        // Its commands are allowed now: with them it can be planned, and asked about if need be.
        if (awaitsPlan) return await this.#prepareAgain(tracked, accesses);
        const current = await this.#judgeAgain(tracked);
        if (!current) return await this.#prepareAgain(tracked);
        const since = performance.now();
        this.#emitState(current, "executing");
        const result = await this.#execute(current, place);
        // A plugin that the person did not let run is known only when it is called.
        if (!result.ok && result.error.kind === "permission") this.#denied++;
        const outcome = this.#finish(current, result, since + place.waitedMs);
        return await this.#runHooksAfter(current, outcome);
      }
    }
  }

  /**
   * A call as it is judged at its turn: what its commands run, or where their links lead, may have changed since. None
   * for one that would not be allowed any more.
   */
  async #judgeAgain(tracked: ReadyCall): Promise<ReadyCall | undefined> {
    const { chosen, prepared } = tracked;
    const { accesses } = prepared;
    if (!this.#isLater || chosen || !accesses.some(({ kind }) => kind === "run")) return tracked;
    const verdict = await this.#deps.policy.judge(accesses);
    if (verdict.decision !== "allow") return undefined;
    const sandboxed = this.#deps.sandboxed !== false;
    // Beside others it gets no more than what it was taken for.
    if (runsWithoutChanges(prepared, { sandboxed })) return tracked;
    return { ...tracked, prepared: { ...prepared, verdict } };
  }

  async #runHooksAfter({ prepared }: ReadyCall, outcome: CallOutcome): Promise<CallOutcome> {
    const { agent, hooks, view } = this.#deps;
    const signal = this.#signal;
    if (!hooks?.has("after_tool") || signal.aborted) return outcome;
    const { runHooksAfter } = await import("./after_hooks.ts");
    return await runHooksAfter(outcome, { agent, hooks, signal, files: view([]), prepared });
  }

  /** Runs a call, again with what it lacked in the sandbox if it may have that. */
  async #execute(tracked: ReadyCall, place: Place): Promise<ToolResult> {
    return await runHeld(tracked.prepared, {
      place,
      deps: this.#deps,
      signal: this.#signal,
      setState: (state) => this.#emitState(tracked, state),
      ask: async (request, judged) =>
        (await this.#answersTo([await this.#measure(request, judged)]))[0] ?? DENIED,
      record: (prepared, { decision, by }) => {
        this.#logDecision(prepared, { decision, by });
        this.#emitPermission(prepared, { decision, by: by === "user" ? by : "rule" });
      },
      countDenied: () => this.#denied++,
      grant: (accesses, answer) => this.#grant(accesses, answer),
    });
  }

  /** Prepares a call again now that those before it have run, and asks for it alone if need be. */
  async #prepareAgain(
    tracked: TrackedCall,
    approved: readonly Access[] = [],
  ): Promise<CallOutcome> {
    const again = await this.#prepareOne(tracked.call, { earlier: [], announce: false, approved });
    const [decided = again] = await this.#decide([again]);
    const edited = decided.edited ?? tracked.edited;
    return await this.#finishOne(edited ? { ...decided, edited } : decided);
  }

  #finish(tracked: TrackedCall, ended: ToolResult, since = performance.now()): CallOutcome {
    const { call, definition, edited } = tracked;
    const told = whySpent(ended, this.#signal);
    const result = boundFailure(edited ? withEditNote(told, edited) : told);
    const outcome = outcomeOf(tracked, result, this.#deps);
    const cancelled = !result.ok && result.error.kind === "interrupted";
    this.#emitState(tracked, result.ok ? "success" : cancelled ? "cancelled" : "error");
    this.#deps.emit({
      type: "tool_end",
      call_id: call.id,
      name: definition?.name ?? call.name,
      duration_ms: Math.round(performance.now() - since),
      result: outcome.record,
      ...(result.ok ? {} : { message: result.error.message }),
      ...previewOf(isReady(tracked) ? tracked.prepared.tool : undefined, result),
    });
    return outcome;
  }

  /** In source order, whichever call ended first: the same reply always brings the same hint. */
  #addHint({ definition, input }: TrackedCall, outcome: CallOutcome): CallOutcome {
    const { result, record } = outcome;
    const hint = definition && this.#deps.hints?.hintFor({ definition, input, result });
    return hint === undefined ? outcome : { ...outcome, record: withHint(record, hint), hint };
  }

  #emitState({ call }: TrackedCall, state: CallState): void {
    this.#deps.emit({ type: "tool_state", call_id: call.id, state });
  }

  #logDecision(prepared: DecidedCall, how: Pick<PermissionDecision, "decision" | "by">): void {
    const { agent, logDecision } = this.#deps;
    logDecision?.(decisionOn(prepared, { agent: agent.id, ...how }));
  }

  /** Counts and tells what no rule and no person may allow. */
  #recordRefused(tracked: TrackedCall, failed: FailedResult): void {
    const refused = refusedCall(tracked, failed);
    this.#denied++;
    this.#logDecision(refused, { decision: "deny", by: "default" });
    this.#emitPermission(refused, { decision: "deny", by: "rule" });
  }

  #emitPermission(
    { call, verdict: { risk, why } }: { call: ToolCall; verdict: Pick<Verdict, "risk" | "why"> },
    how: Pick<Extract<EventBody, { type: "permission" }>, "decision" | "by" | "edited">,
  ): void {
    this.#deps.emit({ type: "permission", call_id: call.id, class: risk, why, ...how });
  }
}

function repetitionResult(): FailedResult {
  return failedResult(
    "validation",
    "This reply already holds the same call",
    "Use the result of the first one.",
  );
}

function forbiddenResult({ banned, why }: Verdict): FailedResult {
  if (banned !== undefined) return failedResult("security", `Not allowed: ${why}`, banned);
  const suggestion = "Do without it, or tell the user what you would need.";
  return failedResult("permission", `Permission denied: ${why}`, suggestion);
}

function deniedResult(answer: Answer): FailedResult {
  const words = answer.kind === "instead" ? ` and says: ${answer.text}` : "";
  return failedResult("permission", `The user denied this call${words}`);
}

function interruptedResult(): FailedResult {
  return failedResult("interrupted", "[Request interrupted by user for tool use]");
}

/** No person ended a call whose budget was spent. */
function whySpent(ended: ToolResult, { reason }: AbortSignal): ToolResult {
  if (ended.ok || ended.error.kind !== "interrupted") return ended;
  if (!(reason instanceof BudgetSpentError)) return ended;
  return { ...ended, error: { ...ended.error, message: reason.message } };
}

function notRunResult(): FailedResult {
  return failedResult("permission", "Not run, because an earlier call of this reply was denied");
}
