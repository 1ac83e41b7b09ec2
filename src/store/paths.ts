/**
 * Where ally keeps what outlives the process: `ALLY_HOME`, else `~/.ally`, with one folder a project.
 */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { UsageError } from "../core/errors.ts";

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
  /** Folder of installed plugins. */
  readonly plugins: string;
  /** Folder of the user's own commands. */
  readonly commands: string;
  /** Decisions about the files of projects. */
  readonly trust: string;
  /** Keys of endpoints, one file each. */
  readonly keys: string;
  /** What is known of models that were tried. */
  readonly models: string;
  /** Folder of the project that the working directory is. */
  readonly project: string;
  readonly sessions: string;
  readonly patches: string;
  /** Contents of files before and after commands. */
  readonly snapshots: string;
  /** What commands in the sandbox keep: a temporary directory for each session, and caches. */
  readonly sandbox: string;
  /** Whole outputs of commands whose results were cut. */
  readonly outputs: string;
}

/** The places for a working directory (absolute and canonical). @throws {UsageError} no home is known */
export function allyPaths(cwd: string, env: { get(name: string): string | undefined }): AllyPaths {
  const home = allyHome(env);
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
    plugins: join(home, "plugins"),
    commands: join(home, "commands"),
    trust: join(home, "trust.json"),
    keys: join(home, "keys"),
    models: join(home, "models.json"),
    project,
    sessions: join(project, "sessions"),
    patches: join(project, "patches"),
    snapshots: join(project, "snapshots"),
    sandbox: join(project, "sandbox"),
    outputs: join(project, "outputs"),
  };
}

function allyHome(env: { get(name: string): string | undefined }): string {
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

/** The user's home directory: as the environment names it, else as the system's list of users does; "" if neither does. */
export function homeDirectory(env: { get(name: string): string | undefined }): string {
  return env.get("HOME") || env.get("USERPROFILE") || systemHome();
}

function systemHome(): string {
  try {
    return homedir();
  } catch {
    return "";
  }
}

/** Readable and unique: the directory's name and a hash of its whole path. */
function projectKey(cwd: string): string {
  const name = basename(cwd).replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 40) || "root";
  return `${name}-${createHash("sha256").update(cwd).digest("hex").slice(0, 10)}`;
}
