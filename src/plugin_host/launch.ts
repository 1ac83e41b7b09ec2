/**
 * Prepares the start of plugins: the process for a plugin's modules, with exactly the permissions of its manifest,
 * and the programs that a manifest names; both in the OS sandbox where there is one.
 */
import { dirname, join, resolve } from "node:path";
import { ToolError } from "../core/errors.ts";
import type { Review, SandboxedProgram, SandboxProgram } from "../core/sandbox.ts";
import { assetPath } from "../lib/assets.ts";
import { contains } from "../lib/contains.ts";
import { realPathOrSame } from "../lib/fs.ts";
import { findProgram, pathOutside, SYSTEM_PATH } from "../lib/find_program.ts";
import type { DenyRules, GrantContext, Grants } from "./grants.ts";
import { PROCESS_COMMAND } from "./process_command.ts";
import { denyListsOf, HEAP_FLAG, omitDenied, permissionFlags } from "./process_permissions.ts";

/** What programs of plugins are started with. */
export interface LaunchContext extends GrantContext {
  /** The directory of ally's own files, canonical: a plugin sees nothing of it but its own folder. */
  readonly allyHome: string;
  /** ally's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a rule hides a variable. */
  readonly isHidden: (name: string) => boolean;
  /** What rules deny by name. */
  readonly denied: DenyRules;
  readonly confine: SandboxProgram;
  /** Looks after a call at what a process that goes on has made. */
  readonly review: Review;
  /** The command line that runs ally again, where it is one executable; undefined from source. */
  readonly allyCommand?: readonly [program: string, ...args: string[]] | undefined;
}

/** A program that is ready to start. Its temporary files are removed when it is released. */
export interface Launch extends SandboxedProgram {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Variables that every program gets: language and time zone. */
const COMMON_VARIABLES = /^(LANG|LC_\w+|TZ)$/;
/** Limits memory (kilobytes) and the size of files (blocks) where there is no sandbox. */
const LIMITS = 'ulimit -d 2097152; ulimit -f 4194304; exec "$@"';

/** Prepares the process that runs a plugin's modules. */
export async function launchModules(
  grants: Grants,
  { folder, context }: { folder: string; context: LaunchContext },
): Promise<Launch> {
  if (context.allyCommand) refuseHostRules(grants, context.denied);
  const { denied } = context;
  const denyLists = denyListsOf(grants, { folder, context });
  const host = assetPath("plugin_child/main.js");
  const [program, ...first] = context.allyCommand ?? [Deno.execPath()];
  const args = context.allyCommand
    ? [PROCESS_COMMAND, JSON.stringify(omitDenied(grants, { denyLists, denied }))]
    : [...permissionFlags(grants, { denyLists, denied }), host];
  return await prepareLaunch([program, ...first, ...args], {
    grants,
    context,
    cwd: folder,
    own: [Deno.realPathSync(program), ...(context.allyCommand ? [] : [dirname(host)])],
  });
}

/**
 * Prepares a program that a manifest names; one with a slash is the plugin's own file.
 * @throws {ToolError} system: it is not installed
 */
export async function launchCommand(
  { command, args }: { command: string; args: readonly string[] },
  { grants, folder, context }: { grants: Grants; folder: string; context: LaunchContext },
): Promise<Launch> {
  refuseHostRules(grants, context.denied);
  const program = await findProgram(command, { path: searchPath(context), cwd: folder });
  if (program === undefined) {
    throw new ToolError(`Cannot run ${command}: it is not installed, or may not be executed`, {
      kind: "system",
      suggestion: `Tell the user: the plugin needs ${command}.`,
    });
  }
  const own = [program, Deno.realPathSync(program)];
  return await prepareLaunch([program, ...args], {
    grants,
    context,
    cwd: folder,
    own,
    needsSandbox: true,
  });
}

/** @throws {ToolError} permission: it gets the network, but some hosts are denied, which cannot be enforced */
function refuseHostRules({ net }: Grants, denied: DenyRules): void {
  const hasNetwork = net === true || net.length > 0;
  if (hasNetwork) refuseDenied(denied.net, "a program cannot be limited to some hosts");
}

/** @throws {ToolError} permission: something is denied, and that cannot be enforced */
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
  { grants: named, context, cwd, own, needsSandbox = false }: {
    grants: Grants;
    context: LaunchContext;
    cwd: string;
    /** The files that it needs to start. */
    own: readonly string[];
    /** Only the sandbox can enforce what is denied to it. */
    needsSandbox?: boolean;
  },
): Promise<Launch> {
  const { home, denied } = context;
  const grants = omitDeniedPlaces(
    omitAllyFiles(named, { folder: cwd, allyHome: context.allyHome }),
    { folder: cwd, denied },
  );
  const readable = [...own, ...programDirectories(context), ...grants.read].filter((path) =>
    !grants.write.includes(path)
  );
  const network = grants.net === true || grants.net.length > 0;
  const scratch = home === "" ? [] : [home];
  // No repository may be created there: its hooks would run outside the sandbox.
  const repositories = grants.write.filter((path) => !contains(cwd, path))
    .map((path) => join(path, ".git"));
  const within = (paths: readonly string[], of: readonly string[]) =>
    paths.filter((path) => of.some((one) => contains(one, path)));
  const unwritable = [...repositories, ...within(denied.write, grants.write)];
  const hidden = within(denied.read, [...grants.read, ...grants.write]);
  const profile = { network, readable, writable: grants.write, scratch, hidden, unwritable };
  for (const path of grants.write) {
    if (contains(cwd, path)) Deno.mkdirSync(path, { recursive: true });
  }
  const confined = await context.confine(argv, { profile, cwd });
  if (confined) {
    return {
      ...confined,
      cwd: "/",
      env: childEnv(grants, { context, folder: cwd, temporary: "/tmp" }),
    };
  }
  if (needsSandbox) {
    const all = [...denied.kinds, ...denied.read, ...denied.write];
    refuseDenied(all, "there is no sandbox to enforce that");
  }
  const temporary = Deno.makeTempDirSync({ prefix: "ally-plugin-" });
  return {
    argv: Deno.build.os === "windows" ? argv : ["/bin/sh", "-c", LIMITS, "sh", ...argv],
    cwd,
    env: childEnv(grants, { context, folder: cwd, temporary }),
    release() {
      try {
        Deno.removeSync(temporary, { recursive: true });
      } catch {
        // The system will remove temporary files.
      }
      return Promise.resolve([]);
    },
  };
}

