/**
 * One turn: from the user's line to the model's last word. A while loop with a limit: request, reply,
 * calls, results, and again, until a reply makes no call. The only loop there is: the REPL, print mode
 * and programs all run it, and differ in their sink and in whom they ask.
 */
import type { Budget } from "../context/budget.ts";
import { cleanUpHint } from "../context/cleanup_hint.ts";
import { EndpointError } from "../core/errors.ts";
import type { DelegatedUsage, Event, EventBody, TurnEndReason, TurnUsage } from "../core/event.ts";
import {
  type AssistantMessage,
  BROKEN_MARKER,
  INTERRUPTION_MARKER,
  type Message,
  type UserMessage,
} from "../core/message.ts";
import type { Delta, Model, Reply } from "../core/model.ts";
import { messageOf } from "../lib/text.ts";
import type { BatchOutcome, SchedulerDeps } from "../tools/scheduler.ts";
import { UsageHints } from "../tools/usage_hints.ts";
import { contextEvent, type Thresholds } from "./compact.ts";
import { ContextWatch } from "./context_watch.ts";
import type { Conversation } from "./conversation.ts";
import { fitResult } from "./fit_result.ts";
import { LoopGuard, type RepetitionLimits } from "./loop_guard.ts";
import { PartialReplyWriter } from "./partial_reply.ts";
import { sumUsage } from "./spent.ts";
import {
  endNote,
  idleNote,
  nearlyFullNote,
  placeholderNotes,
  PROMPT_MASKED,
  promptTooLongNote,
  retryNote,
  statusNotesFor,
  tooLongNote,
  withMarker,
} from "./turn_notes.ts";
import { keepWithinWindow, prepareExactCounts } from "./upkeep.ts";
import { addUsage, type ModelFigures, NO_USAGE, toTurnUsage } from "./usage.ts";

/** What is the same for every request of a session. */
export interface RequestSettings {
  readonly model: string;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
}

export interface TurnDeps extends ModelFigures {
  readonly conversation: Conversation;
  readonly model: Model;
  readonly settings: RequestSettings;
  readonly systemPrompt: string;
  /** The prompt as it should be from the next turn on. @default it never changes */
  readonly currentPrompt?: () => Promise<string>;
  /** Number of the newest change to files, 0 if there is none. @default messages do not say */
  readonly newestChange?: () => Promise<number | undefined>;
  readonly budget: Budget;
  readonly thresholds?: Thresholds;
  /** When the model turns in circles. */
  readonly circles?: RepetitionLimits;
  readonly scheduler: SchedulerDeps;
  /** Requests one turn may make. */
  readonly maxTurns: number;
  /** Which profile it has, if the user speaks to it by its name. */
  readonly addressed?: { readonly addressed: string };
  /**
   * Makes room when the server says that the conversation does not fit its window; true if there is less
   * of it now. It is called once a turn at most.
   */
  readonly onOverflow?: (signal: AbortSignal) => Promise<boolean>;
  /** What agents that work for this one have come to since this was asked last; absent if there are none. */
  readonly delegated?: () => DelegatedUsage | undefined;
  /** What is done before a turn of the user's. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  /** Keeps a text for the model to read on in, where its result had to be cut; the file's path. */
  readonly keepOutput?: (text: string) => Promise<string | undefined>;
  /** What the user has said since the turn began; asked before each request but the first. */
  readonly steer?: (() => Promise<readonly string[]>) | undefined;
}

/** How a turn ended; also told by the event `turn_end`. */
export interface TurnSummary extends Omit<Extract<EventBody, { type: "turn_end" }>, "type"> {
  /** The model's last words. */
  readonly text: string;
  /** What was thrown, if the reason is "error". */
  readonly cause?: unknown;
}

/** Runs one turn. Throws nothing but what the journal's port throws. */
export async function runTurn(
  prompt: string,
  options: {
    deps: TurnDeps;
    signal: AbortSignal;
    /** The user's own words, where the prompt says more. @default the prompt */
    typed?: string | undefined;
  },
): Promise<TurnSummary> {
  return await new Turn(options).run(prompt, options.typed ?? prompt);
}

