/**
 * Searches the contents of files by regular expression, newest files first, without what git ignores:
 * with ripgrep where it runs, else in TypeScript. Loaded on the first call of `grep`.
 */
import {
  defineTool,
  type Input,
  newestFirst,
  pathFilter,
  plural,
  type ResolvedPath,
  ripgrep,
  type RunContext,
  splitGlobs,
  ToolError,
} from "../../src/api.ts";
import { definition } from "./definition.ts";
import { Hits } from "./hits.ts";
import { RecordReader } from "./records.ts";
import { type Match, toMatches, toText } from "./render.ts";
import { scan, type Wanted } from "./scan.ts";

/** Matches returned if the call does not say. */
const MAX_RESULTS = 50;
/** Matches up to which a search is unordered at first, and so may use all cores. */
const MAX_UNORDERED = 300;
/** Milliseconds to the first match, and to the end. */
const FIRST_MATCH = 3000;
const WHOLE = 20_000;

type GrepInput = Input<typeof definition>;

/** Fields of a successful result. */
interface GrepData extends Readonly<Record<string, unknown>> {
  readonly matches: readonly Match[];
  /** Matching lines, shown or not. */
  readonly total_matches: number;
  readonly limited_results: boolean;
  /** Absent if the search was stopped before its end. */
  readonly files_searched?: number;
  readonly suggestion?: string;
}

/** What to search in. */
interface Place {
  readonly root: ResolvedPath;
  /** Name of the only file, if the path names one. */
  readonly only: string | undefined;
  readonly show: (path: string) => string;
}

export default defineTool<GrepInput, GrepData>(definition, {
  describe: ({ pattern, path, include }) =>
    [pattern, path && `in ${path}`, include && `(${include})`].filter(Boolean).join(" "),

  async run(input, context) {
    const place = await placeOf(input.path ?? ".", context);
    const hits = new Hits(input.max_results ?? MAX_RESULTS);
    const { searched, stopped } = await search(input, { place, hits, context });
    const note = stopped
      ? "The search was stopped before its end: narrow it with path, include or file_types."
      : undefined;
    const suggestion = hits.total === 0 ? suggest(input) : undefined;
    return {
      ok: true,
      data: {
        matches: toMatches(hits, { context: input.context ?? 0, show: place.show }),
        total_matches: hits.total,
        limited_results: stopped || hits.kept < hits.total,
        ...(searched !== undefined && { files_searched: searched }),
        ...(suggestion !== undefined && { suggestion }),
      },
      text: suggestion === undefined
        ? toText(hits, { show: place.show, note })
        : `Found 0 matches. ${suggestion}`,
    };
  },

  preview({ matches, total_matches }, lines) {
    const shown = matches.map(({ file, line, content }) => `${file}:${line}: ${content.trim()}`);
    return [plural(total_matches, "match", "matches"), ...shown].slice(0, lines);
  },
});

async function placeOf(path: string, { files }: RunContext): Promise<Place> {
  const root = await files.resolve(path);
  const info = await files.info(root);
  if (info?.kind === "file") {
    const parent = await files.resolve(root.absolute.replace(/[\\/][^\\/]*$/, "") || "/");
    const only = root.absolute.slice(root.absolute.search(/[^\\/]*$/));
    return { root: parent, only, show: () => root.display };
  }
  // Listing a path that is no directory fails with the reason and similar names.
  if (info?.kind !== "directory") await files.list(root);
  const front = root.display === "." ? "" : `${root.display.replace(/\/$/, "")}/`;
  return { root, only: undefined, show: (found) => front + found };
}

/**
 * Fills `hits` and says how it ended.
 * @throws {ToolError} validation: no regular expression; system: no match in time; interrupted
 */
async function search(
  input: GrepInput,
  options: { place: Place; hits: Hits; context: RunContext },
): Promise<{ searched: number | undefined; stopped: boolean }> {
  const { place: { root, only }, hits, context } = options;
  const depth = input.max_depth ?? -1;
  const maxDepth = depth < 0 ? undefined : depth + 1;
  const filter = await pathFilter({ ...globsOf(input), byName: true });
  const wanted = wantedOf(input);
  const unordered = new Hits(MAX_UNORDERED);
  const accepts = (path: string) => only !== undefined || filter.accepts(path);
  let records = new RecordReader(unordered, { accepts });
  const found = () => hits.total > 0 || unordered.total > 0 || records.pending;
  const watch = watchTime(found, context.signal);
  const shared = { only, filter, maxDepth };
  const run = (ordered: boolean, options: { enough: () => boolean }) => {
    const enough = new AbortController();
    return ripgrep(ripgrepArgs(wanted), {
      ...shared,
      ordered,
      signal: AbortSignal.any([watch.signal, enough.signal]),
      run: (request) => context.shell.run(request),
      directory: root.absolute,
      onOutput(chunk) {
        records.add(chunk);
        if (options.enough()) enough.abort();
      },
    });
  };
  try {
    let outcome = await run(false, { enough: () => unordered.total > MAX_UNORDERED });
    watch.check();
    if (unordered.total > MAX_UNORDERED) {
      records = new RecordReader(hits, { accepts });
      outcome = await run(true, { enough: () => hits.full });
      watch.check();
    }
    records.end();
    if (hits.total === 0) {
      const info = (path: ResolvedPath) => context.files.info(path);
      hits.addAll(await newestFirst(unordered.files, { root, info }));
    }
    const searched = outcome === undefined
      ? await scan(wanted, { ...shared, signal: watch.signal, root, files: context.files, hits })
      : records.searched;
    watch.check();
    if (outcome === "failed") refuseInvalid(records.message);
    return { searched, stopped: watch.signal.aborted || hits.full };
  } finally {
    watch.dispose();
  }
}

/** A signal that stops a search without a match after 3 s, any search after 20 s, and on demand. */
function watchTime(found: () => boolean, signal: AbortSignal) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const first = setTimeout(() => found() || stop(), FIRST_MATCH);
  const whole = setTimeout(stop, WHOLE);
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    stop,
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

function wantedOf(input: GrepInput): Wanted {
  return {
    pattern: input.pattern,
    caseSensitive: input.case_sensitive ?? false,
    wholeWords: input.whole_words ?? false,
    literal: input.literal_text ?? false,
    context: input.context ?? 0,
  };
}

function ripgrepArgs(wanted: Wanted): string[] {
  if (wanted.pattern.includes("\0")) {
    throw new ToolError("The pattern contains a NUL, which no text file does.", {
      kind: "validation",
      suggestion: "Leave the NUL out.",
    });
  }
  return [
    "--json",
    "--crlf",
    "--engine=auto",
    `--context=${wanted.context}`,
    wanted.caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(wanted.wholeWords ? ["--word-regexp"] : []),
    ...(wanted.literal ? ["--fixed-strings"] : []),
    `--regexp=${wanted.pattern}`,
  ];
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

function suggest(input: GrepInput): string {
  const narrowed = input.include ?? input.exclude ?? input.file_types ?? input.max_depth;
  const tries = [
    input.case_sensitive ? "without case_sensitive" : "",
    input.whole_words ? "without whole_words" : "",
    input.literal_text || !/[\\^$.|?*+()[\]{}]/.test(input.pattern) ? "" : "with literal_text",
    narrowed === undefined ? "" : "in more files",
  ].filter((one) => one !== "");
  const others = tries.length > 0 ? `, or search ${tries.join(", ")}` : "";
  return `Try a broader pattern${others}. Hidden and ignored files are searched only if path names them.`;
}
