/**
 * Keeps a conversation within the model's window: applies clean-ups, gives up overtaken reads, compacts,
 * and in the end cuts, each only when it must. As long as nothing of this is due, each request begins with the
 * bytes of the one before.
 */
import { findStaleReads } from "../context/stale_reads.ts";
import type { EventBody } from "../core/event.ts";
import { imagesOf, withoutReasoning } from "../core/message.ts";
import { formatCount, plural } from "../lib/text.ts";
import { compact, cutLargest, dropResults, type UpkeepDeps } from "./compact.ts";
import type { ModelFigures } from "./usage.ts";

/** Percentages of the window from which on counts are exact, and what that takes is loaded. */
const EXACT_FROM = 70;
const LOAD_FROM = 50;
/** Share of the window that giving up reads within a turn must gain. */
const WORTH_GIVING_UP = 1 / 32;
/** Share of the window that the messages to be compacted must take. */
const WORTH_COMPACTING = 1 / 5;
/** Share of the window that giving up thinking must gain, so that it pays to do without a compaction. */
const WORTH_FORGETTING = 1 / 8;
/** Share of the window in use after results were dropped. */
const DROP_TO = 0.7;

/** When room is made, and who is told. */
interface UpkeepOptions {
  readonly signal: AbortSignal;
  readonly emit: (event: EventBody) => void;
  /** A new prompt begins anyway with other bytes: what can be freed is. */
  readonly moment: "prompt" | "request";
}

/**
 * Does what the fill of the window asks for; false if the next request would be over it all the same.
 * @throws what the signal was aborted with
 */
export async function keepWithinWindow(deps: UpkeepDeps, options: UpkeepOptions): Promise<boolean> {
  const { conversation, budget } = deps;
  if (budget.percent >= EXACT_FROM) await budget.countExactly(conversation.messages);
  applyCleanUps(deps, options);
  const dedupeOver = deps.thresholds.dedupe * 100;
  if (budget.percent > dedupeOver) await dropStaleReads(deps, options);
  if (isCompactionDue(deps)) await dropImages(deps, options);
  if (isCompactionDue(deps)) await dropReasoning(deps);
  if (isCompactionDue(deps)) {
    await compactAsDue(deps, options);
    if (budget.percent >= EXACT_FROM) await budget.countExactly(conversation.messages);
  }
  if (budget.used > budget.limit) await dropResults(deps, budget.size * DROP_TO);
  if (budget.used > budget.limit) await cutLargest(deps, budget.limit);
  return budget.used <= budget.limit;
}

/**
 * Does ahead, after a turn, what the next prompt would begin with, but for a compaction.
 * @throws what the signal was aborted with
 */
export async function tidyAhead(
  deps: UpkeepDeps & ModelFigures,
  options: Omit<UpkeepOptions, "moment">,
): Promise<void> {
  const atPrompt = { ...options, moment: "prompt" } as const;
  await dropEarlierReasoning(deps);
  applyCleanUps(deps, atPrompt);
  if (deps.budget.percent > deps.thresholds.dedupe * 100) await dropStaleReads(deps, atPrompt);
}

/** Thinking is for the turn in which it was thought, unless the model's template shows it later too. */
export async function dropEarlierReasoning(
  { conversation, budget, keepsReasoning, settings: { model } }: UpkeepDeps & ModelFigures,
): Promise<void> {
  if (keepsReasoning?.(model)) return;
  if (await conversation.dropReasoning()) budget.recount(conversation.messages);
}

/** Begins to load what exact counts need, if they may soon be needed; called while a request is under way. */
export function prepareExactCounts({ budget }: UpkeepDeps): void {
  if (budget.percent >= LOAD_FROM) void budget.counter.loadExact();
}

/**
 * Makes room after the server refused a request as too long; true if there is less to send now.
 * @throws what the signal was aborted with
 */
export async function makeRoom(
  deps: UpkeepDeps,
  options: Omit<UpkeepOptions, "moment">,
): Promise<boolean> {
  const { conversation, budget } = deps;
  budget.noteOverflow();
  const before = budget.counter.countMessages(conversation.messages);
  if (await compact(deps, { ...options, overflowed: true }) === undefined) {
    if (await conversation.dropImages(conversation.messages.length)) {
      budget.recount(conversation.messages);
    }
    await dropResults(deps, 0);
    await cutLargest(deps, budget.size * DROP_TO);
  }
  conversation.compactedAt = performance.now();
  return budget.counter.countMessages(conversation.messages) < before;
}

