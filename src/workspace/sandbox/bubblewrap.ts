/**
 * Mounts and a command as arguments of bubblewrap. Pure text.
 */
import type { ConfineOptions, Mount } from "./mount.ts";

/** Bytes that a command may keep in shared memory. */
const SHARED_MEMORY = 512 * 1024 * 1024;

/** What this machine's bubblewrap and kernel allow. */
export interface BubblewrapOptions {
  readonly program: string;
  /**
   * The kernel counts processes for each sandbox, so that even root's can be limited. Only for a sandbox
   * that is proven to be a namespace of its own: outside of one it would limit the whole machine.
   */
  readonly ownProcessCount: boolean;
  /** `env` can give a command its signals back, so that it may clean up when it is told to end. */
  readonly signals: boolean;
  /** Processes and threads that may run at once. */
  readonly processes: number;
}

/**
 * The shell that is the first process of the sandbox: it sets the limits (memory in kB, files in blocks of
 * 512 bytes), runs the command, and says by a file whether that left anything running. With its end the
 * kernel ends all that is left.
 */
function initScript(options: BubblewrapOptions, leftBehind: string): string {
  return [
    limitScript(options),
    'exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); code=$?',
    "set -- /proc/[0-9]*",
    `[ $# -gt 1 ] && : >${leftBehind}`,
    "exit $code",
  ].join("\n");
}

/** Kilobytes of memory that a command may keep. */
const MEMORY_KB = 4 * 1024 * 1024;

/** The lines of a shell that limit it and all it starts; memory in kilobytes. */
export function limitScript(
  { ownProcessCount, processes }: BubblewrapOptions,
  memory = MEMORY_KB,
): string {
  return [
    `ulimit -d ${memory}`,
    "ulimit -f 4194304",
    `ulimit -p ${processes}`,
    // The system, when out of memory, ends a command before ally.
    "echo 1000 >/proc/self/oom_score_adj",
    // Not the first process means not in a namespace of its own: there it would limit the machine.
    ...(ownProcessCount ? [`[ $$ = 1 ] && echo ${processes} >/proc/sys/kernel/pid_max`] : []),
  ].map((one) => `{ ${one}; } 2>/dev/null; `).join("");
}

/** Namespaces of its own without privileges, which end with ally. */
export function namespaceArguments({ network }: { network: boolean }): string[] {
  return [
    "--unshare-all",
    "--unshare-user",
    ...(network ? ["--share-net"] : []),
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--as-pid-1",
  ];
}

/** Its own processes, and settings of the kernel that cannot be changed: as root they could be. */
export function procArguments({ ownProcessCount }: BubblewrapOptions): string[] {
  return [
    "--proc",
    "/proc",
    "--ro-bind",
    "/proc/sys",
    "/proc/sys",
    ...(ownProcessCount ? ["--bind", "/proc/sys/kernel/pid_max", "/proc/sys/kernel/pid_max"] : []),
  ];
}

/** The command line that runs `argv` within a profile. */
export function bubblewrapCommand(
  argv: readonly string[],
  { profile, cwd, leftBehind, options }: ConfineOptions & { options: BubblewrapOptions },
): [program: string, ...args: string[]] {
  const signals = options.signals ? ["/usr/bin/env", "--default-signal=TERM"] : [];
  return [
    options.program,
    ...namespaceArguments(profile),
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--size",
    String(SHARED_MEMORY),
    "--tmpfs",
    "/dev/shm",
    "--remount-ro",
    "/dev",
    ...procArguments(options),
    ...profile.mounts.flatMap(mountArguments),
    // Only now: until here places in them had to be made.
    ...profile.mounts.flatMap(({ kind, path }) => kind === "empty" ? ["--remount-ro", path] : []),
    "--chdir",
    cwd,
    "--",
    "/bin/sh",
    "-c",
    initScript(options, leftBehind),
    "sh",
    ...signals,
    ...argv,
  ];
}

/** One mount as arguments. */
export function mountArguments({ kind, path, source = path }: Mount): string[] {
  switch (kind) {
    case "writable":
      return ["--bind", source, path];
    case "readonly":
      return ["--ro-bind", source, path];
    case "empty":
      return ["--tmpfs", path];
    case "blank":
      return ["--ro-bind", "/dev/null", path];
  }
}
