/**
 * Where this run keeps things: in ally's home, or where that cannot be written, in a directory of its own that
 * ends with the run. Then the session stays in memory, and what is changed can be undone until the end. Called by
 * the composition root.
 */
import { dirname } from "node:path";
import { UsageError } from "../core/errors.ts";
import type { EventBody } from "../core/event.ts";
import { errorCode } from "../lib/fs.ts";
import { messageOf } from "../lib/text.ts";
import { type AllyPaths, allyPaths } from "../store/paths.ts";
import type { Environment } from "./environment.ts";

/** The places of a run. */
export interface RunStorage {
  readonly paths: AllyPaths;
  /** False if nothing of this run outlives it. */
  readonly isPersistent: boolean;
  /** False if no home of ally's is known: then there are no settings of the user's either. */
  readonly hasHome: boolean;
}

interface StorageOptions {
  readonly env: Environment;
  /** False if the process gives up writing anyway: then nothing is tried. */
  readonly mayWrite: boolean;
  /** Whether a session is kept; without one, looking leaves nothing behind. */
  readonly session: boolean;
  readonly emit: (fact: EventBody) => void;
}

/** No directory can be made here, whoever tries. */
const UNWRITABLE_HOME = "/dev/null/ally";

/** Finds the places for a working directory (absolute and canonical), and tells if they do not last. */
export function openStorage(cwd: string, options: StorageOptions): RunStorage {
  const { mayWrite } = options;
  const home = findHomePaths(cwd, options.env);
  const problem = home === undefined
    ? "Neither ALLY_HOME nor HOME is known."
    : mayWrite
    ? findStorageProblem(home.project, { leave: options.session })
    : undefined;
  if (home !== undefined && problem === undefined) {
    return { paths: home, isPersistent: true, hasHome: true };
  }
  const own = mayWrite ? makeTemporaryHome() : undefined;
  // However the run ends, short of a kill.
  if (own !== undefined) globalThis.addEventListener("unload", () => removeQuietly(own));
  const undo = own === undefined
    ? "and no file can be changed, because no change could be undone"
    : "and what is changed can be undone until it ends";
  options.emit({
    type: "notice",
    level: "warning",
    text: `${problem} This session stays in memory, ${undo}. ` +
      "Set ALLY_HOME to a directory that can be written to keep sessions.",
  });
  return {
    paths: own === undefined
      ? home ?? pathsIn(UNWRITABLE_HOME, cwd)
      : withTemporaryPaths(own, { cwd, home }),
    isPersistent: false,
    hasHome: home !== undefined,
  };
}

/** What this run makes goes to its own directory; what is there already is still read. */
function withTemporaryPaths(
  own: string,
  { cwd, home }: { cwd: string; home: AllyPaths | undefined },
): AllyPaths {
  const paths = pathsIn(own, cwd);
  const { project, patches, snapshots, outputs } = paths;
  return home === undefined ? paths : { ...home, project, patches, snapshots, outputs };
}

function pathsIn(home: string, cwd: string): AllyPaths {
  return allyPaths(cwd, { get: () => home });
}

/** The places in ally's home, or undefined if no home is known. */
export function findHomePaths(cwd: string, env: Environment): AllyPaths | undefined {
  try {
    return allyPaths(cwd, env);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Why nothing can be kept in a directory, or undefined; what may pass, as a full disk does, is no reason. */
function findStorageProblem(directory: string, { leave }: { leave: boolean }): string | undefined {
  const missing = leave ? [] : findMissingParts(directory);
  try {
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const probe = Deno.makeTempFileSync({ dir: directory, prefix: ".probe-" });
    try {
      Deno.readFileSync(probe);
    } finally {
      Deno.removeSync(probe);
    }
    return undefined;
  } catch (error) {
    const stays = error instanceof Deno.errors.NotCapable ||
      PERMANENT_ERRORS.has(errorCode(error) ?? "");
    return stays ? `Cannot keep anything in ${directory}: ${messageOf(error)}.` : undefined;
  } finally {
    removeEmpty(missing);
  }
}

/** The directory and those above it that are not there, deepest first. */
function findMissingParts(directory: string): string[] {
  const missing: string[] = [];
  for (let at = directory; dirname(at) !== at; at = dirname(at)) {
    try {
      Deno.statSync(at);
      break;
    } catch {
      missing.push(at);
    }
  }
  return missing;
}

function removeEmpty(directories: readonly string[]): void {
  try {
    for (const directory of directories) Deno.removeSync(directory);
  } catch {
    // Never made, or somebody uses it by now.
  }
}

const PERMANENT_ERRORS: ReadonlySet<string> = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOTDIR",
  "EEXIST",
  "ENOENT",
]);

function makeTemporaryHome(): string | undefined {
  let made: string | undefined;
  try {
    made = Deno.makeTempDirSync({ prefix: "ally-" });
    const directory = Deno.realPathSync(made);
    if (findStorageProblem(directory, { leave: true }) === undefined) return directory;
  } catch {
    // It may be made, but not looked at, or not even made.
  }
  if (made !== undefined) removeQuietly(made);
  return undefined;
}

function removeQuietly(directory: string): void {
  try {
    Deno.removeSync(directory, { recursive: true });
  } catch {
    // Something still writes there; the system clears its temporary files in its own time.
  }
}
