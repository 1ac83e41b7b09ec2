/**
 * One turn: from the user's line to the model's last word. A while loop with a limit: request, reply, calls,
 * results, and again, until a reply makes no call. There is no other loop: the front ends differ in their sink
 * and in whom they ask.
 */
import { surroundingsMessage } from "../context/prompt.ts";
import { BudgetSpentError } from "../core/errors.ts";
import type { TurnEndReason } from "../core/event.ts";
import { type AssistantMessage, isLoaded, type LoadedSkill } from "../core/message.ts";
import { messageOf } from "../lib/text.ts";
import type { AnswerCheck } from "./answer_check.ts";
import { contextEvent } from "./compact.ts";
import { LoopGuard } from "./loop_guard.ts";
import { TurnCalls } from "./turn_calls.ts";
import type { TurnDeps, TurnSummary } from "./turn_deps.ts";
import type { TurnHooks } from "./turn_hooks.ts";
import { lateToolsNotes, promptTooLongNote, tooLongNote } from "./turn_notes.ts";
import { TurnRecord } from "./turn_record.ts";
import { TurnRequests } from "./turn_requests.ts";
import { dropEarlierReasoning, keepWithinWindow } from "./upkeep.ts";

/** What one turn is run with. */
interface TurnOptions {
  readonly deps: TurnDeps;
  readonly signal: AbortSignal;
  /** The user's own words, where the prompt says more. @default the prompt */
  readonly typed?: string | undefined;
  /** Skills that the user named. @default none */
  readonly skills?: readonly LoadedSkill[] | undefined;
}

/** Runs one turn. Throws nothing but what the log's port throws. */
export async function runTurn(prompt: string, options: TurnOptions): Promise<TurnSummary> {
  const { deps } = options;
  const { fallbackModel: fallback } = deps;
  if (fallback === undefined || fallback === deps.settings.model) {
    return await new Turn(options).run(prompt, options);
  }
  const { runWithFallback } = await import("./fallback_model.ts");
  return await runWithFallback(
    { deps, fallback },
    (deps) => new Turn({ ...options, deps }).run(prompt, options),
  );
}

class Turn {
  readonly #deps: TurnDeps;
  readonly #signal: AbortSignal;
  readonly #record: TurnRecord;
  readonly #requests: TurnRequests;
  readonly #calls: TurnCalls;
  readonly #guard: LoopGuard;
  readonly #started = performance.now();
  readonly #answer: AnswerCheck | undefined;
  /** Undefined where there are none, and for an agent that works for another one. */
  #hooks: TurnHooks | undefined;
  #blocked = false;
  /** Why the turn ended, where the reason does not say it all. */
  #error: string | undefined;

  constructor({ deps, signal }: TurnOptions) {
    const record = new TurnRecord({ deps, signal });
    this.#deps = deps;
    this.#signal = signal;
    this.#record = record;
    this.#requests = new TurnRequests({ deps, signal, record });
    this.#calls = new TurnCalls({ deps, signal, record });
    this.#guard = new LoopGuard(deps.repetition);
    this.#answer = deps.scheduler.agent.depth === 0 ? deps.createAnswerCheck?.() : undefined;
  }

  async run(
    prompt: string,
    { typed = prompt, skills = [] }: Pick<TurnOptions, "typed" | "skills">,
  ): Promise<TurnSummary> {
    const { addressed, prepare, scheduler: { agent, registry } } = this.#deps;
    const to = addressed === undefined ? {} : { addressed };
    this.#record.emit({ type: "turn_start", prompt, ...to });
    let reason: TurnEndReason | undefined;
    let cause: unknown;
    try {
      if (agent.depth === 0) {
        await prepare?.(this.#signal);
        registry.fix();
        this.#hooks = await this.#openHooks();
      }
      await dropEarlierReasoning(this.#deps);
      await this.#keepWithinWindow("prompt");
      reason = await this.#begin(prompt, { typed, skills });
      while (reason === undefined) reason = await this.#step();
    } catch (error) {
      reason = this.#reasonOf(error);
      if (reason === "error") cause = error;
    }
    return this.#end(reason, cause);
  }

  /** Takes the prompt, unless no window could hold it. */
  async #begin(
    prompt: string,
    { typed, skills }: { typed: string; skills: readonly LoadedSkill[] },
  ): Promise<TurnEndReason | undefined> {
    const { budget } = this.#deps;
    const message = await this.#record.userMessage(prompt, typed === prompt ? {} : { typed });
    if (!budget.canHold(message)) return this.#stop("context", promptTooLongNote(message, budget));
    const hooked = await this.#hooks?.beforeWords(typed);
    if (hooked && "denied" in hooked) return this.#stop("denied", `Not sent: ${hooked.denied}`);
    await this.#tellSurroundings();
    if (hooked) await this.#hooks?.append(hooked.notes);
    await this.#loadSkills(skills);
    await this.#record.appendWords(message);
    return undefined;
  }

  async #openHooks(): Promise<TurnHooks | undefined> {
    const { scheduler: { hooks } } = this.#deps;
    if (!hooks) return undefined;
    const { TurnHooks } = await import("./turn_hooks.ts");
    return new TurnHooks({ hooks, deps: this.#deps, signal: this.#signal, record: this.#record });
  }

  /** What is not as the system prompt says comes before the user's words. */
  async #tellSurroundings(): Promise<void> {
    const { conversation, currentPrompt, scheduler: { registry } } = this.#deps;
    const now = await currentPrompt?.();
    const message = now && surroundingsMessage(now, conversation);
    if (message) await this.#record.append(message);
    for (const content of lateToolsNotes(registry)) {
      await this.#record.append({ role: "user", content: `[${content}]`, told: [] });
    }
  }

  /** Instructions that the model can read already are not repeated. */
  async #loadSkills(skills: readonly LoadedSkill[]): Promise<void> {
    const { budget, conversation } = this.#deps;
    const loaded = conversation.loadedSkills();
    for (const skill of skills) {
      if (isLoaded(skill, loaded)) continue;
      const text = budget.fit(skill.text);
      await this.#record.append({ role: "user", content: text, skills: [{ ...skill, text }] });
    }
  }

