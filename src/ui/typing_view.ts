/**
 * What a person types while ally works, as lines: what is queued, the line being typed, and a line of theirs once it
 * is part of the conversation.
 */
import { oneLine, stripControls } from "../lib/text.ts";
import type { Layout } from "./theme.ts";
import { cellWidth, fit, wrapProse } from "./wrap.ts";

/** What is typed ahead. */
export interface QueuedInput {
  /** Lines that were sent and are waiting, the next one first. */
  readonly queued: readonly string[];
  /** The line being typed. */
  readonly text: string;
  /** Where the cursor is in it. @default at its end */
  readonly cursor?: number;
}

/** Waiting lines that are shown. */
const MAX_QUEUED = 3;
/** Lines shown of a message. */
const MAX_USER_LINES = 12;

/** The live lines at the bottom: none while nothing is typed. */
export function typingLines({ queued, text, cursor }: QueuedInput, options: Layout): string[] {
  const { theme, columns } = options;
  const shown = queued.slice(-MAX_QUEUED);
  const hidden = queued.length - shown.length;
  const hint = queued.length > 0 && text === "" ? ` ${theme.glyphs.dot} Esc to edit` : "";
  const lines = shown.map((line, index) => {
    const last = index === shown.length - 1;
    const tail = last && columns >= 40 ? hint : "";
    const words = `queued: ${oneLine(line)}`;
    return theme.paint("dim", fit(words, columns - cellWidth(tail), theme.glyphs.ellipsis) + tail);
  });
  if (hidden > 0) lines.unshift(theme.paint("dim", fit(`queued: ${hidden} more before`, columns)));
  return text === "" ? lines : [...lines, inputLine(text, { ...options, cursor })];
}

/** The line being typed with its cursor; of a long one what is around it. */
function inputLine(
  text: string,
  { theme, columns, cursor = text.length }: Layout & { cursor: number | undefined },
): string {
  const mark = theme.unicode ? "⏎" : "\\n";
  const bar = theme.unicode ? "▏" : "_";
  const flatten = (part: string) =>
    stripControls(part).replaceAll("\n", ` ${mark} `).replaceAll("\t", " ");
  const after = flatten(text.slice(cursor));
  const room = columns - 3;
  const behind = Math.min(cellWidth(after), Math.floor(room / 3));
  const before = endOf(flatten(text.slice(0, cursor)), room - behind, theme.glyphs.ellipsis);
  const rest = fit(after, room - cellWidth(before), theme.glyphs.ellipsis);
  const sign = theme.paint("accent", theme.glyphs.prompt);
  return `${sign} ${before}${theme.paint("accent", bar)}${rest}`;
}

/** The end of a text in so many cells. */
function endOf(text: string, columns: number, ellipsis: string): string {
  if (cellWidth(text) <= columns) return text;
  const segments = [...new Intl.Segmenter().segment(text.slice(-columns * 4))];
  let room = columns - cellWidth(ellipsis);
  let at = text.length;
  for (const { segment } of segments.reverse()) {
    room -= cellWidth(segment);
    if (room < 0) break;
    at -= segment.length;
  }
  return room < 0 && at === text.length ? "" : ellipsis + text.slice(at);
}

/** A message of the person in the conversation: "› fix the test too". */
export function userLines(text: string, { theme, columns }: Layout): string[] {
  const all = text.split("\n").flatMap((line) => wrapProse(oneLine(line), columns - 2));
  const left = all.length - MAX_USER_LINES;
  const lines = left > 1
    ? [
      ...all.slice(0, MAX_USER_LINES),
      theme.paint("dim", `${theme.glyphs.ellipsis} ${left} more lines`),
    ]
    : all;
  return lines.map((line, index) =>
    `${index === 0 ? theme.paint("accent", theme.glyphs.prompt) : " "} ${line}`
  );
}
