/**
 * One search from a call's arguments: where it begins, which files it sees, how long it may take, and
 * who does it: ripgrep where it runs, else the scan in TypeScript.
 */
import { join } from "node:path";
import {
  type Input,
  pathBelow,
  pathFilter,
  plural,
  type ResolvedPath,
  ripgrep,
  sortNewestFirst,
  splitGlobs,
  type ToolContext,
  ToolError,
} from "../../src/api.ts";
import type { definition } from "./definition.ts";
import { Hits } from "./hits.ts";
import { RecordReader } from "./records.ts";
import { parseReplacement } from "./replacement.ts";
import { scan, type SearchQuery } from "./scan.ts";

/** Matches up to which a search is unordered at first, and so may use all cores. */
const MAX_UNORDERED = 300;
/** Milliseconds to the first match, to the end, and between two words of progress. */
const FIRST_MATCH = 3000;
const SEARCH_TIMEOUT = 20_000;
const PROGRESS = 1000;
/** Characters of a pattern. */
const MAX_PATTERN = 20_000;

/** The arguments of a call of grep. */
export type GrepInput = Input<typeof definition>;

/** What to search in. */
export interface SearchRoot {
  readonly root: ResolvedPath;
  /** Name of the only file, if the path names one. */
  readonly only: string | undefined;
  /** A file that was found, by its path below the root. */
  readonly fileAt: (path: string) => ResolvedPath;
}

/** Resolves what a call names; a path that is missing fails with similar names. */
export async function searchRootOf(path: string, { files }: ToolContext): Promise<SearchRoot> {
  const root = await files.resolve(path);
  const info = await files.info(root);
  if (info?.kind === "file") {
    const directory = root.absolute.replace(/[\\/][^\\/]*$/, "") || "/";
    const only = root.absolute.slice(root.absolute.search(/[^\\/]*$/));
    return {
      root: { ...root, absolute: directory, display: directory },
      only,
      fileAt: () => root,
    };
  }
  // Listing a path that is no directory fails with the reason and similar names.
  if (info?.kind !== "directory") await files.list(root);
  return { root, only: undefined, fileAt: (path) => pathBelow(root, path) };
}

/**
 * Fills `hits` and says how it ended.
 * @throws {ToolError} validation: no regular expression; system: no match in time; interrupted
 */
export async function search(
  input: GrepInput,
  options: { searchRoot: SearchRoot; hits: Hits; context: ToolContext },
): Promise<{ searched: number | undefined; stopped: boolean }> {
  const { searchRoot: { root, only }, hits, context } = options;
  const filter = await pathFilter({ ...globsOf(input), byName: true });
  const wanted = queryOf(input);
  const unordered = new Hits(MAX_UNORDERED);
  const isLeftOut = leftOutOf(options);
  const accepts = (path: string) =>
    !isLeftOut(path) && (only !== undefined || filter.accepts(path));
  let records = new RecordReader(unordered, { accepts });
  const found = () => hits.total > 0 || unordered.total > 0 || records.pending;
  const watch = watchTime(found, context.signal);
  const progress = setInterval(
    () => context.report(progressText(hits.total > 0 ? hits : unordered)),
    PROGRESS,
  );
  const shared = { only, filter, maxDepth: maxDepthOf(input) };
  const scanned = { ...shared, root, files: context.files, isLeftOut, hits };
  const run = (ordered: boolean, { enough }: { enough: () => boolean }) => {
    const stop = new AbortController();
    return ripgrep(ripgrepArgs(wanted), {
      ...shared,
      ordered,
      signal: AbortSignal.any([watch.signal, stop.signal]),
      run: (request) => context.shell.run(request),
      directory: root.absolute,
      onOutput(chunk) {
        records.add(chunk);
        if (enough()) stop.abort();
      },
    });
  };
  try {
    let outcome = await run(false, { enough: () => unordered.total > MAX_UNORDERED });
    watch.check();
    if (outcome !== undefined && unordered.total > MAX_UNORDERED) {
      records = new RecordReader(hits, { accepts });
      outcome = await run(true, { enough: () => hits.isFull });
    }
    records.end();
    // What it had found before it ended is found again, unless that is shown already.
    if (outcome === undefined && hits.total > 0) return { searched: undefined, stopped: true };
    if (outcome !== undefined && hits.total === 0) {
      const info = (path: ResolvedPath) => context.files.info(path);
      hits.addAll(await sortNewestFirst(unordered.files, { root, info }));
    }
    const searched = outcome === undefined
      ? await scan(wanted, { ...scanned, signal: watch.signal })
      : records.filesSearched;
    watch.check();
    if (outcome === "failed") refuseInvalid(records.message);
    return { searched, stopped: watch.signal.aborted || hits.isFull };
  } finally {
    clearInterval(progress);
    watch.dispose();
  }
}

