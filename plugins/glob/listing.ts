/**
 * The files that match, newest first: from ripgrep where it runs, else from a walk in TypeScript.
 */
import {
  newestFirst,
  pathFilter,
  type ResolvedPath,
  ripgrep,
  type ToolContext,
  ToolError,
  walk,
} from "../../src/api.ts";
import type { Start } from "./pattern.ts";

/** Files up to which a listing is unordered at first, and so may use all cores. */
const MAX_UNORDERED = 300;
/** Seconds a listing may take. */
const TIMEOUT = 20;

/** What was found, and how much of it is held. */
export interface Listing {
  /** Paths below the directory where the search began, at most as many as asked for. */
  readonly paths: readonly string[];
  readonly total: number;
  /** False if the time ran out. */
  readonly complete: boolean;
}

/** Lists what matches below a directory. */
export async function list(
  directory: ResolvedPath,
  options: { start: Start; limit: number; context: ToolContext },
): Promise<Listing> {
  const { start, limit, context } = options;
  const { files, shell, signal } = context;
  const { maxDepth } = start;
  const filter = await pathFilter({ include: [start.pattern] });
  const search = async (ordered: boolean, keep: number) => {
    const enough = new AbortController();
    const found = { paths: [] as string[], total: 0 };
    const outcome = await ripgrep(["--files", "--null"], {
      run: (request) => shell.run({ ...request, stderr: "drop" }),
      directory: directory.absolute,
      filter,
      maxDepth,
      ordered,
      signal: AbortSignal.any([signal, enough.signal]),
      timeout: TIMEOUT,
      onOutput: splitNames((path) => {
        if (!filter.accepts(path)) return;
        found.total++;
        if (found.paths.length < keep) found.paths.push(path);
        else if (!ordered) enough.abort();
      }),
    });
    return { ...found, outcome };
  };
  let { paths, total, outcome } = await search(false, MAX_UNORDERED);
  if (total > MAX_UNORDERED) ({ paths, total, outcome } = await search(true, limit));
  else if (outcome === undefined) {
    paths = (await walk(directory, {
      port: files,
      filter,
      signal,
      ...(maxDepth !== undefined && { maxDepth }),
    })).map((file) => file.path);
    total = paths.length;
  } else {
    const found = paths.map((path) => ({ path }));
    const info = (path: ResolvedPath) => files.info(path);
    paths = (await newestFirst(found, { root: directory, info })).map(({ path }) => path);
  }
  if (signal.aborted) throw new ToolError("Search interrupted.", { kind: "interrupted" });
  return { paths: paths.slice(0, limit), total, complete: outcome !== "stopped" };
}

/** Splits what arrives in pieces at its NULs, and makes of each name a path below the directory. */
function splitNames(onPath: (path: string) => void): (chunk: string) => void {
  let rest = "";
  return (chunk) => {
    const names = (rest + chunk).split("\0");
    rest = names.pop() ?? "";
    for (const name of names) onPath(name.startsWith("./") ? name.slice(2) : name);
  };
}