/**
 * The directories of PATH, or the directory above where that is a tool's hidden one, as in `~/.pyenv/shims`; none of
 * ally's or of the workspace.
 */
function programDirectories({ env, roots, allyHome }: LaunchContext): string[] {
  const excluded = [...roots(), allyHome].filter((path) => path !== "");
  return (env.PATH ?? "").split(":").filter((path) => path.startsWith("/"))
    .map((path) => resolve(path))
    .map((path) => /\/\.[^/]+.*\/(bin|shims)$/.test(path) ? dirname(path) : path)
    .filter((path) => !path.endsWith("/.local") && path !== "/")
    .filter((path) => !excluded.some((one) => contains(one, path) || contains(path, one)));
}

/** PATH as plugins have it: a project puts no program in the place of another. */
function searchPath({ env, roots, home }: LaunchContext): string {
  return pathOutside({ path: env.PATH ?? SYSTEM_PATH, roots: roots(), home });
}

/** The environment: what is common to all programs, and what the manifest names. */
function childEnv(
  { env: names }: Grants,
  { context, folder, temporary }: { context: LaunchContext; folder: string; temporary: string },
): Record<string, string> {
  const { env, isHidden, roots, home } = context;
  const given = Object.entries(env)
    .filter(([name]) => COMMON_VARIABLES.test(name) || (names.includes(name) && !isHidden(name)));
  return {
    PATH: searchPath(context),
    // Programs find their own files by it; the sandbox shows nothing else of it.
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

/** Without paths in ally's own directory, except for the plugin's folder. */
function omitAllyFiles(
  grants: Grants,
  { folder, allyHome }: { folder: string; allyHome: string },
): Grants {
  const free = (paths: readonly string[]) =>
    paths.filter((path) => {
      const real = realPathOrSame(path);
      return allyHome === "" || contains(folder, real) || !contains(allyHome, real);
    });
  return { ...grants, read: free(grants.read), write: free(grants.write) };
}

/** Without paths that lie in what rules deny; its own folder a plugin always sees. */
function omitDeniedPlaces(
  grants: Grants,
  { folder, denied }: { folder: string; denied: DenyRules },
): Grants {
  const isIn = (places: readonly string[], path: string) =>
    !contains(folder, path) && places.some((place) => contains(place, path));
  const read = [...grants.read, ...grants.write].filter((path) => !isIn(denied.read, path));
  const write = read.filter((path) => grants.write.includes(path) && !isIn(denied.write, path));
  return { ...grants, read: [...new Set(read)], write: [...new Set(write)] };
}
