/**
 * A conversation as a Markdown document: what was said, with calls and thoughts folded away. Secrets must be masked
 * already.
 */
import {
  type AssistantMessage,
  imagesOf,
  markOf,
  type Message,
  type ToolCall,
  type ToolMessage,
} from "../core/message.ts";
import type { EndedTurn } from "../core/session_log.ts";
import { describeImage } from "../lib/file_type.ts";
import { parseJson } from "../lib/json_text.ts";
import { isObject } from "../lib/schema.ts";
import { oneLine, stripControls } from "../lib/text.ts";

/** What stands above the conversation. */
export interface TranscriptHead {
  readonly title: string;
  /** Id of the session; absent if it is not kept. */
  readonly id?: string | undefined;
  readonly cwd: string;
  /** ISO 8601; absent if it is not known. */
  readonly created?: string | undefined;
}

/** All that was said, with what compactions have covered since. */
export function fullHistory(
  { messages, covered }: {
    messages: readonly Message[];
    /** What each compaction covered, the last one last; each begins with what stood in for the one before. */
    covered: readonly (readonly Message[])[];
  },
): Message[] {
  const parts = [...covered, messages];
  return parts.flatMap((part, index) => index === 0 ? part : part.slice(1));
}

/**
 * How turns ended, by their last messages. Turns that end in the same words are told apart by how many messages there
 * were, the last one first, because the turns of what was taken back are still there; where that is not known, by their
 * order from the end.
 */
export function matchTurns(
  messages: readonly Message[],
  turns: readonly EndedTurn[],
): ReadonlyMap<Message, EndedTurn> {
  const left = Map.groupBy(turns, ({ end }) => end);
  const found = new Map<Message, EndedTurn>();
  for (const [index, message] of [...messages.entries()].reverse()) {
    const next = messages[index + 1];
    if (next !== undefined && next.role !== "user") continue;
    const alike = left.get(markOf(message)) ?? [];
    const exact = alike.findLastIndex((turn) => turn.messages === index + 1);
    const [turn] = alike.splice(exact, 1);
    if (turn) found.set(message, turn);
  }
  return found;
}

/** The document; it ends in a line end. */
export function renderTranscript(messages: readonly Message[], head: TranscriptHead): string {
  const results = new Map(
    messages.flatMap((one) => one.role === "tool" ? [[one.call_id, one] as const] : []),
  );
  const facts = [
    ...(head.id === undefined ? [] : [`Session: \`${head.id}\``]),
    `Directory: ${codeSpan(head.cwd)}`,
    ...(head.created ? [`Begun: ${head.created}`] : []),
  ];
  const parts = messages.flatMap((message) => {
    if (message.role === "user") {
      return [`## User\n\n${cleanText(message.content)}`, ...imageLines(message)];
    }
    return message.role === "assistant" ? [assistantPart(message, results)] : [];
  });
  const title = oneLine(head.title) || "A conversation";
  const document = [`# ${title}`, facts.map((fact) => `- ${fact}`).join("\n"), ...parts];
  return `${document.join("\n\n")}\n`;
}

function assistantPart(
  message: AssistantMessage,
  results: ReadonlyMap<string, ToolMessage>,
): string {
  const { content, thinking, calls } = message;
  const parts = ["## Assistant"];
  if (thinking) parts.push(detailsBlock("Thinking", cleanText(thinking)));
  if (content.trim() !== "") parts.push(cleanText(content));
  for (const call of calls) parts.push(callPart(call, results.get(call.id)));
  return parts.join("\n\n");
}

/** How a call ended: one that was denied has not failed. */
export function callEnd(
  result: ToolMessage | undefined,
): "no result" | "done" | "denied" | "interrupted" | "failed" {
  if (result === undefined) return "no result";
  if (result.success) return "done";
  const record = parseJson(result.content);
  const kind = isObject(record) ? record.error_type : undefined;
  if (kind === "permission_error") return "denied";
  return kind === "interrupted" ? kind : "failed";
}

function callPart(call: ToolCall, result: ToolMessage | undefined): string {
  const how = callEnd(result);
  const body = [
    codeBlock(prettyJson(call.arguments), "json"),
    ...(result === undefined ? [] : [codeBlock(cleanText(result.content), "text")]),
    ...(result === undefined ? [] : imageLines(result)),
  ].join("\n\n");
  return detailsBlock(`${call.name}: ${how}`, body);
}

/** A line that names the images of a message. */
function imageLines(message: Message): string[] {
  const named = imagesOf(message).map((one) => `${codeSpan(one.name)} (${describeImage(one)})`);
  return named.length === 0 ? [] : [`Images: ${named.join(", ")}`];
}

function detailsBlock(summary: string, body: string): string {
  const text = oneLine(summary).replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign);
  return `<details>\n<summary>${text}</summary>\n\n${body}\n\n</details>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A block that its text cannot end. */
function codeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function codeSpan(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``;
}

/** Arguments over several lines, as far as they are JSON. */
function prettyJson(text: string): string {
  const value = parseJson(text);
  return cleanText(value === undefined ? text : JSON.stringify(value, undefined, 2));
}

function cleanText(text: string): string {
  return stripControls(text).trimEnd();
}
