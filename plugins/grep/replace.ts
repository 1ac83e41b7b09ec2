/**
 * Search and replace: makes the lines that a search found, each with what it becomes, into changes of
 * whole files. What cannot be changed without loss is left out with the reason.
 */
import {
  type Change,
  cutSafely,
  dominantLineEnd,
  type LineEnd,
  plural,
  quoteName,
  type ResolvedPath,
  type ToolContext,
  ToolError,
  withLineEnds,
} from "../../src/api.ts";
import type { FileHits, Hits } from "./hits.ts";

/** Files changed by one call at most. */
const MAX_FILES = 200;
/** Characters of a line in the result. */
const MAX_LINE = 500;
/** Encodings in which a search sees what the file holds. */
const UNICODE = new Set(["utf-8", "utf-16le", "utf-16be"]);

/** One line that is replaced. */
export interface ReplacedLine {
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** Fields of a replacing call's result that planning knows. */
export interface ReplaceDetails extends Readonly<Record<string, unknown>> {
  /** The first of them, as many as asked for. */
  readonly replacements: readonly ReplacedLine[];
  /** Matches replaced, shown or not. */
  readonly total_replacements: number;
  readonly files_changed: readonly string[];
  /** Files with matches that are not replaced, with the reason. */
  readonly left_out?: readonly { readonly file: string; readonly why: string }[];
}

/** What becomes of one file, or why nothing does. */
type Outcome =
  | { readonly why: string }
  | { readonly change: Change; readonly lines: readonly ReplacedLine[]; readonly count: number };

/**
 * Works out the changes.
 * @throws {ToolError} user: too many files match, or one is not as it was when it was searched
 */
export async function planReplace(
  hits: Hits,
  options: {
    fileAt: (path: string) => ResolvedPath;
    limit: number;
    context: ToolContext;
  },
): Promise<{ changes: Change[]; details: ReplaceDetails }> {
  const { fileAt, limit, context } = options;
  if (hits.isFull || hits.files.length > MAX_FILES) refuse(hits);
  const changes: Change[] = [];
  const lines: ReplacedLine[] = [];
  const left: { file: string; why: string }[] = [];
  let total = 0;
  for (const file of hits.files) {
    const path = fileAt(file.path);
    const outcome = await replaceIn(file, { path, context });
    if ("why" in outcome) {
      left.push({ file: path.display, why: outcome.why });
    } else if (outcome.count > 0) {
      changes.push(outcome.change);
      lines.push(...outcome.lines);
      total += outcome.count;
    }
  }
  const details: ReplaceDetails = {
    replacements: lines.slice(0, limit),
    total_replacements: total,
    files_changed: changes.map((change) => change.path.display),
    ...(left.length > 0 && { left_out: left }),
  };
  return { changes, details };
}

function refuse(hits: Hits): never {
  const count = hits.isFull
    ? `${plural(hits.total, "line")} and more`
    : `${hits.files.length} files`;
  throw new ToolError(`Cannot replace: ${count} match, which is more than one call may change.`, {
    kind: "user",
    suggestion: `Narrow it to at most ${MAX_FILES} files with path, include or file_types.`,
  });
}

async function replaceIn(
  file: FileHits,
  { path, context }: { path: ResolvedPath; context: ToolContext },
): Promise<Outcome> {
  const matching = file.lines.filter((line) => line.column !== undefined);
  if (matching.some((line) => line.change === undefined)) {
    return { why: "a line with a match is too long to be changed" };
  }
  const { text: before, encoding } = await context.files.read(path, { unseen: true });
  if (!UNICODE.has(encoding)) return { why: `its encoding is ${encoding}; change it with edit` };
  const texts = before.split("\n");
  const end = dominantLineEnd(before) ?? "\n";
  const lines: ReplacedLine[] = [];
  let count = 0;
  for (const { line, change } of matching) {
    if (!change || texts[line - 1] !== change.before) throw changedError(path);
    const after = withOriginalEnds(change.after, { before: change.before, end });
    if (after === change.before) continue;
    texts[line - 1] = after;
    count += change.count;
    lines.push({ file: path.display, line, before: cutLine(change.before), after: cutLine(after) });
  }
  return { change: { path, before, after: texts.join("\n") }, lines, count };
}

/** New line ends are those of the file, and a line never loses its own. */
function withOriginalEnds(text: string, { before, end }: { before: string; end: LineEnd }): string {
  const after = text.includes("\n") ? withLineEnds(text, end) : text;
  return before.endsWith("\r") && !after.endsWith("\r") ? `${after}\r` : after;
}

function cutLine(line: string): string {
  return cutSafely(line.replace(/\r$/, ""), MAX_LINE);
}

function changedError(path: ResolvedPath): ToolError {
  return new ToolError(`Cannot replace in ${path.display}: it is not as it was when searched.`, {
    kind: "user",
    suggestion: "Call grep again, once other changes of the file are made.",
  });
}

/** What the model reads of a replacement, done or only previewed. */
export function replacedText(details: ReplaceDetails, options: { preview: boolean }): string {
  const { replacements, total_replacements, files_changed, left_out = [] } = details;
  const where = `in ${plural(files_changed.length, "file")}`;
  const count = plural(total_replacements, "match", "matches");
  const head = options.preview
    ? `Preview: ${count} ${where} would be replaced; nothing was changed`
    : `Replaced ${count} ${where}`;
  const blocks = files_changed.flatMap((file) => {
    const lines = replacements.filter((one) => one.file === file);
    if (lines.length === 0) return [];
    return [`${quoteName(file)}:`, ...lines.flatMap(toDiff)];
  });
  const rest = files_changed.filter((file) => replacements.every((one) => one.file !== file));
  return [
    head,
    ...blocks,
    ...(rest.length > 0 ? [`[also in: ${rest.map(quoteName).join(", ")}]`] : []),
    ...left_out.map(({ file, why }) => `[not replaced: ${quoteName(file)}: ${why}]`),
  ].join("\n");
}

function toDiff({ line, before, after }: ReplacedLine): string[] {
  return [`  Line ${line}: - ${before}`, ...after.split(/\r?\n/).map((text) => `    + ${text}`)];
}
