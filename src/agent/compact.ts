/**
 * Carries out a compaction: has the model summarize the older part of a conversation and puts the summary
 * in its place. If the model cannot, what was done is listed instead, so that the work goes on.
 */
import type { Budget } from "../context/budget.ts";
import {
  buildSummaryMessage,
  countCovered,
  summaryRequest,
  summaryTokens,
} from "../context/compaction.ts";
import type { TokenCounter } from "../context/counter.ts";
import { fixedPart, promptText } from "../context/prompt.ts";
import { readTodos, todoLines } from "../context/todo_list.ts";
import { cutToTokens } from "../context/tokens.ts";
import { EndpointError } from "../core/errors.ts";
import type { EventBody } from "../core/event.ts";
import type { Hooks } from "../core/hooks.ts";
import type { Message, ToolMessage } from "../core/message.ts";
import type { Model, ModelRequest } from "../core/model.ts";
import type { AgentIdentity } from "../core/tool.ts";
import { formatCount, messageOf, plural } from "../lib/text.ts";
import type { Registry } from "../tools/registry.ts";
import type { Conversation } from "./conversation.ts";

/** What it takes to keep a conversation within its window; a turn has it all. */
export interface UpkeepDeps {
  readonly conversation: Conversation;
  readonly budget: Budget;
  readonly model: Model;
  readonly settings: Pick<ModelRequest, "model" | "maxTokens" | "temperature" | "effort">;
  readonly scheduler: {
    readonly registry: Pick<Registry, "definitions" | "refix">;
    readonly agent: AgentIdentity;
    readonly hooks?: Hooks | undefined;
  };
  readonly thresholds: Thresholds;
}

/** When room is made in the window. */
export interface Thresholds {
  /** Share of the window over which overtaken reads are given up. */
  readonly dedupe: number;
  /** Share over which the conversation is compacted. */
  readonly compact: number;
  /** Seconds between two compactions that are merely due. */
  readonly interval: number;
}

/** What a compaction came to. */
export interface CompactionResult {
  /** Messages that one now stands for. */
  readonly messages: number;
  /** Tokens in use before and after. */
  readonly before: number;
  readonly after: number;
  /** Whether the model wrote the summary. */
  readonly summarized: boolean;
}

/** How a conversation is compacted. */
interface CompactOptions {
  readonly signal: AbortSignal;
  readonly emit: (event: EventBody) => void;
  /** What the user asks to keep above all. @default nothing in particular */
  readonly focus?: string;
  /** Why it is done, for the person. @default the person knows */
  readonly why?: string;
  /** Share of the window that the messages to be covered must take. @default any */
  readonly leastShare?: number;
  /** The server has refused a request of this length. */
  readonly overflowed?: boolean;
}

/** A summary shorter than this says nothing. */
const MIN_SUMMARY = 40;
/** How much longer than asked for a summary may be before it is cut. */
const SUMMARY_SLACK = 1.5;
/** Share of the window that a request may have which a server has just refused. */
const SHARE_AFTER_OVERFLOW = 0.5;
/** Tokens a result is cut to, step by step, so that the summary can be asked for. */
const CUTS = [500, 200, 50];

/**
 * Compacts a conversation; undefined if there is nothing to gain.
 * @throws what the signal was aborted with; the conversation is then as it was
 */
export async function compact(
  deps: UpkeepDeps,
  options: CompactOptions,
): Promise<CompactionResult | undefined> {
  const { conversation, budget } = deps;
  const { counter, used: before } = budget;
  // The window in tokens as they are counted here.
  const size = Math.floor(budget.size / budget.ratio);
  if (conversation.applyCleanUps() > 0) budget.recount(conversation.messages);
  const count = countCovered(conversation.messages, {
    size,
    counter,
    least: size * (options.leastShare ?? 0),
  });
  if (count === 0) return undefined;
  const covered = conversation.messages.slice(0, count);
  const text = `Compacting ${plural(count, "message")}...`;
  if (options.why === undefined) notice(options, text);
  else warn(options, `${options.why} ${text}`);
  const { hooks, agent } = deps.scheduler;
  const facts = { messages: count, tokens: before };
  const hooked = await hooks?.run("compact", facts, { agent, signal: options.signal });
  const summary = await summarize(covered, { deps, ...options });
  options.signal.throwIfAborted();
  const todos = todoLines(readTodos(conversation.state));
  await conversation.compact(
    count,
    buildSummaryMessage(covered, { summary, todos, size, counter }),
  );
  for (const content of hooked?.notes ?? []) {
    await conversation.append({ role: "user", content, told: [] });
  }
  // What the model was told of later tools may be gone.
  const { registry } = deps.scheduler;
  if (registry.refix()) budget.setFixed(fixedPart(conversation.prompt, registry.definitions));
  budget.recount(conversation.messages);
  const { used: after } = budget;
  options.emit(contextEvent(budget));
  notice(
    options,
    `Compacted ${plural(count, "message")}: ${formatCount(before)} -> ${
      formatCount(after)
    } tokens. ` +
      "/compact undo brings them back.",
  );
  return { messages: count, before, after, summarized: summary !== undefined };
}

/** How full the window is, as an event. */
export function contextEvent({ used: tokens, size, percent, level }: Budget): EventBody {
  return { type: "context", tokens, size, percent, level };
}

