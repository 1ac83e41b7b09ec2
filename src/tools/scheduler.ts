/**
 * Takes all calls of one reply through the pipeline: prepares and shows them all, asks once for all that
 * need it, then runs batch after batch: consecutive calls that only look run together, every other call
 * alone. Every call gets exactly one result, in source order, whatever happens. The turn calls it.
 */
import type { Decision, NoteDecision } from "../core/decision.ts";
import type { CallState, Fact, ResultRecord } from "../core/event.ts";
import type { FileMark, ToolCall } from "../core/message.ts";
import type { Access, Answer, Ask } from "../core/permission.ts";
import type { Blocked } from "../core/sandbox.ts";
import type { ToolResult } from "../core/tool.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { mapLimited } from "../lib/pool.ts";
import {
  batches,
  isRepetition,
  pathsOf,
  type ReadySlot,
  refusalOf,
  requestFor,
  type Slot,
  verdictOf,
} from "./call_state.ts";
import { decisionOn } from "./decisions.ts";
import { draftOf, editedCall, judgedAgainst, withEdit } from "./edited.ts";
import { marksOf } from "./file_marks.ts";
import { timedStates } from "./lifecycle.ts";
import { execute, type Failed, type PipelineDeps, prepare, type Prepared } from "./pipeline.ts";
import { advised, failure, maskedResult, previewLines, recordOf, textOf } from "./record.ts";
import { explained, outsideQuestion, ranOutside } from "./sandboxed_shell.ts";
import type { Insight } from "./usage_hints.ts";

export interface SchedulerDeps extends PipelineDeps {
  readonly ask: Ask;
  /** How many calls may run at once. */
  readonly maxParallel: number;
  /** Writes the log of decisions; absent where none is kept. */
  readonly noteDecision?: NoteDecision;
  /** Watches the turn's calls; absent where nobody would take advice. */
  readonly insight?: Insight;
}

/** What a call came to. */
export interface Settled {
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
  readonly results: readonly Settled[];
  /** How many calls were denied, by a rule or by a person who did not say what to do instead. */
  readonly denied: number;
  /** Set if a person denied without saying what to do instead: the turn ends. */
  readonly stopped: boolean;
}

/** No answer is no permission. */
const NO: Answer = { kind: "deny" };

/** Runs the calls of one reply. Never throws. */
export async function runCalls(
  calls: readonly ToolCall[],
  options: {
    deps: SchedulerDeps;
    signal: AbortSignal;
    /** Told of each result as soon as it is there, and how many calls have not ended. */
    onSettled?: (settled: Settled, left: number) => void;
  },
): Promise<BatchOutcome> {
  return await new Batch(options).run(calls);
}

/** The life of one reply's calls. */
class Batch {
  readonly #deps: SchedulerDeps;
  readonly #signal: AbortSignal;
  readonly #onSettled: Parameters<typeof runCalls>[1]["onSettled"];
  #denied = 0;
  /** A call was denied: what follows it does not run. */
  #closed = false;
  #stopped = false;

  constructor({ deps, signal, onSettled }: Parameters<typeof runCalls>[1]) {
    this.#onSettled = onSettled;
    this.#deps = { ...deps, emit: timedStates(deps.emit) };
    this.#signal = signal;
  }

