/**
 * Where a run keeps things: in `ALLY_HOME`, else `~/.ally`, with one folder for each project. Where that cannot be
 * written, in a temporary directory that ends with the run: then the session stays in memory, and changes can be
 * undone until the end.
 */
import { basename, dirname, join } from "node:path";
import { UsageError } from "../core/errors.ts";
import type { EventBody } from "../core/event.ts";
import { contains, directoriesAbove } from "../lib/contains.ts";
import { errorCode, ownUid, realPathOrSame, reasonOf, tryLstat } from "../lib/fs.ts";
import { hashShortText } from "../lib/text_hash.ts";

/** What is needed of the environment. */
interface Variables {
  get(name: string): string | undefined;
}

/** All paths of one project's runs. */
export interface AllyPaths {
  readonly home: string;
  readonly config: string;
  readonly history: string;
  /** The user's MCP servers. */
  readonly mcp: string;
  /** What is known of servers: what was approved, what they offered last. */
  readonly mcpCache: string;
  /** Makes the placeholders of secrets. */
  readonly maskKey: string;
  /** Folder of the user's agents. */
  readonly agents: string;
  /** Rules that answers of "Always" made. */
  readonly permissions: string;
  /** The log of decisions. */
  readonly decisions: string;
  /** What was allowed to plugins, and when they ran. */
  readonly pluginRecords: string;
  /** Which manifests of plugins have passed every check. */
  readonly knownManifests: string;
  /** Folder of installed plugins. */
  readonly plugins: string;
  /** Folder of the user's own commands. */
  readonly commands: string;
  /** Folder of the user's skills that are ally's alone. */
  readonly skills: string;
  /** Decisions about the files of projects. */
  readonly trust: string;
  /** Keys of endpoints, one file each. */
  readonly keys: string;
  /** What is known of models that were tried. */
  readonly models: string;
  /** Which tip was shown last, and when. */
  readonly tips: string;
  /** What there is to review after commands that run now, a folder for each session. */
  readonly unreviewed: string;
  /** Folder of the project that the working directory is. */
  readonly project: string;
  readonly sessions: string;
  readonly patches: string;
  /** Contents of files before and after commands. */
  readonly snapshots: string;
  /** The hashes of receipts, one file each. */
  readonly receipts: string;
  /** What commands in the sandbox keep: a temporary directory for each session, and caches. */
  readonly sandbox: string;
  /** Whole outputs of commands whose results were cut. */
  readonly outputs: string;
}

/** The paths for a working directory (absolute and canonical). @throws {UsageError} no home is known */
export function allyPaths(cwd: string, env: Variables): AllyPaths {
  return pathsBelow(allyHome(env), cwd);
}

