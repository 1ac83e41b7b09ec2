/**
 * What a turn says besides the model's words: marks on replies that were cut off, notices for the person,
 * notes to the model, and why it ended. Pure texts.
 */
import type { Budget } from "../context/budget.ts";
import type { AnswerCut, EventBody } from "../core/event.ts";
import type { AssistantMessage, Message, UserMessage } from "../core/message.ts";
import type { Delta, PromptProgress } from "../core/model.ts";
import { PLACEHOLDER_START } from "../core/secrets.ts";
import { formatCount, formatDuration, plural } from "../lib/text.ts";
import type { Registry } from "../tools/registry.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";

/** Tells a person whose own words held a secret. */
export const PROMPT_MASKED =
  "Your message holds what looks like a secret. The model gets a placeholder for it, which its calls can use.";

const PLACEHOLDERS_EXPLAINED =
  `Secrets are shown as ${PLACEHOLDER_START}KIND:NUMBER]. Use such a placeholder in calls as it stands: ` +
  "the real value is put in its place";

/** Percentage of the window from which on a person is warned of every call. */
export const NEARLY_FULL = 90;

/** What placeholders are, with the first that the model gets to see. */
export function placeholderNotes(
  texts: readonly string[],
  messages: readonly Message[],
): readonly string[] {
  if (!texts.some((text) => text.includes(PLACEHOLDER_START))) return [];
  const known = messages.some((message) =>
    message.role === "tool" && message.content.includes(PLACEHOLDERS_EXPLAINED)
  );
  return known ? [] : [PLACEHOLDERS_EXPLAINED];
}

/** A reply that was cut off, with the mark that tells the model so. */
export function withMarker(message: AssistantMessage, marker: string): AssistantMessage {
  const content = message.content === "" ? marker : `${message.content}\n\n${marker}`;
  return { ...message, content, calls: [] };
}

/** What a person should know of why an answer is cut off. */
export const CUT_NOTES: Readonly<Record<AnswerCut, string>> = {
  length: "The answer reached its limit of tokens and is cut off.",
  content_filter: "The server's content filter cut the answer off.",
};

/** What cut an answer off; undefined if it is whole. */
export function answerCut(finishReason: string | undefined): AnswerCut | undefined {
  return finishReason === "length" || finishReason === "content_filter" ? finishReason : undefined;
}

/** That a request is made again, and when. */
export function retryNote({ why, waitMs }: Extract<Delta, { kind: "retry" }>): string {
  return `${why}; asking again in ${formatDuration(waitMs)}`;
}

/** How long the model has been silent. */
export function idleNote({ begun, ms }: Extract<Delta, { kind: "idle" }>): string {
  const what = begun ? "more of the reply" : "the model's first words";
  return `waiting ${Math.round(ms / 1000)} s for ${what}`;
}

/** That the server has been loading its model for so many milliseconds. */
export function loadingNotice(ms: number): Extract<EventBody, { type: "notice" }> {
  const since = ms < 1000 ? "" : `, for ${Math.round(ms / 1000)} s now`;
  const text = `the server is loading its model${since}`;
  return { type: "notice", level: "info", text, waiting_ms: ms, loading: true };
}

/** What came of the person's wish to have an answer at once. */
export function answerNote({ how }: Extract<Delta, { kind: "answer_now" }>, model: string): string {
  switch (how) {
    case "told":
      return "The thinking ends here, as you asked.";
    case "asked_again":
      return "It is asked again, to answer without thinking.";
    case "cannot":
      return `${model} cannot be told to answer: it goes on thinking. Ctrl+C stops it.`;
  }
}

/** Tokens that are read too soon to be worth a word. */
const FEW_TOKENS = 500;

/** What the server reads and how long it will still take; undefined if that is little, or done. */
export function readingNotice(
  { total, cached, read, ms }: PromptProgress,
): Extract<EventBody, { type: "notice" }> | undefined {
  const left = total - cached - read;
  if (total - cached < FEW_TOKENS || left <= 0) return undefined;
  const counts = `${formatCount(read)} of ${formatCount(total)} tokens, ${
    formatCount(cached)
  } cached`;
  const seconds = read === 0 ? "" : `, ${Math.ceil((left * ms) / read / 1000)} s`;
  const text = `reading ${counts}${seconds}`;
  return { type: "notice", level: "info", text, reading: { total, cached, read, ms } };
}

/** Why the turn ends rather than send more than the window. */
export function tooLongNote({ used, limit }: Budget): string {
  return `The next request would have about ${used} tokens, and the window takes ${limit}. ` +
    "Begin a new session (/clear at the prompt), or one with a larger window (--context-size N).";
}

/** Why a prompt that no window could hold is not taken. */
export function promptTooLongNote(
  message: UserMessage,
  { counter, limit, fixedTokens, size }: Budget,
): string {
  const room = limit - fixedTokens;
  if (room <= 0) {
    return `The window of ${size} tokens is too small: instructions and tools alone take ${fixedTokens}, and a reply ` +
      "needs room. Give the server a larger context (ally doctor says how), and say so with --context-size N.";
  }
  const tokens = counter.countMessage(message);
  return `The prompt has about ${tokens} tokens, and the window has room for ${room}. ` +
    "Put the text in a file and name it, or use a larger window (--context-size).";
}

/** What calls in a nearly full window may come to; undefined while there is room. */
export function nearlyFullNote(
  calls: number,
  { percent, remainingCalls }: Budget,
): string | undefined {
  if (percent < NEARLY_FULL) return undefined;
  const left = plural(remainingCalls, "tool call");
  return `Context at ${percent}% - only about ${left} remaining. Executing ${calls}...`;
}

/** Background tasks that have ended since they were told of last. */
export function endedTasks({ agent, shell }: Pick<SchedulerDeps, "agent" | "shell">): string[] {
  const ended = agent.depth === 0 ? shell.tasks.takeEnded() : [];
  return ended.map(({ id, command, code }) =>
    `${id} (${command}) has ended with exit code ${code}`
  );
}

/** Tells the model of tools that came after the list that it sees. */
export function lateToolsNotes(registry: Registry): readonly string[] {
  const late = registry.takeLate();
  if (late.length === 0) return [];
  const lines = late.map(({ name, description, parameters }) =>
    JSON.stringify({ name, description, parameters })
  );
  return [`A note of ally: from now on mcp_call can call these tools too.\n${lines.join("\n")}`];
}

/** Tells that a model's window is small, and what helps. */
export function smallWindowNote(model: string, size: number): string {
  return `${model} has a window of ${formatCount(size)} tokens here, which is little: ` +
    "`ally doctor` tries it out and says how to give it more.";
}
