/**
 * The shell port over real processes: which interpreter runs a command line, what a child may see of the
 * environment, where long output is kept, which commands go on in the background, and which groups still run
 * when ally has to go.
 */
import { join } from "node:path";
import { ToolError } from "../core/errors.ts";
import type { PlainArguments, RunOptions, RunResult, Shell } from "../core/shell.ts";
import { findProgram, SYSTEM_PATH } from "../lib/find_program.ts";
import { NOT_STARTED, type RunningProcess, startProcess, withoutLoaders } from "../lib/process.ts";
import { killGroup } from "../lib/process_group.ts";
import { messageOf } from "../lib/text.ts";
import type { ConfinedCommand, Sandbox } from "../sandbox/sandbox.ts";
import {
  childEnvironment,
  findBash,
  foregroundEnvironment,
  plainEnvironment,
  searchPath,
} from "./shell_environment.ts";
import { BackgroundTasks } from "./tasks.ts";

const onWindows = Deno.build.os === "windows";
/** Sandboxes that are made for a command whose first one could not be made, because places changed meanwhile. */
const MORE_SANDBOXES = 3;

/** How commands are started. */
interface ShellOptions {
  /** Absolute; where commands run if they do not say. */
  readonly cwd: string;
  /** The same, asked before each command. @default cwd */
  readonly currentDirectory?: () => string;
  /** The workspace, from which no shell is taken. @default cwd alone */
  readonly roots?: (() => readonly string[]) | undefined;
  /** ally's own environment, from which the children's is made. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether rules show a variable to children; undefined if no rule names it. */
  readonly variableRule?: ((name: string) => boolean | undefined) | undefined;
  /** Directory for logs of output too long to hold; made (0700) when first needed. */
  readonly logDir: string;
  /** How much of an output that goes on can be told. @default all of it */
  readonly settledEnd?: ((text: string) => number) | undefined;
  /** Confines commands that have a policy. @default none is confined */
  readonly sandbox?: Sandbox | undefined;
  /** Tells a person what was set aside when a command had ended, as an `EndedCommand` has it. @default nobody is told */
  readonly onSetAside?: ((reviewed: readonly string[]) => void) | undefined;
}

/** A shell that can be told to end everything it started. */
export interface ProcessShell extends Shell {
  readonly tasks: BackgroundTasks;
  /** Kills every running group at once, without waiting: for the moment when ally itself ends. */
  killAll(): void;
}

/** Makes the shell; nothing is started or looked up before the first command. */
export function createShell(options: ShellOptions): ProcessShell {
  const env = childEnvironment(options.env, options.variableRule);
  const path = searchPath(env);
  const starter = createStarter({ ...options, ownEnv: options.env, env, path });
  const groups = new Set<number>();
  const tasks = new BackgroundTasks({ settledEnd: options.settledEnd });

  async function run(request: RunOptions): Promise<RunResult> {
    // What is to be held in a sandbox has no terminal.
    if (request.foreground && !request.sandboxPolicy) return await starter.runInForeground(request);
    for (let left = MORE_SANDBOXES;; left--) {
      const result = await runOnce(request);
      if (left === 0 || !result.blocked?.isUnmade) return result;
    }
  }

  async function runOnce(request: RunOptions): Promise<RunResult> {
    const receiver: Receiver = { onOutput: request.onOutput };
    const started = performance.now();
    const process = await starter.start(request, receiver);
    if (!process) return { ...NOT_STARTED };
    groups.add(process.pid);
    const forget = () => groups.delete(process.pid);
    process.finished.then(forget, forget);
    const { background } = request;
    const waits = !background || await endsBefore(background.when, process) ||
      !process.release(background);
    if (waits) return { ...await process.finished, ...await process.sandboxReport() };
    const task = tasks.adopt({
      process,
      settled: () => process.sandboxReport(),
      started,
      command: commandText(request.command),
    });
    const { output, ...kept } = process.outputSoFar();
    receiver.onOutput = (chunk) => task.add(chunk);
    return {
      code: 0,
      ...kept,
      ...task.begin(output),
      taskId: task.id,
      durationMs: Math.round(performance.now() - started),
    };
  }

  return {
    run,
    tasks,
    // Without the permission to look, starting the program shows whether it is there.
    which: (program) => findProgram(program, { path, cwd: options.cwd }).catch(() => program),
    killAll() {
      for (const pid of groups) killGroup(pid, "SIGKILL");
    },
  };
}