/** Events that still tell something true after an abort. */
const AFTER_ABORT: ReadonlySet<Event["type"]> = new Set(["tool_end", "turn_end"]);

class Turn {
  readonly #deps: TurnDeps;
  readonly #signal: AbortSignal;
  readonly #started = performance.now();
  readonly #emit: (fact: EventBody) => void;
  readonly #hints: UsageHints;
  readonly #partialReply: PartialReplyWriter;
  readonly #guard: LoopGuard;
  #requests = 0;
  #calls = 0;
  #denied = 0;
  #blocked = false;
  #madeRoom = false;
  /** Why the turn ended, where the reason does not say it all. */
  #error: string | undefined;
  #text = "";
  #delegated: DelegatedUsage | undefined;
  #usage: TurnUsage = NO_USAGE;

  constructor({ deps, signal }: { deps: TurnDeps; signal: AbortSignal }) {
    this.#deps = deps;
    this.#signal = signal;
    const tools = deps.scheduler.registry.definitions.map((definition) => definition.name);
    this.#hints = new UsageHints({ tools });
    this.#guard = new LoopGuard(deps.circles);
    this.#partialReply = new PartialReplyWriter((text, piece) =>
      deps.conversation.savePartialReply(text, piece)
    );
    this.#emit = (fact) => {
      if (!signal.aborted || AFTER_ABORT.has(fact.type)) deps.scheduler.emit(fact);
    };
  }

  async run(prompt: string, typed: string): Promise<TurnSummary> {
    this.#emit({ type: "turn_start", prompt, ...this.#deps.addressed });
    let reason: TurnEndReason | undefined;
    let cause: unknown;
    try {
      if (this.#deps.scheduler.agent.depth === 0) await this.#deps.prepare?.(this.#signal);
      await this.#keepWithinWindow("prompt");
      reason = await this.#begin(prompt, typed);
      while (reason === undefined) reason = await this.#step();
    } catch (error) {
      reason = this.#signal.aborted ? "interrupted" : "error";
      if (reason === "error") cause = error;
    }
    return this.#end(reason, cause);
  }

  /** Takes the prompt, unless no window could hold it; then a reason. */
  async #begin(prompt: string, typed: string): Promise<TurnEndReason | undefined> {
    const { budget } = this.#deps;
    const words = typed === prompt ? {} : { typed };
    const message = { role: "user" as const, content: prompt, ...await this.#change(), ...words };
    if (!budget.canHold(message)) return this.#stop("context", promptTooLongNote(message, budget));
    const { content } = await this.#append<UserMessage>(message);
    if (content !== prompt) this.#notice("info", PROMPT_MASKED);
    return undefined;
  }

  /** How far the files are when the user speaks. */
  async #change(): Promise<Pick<UserMessage, "change">> {
    const change = await this.#deps.newestChange?.();
    return change === undefined ? {} : { change };
  }

  /** One request and what it leads to; a reason if the turn is over. */
  async #step(): Promise<TurnEndReason | undefined> {
    if (this.#requests >= this.#deps.maxTurns) return "turn_limit";
    const { budget } = this.#deps;
    if (!await this.#keepWithinWindow("request")) return this.#stop("context", tooLongNote(budget));
    const reply = await this.#request();
    if (reply === "overflow") return "context";
    if (reply.interrupted) return "interrupted";
    if (reply.calls.length === 0) {
      if (reply.content.trim() === "") return await this.#nudgeEmpty();
      return this.#denied + (this.#delegated?.denied ?? 0) > 0 ? "denied" : "done";
    }
    if (budget.level === "critical") return await this.#block(reply);
    const warning = nearlyFullNote(reply.calls.length, budget);
    if (warning) this.#notice("warning", warning);
    const { runCalls } = await import("../tools/scheduler.ts");
    const watch = new ContextWatch(budget, (text) => this.#notice("warning", text));
    const outcome = await runCalls(reply.calls, {
      deps: { ...this.#deps.scheduler, emit: this.#emit, hints: this.#hints },
      signal: this.#signal,
      onOutcome: ({ text }, left) => watch.addResult(text, left),
    });
    this.#calls += reply.calls.length;
    this.#denied += outcome.denied;
    this.#delegated = sumUsage(this.#delegated, this.#deps.delegated?.());
    const circle = this.#guard.checkCalls(outcome.results);
    await this.#appendResults(outcome, circle?.kind === "nudge" ? [circle.text] : []);
    if (this.#signal.aborted) return "interrupted";
    if (outcome.stopped) return "denied";
    if (circle?.kind === "stop") return this.#stop("error", circle.text);
    await this.#steer();
    return undefined;
  }

  /** What the user typed meanwhile comes before the next request; it is said to the main agent only. */
  async #steer(): Promise<void> {
    const { steer, scheduler: { agent } } = this.#deps;
    for (const content of agent.depth > 0 ? [] : await steer?.() ?? []) {
      const said = {
        role: "user" as const,
        content,
        ...await this.#change(),
        steering: true as const,
      };
      const kept = await this.#append<UserMessage>(said);
      if (kept.content !== content) this.#notice("info", PROMPT_MASKED);
    }
  }

  /** A reply with nothing in it is answered once; the second one ends the turn. */
  async #nudgeEmpty(): Promise<TurnEndReason | undefined> {
    const verdict = this.#guard.checkEmptyReply();
    if (verdict.kind === "stop") return this.#stop("error", verdict.text);
    await this.#append({ role: "user", content: verdict.text });
    return undefined;
  }

  #stop(reason: TurnEndReason, why: string): TurnEndReason {
    this.#error = why;
    return reason;
  }

  /** Asks the model; if the conversation is too long for the server, room is made once. */
  async #request(): Promise<AssistantMessage | "overflow"> {
    this.#requests++;
    for (;;) {
      this.#announceRequest();
      try {
        return await this.#acceptReply(await this.#callModel());
      } catch (error) {
        if (!(error instanceof EndpointError)) throw error;
        await this.#appendPartialReply(error);
        if (error.kind !== "context") throw error;
        if (!await this.#makeRoom()) {
          this.#error = error.message;
          return "overflow";
        }
      }
    }
  }

  async #makeRoom(): Promise<boolean> {
    const { onOverflow } = this.#deps;
    if (this.#madeRoom || onOverflow === undefined) return false;
    this.#madeRoom = true;
    return await onOverflow(this.#signal);
  }

  /** What was shown of a reply that broke off for good is part of the conversation. */
  async #appendPartialReply({ partial }: EndpointError): Promise<void> {
    if (partial === undefined) return;
    const { text: content, thinking } = partial;
    const calls: AssistantMessage["calls"] = [];
    this.#text = content;
    const said: AssistantMessage = { role: "assistant", content, calls, interrupted: true };
    await this.#append(withMarker(thinking.trim() ? { ...said, thinking } : said, BROKEN_MARKER));
  }

  #callModel(): Promise<Reply> {
    const { conversation, settings, systemPrompt, scheduler, model } = this.#deps;
    const messages = [{ role: "system" as const, content: systemPrompt }, ...conversation.messages];
    const reply = model.reply(
      { ...settings, messages, tools: scheduler.registry.definitions },
      { signal: this.#signal, onDelta: (delta) => this.#onDelta(delta) },
    );
    prepareExactCounts(this.#deps);
    return reply;
  }

  /** Makes a reply part of the conversation. */
  async #acceptReply(reply: Reply): Promise<AssistantMessage> {
    const { conversation, budget, settings } = this.#deps;
    const message = reply.message.interrupted
      ? withMarker(reply.message, INTERRUPTION_MARKER)
      : conversation.withUniqueIds(reply.message);
    const kept = await this.#append(message);
    this.#text = reply.message.interrupted ? reply.message.content : kept.content;
    if (reply.usage) {
      budget.applyServerCount(reply.usage, settings.model);
      const cost = this.#deps.costOf?.(reply.usage, settings.model);
      this.#usage = addUsage(this.#usage, toTurnUsage(reply.usage, cost));
    }
    const cut = message.calls.length === 0 && endNote(reply.finishReason);
    if (cut) this.#notice("warning", cut);
    return kept;
  }

  #onDelta(delta: Delta): void {
    switch (delta.kind) {
      case "text":
        this.#partialReply.add(delta.text);
        return this.#emit({ type: "text_delta", text: delta.text });
      case "thinking":
        return this.#emit({ type: "thinking_delta", text: delta.text });
      case "restart":
        return this.#announceRequest();
      case "fallback":
        return this.#notice("warning", delta.text);
      case "retry":
        return this.#notice("warning", retryNote(delta));
      case "idle": {
        const text = idleNote(delta);
        return this.#emit({ type: "notice", level: "info", text, waiting_ms: delta.ms });
      }
    }
  }

  #notice(level: "info" | "warning", text: string): void {
    this.#emit({ type: "notice", level, text });
  }

  #announceRequest(): void {
    this.#partialReply.begin();
    const { conversation, settings } = this.#deps;
    const messages = conversation.messages.length + 1;
    this.#emit({ type: "request_start", turn: this.#requests, messages, model: settings.model });
  }

  /** Results in source order, each within the budget; the last one tells what else has happened. */
  async #appendResults(outcome: BatchOutcome, warnings: readonly string[]): Promise<void> {
    const { budget, conversation } = this.#deps;
    for (const [index, settled] of outcome.results.entries()) {
      const sharers = outcome.results.length - index;
      const { text: fitted, files } = await fitResult(settled, { ...this.#deps, sharers });
      const { call: { id, name }, hint, record: { success } } = settled;
      const told = [fitted, hint && `[Suggestion: ${hint}]`, cleanUpHint(fitted, id)];
      const notes = sharers === 1
        ? [
          ...placeholderNotes(outcome.results.map(({ text }) => text), conversation.messages),
          ...warnings,
          ...statusNotesFor(fitted, this.#deps),
        ]
        : [];
      const content = [...told, ...notes.map((note) => `[${note}]`)].filter(Boolean).join("\n\n");
      const marks = files === undefined ? {} : { files };
      await this.#append({ role: "tool", call_id: id, name, content, success, ...marks });
    }
    this.#emit(contextEvent(budget));
  }

  /** The window is full: every call is answered without being run, once; then the turn ends. */
  async #block(reply: AssistantMessage): Promise<TurnEndReason | undefined> {
    const content = this.#deps.budget.blockedNote;
    for (const { id, name } of reply.calls) {
      await this.#append({ role: "tool", call_id: id, name, content, success: false });
    }
    if (this.#blocked) return "context";
    this.#blocked = true;
    return undefined;
  }

  #keepWithinWindow(moment: "prompt" | "request"): Promise<boolean> {
    return keepWithinWindow(this.#deps, { signal: this.#signal, emit: this.#emit, moment });
  }

  async #append<M extends Message>(message: M): Promise<M> {
    const kept = await this.#deps.conversation.append(message);
    this.#deps.budget.add(kept);
    this.#emit({ type: "message", message: kept });
    return kept;
  }

  #end(reason: TurnEndReason, cause: unknown): TurnSummary {
    const error = this.#error ?? (reason === "error" ? messageOf(cause) : undefined);
    const summary = {
      reason,
      turns: this.#requests,
      tool_calls: this.#calls,
      denied: this.#denied,
      duration_ms: Math.round(performance.now() - this.#started),
      usage: this.#usage,
      ...(this.#delegated === undefined ? {} : { delegated: this.#delegated }),
      ...(error === undefined ? {} : { error }),
    };
    this.#emit({ type: "turn_end", ...summary });
    return { ...summary, text: this.#text, ...(cause === undefined ? {} : { cause }) };
  }
}
