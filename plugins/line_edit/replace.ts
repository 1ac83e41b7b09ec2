/**
 * Replaces lines of a text by their numbers. All numbers mean the text as given, so the edits are made from
 * the bottom up. Pure.
 */
import { dominantLineEnd } from "../../src/api.ts";

/** New content for some lines. */
export interface LineEdit {
  /** First line to replace, 1-based. */
  readonly start: number;
  /** Last line to replace. */
  readonly end: number;
  /** Lines to put there, without line ends; none deletes. */
  readonly lines: readonly string[];
}

/** A line and what ends it, which is nothing for the last line of some texts. */
interface EndedLine {
  readonly content: string;
  readonly end: string;
}

/**
 * Makes edits that do not overlap and lie within the text. New lines end as those they replace, or else
 * as most lines do; whether the text ends with a line end stays.
 */
export function replaceLines(text: string, edits: readonly LineEdit[]): string {
  const lines = endedLines(text);
  const most = dominantLineEnd(text) ?? "\n";
  for (const edit of edits.toSorted((a, b) => b.start - a.start)) {
    const replaced = lines.slice(edit.start - 1, edit.end);
    const put = edit.lines.map((content, index) => ({
      content,
      end: replaced[Math.min(index, replaced.length - 1)]?.end || most,
    }));
    lines.splice(edit.start - 1, replaced.length, ...put);
  }
  const last = lines.at(-1);
  const open = !/[\r\n]$/.test(text);
  if (open && last !== undefined) lines[lines.length - 1] = { content: last.content, end: "" };
  return lines.map(({ content, end }) => content + end).join("");
}

function endedLines(text: string): EndedLine[] {
  const lines: EndedLine[] = [];
  for (const { 0: whole, 1: content = "", 2: end = "" } of text.matchAll(LINE)) {
    if (whole !== "") lines.push({ content, end });
  }
  return lines;
}

const LINE = /([^\r\n]*)(\r\n|\n|\r|$)/g;