  async run(calls: readonly ToolCall[]): Promise<BatchOutcome> {
    const slots = await this.#decide(await this.#prepareAll(calls));
    const results: Settled[] = [];
    let left = slots.length;
    for (const batch of batches(slots)) {
      const settled = await mapLimited(batch, {
        limit: this.#deps.maxParallel,
        run: async (slot) => {
          const one = await this.#settle(slot);
          this.#onSettled?.(one, --left);
          return one;
        },
      });
      results.push(...settled.map((one, index) => this.#advise(batch[index]!, one)));
    }
    return { results, denied: this.#denied, stopped: this.#stopped };
  }

  async #prepareAll(calls: readonly ToolCall[]): Promise<Slot[]> {
    const slots: Slot[] = [];
    for (const call of calls) {
      const slot = await this.#prepareOne(call, { earlier: slots, announce: true });
      slots.push(slot);
    }
    return slots;
  }

  async #prepareOne(
    call: ToolCall,
    { earlier, ...how }: {
      earlier: readonly Slot[];
      announce: boolean;
      approved?: readonly Access[];
      content?: string | undefined;
    },
  ): Promise<Slot> {
    const pending = earlier.flatMap((slot) =>
      slot.state === "ready" ? slot.prepared.plan?.changes ?? [] : []
    );
    const unsettled = earlier.some((slot) =>
      slot.state === "ready" && !slot.prepared.planned && slot.prepared.effects.includes("write")
    );
    const options = { deps: this.#deps, signal: this.#signal, pending, unsettled, ...how };
    const preparation = await prepare(call, options);
    if (!preparation.ok) {
      const { failed, input, definition, mayMend } = preparation;
      return mayMend && earlier.length > 0
        ? { call, input, definition, state: "deferred" }
        : { call, input, definition, state: "failed", failed };
    }
    const { prepared } = preparation;
    const { input, tool: { definition } } = prepared;
    if (isRepetition(prepared, earlier)) {
      const failed = failure(
        "validation",
        "This reply already holds the same call",
        "Use the result of the first one.",
      );
      return { call, input, definition, state: "failed", failed };
    }
    return { call, input, definition, state: "ready", prepared };
  }

  /** Gives every prepared call its permission or its refusal, with one question for all. */
  async #decide(slots: readonly Slot[]): Promise<Slot[]> {
    const asking = slots.filter((slot) => verdictOf(slot) === "ask");
    for (const slot of slots) {
      this.#state(slot, verdictOf(slot) === "ask" ? "awaiting_approval" : undefined);
    }
    const answers = asking.length > 0 ? await this.#ask(asking) : [];
    const decided: Slot[] = [];
    const changed = new Set<string>();
    for (const slot of slots) {
      const answer = answers[asking.indexOf(slot)] ?? NO;
      if (slot.state !== "ready") decided.push(slot);
      else if (slot.prepared.verdict.decision !== "ask") decided.push(await this.#byRule(slot));
      else if (answer.kind !== "edit" || this.#signal.aborted) {
        decided.push(await this.#byPerson(slot, answer));
      } else {
        const edited = await this.#byEdit(slot, { text: answer.text, earlier: decided });
        for (const path of [...pathsOf(slot), ...pathsOf(edited)]) changed.add(path);
        decided.push(edited);
        continue;
      }
      // What was planned upon a call that is another one now is planned, and asked about, at its turn.
      const last = decided.at(-1)!;
      if (pathsOf(last).some((path) => changed.has(path))) {
        const { call, input, definition } = last;
        decided[decided.length - 1] = { call, input, definition, state: "deferred" };
      }
    }
    return decided;
  }

  /** Takes the edited call through the pipeline; what cannot run leads back to the question. */
  async #byEdit(
    slot: ReadySlot,
    { text, earlier }: { text: string; earlier: readonly Slot[] },
  ): Promise<Slot> {
    const { kind } = draftOf(slot.prepared);
    this.#permission(slot, { decision: "edit", by: "user", edited: { kind, text } });
    const edited = await editedCall(slot.prepared, text);
    const how = { earlier, announce: false, content: edited.content };
    const again = await this.#prepareOne(edited.call, how);
    const refused = refusalOf(again);
    let next: Slot = slot;
    if (refused === undefined && again.state === "ready") {
      next = { ...again, prepared: judgedAgainst(slot.prepared, again.prepared), edited };
    } else {
      const why = `The edited call cannot run: ${refused}`;
      this.#deps.emit({ type: "notice", level: "warning", text: why });
      const { previews } = slot.prepared;
      this.#deps.emit({ type: "tool_preview", call_id: slot.call.id, previews });
    }
    const [decided] = await this.#decide([next]);
    return decided ?? next;
  }

  async #ask(slots: readonly Slot[]): Promise<readonly Answer[]> {
    const requests = slots.flatMap((slot) =>
      slot.state === "ready" ? [requestFor(slot.prepared, this.#deps.agent)] : []
    );
    try {
      return await this.#deps.ask(requests, this.#signal);
    } catch {
      return requests.map(() => NO);
    }
  }

  async #byRule(slot: ReadySlot): Promise<Slot> {
    const { verdict, accesses } = slot.prepared;
    const decision = verdict.decision === "deny" ? "deny" : "allow";
    this.#note(slot.prepared, { decision, by: verdict.rule ?? "default" });
    if (decision === "allow") await this.#deps.policy.noteUse(accesses);
    if (verdict.class !== "safe" || decision === "deny") {
      this.#permission(slot, { decision, by: "rule" });
    }
    if (decision === "allow") return this.#state(slot, "scheduled");
    this.#denied++;
    const failed = verdict.banned === undefined
      ? failure(
        "permission",
        `Permission denied: ${verdict.why}`,
        "Do without it, or tell the user what you would need.",
      )
      : failure("security", `Not allowed: ${verdict.why}`, verdict.banned);
    return { ...slot, state: "denied", failed };
  }

  async #byPerson(slot: ReadySlot, answer: Answer): Promise<Slot> {
    if (this.#signal.aborted) return slot;
    this.#note(slot.prepared, { decision: answer.kind, by: "user" });
    this.#permission(slot, { decision: answer.kind, by: "user" });
    if (answer.kind === "allow" || answer.kind === "always") {
      const { accesses, verdict } = slot.prepared;
      if (answer.kind === "always" && verdict.always !== undefined) {
        const problem = await this.#deps.policy.grant(accesses, answer.scope);
        if (problem) this.#deps.emit({ type: "notice", level: "warning", text: problem });
      }
      return this.#state(slot, "scheduled");
    }
    if (answer.kind === "deny") {
      this.#denied++;
      this.#stopped = true;
    }
    const failed = answer.kind === "instead"
      ? failure("permission", `The user denied this call and says: ${answer.text}`)
      : failure("permission", "The user denied this call");
    return { ...slot, state: "denied", failed };
  }

  /** Brings one call to its end; what follows a denial or an abort does not start. */
  async #settle(slot: Slot): Promise<Settled> {
    if (this.#signal.aborted) return this.#finish(slot, interrupted());
    if (this.#closed) return this.#finish(slot, notRun());
    switch (slot.state) {
      case "failed":
        return this.#finish(slot, slot.failed);
      case "denied":
        this.#closed = true;
        return this.#finish(slot, slot.failed);
      case "deferred":
        return await this.#prepareAgain(slot);
      case "ready": {
        const { planned, accesses } = slot.prepared;
        // Its commands are allowed now: with them it can be planned, and asked about if need be.
        if (!planned) return await this.#prepareAgain(slot, accesses);
        const since = performance.now();
        this.#state(slot, "executing");
        const result = await this.#execute(slot);
        // A plugin that the person did not let run is known only when it is called.
        if (!result.ok && result.error.kind === "permission") this.#denied++;
        return this.#finish(slot, result, since);
      }
    }
  }

  /** Runs a call; what the sandbox stopped runs once more outside, if a person says so. */
  async #execute(slot: ReadySlot): Promise<ToolResult> {
    const { prepared } = slot;
    const options = { deps: this.#deps, signal: this.#signal };
    let blocked: Blocked | undefined;
    const onBlocked = (by: Blocked) => blocked ??= by;
    const result = await execute(prepared, { ...options, onBlocked });
    if (!blocked || result.ok || this.#signal.aborted) return result;
    if (!this.#deps.policy.interactive) return explained(result, blocked, undefined);
    this.#state(slot, "awaiting_approval");
    const gravity = "extreme";
    const why = outsideQuestion(blocked);
    const request = {
      ...requestFor(prepared, this.#deps.agent),
      class: gravity,
      why,
      outside: true,
      always: undefined,
      draft: undefined,
    } as const;
    const [answer = NO] = await this.#deps.ask([request], this.#signal).catch(() => []);
    const decision = answer.kind === "allow" || answer.kind === "instead" ? answer.kind : "deny";
    this.#note(prepared, { decision, by: "user" });
    this.#deps.emit({
      type: "permission",
      call_id: slot.call.id,
      class: gravity,
      decision,
      why,
      by: "user",
    });
    if (decision !== "allow") return explained(result, blocked, answer);
    this.#state(slot, "executing");
    return ranOutside(await execute(prepared, { ...options, outside: true }));
  }

  /** Prepares a call again now that those before it have run, and asks for it alone if need be. */
  async #prepareAgain(slot: Slot, approved: readonly Access[] = []): Promise<Settled> {
    const again = await this.#prepareOne(slot.call, { earlier: [], announce: false, approved });
    const [decided = again] = await this.#decide([again]);
    const edited = decided.edited ?? slot.edited;
    return await this.#settle(edited ? { ...decided, edited } : decided);
  }

  #finish(slot: Slot, outcome: ToolResult, since = performance.now()): Settled {
    const { call, input, definition, edited } = slot;
    const { secrets } = this.#deps;
    const result = edited ? withEdit(outcome, edited) : outcome;
    const tool = slot.state === "ready" ? slot.prepared.tool : undefined;
    const record = recordOf(result, { name: call.name, input });
    const cancelled = !result.ok && result.error.kind === "interrupted";
    this.#state(slot, result.ok ? "success" : cancelled ? "cancelled" : "error");
    this.#deps.emit({
      type: "tool_end",
      call_id: call.id,
      name: definition?.name ?? call.name,
      duration_ms: Math.round(performance.now() - since),
      result: record,
      ...(result.ok ? {} : { message: result.error.message }),
      preview: previewLines(tool, result),
    });
    const masked = maskedResult(result, {
      secrets,
      ran: slot.state === "ready",
      effects: definition?.effects ?? [],
    });
    const sent = mapStrings(input, (text) => secrets.remask(text));
    const text = textOf(masked, recordOf(masked, { name: call.name, input: sent }));
    const files = marksOf(result, slot.state === "ready" ? slot.prepared.plan : undefined);
    return { call, result, record, text, files };
  }

