/**
 * The files that match, newest first: from ripgrep where it runs, else from a walk in TypeScript.
 */
import {
  pathFilter,
  type ResolvedPath,
  ripgrep,
  type ToolContext,
  ToolError,
  walk,
} from "../../src/api.ts";
import type { Start } from "./pattern.ts";

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
  const paths: string[] = [];
  let total = 0;
  const add = (path: string) => {
    if (!filter.accepts(path)) return;
    total++;
    if (paths.length < limit) paths.push(path);
  };
  const names = splitNames(add);
  const outcome = await ripgrep(["--files", "--null"], {
    run: (request) => shell.run({ ...request, stderr: "drop" }),
    directory: directory.absolute,
    filter,
    maxDepth,
    signal,
    timeout: TIMEOUT,
    onOutput: names,
  });
  if (outcome === undefined) {
    const found = await walk(directory, {
      port: files,
      filter,
      signal,
      ...(maxDepth !== undefined && { maxDepth }),
    });
    for (const { path } of found) add(path);
  }
  if (signal.aborted) throw new ToolError("Search interrupted.", { kind: "interrupted" });
  return { paths, total, complete: outcome !== "stopped" };
}

/** Splits what arrives in pieces at its NULs, and makes of each name a path below the directory. */
function splitNames(onPath: (path: string) => void): (chunk: string) => void {
  let rest = "";
  return (chunk) => {
    const names = (rest + chunk).split("\0");
    rest = names.pop() ?? "";
    for (const name of names) onPath(name.replace(/^\.\//, ""));
  };
}
