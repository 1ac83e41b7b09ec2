/**
 * Programs at the head of a process group of their own, so that all they start can be ended with them, and none of
 * it has ally's terminal. They end with ally, however that ends. Everything that starts programs does it here.
 */
import { isAbsolute, join } from "node:path";

/**
 * A command that makes itself the leader of a session and becomes the program. `detached` does the same, but forks this
 * process, which blocks it for 3 to 11 ms (87 MiB, Deno 2.9.6); this takes 0.3 ms.
 */
const SETSID = "/usr/bin/setsid";

/** A command that has the kernel kill what it becomes when the process that started it ends (util-linux). */
const SETPRIV = "/usr/bin/setpriv";

type Argv = readonly [program: string, ...args: string[]];

/** How the leader of a group is started. */
export interface GroupOptions extends Omit<Deno.CommandOptions, "args" | "detached"> {
  /** Redirections for a shell, each after a space, that the program is started with. @default none */
  readonly redirections?: string;
  /** Whether it ends by itself once ally has ended, even by SIGKILL. @default false: the kernel ends it, on Linux */
  readonly endsByItself?: boolean;
}

/**
 * Starts a program that leads a group.
 * @throws {Deno.errors.NotFound} no such program or directory
 * @throws {Deno.errors.NotCapable} Deno may not run programs
 */
export function spawnGroup(
  argv: Argv,
  { redirections = "", endsByItself = false, env, ...others }: GroupOptions,
): Deno.ChildProcess {
  const options = { ...others, env: withDirectory(env, others.cwd) };
  const path = env?.PATH ?? "";
  if (canExecute(argv[0], path)) {
    const leash = endsByItself ? undefined : findLeash();
    const needsShell = leash !== undefined || redirections !== "";
    const line = needsShell ? shellLine(argv, { leash, redirections }) : argv;
    return new Deno.Command(SETSID, { ...options, args: [...leash ?? [], ...line] }).spawn();
  }
  const [program, ...args] = redirections === "" ? argv : shellLine(argv, { redirections });
  return new Deno.Command(program, { ...options, args, detached: true }).spawn();
}

/** An environment that tells a program where it begins: a shell prefers what `PWD` says, even a link to that. */
export function withDirectory(
  env: Readonly<Record<string, string>> = {},
  cwd?: string | URL,
): Record<string, string> {
  return cwd === undefined ? { ...env } : { ...env, PWD: String(cwd) };
}

/** A shell that becomes the program; on a leash only if ally is still there to hold it. */
function shellLine(
  argv: Argv,
  { leash, redirections }: { leash?: readonly string[] | undefined; redirections: string },
): Argv {
  const check = leash === undefined ? "" : `[ "$PPID" = ${Deno.pid} ] || exit 1; `;
  return ["/bin/sh", "-c", `${check}exec "$@"${redirections}`, "sh", ...argv];
}

/** What a command line begins with that ends with this process; undefined where the system has no such command. */
function findLeash(): readonly string[] | undefined {
  try {
    // Those of busybox and of old systems cannot do it.
    const program = new TextDecoder("latin1").decode(Deno.readFileSync(SETPRIV));
    return program.includes("pdeathsig") ? [SETPRIV, "--pdeathsig", "KILL"] : undefined;
  } catch {
    return undefined;
  }
}

/** Starts a program that leads a group, with this environment and no other, its standard streams piped. */
export function spawnPiped(
  argv: Argv,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Deno.ChildProcess {
  return spawnGroup(argv, {
    cwd,
    env: { ...env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Sends a signal to every process of a group; false if none is left. */
export function killGroup(pid: number, signal: Deno.Signal): boolean {
  const group = groupOf(pid);
  if (send(group, signal)) return true;
  if (!isStarting(pid) || !send(pid, signal)) return false;
  // It may have come to lead its group between the two, and to start something.
  send(group, signal);
  return true;
}

/** Whether any process of a group is left; one that was just started may not lead its group yet. */
export function hasGroup(pid: number): boolean {
  return send(groupOf(pid), 0);
}

/** A group as a signal's receiver. Windows has none: there only the process itself is reached. */
function groupOf(pid: number): number {
  return Deno.build.os === "windows" ? pid : -pid;
}

/**
 * Tells a process and all below it to end, but for programs of ally's own process namespace that are `shielded`, by
 * their name: each ends with the first process of the namespace that it made. False if nothing runs in any such
 * namespace, or the system does not tell.
 */
export function endBelow(pid: number, { shielded }: { shielded: string }): boolean {
  const below = processesBelow(pid);
  // A group that somebody below leads is told as one, so that nothing of it is missed.
  const groups = new Set(below.map(({ group }) => group).filter((group) => group !== pid));
  for (const group of groups) send(-group, "SIGTERM");
  for (const one of below) {
    const isShielded = one.ids.length === 1 && one.name === shielded;
    if (one.group === pid && !isShielded) send(one.pid, "SIGTERM");
  }
  // The first process of a namespace is not its user's.
  return below.some(({ ids }) => ids.length > 1 && ids.at(-1) !== 1);
}

function processesBelow(pid: number): ProcessInfo[] {
  const processes = readProcesses();
  const ids = new Set([pid]);
  for (const id of ids) {
    for (const one of processes) if (one.parent === id) ids.add(one.pid);
  }
  return processes.filter((one) => ids.has(one.pid));
}

function send(pid: number, signal: Deno.Signal | 0): boolean {
  try {
    Deno.kill(pid, signal as Deno.Signal);
    return true;
  } catch {
    return false;
  }
}

/** Whether `setsid` can start a program here, and `/proc` can tell whether it leads its group already. */
function canExecute(program: string, path: string): boolean {
  if (Deno.build.os !== "linux" || !isFile(SETSID) || parentOf(Deno.pid) === undefined) {
    return false;
  }
  if (isAbsolute(program)) return isFile(program);
  return !program.includes("/") &&
    path.split(":").some((place) => isAbsolute(place) && isFile(join(place, program)));
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Whether it is a child of this process that leads no group yet. */
function isStarting(pid: number): boolean {
  return Deno.build.os === "linux" && parentOf(pid) === Deno.pid;
}

/** Id of a process's parent, if it can be found out. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The program's name before it may hold spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

/** A process as the kernel tells of it. */
interface ProcessInfo {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  /** What it is called in each process namespace that it is in, from ally's to its own. */
  readonly ids: readonly number[];
}

/**
 * All processes; none where they cannot be read. A program reads them, because Deno shows `/proc` only to those with
 * every permission. In `status` no name can be taken for another line.
 */
function readProcesses(): ProcessInfo[] {
  try {
    const { stdout } = new Deno.Command("/bin/sh", {
      args: ["-c", "grep -sE '^(Name|PPid|NSpid|NSpgid):' /proc/[0-9]*/status"],
      stdin: "null",
      stderr: "null",
    }).outputSync();
    const lines = new TextDecoder().decode(stdout)
      .matchAll(/^\/proc\/(\d+)\/status:(\w+):\t(.*)$/gm);
    const fields = Map.groupBy(lines, ([, pid]) => Number(pid));
    return [...fields].map(([pid, found]) => {
      const field = (name: string) => found.find(([, , key]) => key === name)?.[3] ?? "";
      return {
        pid,
        name: field("Name"),
        parent: Number(field("PPid")),
        group: parseInt(field("NSpgid")),
        ids: field("NSpid").split("\t").map(Number),
      };
    });
  } catch {
    return [];
  }
}
