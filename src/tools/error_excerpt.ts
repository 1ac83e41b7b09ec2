/**
 * The lines of a failed command that a person wants to see first: where it says what went wrong, and how it ended. Pure.
 */
import { elideLines, omissionLine } from "../lib/text.ts";

/** How programs say that something went wrong. */
const ERROR =
  /\b(?:errors?|failed|failures?|fatal|panic(?:ked)?|exception|traceback|undefined reference|denied|cannot|not found)\b|\bFAIL\b|^not ok\b|[✗✘✖]/i;
/** How they say that nothing did. */
const NO_ERROR = /\b(?:0|no) (?:errors?|failed|failures?)\b/i;

/** At most `room` lines: from the first one that tells of an error, and the last ones. */
export function excerptErrors(lines: readonly string[], room: number): string[] {
  if (lines.length <= room) return [...lines];
  const tail = Math.floor((room - 2) / 2);
  const end = lines.length - tail;
  const first = lines.findIndex((line) => ERROR.test(line) && !NO_ERROR.test(line));
  if (tail < 1 || first < 0 || first >= end - 1) return elideLines(lines, { room, keep: "end" });
  const shown = Math.min(room - 2 - tail, end - first);
  return [
    ...omissionLine(first),
    ...lines.slice(first, first + shown),
    ...omissionLine(end - first - shown),
    ...lines.slice(end),
  ];
}
