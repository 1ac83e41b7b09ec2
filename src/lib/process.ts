/**
 * Runs one program to its end: a process group of its own, no input but a given text, output streamed in
 * arrival order and kept in bounded memory, ended by time or signal with nothing left behind.
 * Knows nothing of ally; `workspace/shell.ts` is the caller.
 */
import { dirname, isAbsolute, join, resolve } from "node:path";
import { Excerpt } from "./excerpt.ts";
import { formatBytes, messageOf } from "./text.ts";

/** Milliseconds between SIGTERM and SIGKILL. */
const TERM_GRACE = 2000;
/** Milliseconds that what a finished program left running may still write. */
const DRAIN_GRACE = 200;
/**
 * Milliseconds that a group gets after SIGTERM once its leader is gone and its output closed. Short,
 * because where no init process reaps orphans, a dead one looks like one that ignores the signal.
 */
const ORPHAN_GRACE = 300;
/** Milliseconds between two looks whether a group is gone. */
const POLL = 10;
/** Bytes read at once. */
const BUFFER = 16_384;
/** Exit code of what could not even be killed in time: 128 + SIGKILL. */
const KILLED = 137;
/** Bytes after which a log file is closed, so that a runaway program cannot fill the disk. */
const MAX_LOG = 2 ** 30;

export interface ProcessOptions {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Text for the standard input; none if absent. */
  readonly input?: string | undefined;
  /** Milliseconds; no limit if absent. */
  readonly timeoutMs?: number | undefined;
  /** Gets the decoded output as it arrives. */
  readonly onOutput?: ((chunk: string) => void) | undefined;
  /** Gets the process group's id once it runs. */
  readonly onStart?: ((pid: number) => void) | undefined;
  /** Characters kept; beyond that the middle is cut. @default 30000 */
  readonly maxOutput?: number | undefined;
  /** File made (0600, directory 0700) for the whole output as soon as it is too long to keep. */
  readonly logPath?: string | undefined;
  /** @default "merge" */
  readonly stderr?: "merge" | "drop" | undefined;
}

export interface ProcessResult {
  /** Exit code, or 128 + signal number. */
  readonly code: number;
  readonly output: string;
  /** True if the middle of the output was cut. */
  readonly truncated: boolean;
  readonly logPath?: string;
  readonly ended?: "timeout" | "interrupted";
  readonly durationMs: number;
}

/**
 * Runs a program and returns once it has exited and its process group is gone; output that a
 * descendant still holds open is waited for only briefly.
 * @throws {Deno.errors.NotFound} no such program or directory
 * @throws {Deno.errors.NotCapable} Deno may not run programs
 */
export async function runProcess(
  argv: readonly [program: string, ...args: string[]],
  options: ProcessOptions,
): Promise<ProcessResult> {
  if (options.signal.aborted) {
    return { code: 130, output: "", truncated: false, ended: "interrupted", durationMs: 0 };
  }
  const started = performance.now();
  const child = spawn(argv, options);
  const capture = new Capture(options);
  const stop = watchForStop(options);
  try {
    options.onStart?.(child.pid);
    child.read((bytes, decoder) => capture.add(bytes, decoder));
    const ended = await Promise.race([child.exited, child.failed, stop.stopped]);
    await child.settle();
    return {
      code: child.code ?? KILLED,
      ...capture.result(),
      ...(ended && { ended }),
      durationMs: Math.round(performance.now() - started),
    };
  } finally {
    stop.dispose();
    capture.close();
  }
}

/**
 * Sends a signal to every process of a group that `runProcess` started; false if none is left.
 * Signal 0 only asks.
 */
