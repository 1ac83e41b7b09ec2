/**
 * One turn: from the user's line to the model's last word. A while loop with a limit: request, reply,
 * calls, results, and again, until a reply makes no call. The only loop there is: the REPL, print mode
 * and programs all run it, and differ in their sink and in whom they ask.
 */
import type { Event, Fact, Reason, UsageFact } from "../core/event.ts";
import { type AssistantMessage, INTERRUPTION_MARKER, type Message } from "../core/message.ts";
import type { Delta, Model } from "../core/model.ts";
import { PLACEHOLDER_START } from "../core/secrets.ts";
import type { Budget } from "../context/budget.ts";
import { cleanUpHint } from "../context/results.ts";
import { formatDuration, messageOf } from "../lib/text.ts";
import { Insight } from "../tools/insight.ts";
import { type BatchOutcome, runCalls, type SchedulerDeps } from "../tools/scheduler.ts";
import type { Conversation } from "./conversation.ts";
import { Draft } from "./draft.ts";

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

const PROMPT_MASKED =
  "Your message holds what looks like a secret. The model gets a placeholder for it, which its calls can use.";

const PLACEHOLDERS_EXPLAINED =
  `Secrets are shown as ${PLACEHOLDER_START}KIND:NUMBER]. Use such a placeholder in calls as it stands: ` +
  "the real value is put in its place";

/** Events that still tell something true after an abort. */
const AFTER_ABORT: ReadonlySet<Event["type"]> = new Set(["tool_end", "turn_end"]);

class Turn {
  readonly #deps: TurnDeps;
  readonly #signal: AbortSignal;
  readonly #started = performance.now();
  readonly #emit: (fact: Fact) => void;
  readonly #insight: Insight;
  readonly #draft: Draft;
  #requests = 0;
  #calls = 0;
  #denied = 0;
  #blocked = false;
  #text = "";
  #usage: UsageFact = { prompt_tokens: 0, completion_tokens: 0 };

  constructor({ deps, signal }: { deps: TurnDeps; signal: AbortSignal }) {
    this.#deps = deps;
    this.#signal = signal;
    const tools = deps.scheduler.registry.definitions.map((definition) => definition.name);
    this.#insight = new Insight({ tools });
    this.#draft = new Draft((note) => deps.conversation.note(note));
    this.#emit = (fact) => {
      if (!signal.aborted || AFTER_ABORT.has(fact.type)) deps.scheduler.emit(fact);
    };
  }

  async run(prompt: string): Promise<TurnSummary> {
    this.#emit({ type: "turn_start", prompt });
    let reason: Reason | undefined;
    let cause: unknown;
    try {
      this.#applyCleanUps();
      const { content } = await this.#append({ role: "user", content: prompt });
      if (content !== prompt) this.#emit({ type: "notice", level: "info", text: PROMPT_MASKED });
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
    const { budget, conversation } = this.#deps;
    if (budget.worthFreeing(conversation.reclaimable)) this.#applyCleanUps();
    const reply = await this.#request();
    if (reply.interrupted) return "interrupted";
    if (reply.calls.length === 0) return this.#denied > 0 ? "denied" : "done";
    if (budget.level === "critical") return await this.#block(reply);
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

  async #request(): Promise<AssistantMessage> {
    const { conversation, settings, systemPrompt, budget, scheduler } = this.#deps;
    this.#requests++;
    const messages = [{ role: "system" as const, content: systemPrompt }, ...conversation.messages];
    this.#announceRequest();
    const reply = await this.#deps.model.reply(
      { ...settings, messages, tools: scheduler.registry.definitions },
      { signal: this.#signal, onDelta: (delta) => this.#delta(delta) },
    );
    const message = reply.message.interrupted
      ? marked(reply.message)
      : conversation.withUniqueIds(reply.message);
    const kept = await this.#append(message);
    this.#text = reply.message.interrupted ? reply.message.content : kept.content;
    if (reply.usage) {
      budget.correct(reply.usage);
      const { prompt_tokens, completion_tokens } = this.#usage;
      this.#usage = {
        prompt_tokens: prompt_tokens + reply.usage.promptTokens,
        completion_tokens: completion_tokens + reply.usage.completionTokens,
      };
    }
    return kept;
  }

  #delta(delta: Delta): void {
    if (delta.kind === "text") {
      this.#draft.add(delta.text);
      return this.#emit({ type: "text_delta", text: delta.text });
    }
    if (delta.kind === "thinking") return this.#emit({ type: "thinking_delta", text: delta.text });
    const text = `${delta.why}; asking again in ${formatDuration(delta.waitMs)}`;
    this.#emit({ type: "notice", level: "warning", text });
    this.#announceRequest();
  }

  #announceRequest(): void {
    this.#draft.begin();
    const messages = this.#deps.conversation.messages.length + 1;
    this.#emit({ type: "request_start", turn: this.#requests, messages });
  }

  /** Results in source order, each within the budget; the last one tells what else has happened. */
  async #appendResults(outcome: BatchOutcome): Promise<void> {
    const { budget } = this.#deps;
    for (const [index, settled] of outcome.results.entries()) {
      const own = settled.result.ok ? settled.result.budget : undefined;
      const fitted = budget.fit(settled.text, own);
      const isLast = index === outcome.results.length - 1;
      const notes = isLast ? [...this.#explainPlaceholders(outcome), ...this.#news()] : [];
      const { call: { id, name }, advice, record } = settled;
      const content = [
        fitted,
        advice && `[Suggestion: ${advice}]`,
        cleanUpHint(fitted, id),
        ...notes.map((note) => `[${note}]`),
      ].filter(Boolean).join("\n\n");
      await this.#append({ role: "tool", call_id: id, name, content, success: record.success });
    }
    const { used: tokens, size, percent, level } = budget;
    this.#emit({ type: "context", tokens, size, percent, level });
  }

  /** What placeholders are, with the first that the model gets to see. */
  #explainPlaceholders({ results }: BatchOutcome): string[] {
    if (!results.some(({ text }) => text.includes(PLACEHOLDER_START))) return [];
    const { messages } = this.#deps.conversation;
    const known = messages.some((message) =>
      message.role === "tool" && message.content.includes(PLACEHOLDERS_EXPLAINED)
    );
    return known ? [] : [PLACEHOLDERS_EXPLAINED];
  }

  /** What the model should know by now: a new context level, background tasks that have ended. */
  #news(): string[] {
    const { budget, scheduler } = this.#deps;
    const status = budget.statusNote();
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

  /**
   * Gives up the results that were cleaned up. It waits for a new prompt, unless the space is needed:
   * until then each request begins with the bytes of the one before.
   */
  #applyCleanUps(): void {
    this.#deps.budget.free(this.#deps.conversation.applyCleanUps());
  }

  async #append<M extends Message>(message: M): Promise<M> {
    const kept = await this.#deps.conversation.append(message);
    this.#deps.budget.add(kept);
    this.#emit({ type: "message", message: kept });
    return kept;
  }

  #end(reason: Reason, cause: unknown): TurnSummary {
    const summary = {
      reason,
      turns: this.#requests,
      tool_calls: this.#calls,
      denied: this.#denied,
      duration_ms: Math.round(performance.now() - this.#started),
      usage: this.#usage,
      ...(reason === "error" ? { error: messageOf(cause) } : {}),
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
