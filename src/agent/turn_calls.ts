/**
 * The calls of one turn: they run reply by reply, and each gets one tool message, in source order, within the
 * budget.
 */
import type { Budget } from "../context/budget.ts";
import { cleanUpHint } from "../context/cleanup_hint.ts";
import type { DelegatedUsage } from "../core/event.ts";
import type { FileMark, ToolCall } from "../core/message.ts";
import { plural } from "../lib/text.ts";
import type { CallOutcome } from "../tools/call_outcome.ts";
import type { BatchOutcome } from "../tools/scheduler.ts";
import type { UsageHints } from "../tools/usage_hints.ts";
import { contextEvent } from "./compact.ts";
import type { TurnDeps } from "./turn_deps.ts";
import {
  endedTasks,
  lateToolsNotes,
  NEARLY_FULL,
  nearlyFullNote,
  placeholderNotes,
} from "./turn_notes.ts";
import type { TurnRecord } from "./turn_record.ts";
import { sumUsage } from "./usage.ts";

/** Runs the calls of one turn, and counts them. */
export class TurnCalls {
  readonly #deps: TurnDeps;
  readonly #signal: AbortSignal;
  readonly #record: TurnRecord;
  /** Made with the first call. */
  #hints: UsageHints | undefined;
  #count = 0;
  #denied = 0;
  #delegated: DelegatedUsage | undefined;

  constructor(
    { deps, signal, record }: { deps: TurnDeps; signal: AbortSignal; record: TurnRecord },
  ) {
    this.#deps = deps;
    this.#signal = signal;
    this.#record = record;
  }

  /** How many there were, and how many of them were denied. */
  get counts(): { readonly tool_calls: number; readonly denied: number } {
    return { tool_calls: this.#count, denied: this.#denied };
  }

  /** What the agents that worked for this one have cost. */
  get delegated(): DelegatedUsage | undefined {
    return this.#delegated;
  }

  /** Whether a call was denied, be it one of an agent that worked for this one. */
  get anyDenied(): boolean {
    return this.#denied + (this.#delegated?.denied ?? 0) > 0;
  }

  /** Runs the calls of one reply; their results are not yet part of the conversation. */
  async run(calls: readonly ToolCall[]): Promise<BatchOutcome> {
    const { budget, scheduler, takeDelegatedUsage } = this.#deps;
    const warning = nearlyFullNote(calls.length, budget);
    if (warning) this.#record.notice("warning", warning);
    const { runCalls } = await import("../tools/scheduler.ts");
    const { UsageHints } = await import("../tools/usage_hints.ts");
    this.#hints ??= new UsageHints({
      tools: scheduler.registry.definitions.map(({ name }) => name),
    });
    const watch = new ContextWatch(budget, (text) => this.#record.notice("warning", text));
    const outcome = await runCalls(calls, {
      deps: { ...scheduler, emit: this.#record.emit, hints: this.#hints },
      signal: this.#signal,
      onOutcome: ({ text }, left) => watch.addResult(text, left),
    });
    this.#count += calls.length;
    this.#denied += outcome.denied;
    this.#delegated = sumUsage(this.#delegated, takeDelegatedUsage?.());
    return outcome;
  }

  /** Appends the results of one reply's calls; the last one says what else the model should know. */
  async append(results: readonly CallOutcome[], warnings: readonly string[]): Promise<void> {
    const { budget, conversation } = this.#deps;
    for (const [index, outcome] of results.entries()) {
      const sharers = results.length - index;
      const { text, files } = await fitResult(outcome, { ...this.#deps, sharers });
      const { call: { id, name }, hint, notes: hooked = [], record: { success }, result } = outcome;
      const images = result.ok ? result.images ?? [] : [];
      const told = [text, ...hooked, hint && `[Suggestion: ${hint}]`, cleanUpHint(text, id)];
      const notes = sharers > 1 ? [] : [
        ...placeholderNotes(results.map((one) => one.text), conversation.messages),
        ...warnings,
        ...spendingNotes(this.#deps),
        ...endedTasks(this.#deps.scheduler),
        ...lateToolsNotes(this.#deps.scheduler.registry),
      ];
      const content = [...told, ...notes.map((note) => `[${note}]`)].filter(Boolean).join("\n\n");
      const status = sharers > 1 ? undefined : budget.statusNote(text);
      await this.#record.append({
        role: "tool",
        call_id: id,
        name,
        content,
        success,
        ...files !== undefined && { files },
        ...images.length > 0 && { images },
        ...outcome.skills !== undefined && { skills: outcome.skills },
        ...status !== undefined && { status },
      });
    }
    this.#record.emit(contextEvent(budget));
  }

  /** Answers calls without running them: the window is full. */
  async block(calls: readonly ToolCall[]): Promise<void> {
    const content = "[Not run: the window has no room for its result]";
    const status = this.#deps.budget.blockedNote;
    for (const { id, name } of calls) {
      const result = { role: "tool" as const, call_id: id, name, content, success: false, status };
      await this.#record.append(result);
    }
  }
}

/** That most of what may be spent is. */
function spendingNotes({ spending, scheduler: { agent } }: TurnDeps): string[] {
  const note = spending?.takeNote(agent.id);
  return note === undefined ? [] : [note];
}

/**
 * What of a result the model gets to read, with the files that it shows or that were changed: all of it, or
 * what fits into the room that it shares with those behind it. The whole is then in a file.
 */
export async function fitResult(
  { text, result, files, record }: CallOutcome,
  { budget, saveOutput, sharers }: Pick<TurnDeps, "budget" | "saveOutput"> & { sharers: number },
): Promise<{ text: string; files: readonly FileMark[] | undefined }> {
  const toolBudget = result.ok ? result.budget : undefined;
  if (budget.fits(text, { toolBudget, sharers })) return { text, files };
  // A command's output is saved by its lines, not as the one line of its record.
  const { log_path: log, output } = record;
  const whole = typeof output === "string" && !result.ok ? output : text;
  const file = typeof log === "string" ? log : await saveOutput?.(whole);
  const changed = files?.filter(({ how }) => how === "changed") ?? [];
  return {
    text: budget.fit(text, { toolBudget, sharers, file }),
    files: changed.length === 0 ? undefined : changed,
  };
}

/**
 * Watches the window while the calls of one reply run: their results are appended only when all have ended, and
 * a person should know before that it fills.
 */
class ContextWatch {
  readonly #budget: Budget;
  readonly #warn: (text: string) => void;
  #tokens = 0;
  #warned = false;

  constructor(budget: Budget, warn: (text: string) => void) {
    this.#budget = budget;
    this.#warn = warn;
  }

  /** Takes a result's text, and how many calls have not ended yet; warns once. */
  addResult(text: string, left: number): void {
    if (this.#warned || left === 0) return;
    this.#tokens += this.#budget.costOf(text, { after: this.#tokens });
    const percent = this.#budget.percentWith(this.#tokens);
    if (percent < NEARLY_FULL) return;
    this.#warned = true;
    this.#warn(`Context at ${percent}% with ${plural(left, "call")} still to end.`);
  }
}
