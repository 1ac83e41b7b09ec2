/**
 * Mounts and a command as arguments of bubblewrap. Pure text.
 */
import { basename } from "node:path";
import type { InputAt } from "../lib/process.ts";
import { quoteWord } from "../lib/text.ts";
import {
  anchorMounts,
  type ConfineOptions,
  type Launch,
  type Mount,
  type SandboxEnvironment,
  type SandboxProfile,
} from "./mount.ts";
import { changeableMounts, hidingCheck, mountCheck } from "./mount_check.ts";

/** Bytes that a command may keep in shared memory. */
const SHARED_MEMORY = 512 * 1024 * 1024;

/** Bytes that a command may keep in a place that is gone with it. */
const SCRATCH = 512 * 1024 * 1024;

/** What this machine's bubblewrap and kernel allow. */
export interface BubblewrapOptions {
  readonly program: string;
  /** The process for which commands run: they begin only while it runs, and end with it. */
  readonly owner: number;
  /**
   * File with the number of processes that a sandbox may have, for a kernel that counts them for each. Even root's are
   * limited then. @default only others than root are limited
   */
  readonly processCount?: string;
  /** Whether commands run as root, or Deno does not say that they do not. */
  readonly isRoot: boolean;
  /** Processes and threads that may run at once. */
  readonly processes: number;
  /** File with the filter of system calls. @default none is filtered */
  readonly filter?: string;
  /** A perl that can keep a command from the machine's abstract sockets. @default it is not kept from them */
  readonly scope?: string;
}

/**
 * Descriptors at which bubblewrap finds the filter, arguments and the number of processes, or a shell its script in place
 * of the arguments; a shell opens only those of one digit.
 */
const FILTER_INPUT = 9;
const COMMAND_INPUT = 8;
const COUNT_INPUT = 7;

/** Variables that hold the script of the first shell and its arguments, where bubblewrap is started before them. */
const SCRIPT = "_ally_script";
const argumentVariable = (index: number) => `_ally_argument_${index}`;

/** Characters that such arguments may have together: one variable holds 128 KiB, and a character may have three bytes. */
const MAX_INPUT = 30_000;

/**
 * Gives a command a domain of its own for abstract sockets (Landlock, kernel 6.12): those of the machine are reached
 * through a network that is shared. The numbers are those of all processors.
 */
const SCOPE = [
  'my $rules = pack("QQQ", 0, 0, 1);',
  "my $domain = syscall(444, $rules, 24, 0);",
  'die "cannot confine sockets: $!\\n" if $domain < 0 || syscall(446, $domain, 0) != 0;',
  'exec { $ARGV[0] } @ARGV; die "$ARGV[0]: $!\\n";',
].join(" ");

/** What is said of processes that a command left running, where no file can. */
const LEFT_BEHIND = "What the command left running was ended with it.";

/** Whether any process runs beside the first one; what has ended and was not waited for does not count. */
const HAS_LEFT = [
  "left() { for one in /proc/[0-9]*; do state=Z",
  'while read -r key state rest; do [ "$key" = State: ] && break; done <"$one/status"',
  'case "$one$state" in /proc/1?|*[ZX]) ;; *) return 0; esac; done; return 1; }',
].join("; ");

/**
 * What the shell does that is the first process of the sandbox, once its limits are set (memory in kB, files in blocks of
 * 512 bytes): it runs the command, and says whether that left anything running. With its end the kernel ends all that is
 * left.
 */
function initScript(
  { leftBehind, merge = false, errorsAt, hasInput = true, mounts, late = {} }:
    & Omit<ConfineOptions, "profile" | "cwd">
    & Pick<SandboxEnvironment, "late">
    & { readonly mounts: readonly Mount[] },
): string {
  return [
    REQUIRE_OWNER,
    ...mountCheck(changeableMounts(mounts)),
    // From here on nothing in the sandbox can write where only the sandbox's own errors are read.
    ...(merge
      ? ["exec 3>&1"]
      : errorsAt === undefined
      ? []
      : [`exec 3>&${errorsAt} ${errorsAt}>&-`]),
    ...Object.entries(late).map(([name, value]) => `export ${name}=${quoteWord(value)}`),
    // What the filter came from is at its end.
    `(exec "$@" ${hasInput ? "" : "</dev/null "}2>&3 3>&-); code=$?`,
    HAS_LEFT,
    "set -- /proc/[0-9]*",
    // What was told to end takes a moment.
    `[ $# -gt 1 ] && left && sleep 0.1 && left && ${
      leftBehind === undefined ? `echo '${LEFT_BEHIND}' >&3` : `: >${leftBehind}`
    }`,
    "exit $code",
  ].join("\n");
}