  /** In source order, whichever call ended first: the same reply always brings the same advice. */
  #advise({ definition, input }: Slot, settled: Settled): Settled {
    const { result, record } = settled;
    const advice = definition && this.#deps.insight?.advise({ definition, input, result });
    return advice === undefined ? settled : { ...settled, record: advised(record, advice), advice };
  }

  #state<S extends Slot>(slot: S, state: CallState | undefined): S {
    if (state) this.#deps.emit({ type: "tool_state", call_id: slot.call.id, state });
    return slot;
  }

  #note(prepared: Prepared, how: Pick<Decision, "decision" | "by">): void {
    const { agent, noteDecision } = this.#deps;
    noteDecision?.(decisionOn(prepared, { agent: agent.id, ...how }));
  }

  #permission(
    slot: ReadySlot,
    how: Pick<Extract<Fact, { type: "permission" }>, "decision" | "by" | "edited">,
  ): void {
    const { class: gravity, why } = slot.prepared.verdict;
    this.#deps.emit({ type: "permission", call_id: slot.call.id, class: gravity, why, ...how });
  }
}

function interrupted(): Failed {
  return failure("interrupted", "[Request interrupted by user for tool use]");
}

function notRun(): Failed {
  return failure("permission", "Not run, because an earlier call of this reply was denied");
}
