/**
 * The search in TypeScript, for where ripgrep may not run: the same files, the same lines, slower.
 */
import {
  type Files,
  pathBelow,
  type PathFilter,
  type ResolvedPath,
  TimeSlice,
  ToolError,
  walkFiles,
} from "../../src/api.ts";
import { cutAround, type HitLine, type Hits, type LineChange } from "./hits.ts";
import { LinePattern, type PatternQuery } from "./line_pattern.ts";
import type { Replacement } from "./replacement.ts";

/** Bytes of the largest file that is searched. */
export const MAX_SIZE = 50_000_000;
/** Characters of a line whose search may take longer than a look at the clock. */
const LONG_LINE = 1_000;

/** What is searched for. */
export interface SearchQuery extends PatternQuery {
  /** Lines shown around a match. */
  readonly context: number;
  /** What takes the place of each match, if the search replaces. */
  readonly replacement?: Replacement;
}

/** Searches the files of a tree, or one file; returns how many were searched. */
export async function scan(
  wanted: SearchQuery,
  options: {
    root: ResolvedPath;
    only: string | undefined;
    files: Files;
    /** Whether a file, relative to the root, is left out. */
    isLeftOut: (path: string) => boolean;
    filter: PathFilter;
    maxDepth: number | undefined;
    hits: Hits;
    signal: AbortSignal;
  },
): Promise<number> {
  const { root, only, files, isLeftOut, filter, maxDepth, hits, signal } = options;
  const pattern = await LinePattern.compile(wanted);
  const slice = new TimeSlice();
  const found = only === undefined
    ? await walkFiles(root, {
      port: files,
      filter,
      signal,
      ...(maxDepth !== undefined && { maxDepth }),
    })
    : [{ path: only, file: pathBelow(root, only), size: 0 }];
  let searched = 0;
  for (const { path, file, size } of found) {
    if (signal.aborted || hits.isFull) break;
    if (size > MAX_SIZE || isLeftOut(path)) continue;
    const bytes = await files.head(file, MAX_SIZE).catch(() => undefined);
    if (bytes === undefined) continue;
    searched++;
    const text = decodeFile(bytes);
    await slice.pause();
    if (text === undefined || !pattern.mayBeIn(text)) continue;
    await searchText(text, { path, pattern, wanted, hits, slice, signal });
  }
  return searched;
}

/** How a text is searched. */
interface Search {
  readonly path: string;
  readonly pattern: LinePattern;
  readonly wanted: SearchQuery;
  readonly hits: Hits;
  readonly slice: TimeSlice;
  readonly signal: AbortSignal;
}

/** Adds what a text holds; stopped before its end, it adds what it found. */
async function searchText(text: string, search: Search): Promise<void> {
  const { path, pattern, wanted: { context, replacement }, hits, slice, signal } = search;
  const whole = text.split("\n");
  const lines = whole.map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  const kept = new Map<number, HitLine>();
  const room = hits.room;
  let total = 0;
  for (const [at, content] of lines.entries()) {
    if (slice.step() || content.length > LONG_LINE) await slice.pause();
    if (signal.aborted) break;
    if (!pattern.isBounded(content)) throw longLineError(path, at + 1);
    if (!pattern.isIn(content) || ++total > room) continue;
    const [first] = pattern.matchesIn(content);
    if (first === undefined) continue;
    const end = Math.min(lines.length - 1, at + context);
    for (let near = Math.max(0, at - context); near <= end; near++) {
      if (near === at || kept.has(near)) continue;
      const content = cutAround(lines[near] ?? "", 0);
      kept.set(near, { line: near + 1, content, column: undefined });
    }
    const change = replacement &&
      await replaceIn(content, { search, replacement, whole: whole[at] ?? content });
    kept.set(at, {
      line: at + 1,
      content: cutAround(content, first.index),
      column: first.index + 1,
      ...(change && { change }),
    });
  }
  const sorted = [...kept].sort(([a], [b]) => a - b).map(([, line]) => line);
  hits.add({ path, lines: sorted }, total);
}

/** The line with its matches replaced; stopped before its end, it is no change. */
async function replaceIn(
  content: string,
  options: { search: Search; replacement: Replacement; whole: string },
): Promise<LineChange | undefined> {
  const { search: { pattern, slice, signal }, replacement, whole } = options;
  let after = "";
  let at = 0;
  let count = 0;
  for (const match of pattern.matchesIn(content)) {
    if (slice.step() || content.length > LONG_LINE) await slice.pause();
    if (signal.aborted) return undefined;
    // As with ripgrep, an empty match does not follow another at once.
    if (count > 0 && match.end === match.index && match.index === at) continue;
    after += content.slice(at, match.index) + replacement.expand(match);
    at = match.end;
    count++;
  }
  return { before: whole, after: after + content.slice(at) + whole.slice(content.length), count };
}

function longLineError(path: string, line: number): ToolError {
  return new ToolError(
    `The pattern cannot be searched for: line ${line} of ${path} is too long for one of its size.`,
    {
      kind: "validation",
      suggestion: "Leave the file out with exclude, or write a shorter pattern.",
    },
  );
}

/** The text of a file, or undefined if it is binary. */
export function decodeFile(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
}