function maxDepthOf({ max_depth = -1 }: GrepInput): number | undefined {
  return max_depth < 0 ? undefined : max_depth + 1;
}

/** Whether a file, relative to the root, is not shown. */
function leftOutOf(
  { searchRoot: { root, only }, context: { files } }: {
    searchRoot: SearchRoot;
    context: ToolContext;
  },
): (path: string) => boolean {
  return (path) => {
    const file = join(root.absolute, path);
    return files.isLeftOut(file, only === undefined ? root.absolute : file);
  };
}

/** For the person watching a long search. */
function progressText({ total, files }: Hits): string {
  const where = files.length === 0 ? "" : ` in ${plural(files.length, "file")}`;
  return `Searching: ${plural(total, "match", "matches")}${where} so far\n`;
}

/** A signal that stops a search without a match after 3 s, any search after 20 s, and on demand. */
function watchTime(found: () => boolean, signal: AbortSignal) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const first = setTimeout(() => found() || stop(), FIRST_MATCH);
  const whole = setTimeout(stop, SEARCH_TIMEOUT);
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    check() {
      if (signal.aborted) throw new ToolError("Search interrupted.", { kind: "interrupted" });
      if (!controller.signal.aborted || found()) return;
      throw new ToolError(`Search stopped: no match within ${FIRST_MATCH / 1000} seconds.`, {
        kind: "system",
        suggestion:
          "Search less: name a directory in path, or limit the files by include or file_types.",
      });
    },
    dispose() {
      clearTimeout(first);
      clearTimeout(whole);
    },
  };
}

function globsOf({ include, exclude, file_types }: GrepInput) {
  const globs = splitGlobs(include ?? "").filter((glob) => glob !== "*" && glob !== "**");
  const extensions = (file_types ?? "").split(",")
    .map((type) => type.trim().replace(/^[*.]+/, ""))
    .filter((type) => type !== "");
  return {
    ...(globs.length > 0 && { include: globs }),
    ...(extensions.length > 0 && { extensions }),
    exclude: splitGlobs(exclude ?? ""),
  };
}

function queryOf(input: GrepInput): SearchQuery {
  checkPattern(input.pattern);
  const literal = input.literal_text ?? false;
  return {
    pattern: input.pattern,
    caseSensitive: input.case_sensitive ?? false,
    wholeWords: input.whole_words ?? false,
    literal,
    context: input.context ?? 0,
    ...(input.replace !== undefined && {
      replacement: parseReplacement(input.replace, { pattern: input.pattern, literal }),
    }),
  };
}

function ripgrepArgs(wanted: SearchQuery): string[] {
  return [
    "--json",
    "--crlf",
    "--engine=auto",
    `--context=${wanted.context}`,
    wanted.caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(wanted.wholeWords ? ["--word-regexp"] : []),
    ...(wanted.literal ? ["--fixed-strings"] : []),
    ...(wanted.replacement ? [`--replace=${wanted.replacement.forRipgrep}`] : []),
    `--regexp=${wanted.pattern}`,
  ];
}

function checkPattern(pattern: string): void {
  if (pattern.length > MAX_PATTERN) {
    throw new ToolError(
      `The pattern has ${pattern.length} characters, more than the ${MAX_PATTERN} that are searched for.`,
      { kind: "validation", suggestion: "Search for a part of it." },
    );
  }
  if (!pattern.includes("\0")) return;
  throw new ToolError("The pattern contains a NUL, which no text file does.", {
    kind: "validation",
    suggestion: "Leave the NUL out.",
  });
}

/** Passes on what ripgrep says of a pattern it cannot read. */
function refuseInvalid(message: string): void {
  if (message.trim() === "") return;
  // With two engines tried it says all twice, the first between two lines of tildes.
  const words = /~{20,}\n([^]*?)\n~{20,}/.exec(message)?.[1] ?? message;
  throw new ToolError(`The pattern cannot be searched for: ${words.replace(/^rg: /, "").trim()}`, {
    kind: "validation",
    suggestion: "Escape special characters with a backslash, or set literal_text.",
  });
}
