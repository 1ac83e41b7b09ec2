/**
 * What the model reads of a search: grouped by file, one line a hit.
 */
import { plural, quoteName } from "../../src/api.ts";
import type { FileHits, HitLine, Hits } from "./hits.ts";

/** One match in the record. */
export interface Match {
  /** As shown to the model. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly content: string;
  /** Lines before and after it, if asked for. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** The matches of the record, flat and in the order of the text. */
export function toMatches(
  hits: Hits,
  options: { context: number; show: (path: string) => string },
): Match[] {
  return hits.files.flatMap(({ path, lines }) =>
    lines.flatMap((hit) => {
      if (hit.column === undefined) return [];
      const { line, column, content } = hit;
      const match = { file: options.show(path), line, column, content };
      return options.context === 0
        ? [match]
        : [{ ...match, ...withContext(hit, lines, options.context) }];
    })
  );
}

/** The whole text: a count, the hits by file, and what was left out. */
export function toText(
  hits: Hits,
  options: { show: (path: string) => string; note: string | undefined },
): string {
  const atLeast = hits.isFull ? "at least " : "";
  const shown = hits.keptCount < hits.total
    ? `, the first ${hits.keptCount} of the newest files are shown`
    : "";
  const blocks = hits.files.map((file) =>
    `${quoteName(options.show(file.path))}:\n${toLines(file)}`
  );
  return [
    `Found ${atLeast}${plural(hits.total, "match", "matches")}${shown}`,
    ...blocks,
    ...(options.note === undefined ? [] : [`[${options.note}]`]),
  ].join("\n");
}

function toLines({ lines }: FileHits): string {
  return lines.map(({ line, column, content }) => {
    const place = line === 0 ? "Line too long to be numbered" : `Line ${line}`;
    return `  ${place}${column ? `, Char ${column}` : ""}: ${content}`;
  }).join("\n");
}

function withContext(hit: HitLine, lines: readonly HitLine[], context: number) {
  const between = (first: number, last: number) =>
    lines.filter(({ line }) => line >= first && line <= last).map(({ content }) => content);
  return {
    before: between(hit.line - context, hit.line - 1),
    after: between(hit.line + 1, hit.line + context),
  };
}