/** Who gets a command's output; changes when it goes into the background. */
interface Receiver {
  onOutput: ((chunk: string) => void) | undefined;
}

/** A command that was started, perhaps in the sandbox. */
interface RunningCommand extends RunningProcess {
  /** Once it has ended: what the sandbox knows of it. */
  sandboxReport(): Promise<
    Pick<
      RunResult,
      "blocked" | "leftBehind" | "setAside" | "skippedHooks" | "keysWithheldFor" | "hiddenFromGit"
    >
  >;
}

/** Starts commands. */
interface Starter {
  /** Starts one, unless its signal is aborted before; the receiver gets its output. */
  start(request: RunOptions, receiver: Receiver): Promise<RunningCommand | undefined>;
  /** Runs one with the terminal, to its end. */
  runInForeground(request: RunOptions): Promise<RunResult>;
}

function createStarter(
  options: ShellOptions & { readonly path: string; readonly ownEnv: ShellOptions["env"] },
): Starter {
  const { sandbox, onSetAside } = options;
  const { directoryOf, interpret, resolve } = createResolver(options);

  async function start(
    request: RunOptions,
    receiver: Receiver,
  ): Promise<RunningCommand | undefined> {
    const cwd = directoryOf(request);
    let confined: ConfinedCommand | undefined;
    let program = programOf(request);
    try {
      const { argv, env } = await resolve(request, cwd);
      program = argv[0];
      if (request.signal.aborted) return undefined;
      const roots = options.roots?.() ?? [options.cwd];
      const haveRefsMoved = await watchRefs(request, roots);
      confined = await confine(request, { argv, cwd, interpret, sandbox, env, roots });
      const process = startProcess(confined?.argv ?? argv, {
        cwd,
        env: await environmentOf(request, { confined, env, roots }),
        signal: request.signal,
        input: confined?.input ?? request.input,
        spawn: confined?.spawn,
        timeoutMs: request.timeout === undefined ? undefined : request.timeout * 1000,
        onOutput: (chunk) => receiver.onOutput?.(chunk),
        maxOutput: request.maxOutput,
        stderr: confined?.merges ? "apart" : request.stderr,
        shielded: confined?.shielded,
        inputs: confined?.inputs,
        logPath: request.keepLog ? join(options.logDir, logName()) : undefined,
      });
      if (!confined) return { ...process, sandboxReport: () => Promise.resolve({}) };
      const known = { confined, cwd, roots, haveRefsMoved, onSetAside };
      const report = createSandboxReport(process, known);
      return { ...process, sandboxReport: report };
    } catch (error) {
      await confined?.finish();
      throw await toStartError(error, { program, cwd });
    }
  }

  async function runInForeground(request: RunOptions): Promise<RunResult> {
    const cwd = directoryOf(request);
    let program = programOf(request);
    try {
      const { argv } = await resolve(request, cwd);
      program = argv[0];
      const foreground = await import("./foreground.ts");
      const env = foregroundEnvironment(options.ownEnv, options.variableRule);
      return await foreground.runInForeground(argv, { cwd, env, signal: request.signal });
    } catch (error) {
      throw await toStartError(error, { program, cwd });
    }
  }

  return { start, runInForeground };
}

/** The environment that is given to what starts a command: in a sandbox the command gets what is left out there. */
async function environmentOf(
  { sandboxPolicy }: RunOptions,
  { confined, env, roots }: {
    confined: ConfinedCommand | undefined;
    env: Readonly<Record<string, string>>;
    roots: readonly string[];
  },
): Promise<Readonly<Record<string, string>>> {
  if (confined) return withoutLoaders(env);
  if (!sandboxPolicy) return env;
  return (await import("./unconfined_environment.ts")).unconfinedEnvironment(env, roots);
}

