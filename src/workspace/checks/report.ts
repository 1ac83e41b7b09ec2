/**
 * From problems to the record that the model reads: only what a change brought, each with its line and a marker
 * below it.
 */
import type { FileCheck, FileCheckError } from "../../core/files.ts";
import { rangeAround } from "../../lib/excerpt.ts";
import { plural } from "../../lib/text.ts";
import type { Problem } from "./problem.ts";
import { SourceLines } from "./source_lines.ts";

const MAX_ERRORS = 10;
/** Characters of a source line that are shown. */
const MAX_SOURCE = 160;

/** A text with what is wrong with it. */
interface CheckedText {
  readonly text: string;
  readonly problems: readonly Problem[];
}

/** The record of a check: at most ten of the problems that were not there before. */
export function reportNew(checker: string, now: CheckedText, before: CheckedText): FileCheck {
  const lines = new SourceLines(now.text);
  const found = keepFirstPerLine(now.problems, lines);
  const fresh = found.filter(createNewProblemFilter(before, lines));
  const shown = fresh.slice(0, MAX_ERRORS);
  const known = found.length - fresh.length;
  const message = fresh.length > MAX_ERRORS
    ? `Showing ${MAX_ERRORS} of ${fresh.length} errors. Fix these first.`
    : known > 0
    ? `${plural(known, "error was", "errors were")} there before this change.`
    : undefined;
  return {
    checker,
    passed: fresh.length === 0,
    errors: shown.map((problem) => toError(problem, lines)),
    ...(fresh.length > MAX_ERRORS && { additional_errors: fresh.length - MAX_ERRORS }),
    ...(message !== undefined && { message }),
  };
}

/** In the order of the text, and the first of each line: what follows on a line follows from it. */
function keepFirstPerLine(problems: readonly Problem[], lines: SourceLines): Problem[] {
  const seen = new Set<number>();
  return problems.toSorted((a, b) => a.offset - b.offset).filter(({ offset }) => {
    const line = lines.lineAt(offset);
    return !seen.has(line) && seen.add(line);
  });
}

/**
 * Tells new problems from old ones: an old one says the same of the same line, wherever that line is
 * now, or of the line that stands in its place.
 */
function createNewProblemFilter(
  before: CheckedText,
  now: SourceLines,
): (problem: Problem) => boolean {
  const old = new SourceLines(before.text);
  const shift = now.count - old.count;
  const firstChanged = countEqual((i) => old.line(i) === now.line(i), old, now);
  const equalAtEnd = countEqual(
    (i) => old.line(old.count - 1 - i) === now.line(now.count - 1 - i),
    old,
    now,
  );
  const left = keepFirstPerLine(before.problems, old).map(({ offset, message }) => {
    const line = old.lineAt(offset);
    return { line, message, source: old.line(line).trim() };
  });
  return ({ offset, message }) => {
    const line = now.lineAt(offset);
    const source = now.line(line).trim();
    const same = left.findIndex((one) => one.message === message && one.source === source);
    const place = line < firstChanged ? line : line >= now.count - equalAtEnd ? line - shift : -1;
    const found = same >= 0 ? same : left.findIndex((one) => one.line === place);
    if (found >= 0) left.splice(found, 1);
    return found < 0;
  };
}

function countEqual(equal: (i: number) => boolean, a: SourceLines, b: SourceLines): number {
  const most = Math.min(a.count, b.count);
  let count = 0;
  while (count < most && equal(count)) count++;
  return count;
}

function toError({ offset, message }: Problem, lines: SourceLines): FileCheckError {
  const line = lines.lineAt(offset);
  const whole = lines.line(line);
  const column = Math.min(offset - lines.startOf(line), whole.length);
  const from = column < MAX_SOURCE ? 0 : column - MAX_SOURCE / 2;
  const { start, end } = rangeAround(whole, { position: column, from, to: from + MAX_SOURCE }) ??
    { start: column, end: column };
  const source = whole.slice(start, end).toWellFormed();
  // Tabs are kept, so that the marker stands below its place however wide they are shown.
  const marker = `${source.slice(0, column - start).replace(/[^\t]/g, " ")}^`;
  return { line: line + 1, message, source, marker };
}
