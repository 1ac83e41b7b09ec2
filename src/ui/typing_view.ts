/**
 * What a person types while ally works, as lines: what is queued, the line being typed, and a line of theirs once it
 * is part of the conversation.
 */
import { oneLine } from "../lib/text.ts";
import type { DrawnLine } from "./line_view.ts";
import type { Cursor } from "./row_writer.ts";
import type { Layout } from "./theme.ts";
import { cellWidth, fit, wrapProse } from "./wrap.ts";

/** What is typed ahead. */
export interface QueuedInput {
  /** Lines that were sent and are waiting, the next one first. */
  readonly queued: readonly string[];
  /** Draws the line being typed in so many rows; undefined while it is empty. */
  readonly draw?: ((rows: number) => DrawnLine) | undefined;
}

/** Live lines, and where the cursor is seen among them, if it is. */
interface TypingLines {
  readonly lines: readonly string[];
  readonly cursor: Cursor | undefined;
}

/** Waiting lines that are shown. */
const MAX_QUEUED = 3;
/** Lines shown of a message. */
const MAX_USER_LINES = 12;

/** The live lines at the bottom, in about so many rows: none while nothing is typed. */
export function typingLines(
  { queued, draw }: QueuedInput,
  { theme, columns, rows }: Layout & { rows: number },
): TypingLines {
  const shown = queued.slice(-MAX_QUEUED);
  const hidden = queued.length - shown.length;
  const hint = queued.length > 0 && draw === undefined ? ` ${theme.glyphs.dot} Esc to edit` : "";
  const lines = shown.map((line, index) => {
    const last = index === shown.length - 1;
    const tail = last && columns >= 40 ? hint : "";
    const words = `queued: ${oneLine(line)}`;
    return theme.paint("dim", fit(words, columns - cellWidth(tail), theme.glyphs.ellipsis) + tail);
  });
  if (hidden > 0) lines.unshift(theme.paint("dim", fit(`queued: ${hidden} more before`, columns)));
  if (draw === undefined) return { lines, cursor: undefined };
  const drawn = draw(Math.max(1, rows - lines.length));
  const cursor = { ...drawn.cursor, row: lines.length + drawn.cursor.row };
  return { lines: [...lines, ...drawn.lines], cursor };
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
