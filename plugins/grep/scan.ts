/**
 * The search in TypeScript, for where ripgrep may not run: the same files, the same lines, slower.
 */
import {
  type Files,
  pathBelow,
  type PathFilter,
  type ResolvedPath,
  ToolError,
  walkFiles,
} from "../../src/api.ts";
import { cutAround, type HitLine, type Hits, type LineChange } from "./hits.ts";
import type { Replacement } from "./replacement.ts";

/** Bytes of the largest file that is searched. */
export const MAX_SIZE = 50_000_000;

/** What a line has to hold. */
export interface SearchQuery {
  readonly pattern: string;
  readonly caseSensitive: boolean;
  readonly wholeWords: boolean;
  readonly literal: boolean;
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
  const regex = toRegExp(wanted);
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
    if (text !== undefined) searchText(text, { path, regex, wanted, hits });
  }
  return searched;
}

function searchText(
  text: string,
  options: { path: string; regex: RegExp; wanted: SearchQuery; hits: Hits },
): void {
  const { path, regex, wanted: { context, replacement }, hits } = options;
  const whole = text.split("\n");
  const lines = whole.map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  const kept = new Map<number, HitLine>();
  const room = hits.room;
  let total = 0;
  for (const [at, content] of lines.entries()) {
    const position = regex.exec(content)?.index;
    if (position === undefined || ++total > room) continue;
    const end = Math.min(lines.length - 1, at + context);
    for (let near = Math.max(0, at - context); near <= end; near++) {
      if (near === at || kept.has(near)) continue;
      const content = cutAround(lines[near] ?? "", 0);
      kept.set(near, { line: near + 1, content, column: undefined });
    }
    const change = replacement &&
      replaceIn(content, { regex, replacement, whole: whole[at] ?? content });
    kept.set(at, {
      line: at + 1,
      content: cutAround(content, position),
      column: position + 1,
      ...(change && { change }),
    });
  }
  const sorted = [...kept].sort(([a], [b]) => a - b).map(([, line]) => line);
  hits.add({ path, lines: sorted }, total);
}

function replaceIn(
  content: string,
  options: { regex: RegExp; replacement: Replacement; whole: string },
): LineChange {
  const { regex, replacement, whole } = options;
  let after = "";
  let at = 0;
  let count = 0;
  for (const match of content.matchAll(new RegExp(regex, `${regex.flags}g`))) {
    // As with ripgrep, an empty match does not follow another at once.
    if (count > 0 && match[0] === "" && match.index === at) continue;
    after += content.slice(at, match.index) + replacement.expand(match);
    at = match.index + match[0].length;
    count++;
  }
  return { before: whole, after: after + content.slice(at) + whole.slice(content.length), count };
}

/** The text of a file, or undefined if it is binary. */
export function decodeFile(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
}

/** @throws {ToolError} validation: the pattern is no regular expression */
function toRegExp(wanted: SearchQuery): RegExp {
  const inline = /^\(\?i\)/.exec(wanted.pattern);
  const pattern = wanted.literal
    ? RegExp.escape(wanted.pattern)
    : wanted.pattern.replace(/^\(\?i\)/, "").replaceAll("(?P<", "(?<");
  const source = wanted.wholeWords ? `(?<!\\w)(?:${pattern})(?!\\w)` : pattern;
  const flags = wanted.caseSensitive && !(inline && !wanted.literal) ? "" : "i";
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Without Unicode more is allowed, such as a backslash before any character.
    try {
      return new RegExp(source, flags);
    } catch (error) {
      throw new ToolError(`The pattern is no regular expression: ${(error as Error).message}`, {
        kind: "validation",
        suggestion: "Escape special characters with a backslash, or set literal_text.",
        cause: error,
      });
    }
  }
}