  /** One request and what it leads to; a reason if the turn is over. */
  async #step(): Promise<TurnEndReason | undefined> {
    const { budget, maxTurns } = this.#deps;
    if (this.#requests.count >= maxTurns) return "turn_limit";
    if (!await this.#keepWithinWindow("request")) return this.#stop("context", tooLongNote(budget));
    const outcome = await this.#requests.next(this.#answer?.format);
    if (outcome.kind === "overflow") return this.#stop("context", outcome.why);
    const { reply } = outcome;
    if (reply.interrupted) return this.#reasonOf(this.#signal.reason);
    if (reply.calls.length === 0) return await this.#finish(reply);
    if (budget.level === "critical") return await this.#block(reply);
    return await this.#runCalls(reply);
  }

  /** The reply makes no call. One with nothing in it is answered once; the second one ends the turn. */
  async #finish(reply: AssistantMessage): Promise<TurnEndReason | undefined> {
    if (reply.content.trim() !== "") {
      const fault = this.#answer?.check(reply.content);
      if (fault === undefined) {
        if (await this.#hooks?.goesOn(reply.content)) return undefined;
        return this.#calls.anyDenied ? "denied" : "done";
      }
      await this.#record.append({ role: "user", content: `[${fault}]`, told: [] });
      return undefined;
    }
    const verdict = this.#guard.checkEmptyReply();
    if (verdict.kind === "stop") return this.#stop("error", verdict.text);
    await this.#record.append({ role: "user", content: verdict.text, told: [] });
    return undefined;
  }

  /** The window is full: the calls are answered without being run, once; then the turn ends. */
  async #block({ calls }: AssistantMessage): Promise<TurnEndReason | undefined> {
    await this.#calls.block(calls);
    if (this.#blocked) return "context";
    this.#blocked = true;
    return undefined;
  }

  async #runCalls({ calls }: AssistantMessage): Promise<TurnEndReason | undefined> {
    const { results, stopped } = await this.#calls.run(calls);
    const repetition = this.#guard.checkCalls(results);
    await this.#calls.append(results, repetition?.kind === "nudge" ? [repetition.text] : []);
    if (this.#signal.aborted) return this.#reasonOf(this.#signal.reason);
    if (stopped) return "denied";
    if (repetition?.kind === "stop") return this.#stop("error", repetition.text);
    await this.#takeSteering();
    return undefined;
  }

  /** What the user typed meanwhile comes before the next request; it is said to the main agent only. */
  async #takeSteering(): Promise<void> {
    const { steer, scheduler: { agent } } = this.#deps;
    for (const words of agent.depth > 0 ? [] : await steer?.() ?? []) {
      const hooked = await this.#hooks?.beforeWords(words);
      if (hooked && "denied" in hooked) {
        this.#record.notice("warning", `Not sent: ${hooked.denied}`);
        continue;
      }
      if (hooked) await this.#hooks?.append(hooked.notes);
      const message = await this.#record.userMessage(words, { steering: true });
      await this.#record.appendWords(message);
    }
  }

  #keepWithinWindow(moment: "prompt" | "request"): Promise<boolean> {
    return keepWithinWindow(this.#deps, { signal: this.#signal, emit: this.#record.emit, moment });
  }

  /** Why the turn ends by what was thrown, or by what it was ended with. */
  #reasonOf(error: unknown): TurnEndReason {
    const { aborted, reason } = this.#signal;
    const why = aborted ? reason : error;
    if (why instanceof BudgetSpentError) return this.#stop("budget", why.message);
    return aborted ? "interrupted" : "error";
  }

  #stop(reason: TurnEndReason, why: string): TurnEndReason {
    this.#error = why;
    return reason;
  }

  #end(reason: TurnEndReason, cause: unknown): TurnSummary {
    const error = this.#error ?? (reason === "error" ? messageOf(cause) : undefined);
    const { delegated } = this.#calls;
    const answer = this.#answer?.found;
    const summary = {
      reason,
      turns: this.#requests.count,
      ...this.#calls.counts,
      duration_ms: Math.round(performance.now() - this.#started),
      usage: this.#requests.usage,
      ...(delegated === undefined ? {} : { delegated }),
      ...(answer === undefined ? {} : { structured: answer.value }),
      ...this.#requests.cut && { cut: this.#requests.cut },
      ...(error === undefined ? {} : { error }),
    };
    // The last reply is in the window too.
    const { budget, scheduler } = this.#deps;
    if (this.#requests.count > 0) scheduler.emit(contextEvent(budget));
    this.#record.emit({ type: "turn_end", ...summary });
    this.#hooks?.ended(reason);
    return {
      ...summary,
      text: answer === undefined ? this.#requests.text : JSON.stringify(answer.value),
      ...(cause === undefined ? {} : { cause }),
    };
  }
}
