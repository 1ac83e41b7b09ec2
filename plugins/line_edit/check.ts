/**
 * What can be wrong with line edits before any is made: content of no known form, numbers outside of the
 * file or moved by an earlier change, edits that overlap.
 */
import {
  cutSafely,
  type Input,
  type LineSpan,
  plural,
  refuseElision,
  splitLines,
  ToolError,
} from "../../src/api.ts";
import type { definition } from "./definition.ts";
import type { LineEdit } from "./replace.ts";

/** Lines shown before and behind a number that is wrong. */
const CONTEXT_LINES = 3;
const MAX_LENGTH = 200;

type RawEdit = Input<typeof definition>["edits"][number];

/** What the edits are checked against. */
interface Target {
  readonly text: string;
  /** For people and the model. */
  readonly display: string;
  readonly moved: LineSpan | undefined;
}

/**
 * The edits of a call, ready to be made.
 * @throws {ToolError} validation: malformed, overlapping or elided; user: not in the file, or moved
 */
export function checkEdits(raw: readonly RawEdit[], target: Target): LineEdit[] {
  const what = `Cannot edit ${target.display}`;
  if (raw.length === 0) {
    throw inputError(`${what}: edits is empty.`, "Give at least one edit.");
  }
  const lines = splitLines(target.text);
  const edits = raw.map((edit, index) => {
    const subject = raw.length === 1 ? what : `${what} (edit ${index + 1} of ${raw.length})`;
    return checkEdit(edit, { ...target, what: subject, lines });
  });
  refuseOverlap(edits, what);
  refuseShiftedLines(edits, { ...target, what });
  return edits;
}

/** `7` or `7-9`. */
export function rangeOf(start: number, end: number): string {
  return start === end ? `${start}` : `${start}-${end}`;
}

function checkEdit(
  edit: RawEdit,
  options: { text: string; what: string; lines: readonly string[] },
): LineEdit {
  const { start_line: start, end_line: end } = edit;
  const { what, lines } = options;
  if (start < 1 || end < start) {
    const why = start < 1
      ? `start_line is ${start}, but the first line is 1`
      : `end_line ${end} is before start_line ${start}`;
    throw inputError(`${what}: ${why}.`, contextLines(lines, start));
  }
  if (end > lines.length) {
    throw new ToolError(
      `${what}: there is no line ${end}, for the file has ${plural(lines.length, "line")}.`,
      {
        kind: "user",
        suggestion: lines.length === 0
          ? "Use write, or edit with an empty old_string, to fill an empty file."
          : `${
            contextLines(lines, end)
          }\nTo add lines at the end, replace the last line by itself and them.`,
      },
    );
  }
  const content = linesOf(edit.new_content);
  if (content === undefined) {
    throw inputError(
      `${what}: new_content is neither a string nor an array of strings.`,
      'Give the new lines as "a\\nb" or ["a", "b"]; "" deletes.',
    );
  }
  refuseElision(content.join("\n"), {
    original: options.text,
    what,
    argument: "new_content",
    suggestion: "Write out all that is to stand there, or replace fewer lines: the others stay.",
  });
  return { start, end, lines: content };
}

/** The lines of a content in either form; undefined if it has another. */
function linesOf(content: unknown): string[] | undefined {
  if (typeof content === "string") return splitLines(content);
  if (!Array.isArray(content) || !content.every((line) => typeof line === "string")) {
    return undefined;
  }
  return content.flatMap((line) => line === "" ? [""] : splitLines(line));
}

function refuseOverlap(edits: readonly LineEdit[], what: string): void {
  const sorted = edits.toSorted((a, b) => a.start - b.start);
  for (const [index, edit] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined || before.end < edit.start) continue;
    const [one, other] = [rangeOf(before.start, before.end), rangeOf(edit.start, edit.end)];
    throw inputError(
      `${what}: the edits of lines ${one} and ${other} overlap.`,
      "Make them one edit. All numbers mean the file as last read, before any of the edits.",
    );
  }
}

function refuseShiftedLines(
  edits: readonly LineEdit[],
  { moved, what, display }: Target & { what: string },
): void {
  if (moved === undefined) return;
  const edit = edits.find(({ start, end }) => start <= moved.last && end >= moved.first);
  if (edit === undefined) return;
  const which = moved.last === Infinity
    ? `from ${moved.first} on`
    : rangeOf(moved.first, moved.last);
  throw new ToolError(
    `${what}: a change since it was last read may have moved lines ${which}, ` +
      `so ${rangeOf(edit.start, edit.end)} is uncertain; nothing was written.`,
    {
      kind: "user",
      suggestion:
        `Call read with file_paths [${JSON.stringify(display)}] for the numbers as they ` +
        "are now. Put all edits of a file into one call.",
    },
  );
}

/** Lines near a number, as `read` numbers them. */
function contextLines(lines: readonly string[], number: number): string {
  const middle = Math.min(Math.max(number, 1), lines.length);
  const first = Math.max(1, middle - CONTEXT_LINES);
  const shown = lines.slice(first - 1, middle + CONTEXT_LINES)
    .map((line, index) => `${first + index}\t${cutSafely(line, MAX_LENGTH)}`);
  return shown.length === 0 ? "The file is empty." : `The lines there:\n${shown.join("\n")}`;
}

function inputError(message: string, suggestion: string): ToolError {
  return new ToolError(message, { kind: "validation", suggestion });
}
