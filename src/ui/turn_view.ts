/**
 * The small lines around a turn: the status, the thinking, how it ended.
 */
import type { EventBody } from "../core/event.ts";
import { formatDuration, oneLine, plural } from "../lib/text.ts";
import { withNumber } from "./numbered_items.ts";
import { safeLines } from "./safe_text.ts";
import type { StatusView } from "./status.ts";
import type { Layout } from "./theme.ts";
import { formatSeconds } from "./tool_view.ts";
import { cellWidth, fit, wrapProse } from "./wrap.ts";

/** Lines of thinking that stay on the screen. */
const THINKING_LINES = 3;
/** Cells of what goes on that are always seen. */
const MIN_LABEL = 24;

/**
 * "⠹ Thinking… 12s · Ctrl+C to stop", in one line; "⠹ Reading 2 of 3 tokens, 1 cached, 9 s · Ctrl+C to stop" where it
 * is known how long it will take.
 */
export function statusLine(status: StatusView, { theme, columns }: Layout): string {
  const { glyphs } = theme;
  const spinner = glyphs.spinner[status.frame % glyphs.spinner.length] ?? "";
  const elapsed = formatSeconds(Math.floor(status.elapsedMs / 1000));
  const time = status.leftMs === undefined
    ? `${glyphs.ellipsis} ${elapsed}`
    : `, ${Math.ceil(status.leftMs / 1000)} s`;
  const keys = [...status.answers ? ["Ctrl+N to answer"] : [], "Ctrl+C to stop"];
  const room = columns - 2;
  const withKeys = time + keys.map((key) => ` ${glyphs.dot} ${key}`).join("");
  const text = countText(status, { time, withKeys, room }) ??
    labelText(status, { time, withKeys, room });
  return `${theme.paint("accent", spinner)} ${theme.paint("dim", fit(text, room))}`;
}

/** What may follow a label, and the cells for all of it. */
interface StatusParts {
  readonly time: string;
  /** The time, and the keys after it. */
  readonly withKeys: string;
  readonly room: number;
}

/** A label with a detail, neither of them cut: half a number would be another number. */
function countText(
  { label, detail }: StatusView,
  { time, withKeys, room }: StatusParts,
): string | undefined {
  if (detail === undefined) return undefined;
  const count = [label + detail, label].find((text) => cellWidth(text + time) <= room);
  if (count === undefined) return undefined;
  return count + (cellWidth(count + withKeys) <= room ? withKeys : time);
}

/** Any other label: its end is worth less than the key, and the key less than the time. */
function labelText(status: StatusView, { time, withKeys, room }: StatusParts): string {
  const label = fit(status.label, Math.max(MIN_LABEL, room - cellWidth(withKeys)), "");
  const least = fit(label, room - cellWidth(time), "") + time;
  return cellWidth(least) >= room ? least : label + withKeys;
}

/** The last lines of unfinished thinking. */
export function liveThinkingLines(text: string, { theme, columns }: Layout): string[] {
  return thinkingLines(text, columns).slice(-THINKING_LINES)
    .map((line) => theme.paint("dim", `  ${line}`));
}

/** Finished thinking: all of it if it is short or wanted, else its beginning and the number that brings the rest. */
export function finalThinkingLines(
  text: string,
  { theme, columns, whole = false, number }: Layout & {
    whole?: boolean;
    number: () => number | undefined;
  },
): string[] {
  const lines = thinkingLines(text, columns);
  const left = whole ? 0 : lines.length - THINKING_LINES + 1;
  const shown = left > 1 ? lines.slice(0, THINKING_LINES - 1) : lines;
  if (left > 1) {
    const more = `${theme.glyphs.ellipsis} ${plural(left, "more line")} of thought`;
    shown.push(withNumber(more, { number: number(), columns: columns - 2 }));
  }
  return shown.map((line) => theme.paint("dim", `  ${fit(line, columns - 2)}`));
}

function thinkingLines(text: string, columns: number): string[] {
  return safeLines(text).filter((line) => line.trim() !== "")
    .flatMap((line) => wrapProse(line.trim(), columns - 2));
}

/** A notice that is not part of the conversation. */
export function noticeLines(
  notice: { level: "info" | "warning" | "error"; text: string },
  { theme, columns }: Layout,
): string[] {
  const style = notice.level === "info" ? "dim" : notice.level;
  const mark = notice.level === "info" ? theme.glyphs.dot : "!";
  return safeLines(notice.text).flatMap((line) => wrapProse(line, columns - 2))
    .map((line, index) => theme.paint(style, `${index === 0 ? mark : " "} ${line}`));
}

/** Why a turn ended, unless it simply was done. */
export function reasonLines(
  end: Extract<EventBody, { type: "turn_end" }>,
  options: Layout & {
    /** Whether the model had the last word. */
    hasAnswered: boolean;
  },
): string[] {
  const error = end.error ? oneLine(end.error) : "";
  switch (end.reason) {
    case "done":
      return end.cut === "length"
        ? noticeLines({ level: "info", text: 'Say "go on" to continue.' }, options)
        : [];
    case "denied":
      return noticeLines({
        level: "warning",
        text: `${options.hasAnswered ? "" : "Stopped: "}${deniedText(end.denied, options)}`,
      }, options);
    case "interrupted":
      return noticeLines({ level: "warning", text: "Interrupted." }, options);
    case "turn_limit":
      return noticeLines({
        level: "warning",
        text: `Stopped at the limit of ${plural(end.turns, "request")}. Say "go on" to continue.`,
      }, options);
    case "context":
      return noticeLines({
        level: "error",
        text: error || "Stopped: the context is full. Start over with /clear.",
      }, options);
    case "budget":
      return noticeLines({ level: "warning", text: error }, options);
    case "error":
      return noticeLines({ level: "error", text: end.error || "The turn failed." }, options);
  }
}

function deniedText(count: number, { hasAnswered }: { hasAnswered: boolean }): string {
  if (count > 1) return `${count} calls were denied.`;
  return `${hasAnswered ? "A" : "a"} call was denied.`;
}

/** "1.2k in · 340 out · 3 calls · 12s · context 41%". */
export function footerLine(
  end: Extract<EventBody, { type: "turn_end" }>,
  { theme, columns, percent }: Layout & { percent: number | undefined },
): string {
  const { usage, tool_calls, delegated } = end;
  const prompt_tokens = usage.prompt_tokens + (delegated?.usage.prompt_tokens ?? 0);
  const completion_tokens = usage.completion_tokens + (delegated?.usage.completion_tokens ?? 0);
  const calls = tool_calls + (delegated?.tool_calls ?? 0);
  const isCounted = prompt_tokens + completion_tokens > 0;
  const parts = [
    ...(theme.isSpoken ? ["Finished"] : []),
    ...(isCounted
      ? [`${formatShortCount(prompt_tokens)} in`, `${formatShortCount(completion_tokens)} out`]
      : []),
    ...(calls > 0 ? [plural(calls, "call")] : []),
    formatDuration(end.duration_ms),
    ...(percent === undefined ? [] : [`context ${Math.round(percent)}%`]),
  ];
  const separator = ` ${theme.glyphs.dot} `;
  while (parts.length > 1 && parts.join(separator).length > columns) parts.pop();
  return theme.paint("dim", fit(parts.join(separator), columns));
}

/** "340", "1.2k" */
export function formatShortCount(count: number): string {
  return count < 1000 ? `${count}` : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}
