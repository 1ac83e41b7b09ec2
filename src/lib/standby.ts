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

/**
 * What a program sees as it begins, as a text that is another one once that has changed: one that began with other things
 * is not taken. Undefined while that cannot be said.
 */
export type Stamp = () => string | undefined;

/** Of programs that see the same whenever they begin. */
const ALWAYS: Stamp = () => "";

/** Milliseconds after which another one is started: until then it would take from what the first one needs to begin. */
const DELAY_MS = 20;

/** A program that waits. */
interface Waiting {
  readonly child: Deno.ChildProcess;
  /** What it is, in which environment, with which streams. */
  readonly key: string;
  readonly argv: Argv;
  /** What it saw as it began. */
  readonly seen: string;
  readonly options: StartOptions;
  hasEnded: boolean;
}

/** What is to wait. */
interface Kind {
  readonly key: string;
  readonly argv: Argv;
  readonly options: StartOptions;
  readonly stamp: Stamp;
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
  spawn(argv: Argv, { cwd, ...options }: StandbyOptions, stamp = ALWAYS): Deno.ChildProcess {
    if (!Deno.statSync(cwd).isDirectory) throw new Deno.errors.NotADirectory(cwd);
    const kind = { key: keyOf(argv, options), argv, options, stamp };
    const child = this.#take(kind) ?? start(argv, options);
    this.#prepareSoon(kind);
    return child;
  }

  /** In a moment starts what is to wait, as `spawn` does, with a command line that others may be needed with. */
  prepare(argv: Argv, { cwd: _, ...options }: StandbyOptions, stamp = ALWAYS): void {
    this.#prepareSoon({ key: keyOf(argv, options), argv, options, stamp });
  }

  /** Whether a program with this command line waits. */
  isReady(argv: Argv): boolean {
    const waiting = this.#waiting;
    return waiting !== undefined && !waiting.hasEnded && isSameArgv(waiting.argv, argv);
  }

  /** Ends the one that waits. */
  discard(): void {
    clearTimeout(this.#timer);
    this.#discard();
  }

  /** Ends the one that waits, and starts no other. */
  close(): void {
    this.#isClosed = true;
    this.discard();
  }

  #take({ key, stamp }: Kind): Deno.ChildProcess | undefined {
    const waiting = this.#waiting;
    if (waiting === undefined || !isLike(waiting, { key, seen: stamp() })) return undefined;
    this.#waiting = undefined;
    waiting.child.ref();
    return waiting.child;
  }

  #prepareSoon(kind: Kind): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#prepare(kind), DELAY_MS);
    Deno.unrefTimer(this.#timer);
  }

  #prepare({ key, argv, options, stamp }: Kind): void {
    if (this.#isClosed) return;
    // Before it begins, so that a change in between shows.
    const seen = stamp();
    if (this.#waiting && isLike(this.#waiting, { key, seen })) return;
    this.#discard();
    if (seen === undefined) return;
    try {
      const waiting = { child: start(argv, options), key, argv, seen, options, hasEnded: false };
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

function keyOf(argv: Argv, options: StartOptions): string {
  return JSON.stringify([argv, options]);
}

function isSameArgv(one: Argv, other: Argv): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}

function isLike(
  waiting: Waiting,
  { key, seen }: { readonly key: string; readonly seen: string | undefined },
): boolean {
  return !waiting.hasEnded && waiting.key === key && waiting.seen === seen;
}

function start(argv: Argv, options: StartOptions): Deno.ChildProcess {
  return spawnGroup(argv, { ...options, cwd: "/" });
}
