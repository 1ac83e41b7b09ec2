/**
 * How the programs of plugins are started: the process of a plugin's modules, under exactly the permissions of
 * its manifest, and the programs that a manifest names; both inside the sandbox where there is one. The
 * host calls.
 */
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "../core/errors.ts";
import type { SandboxProgram } from "../core/sandbox.ts";
import { findProgram, SYSTEM_PATH } from "../lib/process.ts";
import { spawnGroup } from "../lib/process_group.ts";
import { type DenyRules, type GrantContext, type Grants, isBelow } from "./grants.ts";
import { PROCESS_COMMAND } from "./process_command.ts";
import { denyListsOf, HEAP_FLAG, omitDenied, permissionFlags } from "./process_permissions.ts";

/** Where and with what programs are started. */
export interface LaunchContext extends GrantContext {
  /** ally's own files, canonical: no plugin sees more of them than its folder. */
  readonly allyHome: string;
  /** ally's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a rule hides a variable. */
  readonly isHidden: (name: string) => boolean;
  /** What rules deny by name, of what a manifest may be granted as a whole. */
  readonly denied: DenyRules;
  readonly enclose: SandboxProgram;
  /** The command line that runs ally again, where it is one executable; undefined from source. */
  readonly allyCommand?: readonly [program: string, ...args: string[]] | undefined;
}

/** A program ready to be started. */
export interface Launch {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Removes what only this program used. */
  readonly release: () => void;
}

