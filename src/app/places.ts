/**
 * Where this run keeps things: in ally's home, or where that cannot be written, in a directory of its own that
 * ends with the run. Then the session stays in memory, and what is changed can be undone until the end. Called by
 * the composition root.
 */
import { dirname } from "node:path";
import { UsageError } from "../core/errors.ts";
import type { Fact } from "../core/event.ts";
import { errorCode } from "../lib/fs.ts";
import { messageOf } from "../lib/text.ts";
import { type Locations, locations } from "../store/paths.ts";
import type { Environment } from "./environment.ts";

/** The places of a run. */
export interface Places {
  readonly locations: Locations;
  /** False if nothing of this run outlives it. */
  readonly lasting: boolean;
  /** False if no home of ally's is known: then there are no settings of the user's either. */
  readonly known: boolean;
}

interface PlacesOptions {
  readonly env: Environment;
  /** False if the process gives up writing anyway: then nothing is tried. */
  readonly mayWrite: boolean;
  /** Whether a session is kept; without one, looking leaves nothing behind. */
  readonly session: boolean;
  readonly emit: (fact: Fact) => void;
}

/** No directory can be made here, whoever tries. */
const NOWHERE = "/dev/null/ally";

/** Finds the places for a working directory (absolute and canonical), and tells if they do not last. */
export function openPlaces(cwd: string, options: PlacesOptions): Places {
  const { mayWrite } = options;
  const home = homePlaces(cwd, options.env);
  const problem = home === undefined
    ? "Neither ALLY_HOME nor HOME is known."
    : mayWrite
    ? whyUnusable(home.project, { leave: options.session })
    : undefined;
  if (home !== undefined && problem === undefined) {
    return { locations: home, lasting: true, known: true };
  }
  const own = mayWrite ? ownDirectory() : undefined;
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
    locations: own === undefined ? home ?? placesIn(NOWHERE, cwd) : withOwn(own, { cwd, home }),
    lasting: false,
    known: home !== undefined,
  };
}

/** What this run makes goes to its own directory; what is there already is still read. */
function withOwn(
  own: string,
  { cwd, home }: { cwd: string; home: Locations | undefined },
): Locations {
  const places = placesIn(own, cwd);
  const { project, patches, snapshots, outputs } = places;
  return home === undefined ? places : { ...home, project, patches, snapshots, outputs };
}

function placesIn(home: string, cwd: string): Locations {
  return locations(cwd, { get: () => home });
}

/** The places in ally's home, or undefined if no home is known. */
export function homePlaces(cwd: string, env: Environment): Locations | undefined {
  try {
    return locations(cwd, env);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Why nothing can be kept in a directory, or undefined; what may pass, as a full disk does, is no reason. */
function whyUnusable(directory: string, { leave }: { leave: boolean }): string | undefined {
  const missing = leave ? [] : missingParts(directory);
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
    const stays = error instanceof Deno.errors.NotCapable || STAYING.has(errorCode(error) ?? "");
    return stays ? `Cannot keep anything in ${directory}: ${messageOf(error)}.` : undefined;
  } finally {
    removeEmpty(missing);
  }
}

/** The directory and those above it that are not there, deepest first. */
function missingParts(directory: string): string[] {
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

const STAYING: ReadonlySet<string> = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOTDIR",
  "EEXIST",
  "ENOENT",
]);

function ownDirectory(): string | undefined {
  let made: string | undefined;
  try {
    made = Deno.makeTempDirSync({ prefix: "ally-" });
    const directory = Deno.realPathSync(made);
    if (whyUnusable(directory, { leave: true }) === undefined) return directory;
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
