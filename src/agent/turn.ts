/**
 * One turn: from the user's line to the model's last word. A while loop with a limit: request, reply,
 * calls, results, and again, until a reply makes no call. The only loop there is: the REPL, print mode
 * and programs all run it, and differ in their sink and in whom they ask.
 */
import type { Event, Fact, Reason, UsageFact } from "../core/event.ts";
import { EndpointError } from "../core/errors.ts";
import { type AssistantMessage, INTERRUPTION_MARKER, type Message } from "../core/message.ts";
import type { Delta, Model, Reply } from "../core/model.ts";
import type { Budget } from "../context/budget.ts";
import { cleanUpHint } from "../context/results.ts";
import { formatDuration, messageOf, plural } from "../lib/text.ts";
import { Insight } from "../tools/insight.ts";
import { type BatchOutcome, runCalls, type SchedulerDeps } from "../tools/scheduler.ts";
import { contextFact } from "./compact.ts";
import type { Conversation } from "./conversation.ts";
import { fitResult } from "./fit_result.ts";
import { keepWithin, prepareExactCounts } from "./upkeep.ts";

/** What is the same for every request of a session. */
export interface RequestSettings {
  readonly model: string;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
}

export interface TurnDeps {
  readonly conversation: Conversation;
  readonly model: Model;
  readonly settings: RequestSettings;
  readonly systemPrompt: string;
  readonly budget: Budget;
  readonly scheduler: SchedulerDeps;
  /** Requests one turn may make. */
  readonly maxTurns: number;
  /**
   * Makes room when the server says that the conversation does not fit its window; true if there is less
   * of it now. It is called once a turn at most.
   */
  readonly onOverflow?: (signal: AbortSignal) => Promise<boolean>;
  /** Keeps a text for the model to read on in, where its result had to be cut; the file's path. */
  readonly keepOutput?: (text: string) => Promise<string | undefined>;
}

/** How a turn ended; also told by the event `turn_end`. */
export interface TurnSummary extends Omit<Extract<Fact, { type: "turn_end" }>, "type"> {
  /** The model's last words. */
  readonly text: string;
  /** What was thrown, if the reason is "error". */
  readonly cause?: unknown;
}

/** Runs one turn. Throws nothing but what the journal's port throws. */
export async function runTurn(
  prompt: string,
  options: { deps: TurnDeps; signal: AbortSignal },
): Promise<TurnSummary> {
  return await new Turn(options).run(prompt);
}

/** Percentage of the window from which on a person is warned of every call. */
const NEARLY_FULL = 90;

/** Events that still tell something true after an abort. */
const AFTER_ABORT: ReadonlySet<Event["type"]> = new Set(["tool_end", "turn_end"]);

class Turn {
  readonly #deps: TurnDeps;
  readonly #signal: AbortSignal;
  readonly #started = performance.now();
  readonly #emit: (fact: Fact) => void;
  readonly #insight: Insight;
  #requests = 0;
  #calls = 0;
  #denied = 0;
  #blocked = false;
  #madeRoom = false;
  /** Why the turn ended, where the reason does not say it all. */
  #error: string | undefined;
  #text = "";
  #usage: UsageFact = { prompt_tokens: 0, completion_tokens: 0 };