/** Finds out what is started for a request, where, and with which environment. */
function createResolver(options: ShellOptions & { readonly path: string }) {
  const { env, path } = options;
  let interpreter: Interpreter | undefined;

  function interpret(text: string): PlainArguments {
    interpreter ??= interpreterFor(env, options.roots?.() ?? [options.cwd]);
    return interpreter(text);
  }

  async function resolve(
    { command, script }: RunOptions,
    cwd: string,
  ): Promise<{ argv: PlainArguments; env: Readonly<Record<string, string>> }> {
    if (typeof command !== "string") {
      await requireProgram(command[0], { path, cwd });
      return { argv: command, env };
    }
    if (typeof script === "object") {
      const [name, ...args] = script;
      const program = await requireProgram(name, { path: SYSTEM_PATH, cwd });
      return { argv: [program, ...args], env: plainEnvironment(env) };
    }
    // A script is rendered for bash: cmd does not know single quotes.
    return { argv: interpret(onWindows ? command : script ?? command), env };
  }

  const directoryOf = ({ cwd }: RunOptions) => cwd ?? options.currentDirectory?.() ?? options.cwd;
  return { directoryOf, interpret, resolve };
}

/** Puts a command into its sandbox, or each of its parts into one of its own; undefined if it runs outside. */
async function confine(
  { sandboxPolicy: policy, parted, input, stderr }: RunOptions,
  { argv, cwd, interpret, sandbox, ...where }: {
    argv: readonly [program: string, ...args: string[]];
    cwd: string;
    interpret: Interpreter;
    sandbox: Sandbox | undefined;
    env: Readonly<Record<string, string>>;
    roots: readonly string[];
  },
): Promise<ConfinedCommand | undefined> {
  if (!policy || !sandbox) return undefined;
  if (!parted) {
    const [hasInput, merge] = [input !== undefined, stderr !== "drop"];
    return await sandbox.confine(argv, { policy, cwd, hasInput, merge });
  }
  // Where its private paths lie is there once the sandbox is known.
  const [{ joinParts }] = await Promise.all([import("./parted_command.ts"), sandbox.status()]);
  return await joinParts(parted, {
    bash: argv[0],
    interpret,
    confine: (part, how) => sandbox.confineAlways(part, how),
    privatePath: () => sandbox.privatePath(),
    cwd,
    ...where,
  });
}

/** Finds out whether the sandbox caused a command, or something in it, to fail. */
function createSandboxReport(
  process: RunningProcess,
  { confined: { finish, merges }, cwd, roots, haveRefsMoved, onSetAside }: {
    confined: ConfinedCommand;
    cwd: string;
    roots: readonly string[];
    /** Whether branches or tags of git have changed since it began. */
    haveRefsMoved: () => boolean;
    onSetAside: ShellOptions["onSetAside"];
  },
): RunningCommand["sandboxReport"] {
  const end = process.finished.then(finish, finish);
  end.then(({ setAside }) => setAside.length > 0 && onSetAside?.(setAside), () => {});
  return async () => {
    const { code, output, ended, errors = "" } = await process.finished;
    const { leftBehind, setAside, skippedHooks, keysWithheldFor, policies, parts, ownErrors } =
      await end;
    const hiddenFromGit = policies.some(({ hidden }) => hidden !== undefined)
      ? (await import("../sandbox/hidden_from_git.ts")).findHiddenFromGit(output, policies)
      : [];
    const known = {
      ...(hiddenFromGit.length > 0 && { hiddenFromGit }),
      ...(leftBehind && { leftBehind }),
      ...(setAside.length > 0 && { setAside }),
      ...(skippedHooks.length > 0 && { skippedHooks }),
      ...(keysWithheldFor.length > 0 && { keysWithheldFor }),
    };
    if (ended !== undefined) return known;
    const { explainFailure } = await import("../sandbox/failure.ts");
    const blocked = explainFailure({
      ...{ code, output, policies, parts, roots, cwd },
      ownErrors: ownErrors ?? (merges ? errors : ""),
      tellsKeys: keysWithheldFor.length > 0,
    });
    if (!blocked) return known;
    return { ...known, blocked: { ...blocked, ...(haveRefsMoved() && { movedRefs: true }) } };
  };
}

