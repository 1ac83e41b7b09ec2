/**
 * Takes all calls of one reply through the pipeline: prepares and shows them all, asks once for all that
 * need it, then runs batch after batch: consecutive calls that only look run together, every other call
 * alone. Every call gets exactly one result, in source order, whatever happens. The turn calls it.
 */
import { isDeepStrictEqual } from "node:util";
import type { CallState, Fact, ResultRecord } from "../core/event.ts";
import type { ToolCall } from "../core/message.ts";
import type { Access, Answer, Ask, PermissionRequest } from "../core/permission.ts";
import type { Effect, ToolDefinition, ToolResult } from "../core/tool.ts";
import { mapLimited } from "../lib/pool.ts";
import type { JsonObject } from "../lib/schema.ts";
import { changedPaths } from "./content.ts";
import { draftOf, type EditedCall, editedCall, judgedAgainst, withEdit } from "./edited.ts";
import type { Insight } from "./insight.ts";
import { execute, type Failed, type PipelineDeps, prepare, type Prepared } from "./pipeline.ts";
import { advised, failure, previewLines, recordOf, textOf } from "./record.ts";

export interface SchedulerDeps extends PipelineDeps {
  readonly ask: Ask;
  /** How many calls may run at once. */
  readonly maxParallel: number;
  /** Watches the turn's calls; absent where nobody would take advice. */
  readonly insight?: Insight;
}

/** What a call came to. */
export interface Settled {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly record: ResultRecord;
  /** What the model reads. */
  readonly text: string;
  /** What the model is to do otherwise; the record's suggestion says it too. */
  readonly advice?: string | undefined;
}

export interface BatchOutcome {
  /** One for each call, in the order of the calls. */
  readonly results: readonly Settled[];
  /** How many calls were denied, by a rule or by a person who did not say what to do instead. */
  readonly denied: number;
  /** Set if a person denied without saying what to do instead: the turn ends. */
  readonly stopped: boolean;
}

/** How far a call has come. */
type Slot =
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

const PARALLEL: ReadonlySet<Effect> = new Set(["read", "net", "delegate"]);

/** Runs the calls of one reply. Never throws. */
export async function runCalls(
  calls: readonly ToolCall[],
  options: { deps: SchedulerDeps; signal: AbortSignal },
): Promise<BatchOutcome> {
  return await new Batch(options).run(calls);
}

/** The life of one reply's calls. */
class Batch {
  readonly #deps: SchedulerDeps;
  readonly #signal: AbortSignal;
  #denied = 0;
  /** A call was denied: what follows it does not run. */
  #closed = false;
  #stopped = false;

  constructor({ deps, signal }: { deps: SchedulerDeps; signal: AbortSignal }) {
    this.#deps = deps;
    this.#signal = signal;
  }

  async run(calls: readonly ToolCall[]): Promise<BatchOutcome> {
    const slots = await this.#decide(await this.#prepareAll(calls));
    const results: Settled[] = [];
    for (const batch of batches(slots)) {
      const settled = await mapLimited(batch, {
        limit: this.#deps.maxParallel,
        run: (slot) => this.#settle(slot),
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
      const answer = answers[asking.indexOf(slot)] ?? { kind: "deny" };
      if (slot.state !== "ready") decided.push(slot);
      else if (slot.prepared.verdict.decision !== "ask") decided.push(this.#byRule(slot));
      else if (answer.kind !== "edit" || this.#signal.aborted) {
        decided.push(this.#byPerson(slot, answer));
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
    slot: Slot & { state: "ready" },
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
      slot.state === "ready" ? [this.#requestFor(slot.prepared)] : []
    );
    try {
      return await this.#deps.ask(requests, this.#signal);
    } catch {
      // No answer is no permission.
      return requests.map(() => ({ kind: "deny" }));
    }
  }

  #requestFor(prepared: Prepared): PermissionRequest {
    const { call, tool, description, verdict, previews } = prepared;
    return {
      callId: call.id,
      agent: this.#deps.agent,
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

  #byRule(slot: Slot & { state: "ready" }): Slot {
    const { verdict } = slot.prepared;
    const decision = verdict.decision === "deny" ? "deny" : "allow";
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

  #byPerson(slot: Slot & { state: "ready" }, answer: Answer): Slot {
    if (this.#signal.aborted) return slot;
    this.#permission(slot, { decision: answer.kind, by: "user" });
    if (answer.kind === "allow" || answer.kind === "always") {
      if (answer.kind === "always") {
        this.#deps.policy.grant(slot.prepared.accesses);
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
        const options = { deps: this.#deps, signal: this.#signal };
        return this.#finish(slot, await execute(slot.prepared, options), since);
      }
    }
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
    return { call, result, record, text: textOf(result, record) };
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

  #permission(
    slot: Slot & { state: "ready" },
    how: Pick<Extract<Fact, { type: "permission" }>, "decision" | "by" | "edited">,
  ): void {
    const { class: gravity, why } = slot.prepared.verdict;
    this.#deps.emit({ type: "permission", call_id: slot.call.id, class: gravity, why, ...how });
  }
}

/** Consecutive calls that may run together, and every other call by itself. */
function batches(slots: readonly Slot[]): Slot[][] {
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

function isRepetition(prepared: Prepared, earlier: readonly Slot[]): boolean {
  return earlier.some((slot) =>
    slot.state === "ready" && slot.prepared.tool === prepared.tool &&
    isDeepStrictEqual(slot.prepared.input, prepared.input)
  );
}

function verdictOf(slot: Slot): "allow" | "ask" | "deny" | undefined {
  return slot.state === "ready" ? slot.prepared.verdict.decision : undefined;
}

function pathsOf(slot: Slot): string[] {
  return slot.state === "ready" ? changedPaths(slot.prepared.plan) : [];
}

/** Why an edited call may not even be asked about. */
function refusalOf(slot: Slot): string | undefined {
  if (slot.state === "failed") return slot.failed.error.message;
  if (slot.state !== "ready") return "an earlier call changes the same file first";
  const { decision, why } = slot.prepared.verdict;
  return decision === "deny" ? why : undefined;
}

function interrupted(): Failed {
  return failure("interrupted", "[Request interrupted by user for tool use]");
}

function notRun(): Failed {
  return failure("permission", "Not run, because an earlier call of this reply was denied");
}
