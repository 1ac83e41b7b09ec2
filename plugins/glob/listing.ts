/**
 * The files that match, newest first: from ripgrep where it runs, else from a walk in TypeScript.
 */
import {
  pathBelow,
  type PathFilter,
  pathFilter,
  type ResolvedPath,
  ripgrep,
  sortNewestFirst,
  type ToolContext,
  ToolError,
  walkFiles,
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
  const { start: { pattern, maxDepth }, limit, context } = options;
  const { files, signal } = context;
  const filter = await pathFilter({ include: [pattern] });
  const search = { filter, maxDepth, context };
  const info = (path: ResolvedPath) => files.info(path);
  const first = runRipgrep(directory, { ...search, ordered: false, keep: MAX_UNORDERED });
  // The ordered listing starts while the unordered one, which found too much, is being ended.
  const tooMuch = await Promise.race([first.result.then(() => false), first.exceeded]);
  const ordered = tooMuch
    ? await runRipgrep(directory, { ...search, ordered: true, keep: limit }).result
    : undefined;
  const unordered = await first.result;
  let found = tooMuch ? ordered : unordered;
  if (found === undefined) {
    const depth = maxDepth === undefined ? {} : { maxDepth };
    const paths = await walkFiles(directory, { port: files, filter, signal, ...depth });
    found = { paths, total: paths.length, complete: true };
  } else if (!tooMuch) {
    found = { ...found, paths: await sortNewestFirst(found.paths, { root: directory, info }) };
  }
  if (signal.aborted) throw new ToolError("Search interrupted.", { kind: "interrupted" });
  return await omitMissing(
    { ...found, paths: found.paths.slice(0, limit).map(({ path }) => path) },
    { directory, files },
  );
}

/**
 * Without what ripgrep met elsewhere, where a directory became a link while it listed, and what no search is to show.
 */
async function omitMissing(
  listing: Listing,
  { directory, files }: { directory: ResolvedPath; files: ToolContext["files"] },
): Promise<Listing> {
  const { paths, total } = listing;
  const facts = await Promise.all(
    paths.map((path) => files.info(pathBelow(directory, path)).catch(() => undefined)),
  );
  const isShown = (path: string) =>
    !files.isLeftOut(pathBelow(directory, path).absolute, directory.absolute);
  const there = paths.filter((path, at) => facts[at] !== undefined && isShown(path));
  return { ...listing, paths: there, total: total - (paths.length - there.length) };
}

/** What ripgrep lists. */
interface RipgrepRun {
  /** Undefined if it may not run. */
  readonly result: Promise<
    { paths: { path: string }[]; total: number; complete: boolean } | undefined
  >;
  /** Resolves as soon as there are more files than were to be kept. */
  readonly exceeded: Promise<true>;
}

/** Lists with ripgrep; unordered, it stops when there is too much. */
function runRipgrep(
  directory: ResolvedPath,
  options: {
    filter: PathFilter;
    maxDepth: number | undefined;
    context: ToolContext;
    ordered: boolean;
    keep: number;
  },
): RipgrepRun {
  const { filter, maxDepth, context: { shell, signal }, ordered, keep } = options;
  const enough = new AbortController();
  const exceeded = Promise.withResolvers<true>();
  const paths: { path: string }[] = [];
  let total = 0;
  const add = (path: string) => {
    if (!filter.accepts(path)) return;
    total++;
    if (paths.length < keep) return void paths.push({ path });
    if (ordered || enough.signal.aborted) return;
    exceeded.resolve(true);
    enough.abort();
  };
  const outcome = ripgrep(["--files", "--null"], {
    run: (request) => shell.run({ ...request, stderr: "drop" }),
    directory: directory.absolute,
    filter,
    maxDepth,
    ordered,
    signal: AbortSignal.any([signal, enough.signal]),
    timeout: TIMEOUT,
    onOutput: splitNames(add),
  });
  const result = outcome.then((ended) => ended && { paths, total, complete: ended !== "stopped" });
  return { result, exceeded: exceeded.promise };
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
