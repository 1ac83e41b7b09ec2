/**
 * The last turns of a conversation that goes on, as the events they were: the views that drew them then draw them
 * again, folded, with the whole of each result behind its number. Nothing is run again, and what was masked when it was
 * saved stays masked.
 */
import type { Conversation } from "../../agent/conversation.ts";
import { addUsage, NO_USAGE } from "../../agent/usage.ts";
import { userPoints } from "../../agent/user_messages.ts";
import { callEnd, fullHistory, matchTurns } from "../../context/transcript.ts";
import type { EventBody } from "../../core/event.ts";
import {
  type AssistantMessage,
  isNote,
  type Message,
  type ToolCall,
  type ToolMessage,
  withoutEndMarker,
} from "../../core/message.ts";
import type { EndedTurn, ShownCall } from "../../core/session_log.ts";
import { parseJson } from "../../lib/json_text.ts";
import { isObject } from "../../lib/schema.ts";
import { cutEnd, oneLine, splitLines } from "../../lib/text.ts";

/** Turns that are shown, and characters of them: of longer ones fewer are, the last one always. */
const MAX_TURNS = 3;
const MAX_CHARACTERS = 6_000;
/** Characters of what a call of an earlier version was to do, which kept no description. */
const MAX_DESCRIPTION = 120;

/** What of a conversation is shown. */
type StoredTalk = Pick<Conversation, "messages" | "covered" | "calls" | "turns">;

/** The end of a conversation, to be drawn. */
interface LastTurns {
  readonly events: readonly EventBody[];
  /** Turns before these. */
  readonly earlier: number;
}

/** The last turns as events, and how many there were before. */
export function replayLastTurns(talk: StoredTalk): LastTurns {
  const history = fullHistory(talk);
  const turns = splitTurns(history);
  const shown = turns.slice(-MAX_TURNS);
  while (shown.length > 1 && sizeOf(shown) > MAX_CHARACTERS) shown.shift();
  const about = { calls: talk.calls, ends: matchTurns(history, talk.turns), isWhole: false };
  const events = shown.flatMap((messages) => turnEvents(messages, about));
  return { events, earlier: turns.length - shown.length };
}

/** All turns as events, for a screen that has room for them: with the arguments of calls and their differences. */
export function replayAllTurns(talk: StoredTalk): readonly EventBody[] {
  const history = fullHistory(talk);
  const about = { calls: talk.calls, ends: matchTurns(history, talk.turns), isWhole: true };
  return splitTurns(history).flatMap((messages) => turnEvents(messages, about));
}

/** The messages of each turn: the user's words first. */
function splitTurns(messages: readonly Message[]): Message[][] {
  const begins = userPoints(messages).map(({ index }) => index)
    .filter((index) => !isSteering(messages[index]));
  return begins.map((begin, at) => messages.slice(begin, begins[at + 1]));
}

function isSteering(message: Message | undefined): boolean {
  return message?.role === "user" && message.steering === true;
}

function sizeOf(turns: readonly (readonly Message[])[]): number {
  const shown = turns.flat().filter(({ role }) => role !== "tool");
  return shown.reduce((sum, { content }) => sum + content.length, 0);
}

function turnEvents(
  messages: readonly Message[],
  { calls, ends, isWhole }: Pick<StoredTalk, "calls"> & {
    ends: ReturnType<typeof matchTurns>;
    /** Whether calls are told with their arguments and their differences. */
    isWhole: boolean;
  },
): EventBody[] {
  const results = new Map(
    messages.flatMap((one) => one.role === "tool" ? [[one.call_id, one] as const] : []),
  );
  const last = messages.at(-1);
  const ended = last && ends.get(last);
  return [
    ...messages.flatMap((message): EventBody[] => {
      if (message.role === "user" && !isNote(message)) {
        return [toWords(message.typed ?? message.content)];
      }
      return message.role === "assistant" ? replyEvents(message, { results, calls, isWhole }) : [];
    }),
    ...ended === undefined ? [] : endEvents(ended),
  ];
}

/** The user's words: what is said within a turn is drawn as a message, not as a line at the prompt. */
function toWords(content: string): EventBody {
  return { type: "message", message: { role: "user", content, steering: true } };
}

function replyEvents(
  message: AssistantMessage,
  { results, calls, isWhole }: {
    results: ReadonlyMap<string, ToolMessage>;
    calls: StoredTalk["calls"];
    isWhole: boolean;
  },
): EventBody[] {
  const content = withoutEndMarker(message);
  return [
    ...message.thinking ? [{ type: "thinking_delta" as const, text: message.thinking }] : [],
    { type: "message", message: { ...message, content } },
    ...message.calls.flatMap((call) => {
      const [result, shown] = [results.get(call.id), calls.get(call.id)];
      return callEvents(call, { result, shown, isWhole });
    }),
  ];
}