/** What the first shell begins with; what is said at descriptor 3 are the sandbox's own errors. */
function beginScript(options: BubblewrapOptions): string {
  return `exec 3>&2 2>/dev/null\n${limitScript(options)}`;
}

/** Kilobytes of memory that a command may keep. */
const MEMORY_KB = 4 * 1024 * 1024;

/** The line of a shell that limits it and all it starts, as far as it may; memory in kilobytes. */
export function limitScript(
  { processes }: BubblewrapOptions,
  memory = MEMORY_KB,
): string {
  return [
    `ulimit -d ${memory}`,
    "ulimit -f 4194304",
    // In dash p is for processes; in bash that is the size of a pipe, which cannot be set.
    `ulimit -p ${processes} || ulimit -u ${processes}`,
    // The system, when out of memory, ends a command before ally.
    "echo 1000 >/proc/self/oom_score_adj",
  ].join("; ");
}

/** A file in the sandbox that can be read for as long as the owner runs. */
const OWNER = "/dev/ally";

/** Devices, and the file that tells of the owner. */
export function deviceArguments({ owner }: BubblewrapOptions): string[] {
  return ["--dev", "/dev", "--ro-bind", `/proc/${owner}/comm`, OWNER];
}

/**
 * What the shell in a sandbox begins with. bubblewrap ends with its parent only from a moment on that comes late: an
 * owner that was killed before would leave the sandbox running.
 */
export const REQUIRE_OWNER =
  `read -r _ <${OWNER} || { echo "the process it was to run for has ended" >&3; exit 1; }`;

/** Namespaces of its own without privileges, which end with the owner. */
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

/**
 * Its own processes, and for root settings of the kernel that cannot be changed: only root could. Before they are
 * mounted so, bubblewrap itself, which is in the sandbox's namespace by then, sets how many processes there may be.
 */
export function procArguments({ processCount, isRoot }: BubblewrapOptions): string[] {
  return [
    "--proc",
    "/proc",
    ...(processCount === undefined
      ? []
      : ["--file", String(COUNT_INPUT), "/proc/sys/kernel/pid_max"]),
    ...(isRoot ? ["--ro-bind", "/proc/sys", "/proc/sys"] : []),
  ];
}

/** How `argv` is run within a profile. */
export function bubblewrapCommand(
  argv: readonly string[],
  { profile, cwd, options, ...how }: ConfineOptions & { options: BubblewrapOptions },
): Launch {
  // A workspace that is the whole disk comes before what is made anew of it.
  const all = anchorMounts(profile.mounts);
  const { first = [], mounts = [] } = Object.groupBy(
    all,
    ({ path }) => path === "/" ? "first" : "mounts",
  );
  const args = [
    ...environmentArguments(profile.environment),
    ...(profile.base === "disk" ? ["--ro-bind", "/", "/"] : []),
    ...first.flatMap(mountArguments),
    ...deviceArguments(options),
    "--size",
    String(SHARED_MEMORY),
    "--tmpfs",
    "/dev/shm",
    "--remount-ro",
    "/dev",
    ...procArguments(options),
    ...mounts.flatMap(mountArguments),
    // Only now: until here places in them had to be made.
    ...mounts.flatMap(({ kind, path }) => kind === "empty" ? ["--remount-ro", path] : []),
    ...(profile.base === "disk" ? [] : ["--dir", cwd, "--remount-ro", "/"]),
    "--chdir",
    cwd,
  ];
  const command = {
    begin: beginScript(options),
    script: initScript({ ...how, mounts: all, late: profile.environment.late }),
    argv: [...beforeCommand(profile, options), ...argv],
  };
  const { hasInput = true } = how;
  const later = hasInput ? undefined : argumentsInput(args, command);
  // What one that may write shows next time depends on what is written until then.
  const isFixed = profile.base === "nothing" && all.every(({ kind }) => kind !== "writable");
  const prewarmed = later && isFixed ? scriptInput(args, { ...command, mounts: all }) : undefined;
  const given = later?.given ??
    [...args, ...shell(`${command.begin}\n${command.script}`), "sh", ...command.argv];
  const launch = (words: readonly string[]) =>
    withInputs(options, [...namespaceArguments(profile), ...words]);
  return {
    ...launch(given),
    ...(later && { input: later.input }),
    ...(prewarmed && {
      prewarmed: { argv: launch(prewarmed.given).argv, input: prewarmed.input },
    }),
    merges: how.merge ?? false,
    ...(how.errorsAt !== undefined && { errorsAt: how.errorsAt }),
    shielded: basename(options.program),
  };
}