/** Asks the model for a summary; undefined if none comes that could be used. */
async function summarize(
  covered: readonly Message[],
  { deps, ...options }: CompactOptions & { deps: UpkeepDeps },
): Promise<string | undefined> {
  const { conversation, model, settings, scheduler, budget } = deps;
  // No limit is sent: what a model thinks before it writes would count as well.
  const most = summaryTokens(budget.size);
  const request = summaryRequest(options.focus ?? "", most);
  const room = options.overflowed
    ? budget.size * SHARE_AFTER_OVERFLOW
    : budget.limit - most - budget.fixedTokens;
  const fitting = fitInto(covered, {
    room: room / budget.ratio - budget.counter.countMessage(request),
    counter: budget.counter,
  });
  const say = (why: string) => warn(options, `${why}; a list of what was done stands in.`);
  if (fitting === undefined) return void say("No summary could be asked for: too long");
  try {
    // The beginning is to the byte what was sent before, so that servers need not compute it anew.
    const system = { role: "system" as const, content: promptText(conversation.prompt) };
    const messages = [system, ...fitting.messages, request];
    const reply = await model.reply(
      {
        ...settings,
        messages,
        tools: scheduler.registry.definitions,
        agent: scheduler.agent.id,
      },
      { signal: options.signal, onDelta: () => {} },
    );
    options.signal.throwIfAborted();
    const text = reply.message.content.trim();
    if (text.length >= MIN_SUMMARY && !reply.message.interrupted) {
      const summary = cutToTokens(text, most * SUMMARY_SLACK, {
        count: (part) => budget.counter.count(part),
      });
      return fitting.left === 0 ? summary : `${leftOutNote(covered.length, fitting)}\n\n${summary}`;
    }
    return void say("The model wrote no summary");
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof EndpointError)) throw error;
    return void say(`No summary could be written: ${messageOf(error)}`);
  }
}

/** Messages that a summary can be asked of. */
interface Fitting {
  readonly messages: readonly Message[];
  /** How many before them had to be left out. */
  readonly left: number;
}

interface Space {
  readonly room: number;
  readonly counter: TokenCounter;
}

/**
 * The messages with as little cut from their results as the room asks for, else the last of them; undefined if not
 * even these fit.
 */
function fitInto(messages: readonly Message[], space: Space): Fitting | undefined {
  const { room, counter } = space;
  for (const tokens of [Infinity, ...CUTS]) {
    const cut: Message[] = [];
    const each = function* () {
      for (const message of messages) {
        cut.push(withShorterResult(message, { tokens, counter }));
        yield cut.at(-1)!;
      }
    };
    if (counter.countUpTo(room, each()) <= room) return { messages: cut, left: 0 };
  }
  return takeLastFitting(messages, space);
}

/** As many of the last messages as fit with short results, from words of the user's on if there are any. */
function takeLastFitting(
  messages: readonly Message[],
  { room, counter }: Space,
): Fitting | undefined {
  const [tokens = 0] = CUTS.slice(1);
  const last: Message[] = [];
  let start: number | undefined;
  let used = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = withShorterResult(messages[index]!, { tokens, counter });
    used += counter.countMessage(message);
    if (used > room) break;
    last.unshift(message);
    const begun = start !== undefined && messages[start]?.role === "user";
    if (message.role === "user" || (message.role === "assistant" && !begun)) start = index;
  }
  if (start === undefined) return undefined;
  return { messages: last.slice(last.length - (messages.length - start)), left: start };
}

function withShorterResult(
  message: Message,
  { tokens, counter }: { tokens: number; counter: TokenCounter },
): Message {
  if (message.role !== "tool" || tokens === Infinity) return message;
  const count = (text: string) => counter.count(text);
  return { ...message, content: cutToTokens(message.content, tokens, { count }) };
}

function leftOutNote(all: number, { left }: Fitting): string {
  return `(This sums up the last ${plural(all - left, "message")}; ` +
    `${formatCount(left)} before them were too long to be read again.)`;
}

/** Puts notes in the place of results, oldest first, until no more than so many tokens are in use. */
export async function dropResults(deps: UpkeepDeps, tokens: number): Promise<void> {
  const { conversation, budget } = deps;
  const results = openResults(conversation.messages).slice(0, -1)
    .filter(({ skills }) => skills === undefined);
  const note = "[Cleaned up - no room]: call the tool again if its result is needed";
  const least = budget.counter.count(note);
  let freed = 0;
  const chosen: ToolMessage[] = [];
  for (const result of results) {
    if (budget.used - freed <= tokens) break;
    const gain = budget.counter.countMessage(result) - least;
    if (gain < least) continue;
    chosen.push(result);
    freed += gain;
  }
  await conversation.cleanUpResults(chosen.map(({ call_id: callId }) => ({ callId, note })));
  conversation.applyCleanUps();
  // The bytes behind the first of them are new to the server anyway.
  await conversation.clearStatus();
  budget.recount(conversation.messages);
}

/** Cuts the largest results, whatever they are, until no more than so many tokens are in use. */
export async function cutLargest(deps: UpkeepDeps, tokens: number): Promise<void> {
  const { conversation, budget } = deps;
  const count = (text: string) => budget.counter.count(text);
  while (budget.used > tokens) {
    const [largest] = openResults(conversation.messages)
      .map((message) => ({ message, cost: count(message.content) }))
      .sort((a, b) => b.cost - a.cost);
    const room = Math.max(MIN_SUMMARY, Math.floor((largest?.cost ?? 0) / 4));
    if (largest === undefined || largest.cost <= room) return;
    const note = cutToTokens(largest.message.content, room, { count });
    await conversation.cleanUpResults([{ callId: largest.message.call_id, note }]);
    conversation.applyCleanUps();
    budget.recount(conversation.messages);
  }
}

function openResults(messages: readonly Message[]): ToolMessage[] {
  return messages.filter((message) => message.role === "tool").filter(({ cleaned }) => !cleaned);
}

function notice({ emit }: CompactOptions, text: string): void {
  emit({ type: "notice", level: "info", text });
}

function warn({ emit }: CompactOptions, text: string): void {
  emit({ type: "notice", level: "warning", text });
}