/** The same, or undefined if no home is known. */
export function findAllyPaths(cwd: string, env: Variables): AllyPaths | undefined {
  try {
    return allyPaths(cwd, env);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

function pathsBelow(home: string, cwd: string): AllyPaths {
  const project = join(home, "projects", projectKey(cwd));
  return {
    home,
    config: join(home, "config.json"),
    history: join(home, "history"),
    mcp: join(home, "mcp.json"),
    mcpCache: join(home, "mcp"),
    maskKey: join(home, "mask.key"),
    agents: join(home, "agents"),
    permissions: join(home, "permissions.json"),
    decisions: join(home, "decisions.jsonl"),
    pluginRecords: join(home, "plugins.json"),
    knownManifests: join(home, "manifests.json"),
    plugins: join(home, "plugins"),
    commands: join(home, "commands"),
    skills: join(home, "skills"),
    trust: join(home, "trust.json"),
    keys: join(home, "keys"),
    models: join(home, "models.json"),
    tips: join(home, "tips.json"),
    unreviewed: join(home, "unreviewed"),
    project,
    sessions: join(project, "sessions"),
    patches: join(project, "patches"),
    snapshots: join(project, "snapshots"),
    receipts: join(project, "receipts"),
    sandbox: join(project, "sandbox"),
    outputs: join(project, "outputs"),
  };
}

function allyHome(env: Variables): string {
  const chosen = env.get("ALLY_HOME");
  if (chosen) return chosen;
  const home = homeDirectory(env);
  if (home === "") {
    throw new UsageError(
      "Cannot find a place for sessions: neither ALLY_HOME nor HOME is set. Set ALLY_HOME to a directory.",
    );
  }
  return join(home, ".ally");
}

/** Folders called `.ally` that are the person's own, wherever ally keeps its files. */
export function ownFolders(paths: Pick<AllyPaths, "home">, env: Variables): readonly string[] {
  const home = homeDirectory(env);
  return [paths.home, ...home === "" ? [] : [join(home, ".ally")]];
}

/** Where skills may be: the user's folders, absolute, and those of each of a project's directories. */
export interface SkillPlaces {
  readonly user: readonly string[];
  readonly project: readonly string[];
}

/** The places of skills, the first before the others; `compat` adds those of Claude Code. */
export function skillPlaces(
  paths: Pick<AllyPaths, "skills">,
  { env, compat }: { env: Variables; compat: boolean },
): SkillPlaces {
  const names = [".agents/skills", ...compat ? [".claude/skills"] : []];
  const home = homeDirectory(env);
  return {
    user: [paths.skills, ...home === "" ? [] : names.map((name) => join(home, name))],
    project: [".ally/skills", ...names],
  };
}

/** The user's home directory; "" if it is not known. */
export function homeDirectory(env: Variables): string {
  return env.get("HOME") || env.get("USERPROFILE") || "";
}

/** A path as people write it: `~` stands for the home directory. */
export function shortenHome(path: string, env: Variables): string {
  const home = homeDirectory(env);
  if (home === "" || !(path === home || path.startsWith(`${home}/`))) return path;
  return `~${path.slice(home.length)}`;
}

/** Readable and unique: the directory's name and a hash of its whole path. */
function projectKey(cwd: string): string {
  const name = basename(cwd).replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 40) || "root";
  return `${name}-${hashShortText(cwd).slice(0, 10)}`;
}

/** The paths of a run, and how long what it keeps there lasts. */
export interface RunStorage {
  readonly paths: AllyPaths;
  /** False if nothing of this run outlives it. */
  readonly isPersistent: boolean;
  /** False if ally's home is not known: then there are no settings of the user's either. */
  readonly hasHome: boolean;
}

interface StorageOptions {
  /** The working directory, absolute and canonical. */
  readonly cwd: string;
  readonly io: {
    /** Runs a function when the process ends, unless it is killed. */
    onExit(cleanUp: () => void): void;
  };
  /** False if the process gives up writing anyway: then writing is not tried. */
  readonly mayWrite: boolean;
  /** Whether a session is kept; without one, directories made for the test are removed again. */
  readonly session: boolean;
  readonly emit: (event: EventBody) => void;
}

/** How often the directory of a run is tried to be removed, as the process ends, and the time between. */
const REMOVAL_ATTEMPTS = 10;
const REMOVAL_PAUSE_MS = 20;

/** No directory can be made here, whoever tries. */
const UNWRITABLE_HOME = "/dev/null/ally";

/** The paths of a run below ally's home, if that is known; warns if nothing kept there lasts. */
export function openStorage(home: AllyPaths | undefined, options: StorageOptions): RunStorage {
  const { cwd, mayWrite, io } = options;
  const { problem, isFull = false } = home === undefined
    ? { problem: "Neither ALLY_HOME nor HOME is known." }
    : mayWrite
    ? probeStorage(home.project, { leave: options.session })
    : {};
  const isClosed = home !== undefined && mayWrite && isClosedToSandbox(home);
  if (home !== undefined && problem === undefined && !isFull && !isClosed) {
    return { paths: home, isPersistent: true, hasHome: true };
  }
  const temporary = mayWrite ? makeTemporaryHome() : undefined;
  if (temporary !== undefined) io.onExit(() => removeQuietly(temporary));
  if (home !== undefined && problem === undefined) {
    // Without a directory there would be no sandbox; all else is kept, on a full disk as soon as there is room again.
    const { sandbox, outputs } = temporary === undefined ? home : pathsBelow(temporary, cwd);
    const paths = { ...home, sandbox, ...(isClosed && { outputs }) };
    return { paths, isPersistent: true, hasHome: true };
  }
  const undo = temporary === undefined
    ? "and no file can be changed, because no change could be undone"
    : "and what is changed can be undone until it ends";
  options.emit({
    type: "notice",
    level: "warning",
    text: `${problem} This session stays in memory, ${undo}. ` +
      "Set ALLY_HOME to a directory that can be written to keep sessions.",
  });
  return {
    paths: temporary === undefined
      ? home ?? pathsBelow(UNWRITABLE_HOME, cwd)
      : withTemporaryPaths(temporary, { cwd, home }),
    isPersistent: false,
    hasHome: home !== undefined,
  };
}

/** What this run makes goes to the temporary directory; what is there already is still read. */
function withTemporaryPaths(
  directory: string,
  { cwd, home }: { cwd: string; home: AllyPaths | undefined },
): AllyPaths {
  const paths = pathsBelow(directory, cwd);
  const { project, patches, snapshots, outputs, sandbox, unreviewed } = paths;
  return home === undefined
    ? paths
    : { ...home, project, patches, snapshots, outputs, sandbox, unreviewed };
}

/** Bytes that a sandbox needs for what it is made of, and more. */
const ROOM = 32 * 1024;

/** What is known of a directory in which something is to be kept. */
interface StorageState {
  /** Why nothing can be kept there; what may pass, such as a full disk, is no reason. */
  readonly problem?: string;
  /** Whether there is no room now. @default false */
  readonly isFull?: boolean;
}

function probeStorage(directory: string, { leave }: { leave: boolean }): StorageState {
  const missing = leave ? [] : findMissingParts(directory);
  try {
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const probe = Deno.makeTempFileSync({ dir: directory, prefix: ".probe-" });
    try {
      Deno.writeFileSync(probe, new Uint8Array(ROOM));
      Deno.readFileSync(probe);
    } finally {
      Deno.removeSync(probe);
    }
    return {};
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (/^(?:ENOSPC|EDQUOT)$/.test(code)) return { isFull: true };
    const stays = error instanceof Deno.errors.NotCapable || PERMANENT_ERRORS.has(code);
    return stays ? { problem: `Cannot keep anything in ${directory}: ${reasonOf(error)}.` } : {};
  } finally {
    removeEmpty(missing);
  }
}

/**
 * Whether root keeps things where a sandbox of root's does not come: it has no power over directories of other users,
 * as those of a container may be that belong to a user outside. All of ally's home will be closed to others.
 */
function isClosedToSandbox(paths: AllyPaths): boolean {
  if (ownUid() !== 0) return false;
  const [home, project] = [realPathOrSame(paths.home), realPathOrSame(paths.project)];
  return [project, ...directoriesAbove(project)].some((directory) => {
    const { uid, mode } = tryLstat(directory) ?? {};
    const isOpen = !contains(home, directory) && ((mode ?? 0) & 0o001) !== 0;
    return uid !== undefined && uid !== 0 && !isOpen;
  });
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
    if (probeStorage(directory, { leave: true }).problem === undefined) return directory;
  } catch {
    // It could not be made, or it was made but cannot be read.
  }
  if (made !== undefined) removeQuietly(made);
  return undefined;
}

/** Removes a directory; a program that was just ended may still be writing there. */
function removeQuietly(directory: string): void {
  for (let attempt = 0; attempt < REMOVAL_ATTEMPTS; attempt++) {
    try {
      return Deno.removeSync(directory, { recursive: true });
    } catch (error) {
      if (errorCode(error) !== "ENOTEMPTY") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REMOVAL_PAUSE_MS);
    }
  }
}
