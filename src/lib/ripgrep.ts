/**
 * Runs ripgrep from npm where that is possible, with the options that decide which files it sees. The caller says
 * what to search for and reads the output.
 */
import { sep } from "node:path";
import { bundledRipgrep } from "./assets.ts";
import { exists, mayRead } from "./fs.ts";
import { hasOddIgnoreFileAbove, hasOddIgnoreFileBelow } from "./odd_ignore_files.ts";
import type { PathFilter } from "./path_filter.ts";

/** Always in force: no configuration of the user's, git's rules outside of git too. */
const BASE = [
  "--no-config",
  "--no-messages",
  "--no-require-git",
  "--no-ignore-global",
  "--path-separator=/",
];

/** Bounds its memory, in KiB; a device that has a name of an ignore file would fill all of the machine's. */
const LIMITS = 'ulimit -c 0; ulimit -d 1048576; exec "$@"';
/** Milliseconds after which it is looked whether a search goes on because an ignore file is none. */
const PATIENCE = 1000;

/** Starts ripgrep and hands its output over as it comes. */
export interface RipgrepRun {
  (options: {
    command: readonly [program: string, ...args: string[]];
    cwd: string;
    signal: AbortSignal;
    timeout?: number;
    onOutput: (chunk: string) => void;
    maxOutput: number;
  }): Promise<{ code: number; ended?: "timeout" | "interrupted" }>;
}

/** How a search ended: found something, found nothing, failed, or was stopped before its end. */
export type RipgrepOutcome = "found" | "nothing" | "failed" | "stopped";

const OUTCOMES: ReadonlyMap<number, RipgrepOutcome> = new Map([
  [0, "found"],
  [1, "nothing"],
  [2, "failed"],
]);

/** The path of ripgrep: the bundle's own, or that of the npm package; undefined if neither can be used. */
export async function findRipgrep(): Promise<string | undefined> {
  const path = bundledRipgrep();
  if (path !== undefined && mayRead(path) && exists(path)) return path;
  return await import("@vscode/ripgrep").then(({ rgPath }) => rgPath, () => undefined);
}

/**
 * Searches below a directory (or only the file in it named by `only`) and hands the output over as it
 * comes; paths in it begin with `./`. Undefined if ripgrep is not there, may not run or should not, because it would
 * open what only has the name of an ignore file; it may have found something before that was known.
 */
export async function ripgrep(
  args: readonly string[],
  options: {
    run: RipgrepRun;
    directory: string;
    only?: string | undefined;
    filter: PathFilter;
    maxDepth?: number | undefined;
    /** Newest files first, which keeps ripgrep to one core. @default true */
    ordered?: boolean;
    signal: AbortSignal;
    /** Seconds */
    timeout?: number;
    onOutput: (chunk: string) => void;
  },
): Promise<RipgrepOutcome | undefined> {
  const { run, directory, only, filter, maxDepth, ordered = true, signal, timeout } = options;
  const rgPath = await findRipgrep();
  if (rgPath === undefined || hasOddIgnoreFileAbove(directory)) return undefined;
  let begun = false;
  const watch = watchIgnoreFiles(directory, filter);
  try {
    const { code, ended } = await run({
      command: [
        ...limited(rgPath),
        ...BASE,
        ...(ordered ? ["--sortr=modified"] : []),
        ...(only === undefined ? filter.ripgrepArgs : []),
        ...(maxDepth === undefined ? [] : [`--max-depth=${maxDepth}`]),
        ...args,
        "--",
        `./${only ?? ""}`,
      ],
      cwd: directory,
      signal: AbortSignal.any([signal, watch.signal]),
      onOutput(chunk) {
        begun = true;
        options.onOutput(chunk);
      },
      maxOutput: 0,
      ...(timeout !== undefined && { timeout }),
    });
    if (watch.signal.aborted) return undefined;
    if (ended !== undefined) return "stopped";
    // Any other code is not ripgrep's own: it was killed, or could not be started.
    return OUTCOMES.get(code);
  } catch (error) {
    if (begun) throw error;
    return undefined;
  } finally {
    watch.end();
  }
}

function limited(program: string): readonly [program: string, ...args: string[]] {
  // Windows has no such shell.
  return sep === "\\" ? [program] : ["/bin/sh", "-c", LIMITS, "sh", program];
}

/** A signal that is aborted if a search that takes long may meet a file that is no ignore file. */
function watchIgnoreFiles(directory: string, { ripgrepArgs }: PathFilter) {
  const found = new AbortController();
  const ended = new AbortController();
  const hidden = ripgrepArgs.includes("--hidden");
  const descends = (name: string) =>
    (hidden || !name.startsWith(".")) && !ripgrepArgs.includes(`--glob=!${name}/`);
  const timer = setTimeout(async () => {
    const { signal } = ended;
    if (await hasOddIgnoreFileBelow(directory, { descends, signal })) found.abort();
  }, PATIENCE);
  return {
    signal: found.signal,
    end() {
      clearTimeout(timer);
      ended.abort();
    },
  };
}
