/**
 * The requests of one turn: each asks the model for a reply, tells it while it arrives, and makes it part of
 * the conversation, as far as it came.
 */
import { findCacheBreak } from "../context/cache_break.ts";
import { promptText } from "../context/prompt.ts";
import { BudgetSpentError, EndpointError } from "../core/errors.ts";
import type { AnswerCut, CacheBreak, TurnUsage } from "../core/event.ts";
import { type AssistantMessage, BROKEN_MARKER, INTERRUPTION_MARKER } from "../core/message.ts";
import type { AnswerFormat, Delta, Reply } from "../core/model.ts";
import { PartialReplyWriter } from "./partial_reply.ts";
import type { TurnDeps } from "./turn_deps.ts";
import {
  answerCut,
  answerNote,
  CUT_NOTES,
  idleNote,
  loadingNotice,
  readingNotice,
  retryNote,
  withMarker,
} from "./turn_notes.ts";
import type { TurnRecord } from "./turn_record.ts";
import { makeRoom, prepareExactCounts } from "./upkeep.ts";
import { addUsage, NO_USAGE, toTurnUsage } from "./usage.ts";

/** A reply, or why the server has no room for the conversation. */
type ReplyOutcome =
  | { readonly kind: "reply"; readonly reply: AssistantMessage }
  | { readonly kind: "overflow"; readonly why: string };

/** Makes the requests of one turn, and adds up what they cost. */
export class TurnRequests {
  readonly #deps: TurnDeps;
  readonly #signal: AbortSignal;
  readonly #record: TurnRecord;
  readonly #partialReply: PartialReplyWriter;
  #count = 0;
  #text = "";
  #usage: TurnUsage = NO_USAGE;
  #madeRoom = false;
  #cut: AnswerCut | undefined;

  constructor(
    { deps, signal, record }: { deps: TurnDeps; signal: AbortSignal; record: TurnRecord },
  ) {
    this.#deps = deps;
    this.#signal = signal;
    this.#record = record;
    this.#partialReply = new PartialReplyWriter((text, piece) =>
      deps.conversation.savePartialReply(text, piece)
    );
  }

  /** How many were made. */
  get count(): number {
    return this.#count;
  }

  /** The model's last words. */
  get text(): string {
    return this.#text;
  }

  /** What cut the last reply off, if something did. */
  get cut(): AnswerCut | undefined {
    return this.#cut;
  }

  /** What all of them cost together. */
  get usage(): TurnUsage {
    return this.#usage;
  }

  /** Asks the model; if the conversation is too long for the server, room is made once a turn. */
  async next(answer?: AnswerFormat): Promise<ReplyOutcome> {
    this.#count++;
    for (;;) {
      this.#announce();
      try {
        return { kind: "reply", reply: await this.#accept(await this.#callModel(answer)) };
      } catch (error) {
        if (!(error instanceof EndpointError)) throw error;
        await this.#appendPartialReply(error);
        if (error.kind !== "context") throw error;
        if (!await this.#makeRoom()) return { kind: "overflow", why: error.message };
      }
    }
  }

  #announce(): void {
    this.#partialReply.begin();
    const { conversation, settings: { model } } = this.#deps;
    const messages = conversation.messages.length + 1;
    this.#record.emit({ type: "request_start", turn: this.#count, messages, model });
  }

  #callModel(answer: AnswerFormat | undefined): Promise<Reply> {
    const { conversation, settings, scheduler, model, answerable } = this.#deps;
    const answerNow = new AbortController();
    answerable?.add(answerNow);
    const system = { role: "system" as const, content: promptText(conversation.prompt) };
    const messages = [system, ...conversation.messages];
    const reply = model.reply(
      {
        ...settings,
        messages,
        tools: scheduler.registry.definitions,
        agent: scheduler.agent.id,
        answer,
      },
      {
        signal: this.#signal,
        onDelta: (delta) => this.#tell(delta),
        answerNow: answerable && answerNow.signal,
      },
    ).finally(() => answerable?.delete(answerNow));
    prepareExactCounts(this.#deps);
    return reply;
  }

  /** Makes a reply part of the conversation. */
  async #accept(reply: Reply): Promise<AssistantMessage> {
    const { conversation, budget, settings } = this.#deps;
    const isSpent = this.#signal.reason instanceof BudgetSpentError;
    const message = reply.message.interrupted
      ? withMarker(reply.message, isSpent ? BROKEN_MARKER : INTERRUPTION_MARKER)
      : conversation.withUniqueIds(reply.message);
    const usage = reply.usage &&
      toTurnUsage(reply.usage, this.#deps.costOf?.(reply.usage, settings.model));
    const cacheBreak = this.#compareWithLast(reply);
    const appended = await this.#record.append(message, {
      ...usage && { usage },
      ...cacheBreak && { cache_break: cacheBreak },
    });
    this.#text = reply.message.interrupted ? reply.message.content : appended.content;
    if (reply.usage) budget.applyServerCount(reply.usage, settings.model);
    if (usage) this.#usage = addUsage(this.#usage, usage);
    this.#cut = message.calls.length === 0 ? answerCut(reply.finishReason) : undefined;
    if (this.#cut) this.#record.notice("warning", CUT_NOTES[this.#cut]);
    return appended;
  }

  /** Where the request was not the continuation of the one before it. */
  #compareWithLast({ sent }: Reply): CacheBreak | undefined {
    const { conversation } = this.#deps;
    const before = conversation.lastSent;
    if (sent === undefined) return undefined;
    conversation.lastSent = sent;
    if (before === undefined) return undefined;
    return findCacheBreak(before, sent);
  }

  /** What was shown of a reply that broke off for good is part of the conversation. */
  async #appendPartialReply({ partial }: EndpointError): Promise<void> {
    if (partial === undefined) return;
    const { text: content, thinking } = partial;
    this.#text = content;
    const message: AssistantMessage = { role: "assistant", content, calls: [], interrupted: true };
    const whole = thinking.trim() === "" ? message : { ...message, thinking };
    await this.#record.append(withMarker(whole, BROKEN_MARKER));
  }

  /** By the model that this turn asks, whichever that is by now. */
  async #makeRoom(): Promise<boolean> {
    if (this.#madeRoom) return false;
    this.#madeRoom = true;
    return await makeRoom(this.#deps, { signal: this.#signal, emit: this.#record.emit });
  }

  #tell(delta: Delta): void {
    const { emit } = this.#record;
    switch (delta.kind) {
      case "text":
        this.#partialReply.add(delta.text);
        return emit({ type: "text_delta", text: delta.text });
      case "thinking":
        return emit({ type: "thinking_delta", text: delta.text });
      case "restart":
        return this.#announce();
      case "fallback":
        return this.#record.notice("warning", delta.text);
      case "retry":
        return this.#record.notice("warning", retryNote(delta));
      case "idle":
        return emit({
          type: "notice",
          level: "info",
          text: idleNote(delta),
          waiting_ms: delta.ms,
        });
      case "answer_now":
        return this.#record.notice("info", answerNote(delta, this.#deps.settings.model));
      case "loading":
        return emit(loadingNotice(delta.ms));
      case "reading": {
        const notice = readingNotice(delta);
        return notice && emit(notice);
      }
    }
  }
}
