/**
 * Reads text files for the model, numbered by line. What would not fit into the budget is refused before it
 * is read whole, with an offset and a limit that fit.
 */
import {
  cutEnd,
  defineTool,
  type FileLines,
  hashText,
  type Input,
  plural,
  type ResolvedPath,
  type RunContext,
  ToolError,
} from "../../src/api.ts";
import { OverBudget, refuseClearlyOver, tooLongError, tooManyFilesError } from "./budget.ts";
import { type Candidate, isWholeFile, type ReadRange, type Section } from "./candidate.ts";
import { definition } from "./definition.ts";
import { inspectFile } from "./inspect_file.ts";
import { continuation, renderLines } from "./render.ts";

type ReadInput = Input<typeof definition>;

/** Fields of a successful result. */
interface ReadData extends Readonly<Record<string, unknown>> {
  readonly content: string;
  readonly files_read: number;
}

/** One file that could not be read while others could. */
interface Failure {
  readonly name: string;
  readonly error: ToolError;
}

/** Lines before and behind a range that may begin or end a secret of it: a private key has no more. */
const AROUND = 256;
/** Characters of a line of the preview. */
const PREVIEW_WIDTH = 200;

export default defineTool<ReadInput, ReadData>(definition, {
  describe({ file_paths, offset, limit }) {
    const names = file_paths.length <= 3
      ? file_paths.join(", ")
      : plural(file_paths.length, "file");
    const range = [offset ? `from line ${offset}` : "", limit ? plural(limit, "line") : ""];
    const shown = range.filter((part) => part !== "").join(", ");
    return shown === "" ? names : `${names} (${shown})`;
  },

  async run({ file_paths, offset = 0, limit = 0 }, context) {
    const wanted: ReadRange = { offset: Math.max(1, offset), limit };
    const looked: (Candidate | Failure)[] = [];
    for (const name of new Set(file_paths)) {
      context.signal.throwIfAborted();
      looked.push(await attempt(name, () => inspectFile(name, { ...context, wanted })));
    }
    const texts = looked.filter(isText);
    if (isWholeFile(wanted)) refuseClearlyOver(texts, context.limits);

    const parts: (Section | Failure)[] = [];
    let left = context.limits.readTokens;
    for (const one of looked) {
      context.signal.throwIfAborted();
      const part = isFailure(one) ? one : await attempt(
        one.path.display,
        () => renderFile(one, { context, wanted, left, together: texts }),
      );
      if (!isFailure(part)) left -= part.tokens;
      parts.push(part);
    }
    const failures = parts.filter(isFailure);
    if (failures.length === parts.length) throw allFailedError(failures);
    const content = parts.map(renderPart).join("\n\n");
    const images = parts.flatMap((part) => isFailure(part) ? [] : part.image ?? []);
    const marks = parts.flatMap((part) => isFailure(part) ? [] : part.mark ?? []);
    return {
      ok: true,
      data: { content, files_read: parts.length - failures.length },
      text: content,
      budget: context.limits.readTokens,
      ...(marks.length === parts.length && { files: marks }),
      ...images.length > 0 && { images },
    };
  },

  preview({ content }, lines) {
    const all = content.split("\n");
    const numbered = all.filter((line) => /^ *\d+\t/.test(line));
    const width = lines === Infinity ? Infinity : PREVIEW_WIDTH;
    return (numbered.length > 0 ? numbered : all).slice(0, lines)
      .map((line) => cutEnd(line, width));
  },
});

/** Runs what may fail for one file while the others go on. */
async function attempt<T>(name: string, work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError && !(error instanceof OverBudget)) return { name, error };
    throw error;
  }
}

function isFailure(one: object): one is Failure {
  return "error" in one;
}

function isText(one: Candidate | Failure): one is Candidate {
  return !isFailure(one) && one.notice === undefined && one.type === undefined;
}

async function renderFile(
  candidate: Candidate,
  options: { context: RunContext; wanted: ReadRange; left: number; together: readonly Candidate[] },
): Promise<Section> {
  const { path, notice } = candidate;
  if (notice !== undefined) return { name: path.display, text: notice, tokens: 0 };
  const { context, wanted, left, together } = options;
  const { files, limits, media, signal } = context;
  if (media !== undefined && candidate.type !== undefined) {
    const { renderMedia } = await import("./render_media.ts");
    return await renderMedia(candidate, { files, limits, media, signal, wanted, left });
  }
  // A line costs a token at least, so that more lines than this cannot fit.
  const most = limits.readTokens + 1;
  const limit = wanted.limit > 0 ? Math.min(wanted.limit, most) : most;
  const found = await linesOf(path, { range: { offset: wanted.offset, limit }, context });
  if (found.lines.length === 0) throw beyondEndError(found);
  const { lines, tokens, fitting } = renderLines(found.lines, {
    first: found.first,
    budget: left,
    limits,
  });
  if (fitting < found.lines.length) {
    if (together.length > 1) throw tooManyFilesError(together, limits);
    const all = Math.ceil(tokens / found.lines.length * countWanted(found, wanted));
    throw tooLongError(candidate, { tokens: all, limits, fitting, wanted });
  }
  const rest = continuation(found);
  const text = (rest === undefined ? lines : [...lines, rest]).join("\n");
  const isAll = found.first === 1 && found.total === found.lines.length;
  const hash = hashText(found.lines.join("\n"));
  const mark = { path: path.display, how: "shown", hash } as const;
  return { name: path.display, text, tokens, ...(isAll && { mark }) };
}

/** The lines of a range; what is secret in them is known by those around them. */
async function linesOf(
  path: ResolvedPath,
  { range: { offset, limit }, context }: { range: ReadRange; context: RunContext },
): Promise<FileLines> {
  const first = Math.max(1, offset - AROUND);
  const skipped = offset - first;
  const around = { offset: first, limit: skipped + limit + AROUND };
  // What stands around it may be more than is held.
  const found = await context.files.lines(path, around).catch(() => undefined);
  if (found === undefined) return await context.files.lines(path, { offset, limit });
  const lines = found.lines.slice(skipped, skipped + limit);
  if (lines.length < found.lines.length) context.learnSecrets(found.lines.join("\n"));
  return { ...found, lines, first: offset };
}

/** How many lines there are of those that were asked for. */
function countWanted({ lines, first, total }: FileLines, { limit }: ReadRange): number {
  const following = total === undefined ? lines.length : total - first + 1;
  return limit > 0 ? Math.min(limit, following) : following;
}

function renderPart(part: Section | Failure): string {
  if (!isFailure(part)) return `=== ${part.name} ===\n${part.text}`;
  const { message, suggestion } = part.error;
  const words = suggestion === undefined ? message : `${message} ${suggestion}`;
  return `=== ${part.name} ===\n[Error: ${words}]`;
}

function beyondEndError({ path, first, total = 0 }: FileLines): ToolError {
  return new ToolError(
    `Cannot read ${path.display} from line ${first}: it has ${plural(total, "line")}.`,
    { kind: "user", suggestion: `Give an offset from 1 to ${total}.` },
  );
}

function allFailedError(failures: readonly Failure[]): ToolError {
  const [first, ...others] = failures.map((failure) => failure.error);
  if (first !== undefined && others.length === 0) return first;
  return new ToolError(failures.map(({ error }) => error.message).join(" "), {
    kind: first?.kind ?? "user",
    suggestion: first?.suggestion,
  });
}
