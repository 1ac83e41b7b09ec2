/**
 * The search in TypeScript, for where ripgrep may not run: the same files, the same lines, slower.
 */
import { type Files, type PathFilter, type ResolvedPath, ToolError, walk } from "../../src/api.ts";
import { cutAround, type HitLine, type Hits } from "./hits.ts";

/** Bytes of the largest file that is searched. */
const MAX_SIZE = 50_000_000;

/** What a line has to hold. */
export interface Wanted {
  readonly pattern: string;
  readonly caseSensitive: boolean;
  readonly wholeWords: boolean;
  readonly literal: boolean;
  /** Lines shown around a match. */
  readonly context: number;
}

/** Searches the files of a tree, or one file; returns how many were searched. */
export async function scan(
  wanted: Wanted,
  options: {
    root: ResolvedPath;
    only: string | undefined;
    files: Files;
    filter: PathFilter;
    maxDepth: number | undefined;
    hits: Hits;
    signal: AbortSignal;
  },
): Promise<number> {
  const { root, only, files, filter, maxDepth, hits, signal } = options;
  const regex = toRegExp(wanted);
  const found = only === undefined
    ? await walk(root, {
      port: files,
      filter,
      signal,
      ...(maxDepth !== undefined && { maxDepth }),
    })
    : [{ path: only, file: await files.resolve(`${root.absolute}/${only}`), size: 0 }];
  let searched = 0;
  for (const { path, file, size } of found) {
    if (signal.aborted || hits.full) break;
    if (size > MAX_SIZE) continue;
    const bytes = await files.head(file, MAX_SIZE).catch(() => undefined);
    if (bytes === undefined) continue;
    searched++;
    const text = decode(bytes);
    if (text !== undefined) searchText(text, { path, regex, context: wanted.context, hits });
  }
  return searched;
}

function searchText(
  text: string,
  options: { path: string; regex: RegExp; context: number; hits: Hits },
): void {
  const { path, regex, context, hits } = options;
  const lines = text.split(/\r?\n/);
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
    kept.set(at, { line: at + 1, content: cutAround(content, position), column: position + 1 });
  }
  const sorted = [...kept].sort(([a], [b]) => a - b).map(([, line]) => line);
  hits.add({ path, lines: sorted }, total);
}

/** The text of a file, or undefined if it is binary. */
function decode(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
}

/** @throws {ToolError} validation: the pattern is no regular expression */
function toRegExp(wanted: Wanted): RegExp {
  const inline = /^\(\?i\)/.exec(wanted.pattern);
  const pattern = wanted.literal
    ? RegExp.escape(wanted.pattern)
    : wanted.pattern.replace(/^\(\?i\)/, "");
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
