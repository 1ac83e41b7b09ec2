/**
 * Runs programs: each in a process group of its own, with no standard input but a given text. Output is streamed in
 * arrival order and held in bounded memory; a time limit or a signal ends the whole group.
 */
import { basename } from "node:path";
import { Capture, type CapturedOutput, type CaptureOptions } from "./capture.ts";
import { endBelow, type GroupOptions, hasGroup, killGroup, spawnGroup } from "./process_group.ts";
import type { Spawn } from "./standby.ts";
import { quoteWord } from "./text.ts";

/** Milliseconds between SIGTERM and SIGKILL. */
const TERM_GRACE = 2000;
/** Milliseconds for which output of processes that a finished program left running is still read. */
const DRAIN_GRACE = 200;
/**
 * Milliseconds that a group gets after SIGTERM once its leader is gone and its output closed. Short,
 * because where no init process reaps orphans, a dead one looks like one that ignores the signal.
 */
const ORPHAN_GRACE = 300;
/** Milliseconds between two looks whether a group is gone. */
const POLL_MS = 10;
/** Bytes read at once. */
const BUFFER_SIZE = 16_384;
/** Characters of errors that are kept beside an output that has them too. */
const COPIED = 4000;
/** Exit code of a process that could not even be killed in time: 128 + SIGKILL. */
const KILLED = 137;

/** Text that a program reads elsewhere than from its standard input, where it finds nothing then. */
export interface InputAt {
  readonly descriptor: number;
  readonly text: string;
}

/** How a process is started, and for how long it may run. */
export interface ProcessOptions extends CaptureOptions {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Text for the standard input, or for another descriptor, of one digit. @default none */
  readonly input?: string | InputAt | undefined;
  /** Starts it, if it has such input. @default `spawnGroup` */
  readonly spawn?: Spawn | undefined;
  /** Milliseconds; no limit if absent. */
  readonly timeoutMs?: number | undefined;
  /**
   * "apart" also reads it, but does not keep its order with the output; "separate" keeps it by itself.
   * @default "merge"
   */
  readonly stderr?: "merge" | "drop" | "apart" | "separate" | undefined;
  /** A program that makes a process namespace, ends with it and with ally, and is left alone when this is told to end. */
  readonly shielded?: string | undefined;
  /** Files that it finds open for reading, by descriptor of one digit. @default none; Windows: none */
  readonly inputs?: Readonly<Record<number, string>> | undefined;
}

/** How a process ended, and what it wrote. */
export interface ProcessResult extends CapturedOutput {
  /** Exit code, or 128 + signal number. */
  readonly code: number;
  readonly ended?: "timeout" | "interrupted";
  /** What it wrote to standard error, where that is not merged; of what is also in the output, the beginning and end. */
  readonly errors?: string;
  /** True if it exited and left processes running, which were then ended. */
  readonly leftBehind?: true;
  readonly durationMs: number;
}

/** A program that was started. */
export interface RunningProcess {
  /** Its id, and that of the group it leads. */
  readonly pid: number;
  /**
   * Resolves once it has exited and its group is gone; output that a descendant still holds open is
   * waited for only briefly. Rejects with what the receiver of the output threw.
   */
  readonly finished: Promise<ProcessResult>;
  /** Its output so far, as much as is held. */
  outputSoFar(): CapturedOutput;
  /**
   * Detaches it from the signal it was started with and, unless `keepTimeout`, from its time limit; false if it has
   * exited or is being ended.
   */
  release(options?: { keepTimeout?: boolean | undefined }): boolean;
  /** Ends its group as an abort of the signal would: SIGTERM, two seconds later SIGKILL. */
  stop(): void;
}

/**
 * Starts a program.
 * @throws {Deno.errors.NotFound} no such program or directory
 * @throws {Deno.errors.NotCapable} Deno may not run programs
 */
export function startProcess(
  argv: readonly [program: string, ...args: string[]],
  options: ProcessOptions,
): RunningProcess {
  requireRun();
  const started = performance.now();
  const child = spawn(argv, options);
  const capture = new Capture(options);
  const limits = new Limits(options);
  const errors = options.stderr === "separate"
    ? new Capture({ maxOutput: options.maxOutput })
    : undefined;
  const copied = options.stderr === "apart"
    ? { errors: new Capture({ maxOutput: COPIED }), decoder: new TextDecoder() }
    : undefined;
  child.read((bytes, { decoder, isError }) => {
    (isError ? errors ?? capture : capture).add(bytes, decoder);
    if (isError) copied?.errors.add(bytes, copied.decoder);
  });
  const finish = async (): Promise<ProcessResult> => {
    try {
      const ended = await Promise.race([child.exited, child.outputFailed, limits.reached]);
      const leftBehind = await child.terminate() && !ended;
      return {
        code: child.code ?? KILLED,
        ...capture.result(),
        ...(ended && { ended }),
        ...(errors && { errors: errors.result().output }),
        ...(copied && { errors: copied.errors.result().output }),
        ...(leftBehind && { leftBehind }),
        durationMs: Math.round(performance.now() - started),
      };
    } finally {
      limits.lift();
      capture.close();
    }
  };
  return {
    pid: child.pid,
    finished: finish(),
    outputSoFar: () => capture.result(),
    release(how) {
      if (limits.over || child.code !== undefined) return false;
      limits.lift(how);
      return true;
    },
    stop: () => limits.stop(),
  };
}

