/**
 * Differences of two texts, for showing and for counting. The diff library is loaded on first use, and its time
 * is bounded: texts that differ too much are shown as one replaced block.
 */
import type { StructuredPatchHunk } from "diff";

const CONTEXT = 3;
/** Milliseconds after which the search for the shortest difference is given up. */
const TIMEOUT = 500;

/** How many lines a change adds and removes. */
export interface LineCounts {
  /** Lines that are new. */
  readonly added: number;
  /** Lines that are gone. */
  readonly removed: number;
}

/**
 * A unified diff with some lines of context (three if not said), headed by `---` and `+++`; empty if nothing differs.
 * `null` stands for a file that is not there.
 */
export async function unifiedDiff(
  before: string | null,
  after: string | null,
  options: { path: string; context?: number | undefined },
): Promise<string> {
  if (before === after) return "";
  const hunks = await findHunks(before ?? "", after ?? "", options.context);
  const from = before === null ? "/dev/null" : `a/${options.path}`;
  const to = after === null ? "/dev/null" : `b/${options.path}`;
  const lines = [`--- ${from}`, `+++ ${to}`];
  for (const hunk of hunks) lines.push(hunkHeader(hunk), ...hunk.lines);
  return `${lines.join("\n")}\n`;
}

/** The difference of two texts as a person reads it best: within a notebook that of its cells. */
export async function readableDiff(
  before: string,
  after: string,
  options: { path: string; context?: number | undefined },
): Promise<string> {
  if (!options.path.endsWith(".ipynb")) return await unifiedDiff(before, after, options);
  const { readCells } = await import("./notebook.ts");
  const texts = readCells({ before, after }) ?? { before, after };
  return await unifiedDiff(texts.before, texts.after, options);
}

/** Counts the lines that a change adds and removes. */
export async function countChangedLines(before: string, after: string): Promise<LineCounts> {
  if (before === after) return { added: 0, removed: 0 };
  let added = 0;
  let removed = 0;
  for (const hunk of await findHunks(before, after)) {
    for (const line of hunk.lines) {
      if (line.startsWith("+")) added++;
      else if (line.startsWith("-")) removed++;
    }
  }
  return { added, removed };
}

/** Counts the lines that a unified diff of one file adds and removes. */
export function countDiffLines(diff: string): LineCounts {
  const lines = diff.split("\n").slice(2);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count("+"), removed: count("-") };
}

async function findHunks(
  before: string,
  after: string,
  context = CONTEXT,
): Promise<StructuredPatchHunk[]> {
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch("", "", before, after, undefined, undefined, {
    context,
    timeout: TIMEOUT,
  });
  return patch === undefined ? [replacedBlock(before, after)] : patch.hunks;
}

/** The difference as one block between the first and the last line that differ. */
function replacedBlock(before: string, after: string): StructuredPatchHunk {
  const old = keepEnds(before);
  const now = keepEnds(after);
  const { head, tail } = commonEnds(old, now);
  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  return {
    oldStart: head + 1,
    oldLines: removed.length,
    newStart: head + 1,
    newLines: added.length,
    lines: [
      ...removed.flatMap((line) => markLine("-", line)),
      ...added.flatMap((line) => markLine("+", line)),
    ],
  };
}

/** How many elements two sequences share at their beginning, and how many of the others at their end. */
export function commonEnds(
  a: ArrayLike<unknown>,
  b: ArrayLike<unknown>,
): { head: number; tail: number } {
  const length = Math.min(a.length, b.length);
  let head = 0;
  while (head < length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head, tail };
}

function keepEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function markLine(sign: "-" | "+", line: string): string[] {
  return line.endsWith("\n")
    ? [sign + line.slice(0, -1)]
    : [sign + line, "\\ No newline at end of file"];
}

function hunkHeader(hunk: StructuredPatchHunk): string {
  const range = (start: number, count: number) =>
    count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`;
  return `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
}