/** Tells later whether branches or tags have changed, which only what may write the repository can do. */
async function watchRefs(
  { sandboxPolicy, parted }: RunOptions,
  roots: readonly string[],
): Promise<() => boolean> {
  const { write = false, needs = [] } = sandboxPolicy ?? {};
  if (!parted && !(write && needs.includes("repository"))) return () => false;
  return (await import("./git_refs.ts")).watchRefs(roots);
}

/** Whether a process has ended by the time that a signal is aborted. */
async function endsBefore(when: AbortSignal, process: RunningProcess): Promise<boolean> {
  const moved = Promise.withResolvers<false>();
  const onAbort = () => moved.resolve(false);
  when.addEventListener("abort", onAbort, { once: true });
  if (when.aborted) onAbort();
  try {
    return await Promise.race([process.finished.then(() => true), moved.promise]);
  } finally {
    when.removeEventListener("abort", onAbort);
  }
}

/** The program that a request names, or the shell. */
function programOf({ command, script }: RunOptions): string {
  const named = typeof command === "string" ? script : command;
  return typeof named === "object" ? named[0] : "bash";
}

function commandText(command: RunOptions["command"]): string {
  return typeof command === "string" ? command : command.join(" ");
}

/** Turns a command line into the program and arguments that run it, its text unchanged. */
type Interpreter = (text: string) => readonly [program: string, ...args: string[]];

function interpreterFor(
  env: Readonly<Record<string, string>>,
  roots: readonly string[],
): Interpreter {
  if (onWindows) return (text) => ["cmd", "/d", "/s", "/c", `"${text}"`];
  const bash = findBash(env, roots);
  // Physical: `cd link/..` goes where a judged path leads, above what the link names.
  return bash
    ? (text) => [bash, "--noprofile", "--norc", "-o", "physical", "-c", text]
    : (text) => ["/bin/sh", "-c", text];
}

/** Finds a program; fails with one message where a shell in between would fail with its own. */
async function requireProgram(
  program: string,
  where: { path: string; cwd: string },
): Promise<string> {
  const found = await findProgram(program, where).catch((error) => {
    // Without the permission to look, starting it shows whether it is there.
    if (error instanceof Deno.errors.NotCapable) return program;
    throw error;
  });
  if (found !== undefined) return found;
  throw new Deno.errors.NotFound(`No program ${program} in the directories of PATH`);
}

function logName(): string {
  const time = new Date().toISOString().replace(/[:.]/g, "-");
  return `${time}-${crypto.randomUUID().slice(0, 8)}.log`;
}

/** Turns an error of Deno into one that says what is missing and what to do. */
async function toStartError(
  error: unknown,
  context: { program: string; cwd: string },
): Promise<unknown> {
  const { program, cwd } = context;
  if (error instanceof ToolError) return error;
  const system = (message: string, suggestion: string) =>
    new ToolError(message, { kind: "system", suggestion, cause: error });
  if (error instanceof Deno.errors.NotCapable) {
    return system(
      `Cannot run ${program}: this ally may not start programs (Deno's permission "run" is missing)`,
      "Start ally without --deny-run, or allow it with --allow-run.",
    );
  }
  const directory = await Deno.stat(cwd).catch(() => undefined);
  if (!directory?.isDirectory) {
    return system(
      `Cannot run ${program}: the working directory ${cwd} is ${
        directory ? "not a directory" : "missing or may not be entered"
      }`,
      "Name an existing directory.",
    );
  }
  if (error instanceof Deno.errors.NotFound) {
    return system(
      `Cannot run ${program}: it is not installed, or may not be executed`,
      `Install it, or put its directory into PATH.`,
    );
  }
  if (error instanceof Error && /Argument list too long|os error 7\b/.test(error.message)) {
    return system(
      `Cannot run ${program}: its arguments are longer than the system allows`,
      "Write long text to a file and name the file.",
    );
  }
  return system(
    `Cannot run ${program}: ${messageOf(error)}`,
    "Check that it may be executed, and that the system is not out of processes or memory.",
  );
}