/** A call as its line and the first line of its result; a whole one with what it was given and what it changed. */
function callEvents(
  call: ToolCall,
  { result, shown, isWhole }: {
    result: ToolMessage | undefined;
    shown: ShownCall | undefined;
    isWhole: boolean;
  },
): EventBody[] {
  const { id: call_id, name } = call;
  const success = result?.success ?? false;
  const lines = shown?.preview ?? splitLines(result?.content ?? "");
  const { message, suggestion } = shown ?? {};
  const preview = isWhole ? lines : success ? lines.slice(0, 1) : [];
  const record = readResult(result);
  const folded = isWhole ? {} : foldedResult({ result, record, shown, lines, preview });
  const change = shown?.change ?? record.change;
  return [
    {
      type: "tool_start",
      call_id,
      name,
      input: isWhole ? parseJson(call.arguments) : {},
      description: shown?.description ?? describeArguments(call.arguments),
    },
    ...isWhole && shown?.diffs !== undefined
      ? [{
        type: "tool_preview" as const,
        call_id,
        previews: shown.diffs.map((one) => ({ kind: "diff" as const, ...one })),
      }]
      : [],
    ...["denied", "interrupted"].includes(callEnd(result))
      ? [{ type: "tool_state" as const, call_id, state: "cancelled" as const }]
      : [],
    {
      type: "tool_end",
      call_id,
      name,
      duration_ms: shown?.duration_ms ?? 0,
      result: {
        success,
        error: success ? "" : message ?? lines[0] ?? "The call has no result.",
        ...suggestion !== undefined && { suggestion },
        ...folded.file !== undefined && { log_path: folded.file },
        ...change !== undefined && { patch_number: change },
      },
      ...message !== undefined && { message },
      preview,
      ...folded.whole && { whole: folded.whole },
    },
  ];
}

/**
 * All lines of a result of which fewer are shown, and the file that has even those the model did not get: what a call
 * changed comes first, as its differences are not drawn again.
 */
function foldedResult(
  { result, record: { text, file }, shown, lines, preview }: {
    result: ToolMessage | undefined;
    record: StoredResult;
    shown: ShownCall | undefined;
    /** What was shown of it then. */
    lines: readonly string[];
    preview: readonly string[];
  },
): { whole?: readonly string[]; file?: string } {
  const diffs = (shown?.diffs ?? []).flatMap(({ diff }) => splitLines(diff));
  const isShown = lines.length === preview.length;
  // A summary has taken the place of what the model no longer needs.
  const isKept = text !== "" && result?.cleaned !== true;
  const whole = [...diffs, ...isKept && !isShown ? splitLines(text) : shown?.preview ?? []];
  if (whole.length === 0 || (isShown && diffs.length === 0)) return {};
  return { whole, ...file !== undefined && { file } };
}

/** What is kept of a result. */
interface StoredResult {
  /** Its own text, or of a record what was put out. */
  readonly text: string;
  /** The file that has all of it. */
  readonly file?: string;
  /** Number of the change that the call made to files. */
  readonly change?: number;
}

function readResult(result: ToolMessage | undefined): StoredResult {
  const content = result?.content ?? "";
  const record = parseJson(content);
  if (!isObject(record)) return { text: content };
  const { output, content: text, log_path: file, patch_number: change } = record;
  return {
    text: [output, text].find((one): one is string => typeof one === "string") ?? "",
    ...typeof file === "string" && { file },
    ...typeof change === "number" && { change },
  };
}

/** What stands for a call whose description was not kept: the texts among its arguments. */
function describeArguments(text: string): string {
  const value = parseJson(text);
  const texts = isObject(value)
    ? Object.values(value).flat().filter((one) => typeof one === "string")
    : [];
  return cutEnd(oneLine(texts.join(" ")), MAX_DESCRIPTION);
}

function endEvents(
  { context, reason, error, requests, tool_calls, duration_ms, spent }: EndedTurn,
): EventBody[] {
  return [
    ...context ? [{ type: "context" as const, ...context, level: "normal" as const }] : [],
    {
      type: "turn_end",
      reason,
      turns: requests,
      tool_calls,
      denied: 0,
      duration_ms,
      usage: spent.reduce((sum, one) => addUsage(sum, one), NO_USAGE),
      ...error !== undefined && { error },
    },
  ];
}
