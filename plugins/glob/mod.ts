/**
 * Finds files by a glob pattern, newest first, without what git ignores.
 */
import { isAbsolute, join } from "node:path";
import {
  cutSafely,
  defineTool,
  type Files,
  type Input,
  pathBelow,
  plural,
  quoteName,
  type ResolvedPath,
  splitLines,
} from "../../src/api.ts";
import { definition } from "./definition.ts";
import { list, type Listing } from "./listing.ts";
import { namedDirectory, splitPattern, type Start } from "./pattern.ts";

/** Files listed if the call does not say. */
const LIMIT = 50;
/** Lines of each file shown with `show_content` if the call does not say. */
const CONTENT_LINES = 10;
/** Bytes read of a file to show its first lines, and characters shown of one line. */
const HEAD_SIZE = 32_768;
const MAX_LINE = 500;

type GlobInput = Input<typeof definition>;

/** Fields of a successful result. */
interface GlobData extends Readonly<Record<string, unknown>> {
  /** Paths as shown, or with `show_content` the first lines of each. */
  readonly files: readonly string[] | Readonly<Record<string, string>>;
  readonly total_matches: number;
  /** Whether not all that matches is in `files`. */
  readonly limited: boolean;
  readonly show_content: boolean;
  readonly suggestion?: string;
}

export default defineTool<GlobInput, GlobData>(definition, {
  describe: ({ pattern, path }) => path === undefined ? pattern : `${pattern} in ${path}`,

  accesses({ pattern, path = "." }) {
    const directory = namedDirectory(pattern);
    if (directory === "") return [];
    return [{ kind: "read", target: isAbsolute(directory) ? directory : join(path, directory) }];
  },

  async run(input, context) {
    const { limit = LIMIT, show_content = false, content_lines = CONTENT_LINES } = input;
    const { files } = context;
    const root = await files.resolve(input.path ?? ".");
    const start = splitPattern(input.pattern, root.absolute);
    // Listing a path that is no directory fails with the reason and similar names.
    if ((await files.info(root))?.kind !== "directory") await files.list(root);
    const directory = await openDirectory(root, { start, files });
    const listing = directory && start.pattern !== ""
      ? await list(directory, { start, limit, context })
      : { paths: [], total: 0, complete: true };
    const shown = listing.paths.map((path) =>
      directory ? pathBelow(directory, path).display : path
    );
    const contents = show_content && directory
      ? await firstLines(listing.paths, { directory, files, lines: content_lines })
      : undefined;
    const isNone = listing.complete && listing.total === 0;
    const suggestion = isNone ? suggest(start) : undefined;
    return {
      ok: true,
      data: {
        files: contents
          ? Object.fromEntries(shown.map((path, i) => [path, contents[i] ?? ""]))
          : shown,
        total_matches: listing.total,
        limited: isLimited(listing),
        show_content,
        ...(suggestion !== undefined && { suggestion }),
      },
      text: render(shown, { listing, contents, suggestion }),
    };
  },

  preview({ files, total_matches }, lines) {
    const names = Array.isArray(files) ? files : Object.keys(files);
    return [plural(total_matches, "file"), ...names].slice(0, lines);
  },
});

/** The directory named by the front of the pattern, unless it is missing or reached by a link. */
async function openDirectory(
  root: ResolvedPath,
  options: { start: Start; files: Files },
): Promise<ResolvedPath | undefined> {
  const { start, files } = options;
  if (start.directory === "") return root;
  const absolute = `${root.absolute === "/" ? "" : root.absolute}/${start.directory}`;
  const directory = await files.resolve(absolute);
  if (directory.absolute.replaceAll("\\", "/") !== absolute.replaceAll("\\", "/")) return undefined;
  return (await files.info(directory))?.kind === "directory" ? directory : undefined;
}

/** The first lines of each file; a file that cannot be read is shown as such. */
function firstLines(
  paths: readonly string[],
  options: { directory: ResolvedPath; files: Files; lines: number },
): Promise<string[]> {
  const { directory, files, lines } = options;
  return Promise.all(paths.map(async (path) => {
    try {
      const bytes = await files.head(pathBelow(directory, path), HEAD_SIZE);
      if (bytes.includes(0)) return "[Binary file]";
      const all = splitLines(new TextDecoder().decode(bytes));
      return all.slice(0, Math.max(0, lines)).map((line) => cutSafely(line, MAX_LINE)).join("\n");
    } catch {
      return "[Cannot be read]";
    }
  }));
}

function isLimited({ paths, total, complete }: Listing): boolean {
  return paths.length < total || !complete;
}

function suggest({ pattern, directory }: Start): string {
  const recursive = pattern.includes("**") || pattern === ""
    ? "Check the spelling, or use a broader pattern"
    : `Use ${directory === "" ? "" : `${directory}/`}**/${pattern} to search all directories below`;
  return `${recursive}; hidden and ignored files are listed only if their directory is named.`;
}

function render(
  shown: readonly string[],
  options: {
    listing: Listing;
    contents: readonly string[] | undefined;
    suggestion: string | undefined;
  },
): string {
  const { listing, contents, suggestion } = options;
  const stopped = "[The search was stopped: narrow it with path.]";
  if (shown.length === 0) {
    return listing.complete ? `No files found. ${suggestion ?? ""}`.trimEnd() : stopped;
  }
  const lines = shown.map(quoteName);
  const blocks = contents
    ? lines.map((path, i) => `${path}:\n${(contents[i] ?? "").replace(/^/gm, "  ")}`)
    : lines;
  if (!listing.complete) blocks.push(stopped);
  else if (isLimited(listing)) {
    blocks.push(
      `[The newest ${shown.length} of ${listing.total} files; narrow the pattern or raise limit.]`,
    );
  }
  return blocks.join("\n");
}
