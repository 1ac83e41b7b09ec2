/**
 * Commands that run in the background: each runs until it ends, is stopped, or ally ends. Its output is held in
 * bounded memory until somebody looks.
 */
import { ToolError } from "../core/errors.ts";
import type { TaskOutput, Tasks, TaskState } from "../core/shell.ts";
import { cutSafely, Excerpt } from "../lib/excerpt.ts";
import type { ProcessResult, RunningProcess } from "../lib/process.ts";

/** Characters that one look returns at most; beyond that the middle is cut. */
const LOOK_LENGTH = 30_000;
/** Characters of a command that name a task in a list. */
const COMMAND_LENGTH = 80;

/** A running command that goes into the background. */
interface AdoptedProcess {
  readonly process: RunningProcess;
  /** Settles when nothing is done any more for the process, which has ended then. */
  readonly settled: () => Promise<unknown>;
  readonly command: string;
  /** Time by `performance.now()`. */
  readonly started: number;
}

/** How much of an output that goes on can be told. */
type SettledEnd = (text: string) => number;

/** All background tasks of a session, ended ones too. */
export class BackgroundTasks implements Tasks {
  readonly #settledEnd: SettledEnd;
  readonly #tasks = new Map<string, Task>();
  readonly #watchers = new Set<() => void>();

  constructor({ settledEnd }: { settledEnd?: SettledEnd | undefined } = {}) {
    this.#settledEnd = settledEnd ?? ((text) => text.length);
  }

  /** Takes over a running command; its output from now on goes to the task's `add`. */
  adopt(adopted: AdoptedProcess): Task {
    const id = `task_${this.#tasks.size + 1}`;
    const task = new Task(id, { ...adopted, settledEnd: this.#settledEnd });
    this.#tasks.set(id, task);
    void task.end.then(() => this.#watchers.forEach((callback) => callback()));
    return task;
  }

  async readOutput(
    id: string,
    options: { wait?: number; signal: AbortSignal },
  ): Promise<TaskOutput> {
    const task = this.#find(id);
    await task.waitForEnd({ ms: (options.wait ?? 0) * 1000, signal: options.signal });
    return task.look();
  }

  async stop(id: string): Promise<TaskOutput> {
    const task = this.#find(id);
    await task.stop();
    return task.look();
  }

  running(): TaskState[] {
    return [...this.#tasks.values()].filter((task) => task.isRunning).map((task) => task.state);
  }

  takeEnded(): TaskState[] {
    return [...this.#tasks.values()].filter((task) => task.takeEndNotice()).map((task) =>
      task.state
    );
  }

  async ended(id: string): Promise<void> {
    await this.#find(id).waitUntilSettled();
  }

  onEnd(callback: () => void): () => void {
    this.#watchers.add(callback);
    return () => this.#watchers.delete(callback);
  }

  /** Stops all that run and waits until they are gone. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#tasks.values()].map((task) => task.stop()));
  }

  #find(id: string): Task {
    const task = this.#tasks.get(id);
    if (task) return task;
    const known = [...this.#tasks.values()]
      .map(({ id, state }) => `${id} (${state.code === undefined ? state.command : "ended"})`);
    throw new ToolError(`There is no background task '${id}'.`, {
      kind: "user",
      suggestion: known.length > 0
        ? `There is ${known.join(", ")}.`
        : "Nothing runs in the background. Start a command there with run_in_background.",
    });
  }
}

/** One command in the background. */
class Task {
  readonly id: string;
  readonly #adopted: AdoptedProcess & { readonly settledEnd: SettledEnd };
  #unseen = new Excerpt(LOOK_LENGTH);
  #result: ProcessResult | undefined;
  #stopped = false;
  /** Whether there was something to tell at the last look, and all of it was held back. */
  #heldAll = false;
  /** Whether its end is known to whoever looks at tasks. */
  #endReported = false;
  /** Fulfilled when it has ended. */
  readonly end: Promise<void>;

  constructor(id: string, adopted: AdoptedProcess & { readonly settledEnd: SettledEnd }) {
    this.id = id;
    this.#adopted = adopted;
    const { process, started } = adopted;
    this.end = process.finished.catch((): ProcessResult => ({
      // Its output could no longer be read, so it was ended.
      code: 1,
      ...process.outputSoFar(),
      durationMs: Math.round(performance.now() - started),
    })).then((result) => void (this.#result = result));
  }

  /** What can be told of the output that it had as it went into the background; the rest is told by a look. */
  begin(output: string): { readonly output: string; readonly heldBack?: true } {
    return this.#tellable(output);
  }

  /** Takes a piece of output. */
  add(chunk: string): void {
    this.#unseen.add(chunk);
  }

  get isRunning(): boolean {
    return this.#result === undefined;
  }

  get state(): TaskState {
    const result = this.#result;
    const { command, started } = this.#adopted;
    const durationMs = result?.durationMs ?? Math.round(performance.now() - started);
    const how = this.#stopped ? "stopped" : result?.ended === "timeout" ? "timeout" : undefined;
    return {
      id: this.id,
      command: cutSafely(command.trim().replace(/\s+/g, " "), COMMAND_LENGTH),
      durationMs,
      ...(result && { code: result.code }),
      ...(result && how && { ended: how }),
    };
  }

  /** What was written since the last look; it is not returned again. */
  look(): TaskOutput {
    const unseen = this.#unseen;
    this.#unseen = new Excerpt(LOOK_LENGTH);
    const { logPath } = this.#adopted.process.outputSoFar();
    if (!this.isRunning) this.#endReported = true;
    return {
      ...this.state,
      ...this.#tellable(unseen.text(logPath && `all output of ${this.id} is in ${logPath}`)),
      truncated: unseen.isCut,
      ...(logPath !== undefined && { logPath }),
    };
  }

  /** Of what goes on the end is held back: a secret that is cut in two is masked in neither half. */
  #tellable(text: string): { readonly output: string; readonly heldBack?: true } {
    if (!this.isRunning) return { output: text };
    const settled = this.#adopted.settledEnd(text);
    // What looks like a dump may go on for ever.
    const end = settled === 0 && this.#heldAll ? text.lastIndexOf("\n") + 1 : settled;
    this.#heldAll = end === 0 && text !== "";
    this.#unseen.add(text.slice(end));
    return { output: text.slice(0, end), ...end < text.length && { heldBack: true } };
  }

  /** True the first time after the task has ended, unless that was seen in a look. */
  takeEndNotice(): boolean {
    if (this.isRunning || this.#endReported) return false;
    return this.#endReported = true;
  }

  /** @throws {ToolError} interrupted: the signal was aborted before the task or the time was over */
  async waitForEnd({ ms, signal }: { ms: number; signal: AbortSignal }): Promise<void> {
    if (ms <= 0 || !this.isRunning) return;
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, ms);
    const onAbort = () =>
      over.reject(
        new ToolError(`Interrupted while waiting; ${this.id} goes on.`, { kind: "interrupted" }),
      );
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      if (signal.aborted) onAbort();
      await Promise.race([over.promise, this.end]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Waits for its end, and what is done after that. */
  async waitUntilSettled(): Promise<void> {
    await this.end;
    await this.#adopted.settled().catch(() => {});
  }

  /** Ends it if it runs: SIGTERM, two seconds later SIGKILL. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.#stopped = true;
    this.#adopted.process.stop();
    await this.end;
  }
}
