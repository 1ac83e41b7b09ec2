/**
 * How the programs of plugins are started: the process of a plugin's modules, under exactly the permissions of
 * its manifest, and the programs that a manifest names; both inside the sandbox where there is one. The
 * host calls.
 */
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "../core/errors.ts";
import type { Enclose } from "../core/sandbox.ts";
import { findProgram, SYSTEM_PATH } from "../lib/process.ts";
import { spawnGroup } from "../lib/process_group.ts";
import { type Denied, isBelow, type Reach, type ReachPlaces } from "./grants.ts";
import { PROCESS_ARGUMENT } from "./process_argument.ts";
import { HEAP, keptBack, permissionFlags, withoutKept } from "./process_permissions.ts";

/** Where and with what programs are started. */
export interface LaunchPlaces extends ReachPlaces {
  /** ally's own files, canonical: no plugin sees more of them than its folder. */
  readonly allyHome: string;
  /** ally's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a rule hides a variable. */
  readonly hides: (name: string) => boolean;
  /** What rules deny by name, of what a manifest may be granted as a whole. */
  readonly denied: Denied;
  readonly enclose: Enclose;
  /** The command line that runs ally again, where it is one executable; undefined from source. */
  readonly self?: readonly [program: string, ...args: string[]] | undefined;
}

/** A program ready to be started. */
export interface Launch {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Removes what only this program used. */
  readonly done: () => void;
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
const COMMON = /^(LANG|LC_\w+|TZ)$/;
/** Without a sandbox memory (kilobytes) and the size of files (blocks) are limited all the same. */
const LIMITS = 'ulimit -d 2097152; ulimit -f 4194304; exec "$@"';

/** The process that runs a plugin's modules. */
export async function launchModules(
  reach: Reach,
  { folder, places }: { folder: string; places: LaunchPlaces },
): Promise<Launch> {
  if (places.self) requireHosts(reach, places.denied);
  const kept = keptBack(reach, { folder, places });
  const host = fileURLToPath(new URL("./child/", import.meta.url));
  const [program, ...first] = places.self ?? [Deno.execPath()];
  const args = places.self
    ? [PROCESS_ARGUMENT, JSON.stringify(withoutKept(reach, { kept, denied: places.denied }))]
    : [...permissionFlags(reach, { kept, denied: places.denied }), join(host, "main.ts")];
  return await start([program, ...first, ...args], {
    reach,
    places,
    cwd: folder,
    own: [Deno.realPathSync(program), ...(places.self ? [] : [host])],
  });
}

/**
 * A program that a manifest names; one with a slash is the plugin's own file.
 * @throws {ToolError} system: it is not installed
 */
export async function launchCommand(
  { command, args }: { command: string; args: readonly string[] },
  { reach, folder, places }: { reach: Reach; folder: string; places: LaunchPlaces },
): Promise<Launch> {
  requireHosts(reach, places.denied);
  const path = places.env.PATH ?? SYSTEM_PATH;
  const program = await findProgram(command, { path, cwd: folder });
  if (program === undefined) {
    throw new ToolError(`Cannot run ${command}: it is not installed, or may not be executed`, {
      kind: "system",
      suggestion: `Tell the user: the plugin needs ${command}.`,
    });
  }
  const own = [program, Deno.realPathSync(program)];
  return await start([program, ...args], { reach, places, cwd: folder, own, free: true });
}

/** @throws {ToolError} permission: it gets the network, and hosts are denied to which it cannot be kept from going */
function requireHosts({ net }: Reach, denied: Denied): void {
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
async function start(
  argv: readonly [string, ...string[]],
  { reach: named, places, cwd, own, free = false }: {
    reach: Reach;
    places: LaunchPlaces;
    cwd: string;
    /** What of the disk it needs to start. */
    own: readonly string[];
    /** Nothing but a sandbox holds it. */
    free?: boolean;
  },
): Promise<Launch> {
  const reach = withoutAlly(named, { folder: cwd, allyHome: places.allyHome });
  const readable = [...own, ...programPlaces(places), ...reach.read].filter((path) =>
    !reach.write.includes(path)
  );
  const network = reach.net === true || reach.net.length > 0;
  const { home } = places;
  const scratch = home === "" ? [] : [home];
  // What is made there must not become a repository: its hooks would run outside.
  const repositories = reach.write.filter((path) => !isBelow(path, cwd))
    .map((path) => join(path, ".git"));
  const within = (paths: readonly string[], of: readonly string[]) =>
    paths.filter((path) => of.some((one) => isBelow(path, one)));
  const barred = [...repositories, ...within(places.denied.write, reach.write)];
  const hidden = within(places.denied.read, [...reach.read, ...reach.write]);
  const enclosure = { network, readable, writable: reach.write, scratch, hidden, barred };
  for (const path of reach.write) if (isBelow(path, cwd)) Deno.mkdirSync(path, { recursive: true });
  const enclosed = await places.enclose(argv, { enclosure, cwd });
  if (enclosed) {
    return {
      ...enclosed,
      cwd: "/",
      env: environment(reach, { places, folder: cwd, temporary: "/tmp" }),
    };
  }
  const { denied } = places;
  if (free) {
    refuseDenied([...denied.read, ...denied.write], "there is no sandbox to hold it to that");
  }
  const temporary = Deno.makeTempDirSync({ prefix: "ally-plugin-" });
  return {
    argv: Deno.build.os === "windows" ? argv : ["/bin/sh", "-c", LIMITS, "sh", ...argv],
    cwd,
    env: environment(reach, { places, folder: cwd, temporary }),
    done() {
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
function programPlaces({ env, roots, allyHome }: LaunchPlaces): string[] {
  const kept = [...roots(), allyHome].filter((path) => path !== "");
  return (env.PATH ?? "").split(":").filter((path) => path.startsWith("/"))
    .map((path) => resolve(path))
    .map((path) => /\/\.[^/]+.*\/(bin|shims)$/.test(path) ? dirname(path) : path)
    .filter((path) => !path.endsWith("/.local") && path !== "/")
    .filter((path) => !kept.some((one) => isBelow(path, one) || isBelow(one, path)));
}

/** Nothing but what is common to all programs and what the manifest names. */
function environment(
  { env: names }: Reach,
  { places: { env, hides, roots, home }, folder, temporary }: {
    places: LaunchPlaces;
    folder: string;
    temporary: string;
  },
): Record<string, string> {
  const given = Object.entries(env)
    .filter(([name]) => COMMON.test(name) || (names.includes(name) && !hides(name)));
  return {
    PATH: env.PATH ?? SYSTEM_PATH,
    // Programs find their own parts by it; in the sandbox nothing else is there.
    HOME: home || temporary,
    TMPDIR: temporary,
    ALLY_WORKSPACE: roots()[0] ?? "",
    ALLY_PLUGIN: folder,
    DENO_DIR: join(temporary, "deno"),
    DENO_NO_UPDATE_CHECK: "1",
    DENO_V8_FLAGS: HEAP,
    NO_COLOR: "1",
    PYTHONDONTWRITEBYTECODE: "1",
    ...Object.fromEntries(given),
  };
}

/** Without the places in ally's own directory that a manifest names: only the plugin's folder is its own. */
function withoutAlly(
  reach: Reach,
  { folder, allyHome }: { folder: string; allyHome: string },
): Reach {
  const free = (paths: readonly string[]) =>
    paths.filter((path) => {
      const real = realPathOf(path);
      return allyHome === "" || isBelow(real, folder) || !isBelow(real, allyHome);
    });
  return { ...reach, read: free(reach.read), write: free(reach.write) };
}

function realPathOf(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}
