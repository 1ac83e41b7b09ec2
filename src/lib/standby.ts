/**
 * One program that is started before anybody knows what it is to do: it waits for that at its standard input, and ends
 * where that ends without a word. So whoever needs it does not wait for its start.
 */
import { type GroupOptions, killGroup, spawnGroup } from "./process_group.ts";

type Argv = readonly [program: string, ...args: string[]];

/** How the program is started; where does not matter to it. */
interface StandbyOptions extends GroupOptions {
  readonly cwd: string;
  readonly stdin: "piped";
}

type StartOptions = Omit<StandbyOptions, "cwd">;

/** Milliseconds after which another one is started: until then it would take from what the first one needs to begin. */
const DELAY_MS = 20;

/** A program that waits. */
interface Waiting {
  readonly child: Deno.ChildProcess;
  /** What it is, in which environment, with which streams. */
  readonly key: string;
  readonly options: StartOptions;
  hasEnded: boolean;
}

/** Keeps one program ready, of the kind that was needed last. */
export class Standby {
  #waiting: Waiting | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /**
   * The program that waits if it is one of this kind, or else one that is started now. A moment later another one is
   * started for the next time.
   * @throws as `spawnGroup`
   */
  spawn(argv: Argv, { cwd, ...options }: StandbyOptions): Deno.ChildProcess {
    if (!Deno.statSync(cwd).isDirectory) throw new Deno.errors.NotADirectory(cwd);
    const key = JSON.stringify([argv, options]);
    const child = this.#take(key) ?? start(argv, options);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#prepare(key, { argv, options }), DELAY_MS);
    Deno.unrefTimer(this.#timer);
    return child;
  }

  /** Ends the one that waits, and starts no other. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#discard();
  }

  #take(key: string): Deno.ChildProcess | undefined {
    const waiting = this.#waiting;
    if (waiting === undefined || waiting.key !== key || waiting.hasEnded) return undefined;
    this.#waiting = undefined;
    waiting.child.ref();
    return waiting.child;
  }

  #prepare(key: string, { argv, options }: { argv: Argv; options: StartOptions }): void {
    if (this.#isClosed || (this.#waiting?.key === key && !this.#waiting.hasEnded)) return;
    this.#discard();
    try {
      const waiting = { child: start(argv, options), key, options, hasEnded: false };
      // It is no reason for ally to stay.
      waiting.child.unref();
      void waiting.child.status.then(() => waiting.hasEnded = true);
      this.#waiting = waiting;
    } catch {
      // Whoever needs one is told why there is none.
    }
  }

  #discard(): void {
    if (this.#waiting === undefined) return;
    const { child, options, hasEnded } = this.#waiting;
    this.#waiting = undefined;
    if (!hasEnded) killGroup(child.pid, "SIGKILL");
    const closing = [
      child.stdin.abort(),
      ...(options.stdout === "piped" ? [child.stdout.cancel()] : []),
      ...(options.stderr === "piped" ? [child.stderr.cancel()] : []),
    ];
    for (const stream of closing) stream.catch(() => {});
  }
}

function start(argv: Argv, options: StartOptions): Deno.ChildProcess {
  return spawnGroup(argv, { ...options, cwd: "/" });
}