/** The first process of a sandbox. */
function shell(script: string): string[] {
  return ["--", "/bin/sh", "-c", script];
}

/** What the first shell is to do, in the order in which it does it. */
interface Script {
  /** Whatever the command is. */
  readonly begin: string;
  readonly script: string;
  /** What it runs. */
  readonly argv: readonly string[];
}

/** What bubblewrap is started with, and what it, or the first shell, reads later. */
interface DeferredInput {
  readonly given: readonly string[];
  readonly input: InputAt;
}

/**
 * Arguments as bubblewrap reads them from a descriptor, so that it can be started before they are known; undefined if
 * they cannot be told so. The script comes last: where only a part of them is written, nothing is run.
 */
function argumentsInput(
  args: readonly string[],
  { begin, script, argv }: Script,
): DeferredInput | undefined {
  const names = argv.map((_, index) => argumentVariable(index));
  const words = names.map((name) => `"$${name}"`).join(" ");
  const all = [
    ...args,
    ...argv.flatMap((word, index) => ["--setenv", argumentVariable(index), word]),
    "--setenv",
    SCRIPT,
    `set -- ${words}; unset ${SCRIPT} ${names.join(" ")}\n${begin}\n${script}`,
  ];
  const text = all.map((word) => `${word}\0`).join("");
  // Starting a program with such an argument fails with words of its own.
  const isWhole = text.length <= MAX_INPUT && !all.some((word) => word.includes("\0"));
  if (!isWhole) return undefined;
  return {
    given: ["--args", String(COMMAND_INPUT), ...shell(`eval "$${SCRIPT}"`)],
    input: { descriptor: COMMAND_INPUT, text },
  };
}

/**
 * The same for a sandbox that is made before the command is known: its first shell reads what it is to run. It is one
 * construct: where only a part of it is written, nothing is run.
 */
function scriptInput(
  args: readonly string[],
  { begin, script, argv, mounts }: Script & { readonly mounts: readonly Mount[] },
): DeferredInput {
  const lines = [
    `exec ${COMMAND_INPUT}<&-`,
    ...hidingCheck(mounts),
    `set -- ${argv.map(quoteWord).join(" ")}`,
    script,
  ];
  return {
    given: [...args, ...shell(`${begin}\n. /dev/fd/${COMMAND_INPUT}`)],
    input: { descriptor: COMMAND_INPUT, text: `{ ${lines.join("\n")}\n}\n` },
  };
}

/** Arguments of bubblewrap as a command line, with what it reads from descriptors. */
export function withInputs(
  { program, filter, processCount }: BubblewrapOptions,
  args: readonly string[],
): Pick<Launch, "argv" | "inputs"> {
  const inputs: Record<number, string> = {};
  if (filter !== undefined) inputs[FILTER_INPUT] = filter;
  if (processCount !== undefined) inputs[COUNT_INPUT] = processCount;
  const seccomp = filter === undefined ? [] : ["--seccomp", String(FILTER_INPUT)];
  return { argv: [program, ...seccomp, ...args], inputs };
}

/** The program that becomes the command once it has given it what the shell before it cannot. */
function beforeCommand(
  { network, abstractSockets }: SandboxProfile,
  { scope }: BubblewrapOptions,
): string[] {
  return network && !abstractSockets && scope !== undefined ? scopeCommand(scope) : [];
}

/** What stands before a command that is kept from the machine's abstract sockets by this perl. */
export function scopeCommand(perl: string): string[] {
  return [perl, "-e", SCOPE, "--"];
}

/** Variables as arguments. Values that are set are seen by everybody who looks at processes: no secrets. */
function environmentArguments({ clear, unset, set }: SandboxEnvironment): string[] {
  return [
    ...(clear ? ["--clearenv"] : unset.flatMap((name) => ["--unsetenv", name])),
    ...Object.entries(set).flatMap(([name, value]) => ["--setenv", name, value]),
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
    case "directory":
      return ["--dir", path];
    case "link":
      return ["--symlink", source, path];
    case "scratch":
      return ["--size", String(SCRATCH), "--tmpfs", path];
    case "blank":
      return ["--ro-bind", "/dev/null", path];
  }
}