/** Starts a program in a group of its own, with nothing of ally's environment and its streams at pipes. */
export function spawn({ argv, cwd, env }: Launch): Deno.ChildProcess {
  return spawnGroup(argv, {
    cwd,
    env: { ...env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Variables that every program gets: how people write, and what time it is. */
const COMMON_VARIABLES = /^(LANG|LC_\w+|TZ)$/;
/** Without a sandbox memory (kilobytes) and the size of files (blocks) are limited all the same. */
const LIMITS = 'ulimit -d 2097152; ulimit -f 4194304; exec "$@"';

/** The process that runs a plugin's modules. */
export async function launchModules(
  grants: Grants,
  { folder, places: context }: { folder: string; places: LaunchContext },
): Promise<Launch> {
  if (context.allyCommand) refuseHostRules(grants, context.denied);
  const kept = denyListsOf(grants, { folder, places: context });
  const host = fileURLToPath(new URL("./child/", import.meta.url));
  const [program, ...first] = context.allyCommand ?? [Deno.execPath()];
  const args = context.allyCommand
    ? [PROCESS_COMMAND, JSON.stringify(omitDenied(grants, { kept, denied: context.denied }))]
    : [...permissionFlags(grants, { kept, denied: context.denied }), join(host, "main.ts")];
  return await prepareLaunch([program, ...first, ...args], {
    reach: grants,
    places: context,
    cwd: folder,
    own: [Deno.realPathSync(program), ...(context.allyCommand ? [] : [host])],
  });
}

/**
 * A program that a manifest names; one with a slash is the plugin's own file.
 * @throws {ToolError} system: it is not installed
 */
export async function launchCommand(
  { command, args }: { command: string; args: readonly string[] },
  { reach: grants, folder, places: context }: {
    reach: Grants;
    folder: string;
    places: LaunchContext;
  },
): Promise<Launch> {
  refuseHostRules(grants, context.denied);
  const path = context.env.PATH ?? SYSTEM_PATH;
  const program = await findProgram(command, { path, cwd: folder });
  if (program === undefined) {
    throw new ToolError(`Cannot run ${command}: it is not installed, or may not be executed`, {
      kind: "system",
      suggestion: `Tell the user: the plugin needs ${command}.`,
    });
  }
  const own = [program, Deno.realPathSync(program)];
  return await prepareLaunch([program, ...args], {
    reach: grants,
    places: context,
    cwd: folder,
    own,
    free: true,
  });
}

/** @throws {ToolError} permission: it gets the network, and hosts are denied to which it cannot be kept from going */
function refuseHostRules({ net }: Grants, denied: DenyRules): void {
  const reaches = net === true || net.length > 0;
  if (reaches) refuseDenied(denied.net, "a program cannot be held to some hosts");
}

/** @throws {ToolError} permission: something is denied, and it could not be kept from that */
function refuseDenied(targets: readonly string[], why: string): void {
  if (targets.length === 0) return;
  throw new ToolError(`Permission denied: ${targets.join(", ")} is forbidden, and ${why}`, {
    kind: "permission",
    suggestion: "Do without it, or tell the user what you would need.",
  });
}

/** In the sandbox if there is one, else with limits alone. */
async function prepareLaunch(
  argv: readonly [string, ...string[]],
  { reach: named, places: context, cwd, own, free = false }: {
    reach: Grants;
    places: LaunchContext;
    cwd: string;
    /** What of the disk it needs to start. */
    own: readonly string[];
    /** Nothing but a sandbox holds it. */
    free?: boolean;
  },
): Promise<Launch> {
  const reach = omitAllyFiles(named, { folder: cwd, allyHome: context.allyHome });
  const readable = [...own, ...programDirectories(context), ...reach.read].filter((path) =>
    !reach.write.includes(path)
  );
  const network = reach.net === true || reach.net.length > 0;
  const { home } = context;
  const scratch = home === "" ? [] : [home];
  // What is made there must not become a repository: its hooks would run outside.
  const repositories = reach.write.filter((path) => !isBelow(path, cwd))
    .map((path) => join(path, ".git"));
  const within = (paths: readonly string[], of: readonly string[]) =>
    paths.filter((path) => of.some((one) => isBelow(path, one)));
  const unwritable = [...repositories, ...within(context.denied.write, reach.write)];
  const hidden = within(context.denied.read, [...reach.read, ...reach.write]);
  const enclosure = { network, readable, writable: reach.write, scratch, hidden, unwritable };
  for (const path of reach.write) if (isBelow(path, cwd)) Deno.mkdirSync(path, { recursive: true });
  const enclosed = await context.enclose(argv, { enclosure, cwd });
  if (enclosed) {
    return {
      ...enclosed,
      cwd: "/",
      env: childEnv(reach, { places: context, folder: cwd, temporary: "/tmp" }),
    };
  }
  const { denied } = context;
  if (free) {
    refuseDenied([...denied.read, ...denied.write], "there is no sandbox to hold it to that");
  }
  const temporary = Deno.makeTempDirSync({ prefix: "ally-plugin-" });
  return {
    argv: Deno.build.os === "windows" ? argv : ["/bin/sh", "-c", LIMITS, "sh", ...argv],
    cwd,
    env: childEnv(reach, { places: context, folder: cwd, temporary }),
    release() {
      try {
        Deno.removeSync(temporary, { recursive: true });
      } catch {
        // The system removes temporary files in time.
      }
    },
  };
}

/**
 * The directories of PATH, and what belongs to their programs where that is hidden from people's eyes, as in
 * `~/.pyenv/shims`. What is ally's or the workspace's is not among them.
 */
function programDirectories({ env, roots, allyHome }: LaunchContext): string[] {
  const kept = [...roots(), allyHome].filter((path) => path !== "");
  return (env.PATH ?? "").split(":").filter((path) => path.startsWith("/"))
    .map((path) => resolve(path))
    .map((path) => /\/\.[^/]+.*\/(bin|shims)$/.test(path) ? dirname(path) : path)
    .filter((path) => !path.endsWith("/.local") && path !== "/")
    .filter((path) => !kept.some((one) => isBelow(path, one) || isBelow(one, path)));
}

/** Nothing but what is common to all programs and what the manifest names. */
function childEnv(
  { env: names }: Grants,
  { places: { env, isHidden, roots, home }, folder, temporary }: {
    places: LaunchContext;
    folder: string;
    temporary: string;
  },
): Record<string, string> {
  const given = Object.entries(env)
    .filter(([name]) => COMMON_VARIABLES.test(name) || (names.includes(name) && !isHidden(name)));
  return {
    PATH: env.PATH ?? SYSTEM_PATH,
    // Programs find their own parts by it; in the sandbox nothing else is there.
    HOME: home || temporary,
    TMPDIR: temporary,
    ALLY_WORKSPACE: roots()[0] ?? "",
    ALLY_PLUGIN: folder,
    DENO_DIR: join(temporary, "deno"),
    DENO_NO_UPDATE_CHECK: "1",
    DENO_V8_FLAGS: HEAP_FLAG,
    NO_COLOR: "1",
    PYTHONDONTWRITEBYTECODE: "1",
    ...Object.fromEntries(given),
  };
}

/** Without the places in ally's own directory that a manifest names: only the plugin's folder is its own. */
function omitAllyFiles(
  grants: Grants,
  { folder, allyHome }: { folder: string; allyHome: string },
): Grants {
  const free = (paths: readonly string[]) =>
    paths.filter((path) => {
      const real = realPathOf(path);
      return allyHome === "" || isBelow(real, folder) || !isBelow(real, allyHome);
    });
  return { ...grants, read: free(grants.read), write: free(grants.write) };
}

function realPathOf(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}