  constructor({ deps, signal }: { deps: TurnDeps; signal: AbortSignal }) {
    this.#deps = deps;
    this.#signal = signal;
    const tools = deps.scheduler.registry.definitions.map((definition) => definition.name);
    this.#insight = new Insight({ tools });
    this.#emit = (fact) => {
      if (!signal.aborted || AFTER_ABORT.has(fact.type)) deps.scheduler.emit(fact);
    };
  }

  async run(prompt: string): Promise<TurnSummary> {
    this.#emit({ type: "turn_start", prompt });
    let reason: Reason | undefined;
    let cause: unknown;
    try {
      await this.#keepWithin("prompt");
      const message = { role: "user", content: prompt } as const;
      if (this.#deps.budget.canHold(message)) await this.#append(message);
      else reason = this.#refusePrompt(message);
      while (reason === undefined) reason = await this.#step();
    } catch (error) {
      reason = this.#signal.aborted ? "interrupted" : "error";
      if (reason === "error") cause = error;
    }
    return this.#end(reason, cause);
  }

  /** One request and what it leads to; a reason if the turn is over. */
  async #step(): Promise<Reason | undefined> {
    if (this.#requests >= this.#deps.maxTurns) return "turn_limit";
    const { budget } = this.#deps;
    if (!await this.#keepWithin("request")) return this.#refuse();
    const reply = await this.#request();
    if (reply === "overflow") return "context";
    if (reply.interrupted) return "interrupted";
    if (reply.calls.length === 0) return this.#denied > 0 ? "denied" : "done";
    if (budget.level === "critical") return await this.#block(reply);
    this.#warn(reply.calls.length);
    const outcome = await runCalls(reply.calls, {
      deps: { ...this.#deps.scheduler, emit: this.#emit, insight: this.#insight },
      signal: this.#signal,
    });
    this.#calls += reply.calls.length;
    this.#denied += outcome.denied;
    await this.#appendResults(outcome);
    if (this.#signal.aborted) return "interrupted";
    return outcome.stopped ? "denied" : undefined;
  }

  /** Asks the model; if the conversation is too long for the server, room is made once. */
  async #request(): Promise<AssistantMessage | "overflow"> {
    this.#requests++;
    for (;;) {
      this.#announceRequest();
      try {
        return await this.#take(await this.#ask());
      } catch (error) {
        if (!(error instanceof EndpointError) || error.kind !== "context") throw error;
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

  #ask(): Promise<Reply> {
    const { conversation, settings, systemPrompt, scheduler, model } = this.#deps;
    const messages = [{ role: "system" as const, content: systemPrompt }, ...conversation.messages];
    const reply = model.reply(
      { ...settings, messages, tools: scheduler.registry.definitions },
      { signal: this.#signal, onDelta: (delta) => this.#delta(delta) },
    );
    prepareExactCounts(this.#deps);
    return reply;
  }

  /** Makes a reply part of the conversation. */
  async #take(reply: Reply): Promise<AssistantMessage> {
    const { conversation, budget, settings } = this.#deps;
    const message = reply.message.interrupted
      ? marked(reply.message)
      : conversation.withUniqueIds(reply.message);
    this.#text = reply.message.content;
    await this.#append(message);
    if (reply.usage) {
      budget.correct(reply.usage, settings.model);
      const { prompt_tokens, completion_tokens } = this.#usage;
      this.#usage = {
        prompt_tokens: prompt_tokens + reply.usage.promptTokens,
        completion_tokens: completion_tokens + reply.usage.completionTokens,
      };
    }
    return message;
  }

  #delta(delta: Delta): void {
    if (delta.kind === "text") return this.#emit({ type: "text_delta", text: delta.text });
    if (delta.kind === "thinking") return this.#emit({ type: "thinking_delta", text: delta.text });
    const text = `${delta.why}; asking again in ${formatDuration(delta.waitMs)}`;
    this.#emit({ type: "notice", level: "warning", text });
    this.#announceRequest();
  }

  #announceRequest(): void {
    const messages = this.#deps.conversation.messages.length + 1;
    this.#emit({ type: "request_start", turn: this.#requests, messages });
  }

  /** Results in source order, each within the budget; the last one tells what else has happened. */
  async #appendResults(outcome: BatchOutcome): Promise<void> {
    const { budget } = this.#deps;
    for (const [index, settled] of outcome.results.entries()) {
      const sharers = outcome.results.length - index;
      const { text: fitted, files } = await fitResult(settled, { ...this.#deps, sharers });
      const { call: { id, name }, advice, record: { success } } = settled;
      const told = [fitted, advice && `[Suggestion: ${advice}]`, cleanUpHint(fitted, id)];
      const notes = sharers === 1 ? this.#news(fitted) : [];
      const content = [...told, ...notes.map((note) => `[${note}]`)].filter(Boolean).join("\n\n");
      const marks = files === undefined ? {} : { files };
      await this.#append({ role: "tool", call_id: id, name, content, success, ...marks });
    }
    this.#emit(contextFact(budget));
  }

  /** What the model should know along with a text: a new context level, background tasks that have ended. */
  #news(text: string): string[] {
    const { budget, scheduler } = this.#deps;
    const status = budget.statusNote(text);
    const ended = scheduler.agent.depth === 0 ? scheduler.shell.tasks.takeEnded() : [];
    return [
      ...(status === undefined ? [] : [status]),
      ...ended.map(({ id, command, code }) =>
        `${id} (${command}) has ended with exit code ${code}`
      ),
    ];
  }

  /** The window is full: every call is answered without being run, once; then the turn ends. */
  async #block(reply: AssistantMessage): Promise<Reason | undefined> {
    const content = this.#deps.budget.blockedNote;
    for (const { id, name } of reply.calls) {
      await this.#append({ role: "tool", call_id: id, name, content, success: false });
    }
    if (this.#blocked) return "context";
    this.#blocked = true;
    return undefined;
  }

  #keepWithin(moment: "prompt" | "request"): Promise<boolean> {
    return keepWithin(this.#deps, { signal: this.#signal, emit: this.#emit, moment });
  }

  /** Nothing over the window is ever sent. */
  #refuse(): Reason {
    const { used, limit } = this.#deps.budget;
    this.#error =
      `The next request would have about ${used} tokens, and the window takes ${limit}. ` +
      "Begin anew (/clear), or with a larger window (--context-size).";
    return "context";
  }

  /** What can never be sent does not become part of the conversation. */
  #refusePrompt(message: Message): Reason {
    const { counter, limit, fixedTokens } = this.#deps.budget;
    this.#error =
      `The prompt has about ${counter.countMessage(message)} tokens, and the window has ` +
      `room for ${
        Math.max(0, limit - fixedTokens)
      }. Put the text in a file and name it, or use a ` +
      "larger window (--context-size).";
    return "context";
  }

  /** Tells the person what calls in a nearly full window may come to. */
  #warn(calls: number): void {
    const { percent, remainingCalls } = this.#deps.budget;
    if (percent < NEARLY_FULL) return;
    const text = `Context at ${percent}% - only about ${plural(remainingCalls, "tool call")} ` +
      `remaining. Executing ${calls}...`;
    this.#emit({ type: "notice", level: "warning", text });
  }

  async #append(message: Message): Promise<void> {
    await this.#deps.conversation.append(message);
    this.#deps.budget.add(message);
    this.#emit({ type: "message", message });
  }

  #end(reason: Reason, cause: unknown): TurnSummary {
    const error = this.#error ?? (reason === "error" ? messageOf(cause) : undefined);
    const summary = {
      reason,
      turns: this.#requests,
      tool_calls: this.#calls,
      denied: this.#denied,
      duration_ms: Math.round(performance.now() - this.#started),
      usage: this.#usage,
      ...(error === undefined ? {} : { error }),
    };
    this.#emit({ type: "turn_end", ...summary });
    return { ...summary, text: this.#text, ...(cause === undefined ? {} : { cause }) };
  }
}

/** A reply that was cut off, with the mark that tells the model so. */
function marked(message: AssistantMessage): AssistantMessage {
  const content = message.content === ""
    ? INTERRUPTION_MARKER
    : `${message.content}\n\n${INTERRUPTION_MARKER}`;
  return { ...message, content, calls: [] };
}