export function killGroup(pid: number, signal: Deno.Signal | 0): boolean {
  try {
    // Windows has no groups: there only the process itself is reached.
    Deno.kill(onWindows() ? pid : -pid, signal as Deno.Signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Where a program is found: as named if the name has a slash, else in the directories of `path`.
 * Undefined if it is nowhere or may not be executed.
 * @throws {Deno.errors.NotCapable} Deno may not look there
 */
export async function findProgram(
  program: string,
  options: { path: string; cwd: string },
): Promise<string | undefined> {
  const bare = !/[\\/]/.test(program);
  const separator = onWindows() ? ";" : ":";
  const places = bare
    ? options.path.split(separator).map((place) => join(resolve(options.cwd, place), program))
    : [isAbsolute(program) ? program : resolve(options.cwd, program)];
  const endings = onWindows() ? ["", ".exe", ".cmd", ".bat"] : [""];
  for (const place of places) {
    for (const ending of endings) {
      const info = await Deno.stat(place + ending).catch((error) => {
        if (error instanceof Deno.errors.NotCapable) throw error;
      });
      if (info?.isFile && (info.mode === null || (info.mode & 0o111) !== 0)) return place + ending;
    }
  }
  return undefined;
}

function onWindows(): boolean {
  return Deno.build.os === "windows";
}

/**
 * One pipe for both streams is the only way to keep their order, so a shell that is replaced at once
 * by the program joins them; the program's own arguments stay untouched. Windows has no such shell.
 */
function spawn(argv: readonly [string, ...string[]], options: ProcessOptions): Child {
  const merge = options.stderr !== "drop";
  const join = merge && !onWindows();
  const [program, ...args] = join
    ? ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", ...argv] as const
    : argv;
  const stderr = merge && !join;
  const command = new Deno.Command(program, {
    args,
    cwd: options.cwd,
    env: { ...options.env },
    clearEnv: true,
    stdin: options.input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: stderr ? "piped" : "null",
    detached: true,
    windowsRawArguments: program === "cmd",
  });
  const child = command.spawn();
  if (options.input !== undefined) feed(child, options.input);
  return new Child(child, { stderr });
}

/** Writes the input beside everything else; a program that ends without reading all of it may do so. */
function feed(child: Deno.ChildProcess, text: string): void {
  new Blob([text]).stream().pipeTo(child.stdin).catch(() => {});
}

/** Resolves when the time is up or the signal is aborted, whichever comes first. */
function watchForStop(
  options: ProcessOptions,
): { stopped: Promise<"timeout" | "interrupted">; dispose(): void } {
  const { promise, resolve } = Promise.withResolvers<"timeout" | "interrupted">();
  const onAbort = () => resolve("interrupted");
  options.signal.addEventListener("abort", onAbort, { once: true });
  const timer = options.timeoutMs === undefined
    ? undefined
    : setTimeout(() => resolve("timeout"), options.timeoutMs);
  return {
    stopped: promise,
    dispose() {
      clearTimeout(timer);
      options.signal.removeEventListener("abort", onAbort);
    },
  };
}

/** A running child, the group it leads and the output they still hold open. */
class Child {
  readonly #child: Deno.ChildProcess;
  readonly #readers: ReadableStreamBYOBReader[];
  #drained: Promise<unknown> = Promise.resolve();
  #open = true;
  #failure: { error: unknown } | undefined;
  readonly #failed = Promise.withResolvers<undefined>();
  /** Known once it has exited. */
  code: number | undefined;
  readonly exited: Promise<undefined>;

  constructor(child: Deno.ChildProcess, options: { stderr: boolean }) {
    this.#child = child;
    const streams = options.stderr ? [child.stdout, child.stderr] : [child.stdout];
    this.#readers = streams.map((stream) => stream.getReader({ mode: "byob" }));
    this.exited = child.status.then((status) => {
      this.code = status.code;
      return undefined;
    });
  }

  /** Resolves when the receiver of the output threw. */
  get failed(): Promise<undefined> {
    return this.#failed.promise;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /**
   * Hands over all output from now on, each piece for the moment of the call only; what `onBytes`
   * throws is thrown again by `settle`.
   */
  read(onBytes: (bytes: Uint8Array<ArrayBuffer>, decoder: TextDecoder) => void): void {
    const drain = async (reader: ReadableStreamBYOBReader) => {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      // One buffer goes back and forth, so that a flood leaves no garbage behind.
      let buffer = new Uint8Array(BUFFER);
      try {
        for (;;) {
          const { value, done } = await reader.read(buffer);
          if (done || value === undefined) break;
          onBytes(value, decoder);
          buffer = new Uint8Array(value.buffer);
        }
        onBytes(new Uint8Array(), decoder);
      } catch (error) {
        this.#failure = { error };
        this.#failed.resolve(undefined);
        await reader.cancel();
      }
    };
    this.#drained = Promise.all(this.#readers.map(drain)).then(() => this.#open = false);
  }

  /**
   * Sees to it that the group ends: by itself within a short grace if the child has exited, else by
   * SIGTERM and at most two seconds later SIGKILL. Output held outside the group is given up.
   */
  async settle(): Promise<void> {
    const exited = () => this.code !== undefined;
    const over = () => exited() && !killGroup(this.pid, 0);
    const drained = this.#drained;
    if (exited()) await until(() => over() && !this.#open, { ms: DRAIN_GRACE, wake: drained });
    if (!over()) {
      killGroup(this.pid, "SIGTERM");
      await until(() => over() || (exited() && !this.#open), {
        ms: TERM_GRACE,
        wake: this.exited,
      });
      await until(over, { ms: ORPHAN_GRACE, wake: this.exited });
    }
    if (!over()) {
      killGroup(this.pid, "SIGKILL");
      await until(over, { ms: DRAIN_GRACE, wake: this.exited });
    }
    await until(() => !this.#open, { ms: DRAIN_GRACE, wake: drained });
    if (this.#open) { for (const reader of this.#readers) await reader.cancel(); }
    await drained;
    if (this.#failure) throw this.#failure.error;
  }
}

/** Waits until a condition holds, for at most `ms`; looks every few milliseconds and on `wake`. */
async function until(
  holds: () => boolean,
  options: { ms: number; wake: Promise<unknown> },
): Promise<void> {
  const end = performance.now() + options.ms;
  let woken: Promise<unknown> | undefined = options.wake;
  const clear = () => woken = undefined;
  while (!holds() && performance.now() < end) {
    const pause = Promise.withResolvers<void>();
    const timer = setTimeout(pause.resolve, POLL);
    await Promise.race(woken ? [pause.promise, woken.then(clear)] : [pause.promise]);
    clearTimeout(timer);
  }
}

/** What is kept of the output: an excerpt, and the whole in a file if asked and needed. */
class Capture {
  readonly #excerpt: Excerpt;
  readonly #onOutput: ((chunk: string) => void) | undefined;
  readonly #log: Log | undefined;

  constructor(options: ProcessOptions) {
    this.#excerpt = new Excerpt(options.maxOutput ?? 30_000);
    this.#onOutput = options.onOutput;
    this.#log = options.logPath === undefined ? undefined : new Log(options.logPath);
  }

  /** No bytes at all end a stream. */
  add(bytes: Uint8Array<ArrayBuffer>, decoder: TextDecoder): void {
    const text = decoder.decode(bytes, { stream: bytes.length > 0 });
    this.#excerpt.add(text);
    this.#log?.add(bytes, this.#excerpt.cut);
    if (text !== "") this.#onOutput?.(text);
  }

  result(): Pick<ProcessResult, "output" | "truncated" | "logPath"> {
    const log = this.#excerpt.cut ? this.#log : undefined;
    return {
      output: this.#excerpt.text(log?.note),
      truncated: this.#excerpt.cut,
      ...(log?.kept && { logPath: log.path }),
    };
  }

  close(): void {
    this.#log?.close();
  }
}

/** The whole output: held while it is short, from then on written to a file byte by byte. */
class Log {
  readonly path: string;
  #held: Uint8Array<ArrayBuffer>[] = [];
  #file: Deno.FsFile | undefined;
  #size = 0;
  #problem: string | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Whether the file is there and worth naming. */
  get kept(): boolean {
    return this.#problem === undefined;
  }

  /** Where the whole is, or why it is not. */
  get note(): string {
    if (this.#problem !== undefined) return `the whole could not be kept: ${this.#problem}`;
    const what = this.#size >= MAX_LOG ? `the first ${formatBytes(MAX_LOG)}` : "the whole output";
    return `${what} is in ${this.path}`;
  }

  /** Takes a chunk; `long` says that the output has become too long to be held. */
  add(bytes: Uint8Array<ArrayBuffer>, long: boolean): void {
    if (this.#problem !== undefined || this.#size >= MAX_LOG) return;
    if (!long) {
      this.#held.push(bytes.slice());
      return;
    }
    try {
      this.#file ??= this.#open();
      for (const chunk of [...this.#held, bytes]) this.#write(this.#file, chunk);
      this.#held = [];
    } catch (error) {
      this.#problem = messageOf(error);
      this.#held = [];
      this.#discard();
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #open(): Deno.FsFile {
    Deno.mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    return Deno.openSync(this.path, { write: true, createNew: true, mode: 0o600 });
  }

  #write(file: Deno.FsFile, bytes: Uint8Array<ArrayBuffer>): void {
    let rest = bytes.subarray(0, MAX_LOG - this.#size);
    this.#size += rest.length;
    while (rest.length > 0) rest = rest.subarray(file.writeSync(rest));
  }

  /** Half a log misleads and takes room on a full disk. */
  #discard(): void {
    if (this.#file === undefined) return;
    this.close();
    Deno.removeSync(this.path);
  }
}