function applyCleanUps({ conversation, budget }: UpkeepDeps, { moment }: UpkeepOptions): void {
  const { reclaimableTokens } = conversation;
  if (reclaimableTokens === 0) return;
  const must = moment === "prompt" || budget.used > budget.limit;
  if (!must && !budget.isWorthFreeing(reclaimableTokens)) return;
  conversation.applyCleanUps();
  budget.recount(conversation.messages);
}

async function dropStaleReads(deps: UpkeepDeps, options: UpkeepOptions): Promise<void> {
  const { conversation, budget } = deps;
  const { counter } = budget;
  const contents = new Map(
    conversation.messages.flatMap((message) =>
      message.role === "tool" ? [[message.call_id, message.content] as const] : []
    ),
  );
  const costOf = (callId: string) => counter.count(contents.get(callId) ?? "");
  const found = findStaleReads(conversation.messages)
    .map((one) => ({ ...one, gain: costOf(one.callId) - counter.count(one.note) }))
    .filter(({ gain }) => gain > 0);
  const gain = found.reduce((sum, one) => sum + one.gain, 0);
  const must = options.moment === "prompt" || budget.used > budget.limit;
  if (found.length === 0 || (!must && gain < budget.size * WORTH_GIVING_UP)) return;
  await conversation.cleanUpResults(found);
  conversation.applyCleanUps();
  budget.recount(conversation.messages);
  const text =
    `Gave up ${plural(found.length, "result")} whose files were read or changed again: ` +
    `${formatCount(gain)} tokens freed.`;
  options.emit({ type: "notice", level: "info", text });
}

/** Sends no thinking any more, but for that of the last reply, if that frees much of the window. */
async function dropReasoning({ conversation, budget }: UpkeepDeps): Promise<void> {
  const { messages } = conversation;
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const earlier = messages.slice(0, Math.max(0, last));
  const { counter, ratio, size } = budget;
  const gain = counter.countMessages(earlier) - counter.countMessages(withoutReasoning(earlier));
  if (gain * ratio < size * WORTH_FORGETTING) return;
  await conversation.dropReasoning(messages.length - last);
  budget.recount(conversation.messages);
}

/**
 * Sends no pictures any more, the older ones first: they are dear, and most can be looked at again. Those that the model
 * has not answered yet stay.
 */
async function dropImages(deps: UpkeepDeps, { emit }: UpkeepOptions): Promise<void> {
  const { conversation, budget } = deps;
  for (const role of ["user", "assistant"]) {
    const { messages } = conversation;
    const count = Math.max(0, messages.findLastIndex((one) => one.role === role));
    const images = messages.slice(0, count).flatMap(imagesOf);
    if (images.length === 0) continue;
    const { used } = budget;
    await conversation.dropImages(count);
    budget.recount(messages);
    const freed = formatCount(Math.max(0, used - budget.used));
    const text = `Gave up ${plural(images.length, "image")}: ${freed} tokens freed.`;
    emit({ type: "notice", level: "info", text });
    if (!isCompactionDue(deps)) return;
  }
}

/** For some time after a compaction another one that is merely due waits until calls are blocked. */
export function isCompactionDue({ budget, conversation, thresholds }: UpkeepDeps): boolean {
  if (budget.percent >= budget.blockedFrom || budget.used > budget.limit) return true;
  const since = performance.now() - (conversation.compactedAt ?? -Infinity);
  return budget.used > budget.size * thresholds.compact && since >= thresholds.interval * 1000;
}

async function compactAsDue(deps: UpkeepDeps, options: UpkeepOptions): Promise<void> {
  const { budget, conversation } = deps;
  const share = ((budget.used / budget.size) * 100).toFixed(1);
  const why = budget.percent >= budget.blockedFrom
    ? `Context at ${share}% - immediate compaction needed.`
    : `Context at ${share}% - compaction is due.`;
  const done = await compact(deps, { ...options, why, leastShare: WORTH_COMPACTING });
  if (done) conversation.compactedAt = performance.now();
}