/** Where there is a terminal, trying would make Deno ask. */
function requireRun(): void {
  if (Deno.permissions.querySync({ name: "run" }).state === "granted") return;
  throw new Deno.errors.NotCapable('Deno\'s permission "run" is missing');
}

/** Starts a program and waits for its end. @throws as `startProcess` */
export async function runProcess(
  argv: readonly [program: string, ...args: string[]],
  options: ProcessOptions,
): Promise<ProcessResult> {
  if (options.signal.aborted) return { ...NOT_STARTED };
  return await startProcess(argv, options).finished;
}

/** The result of a program whose signal was aborted before it could start. */
export const NOT_STARTED = {
  code: 130,
  output: "",
  truncated: false,
  ended: "interrupted",
  durationMs: 0,
} as const satisfies ProcessResult;

/** Whether there is a process of this user with that id. */
export function isAlive(pid: number): boolean {
  try {
    Deno.kill(pid, 0 as unknown as Deno.Signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * One pipe for both streams is the only way to keep their order, so a shell that is replaced at once
 * by the program joins them; the program's own arguments stay untouched. Windows has no such shell.
 */
function spawn(argv: readonly [string, ...string[]], options: ProcessOptions): Child {
  const { stderr = "merge", shielded, input } = options;
  const join = stderr === "merge" && Deno.build.os !== "windows";
  const readsErrors = stderr !== "drop" && !join;
  const how = {
    redirections: [
      join ? " 2>&1" : "",
      typeof input === "object" ? ` ${input.descriptor}<&0 </dev/null` : "",
      openInputs(options.inputs ?? {}),
    ].join(""),
    endsByItself: basename(argv[0]) === shielded,
    cwd: options.cwd,
    env: { ...options.env },
    clearEnv: true,
    stdout: "piped",
    stderr: readsErrors ? "piped" : "null",
    windowsRawArguments: argv[0] === "cmd",
  } as const;
  return new Child(startWithInput(argv, { ...how, input, spawn: options.spawn }), {
    readsErrors,
    shielded,
  });
}

function startWithInput(
  argv: readonly [string, ...string[]],
  { input, spawn = spawnGroup, ...how }:
    & Pick<ProcessOptions, "input" | "spawn" | "cwd">
    & Omit<GroupOptions, "stdin">,
): Deno.ChildProcess {
  if (input === undefined) return spawnGroup(argv, { ...how, stdin: "null" });
  const piped = { ...how, stdin: "piped" } as const;
  const child = spawn(argv, piped);
  writeInput(child, typeof input === "object" ? input.text : input);
  return child;
}

/** The redirections of a shell that open files for reading at descriptors. */
export function openInputs(inputs: Readonly<Record<number, string>>): string {
  return Object.entries(inputs).map(([descriptor, path]) => ` ${descriptor}<${quoteWord(path)}`)
    .join("");
}

/** The command line of a program that finds files open, for whoever cannot open them for it. */
export function standAlone(
  { argv, inputs }: {
    readonly argv: readonly [program: string, ...args: string[]];
    readonly inputs: Readonly<Record<number, string>>;
  },
): readonly [program: string, ...args: string[]] {
  const opened = openInputs(inputs);
  return opened === "" ? argv : ["/bin/sh", "-c", `exec "$@"${opened}`, "sh", ...argv];
}

/** Writes the input in the background; a program may end without reading all of it. */
function writeInput(child: Deno.ChildProcess, input: string): void {
  const writer = child.stdin.getWriter();
  writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
}

/** What ends a program early: its time limit, the abort of its signal, or a call of `stop`. */
class Limits {
  readonly #signal: AbortSignal;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #outcome = Promise.withResolvers<"timeout" | "interrupted">();
  readonly #onAbort = () => this.stop();
  /** Whether one of them has come. */
  over = false;

  constructor({ signal, timeoutMs }: ProcessOptions) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(() => this.#end("timeout"), timeoutMs);
    }
    if (signal.aborted) this.stop();
  }

  get reached(): Promise<"timeout" | "interrupted"> {
    return this.#outcome.promise;
  }

  stop(): void {
    this.#end("interrupted");
  }

  lift({ keepTimeout = false }: { keepTimeout?: boolean | undefined } = {}): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    if (!keepTimeout) clearTimeout(this.#timer);
  }

  #end(how: "timeout" | "interrupted"): void {
    this.over = true;
    this.#outcome.resolve(how);
  }
}

/** A running child, the group it leads and the output they still hold open. */
class Child {
  readonly #child: Deno.ChildProcess;
  readonly #readers: ReadableStreamBYOBReader[];
  #drained: Promise<unknown> = Promise.resolve();
  #isOutputOpen = true;
  #failure: { error: unknown } | undefined;
  readonly #failed = Promise.withResolvers<undefined>();
  readonly #shielded: string | undefined;
  /** Known once it has exited. */
  code: number | undefined;
  readonly exited: Promise<undefined>;

  constructor(
    child: Deno.ChildProcess,
    { readsErrors, shielded }: { readsErrors: boolean; shielded: string | undefined },
  ) {
    this.#child = child;
    this.#shielded = shielded;
    const streams = readsErrors ? [child.stdout, child.stderr] : [child.stdout];
    this.#readers = streams.map((stream) => stream.getReader({ mode: "byob" }));
    this.exited = child.status.then((status) => {
      this.code = status.code;
      return undefined;
    });
  }

  /** Resolves when the receiver of the output threw. */
  get outputFailed(): Promise<undefined> {
    return this.#failed.promise;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /**
   * Hands over all output from now on, each piece for the moment of the call only; what `onBytes`
   * throws is thrown again by `settle`.
   */
  read(
    onBytes: (
      bytes: Uint8Array<ArrayBuffer>,
      from: { decoder: TextDecoder; isError: boolean },
    ) => void,
  ): void {
    const drain = async (reader: ReadableStreamBYOBReader, index: number) => {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      const from = { decoder, isError: index > 0 };
      // One buffer is used again and again, so that a flood of output makes no garbage.
      let buffer = new Uint8Array(BUFFER_SIZE);
      try {
        for (;;) {
          const { value, done } = await reader.read(buffer);
          if (done || value === undefined) break;
          onBytes(value, from);
          buffer = new Uint8Array(value.buffer);
        }
        onBytes(new Uint8Array(), from);
      } catch (error) {
        this.#failure = { error };
        this.#failed.resolve(undefined);
        await reader.cancel();
      }
    };
    this.#drained = Promise.all(this.#readers.map(drain)).then(() => this.#isOutputOpen = false);
  }

  /**
   * Makes sure that the group ends: by itself within a short grace if the child has exited, else by
   * SIGTERM and at most two seconds later SIGKILL. Output held outside the group is given up.
   * True if something had to be ended.
   */
  async terminate(): Promise<boolean> {
    const exited = () => this.code !== undefined;
    let isGone = false;
    // What was seen to be gone is not asked for again: another group may come to have its number.
    const over = () => isGone ||= exited() && !hasGroup(this.pid);
    const drained = this.#drained;
    if (exited()) {
      await waitUntil(() => over() && !this.#isOutputOpen, { ms: DRAIN_GRACE, wake: drained });
    }
    const lives = !over();
    if (lives) {
      this.#tellToEnd();
      await waitUntil(() => over() || (exited() && !this.#isOutputOpen), {
        ms: TERM_GRACE,
        wake: this.exited,
      });
      await waitUntil(over, { ms: ORPHAN_GRACE, wake: this.exited });
    }
    if (!over()) {
      killGroup(this.pid, "SIGKILL");
      await waitUntil(over, { ms: DRAIN_GRACE, wake: this.exited });
    }
    await waitUntil(() => !this.#isOutputOpen, { ms: DRAIN_GRACE, wake: drained });
    if (this.#isOutputOpen) { for (const reader of this.#readers) await reader.cancel(); }
    await drained;
    if (this.#failure) throw this.#failure.error;
    return lives;
  }

  #tellToEnd(): void {
    const shielded = this.#shielded;
    if (shielded === undefined) killGroup(this.pid, "SIGTERM");
    // Before anything runs in it a sandbox is ended as a whole: what it is made by may outlive its starter for a moment.
    else if (!endBelow(this.pid, { shielded })) killGroup(this.pid, "SIGKILL");
  }
}

/** Waits until a condition holds, for at most `ms`; looks every few milliseconds and on `wake`. */
async function waitUntil(
  holds: () => boolean,
  options: { ms: number; wake: Promise<unknown> },
): Promise<void> {
  const end = performance.now() + options.ms;
  let woken: Promise<unknown> | undefined = options.wake;
  const clear = () => woken = undefined;
  while (!holds() && performance.now() < end) {
    const pause = Promise.withResolvers<void>();
    const timer = setTimeout(pause.resolve, POLL_MS);
    await Promise.race(woken ? [pause.promise, woken.then(clear)] : [pause.promise]);
    clearTimeout(timer);
  }
}

/**
 * Variables by which a program loads code or settings before it does anything of its own: whoever fills the places that
 * they name runs in every program that is started with them.
 */
const LOADERS =
  /^(?:(?:LD|DYLD|OPENSSL|MALLOC)_\w+|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|GIT_EXEC_PATH|PERL5?\w*(?:LIB|OPT|DB)|PYTHON(?:PATH|HOME|STARTUP))$/;

/** The environment of a program that ally starts for itself: none of the person's places decides what that loads. */
export function withoutLoaders(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !LOADERS.test(name)));
}

/** What that leaves out. */
export function loadersIn(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => LOADERS.test(name)));
}
