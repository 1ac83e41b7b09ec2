/**
 * One program that is started before anybody knows what it is to do: it waits for that at its standard input, and ends
 * where that ends without a word. So whoever needs it does not wait for its start.
 */
import { type GroupOptions, killGroup, spawnGroup } from "./process_group.ts";

type Argv = readonly [program: string, ...args: string[]];

/**
 * A text that is another one once a program that begins would see other things; undefined while that cannot be told, and
 * none is to be started ahead.
 */
export type Stamp = () => string | undefined;

/** How the program is started; where does not matter to it. */
interface StandbyOptions extends GroupOptions {
  readonly cwd: string;
  readonly stdin: "piped";
  /** @default it sees the same whenever it begins */
  readonly stamp?: Stamp;
}

/** Starts a program that reads its standard input before anything else. */
export type Spawn = (argv: Argv, options: StandbyOptions) => Deno.ChildProcess;

/** Milliseconds after which another one is started: until then it would take from what the first one needs to begin. */
const DELAY_MS = 20;

/** What is to wait. */
interface Kind {
  readonly argv: Argv;
  readonly options: Omit<StandbyOptions, "cwd" | "stamp">;
  readonly stamp: Stamp;
  /** Equal if it is the same program, in the same environment, with the same streams. */
  readonly key: string;
}

/** A program that waits. */
interface Waiting {
  readonly kind: Kind;
  readonly child: Deno.ChildProcess;
  /** The stamp as it began. */
  readonly stamped: string;
  hasEnded: boolean;
}

/** Keeps one program ready, of the kind that was needed last. */
export class Standby {
  #waiting: Waiting | undefined;
  /** What was needed since it was last renewed. */
  #needed: Kind | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /**
   * The program that waits if it is one of this kind, or else one that is started now. A moment later another one is
   * started for the next time.
   * @throws as `spawnGroup`
   */
  readonly spawn: Spawn = (argv, options) => {
    if (!Deno.statSync(options.cwd).isDirectory) throw new Deno.errors.NotADirectory(options.cwd);
    const kind = kindOf(argv, options);
    const child = this.#take(kind) ?? start(kind);
    this.#need(kind);
    return child;
  };

  /** Starts a program for the next time, a moment later, though none is needed now. */
  prepare(argv: Argv, options: StandbyOptions): void {
    this.#need(kindOf(argv, options));
  }

  /** Whether a program with this command line waits that sees what the stamp says. */
  isReady(argv: Argv, stamp: Stamp): boolean {
    const { kind, stamped, hasEnded = true } = this.#waiting ?? {};
    return !hasEnded && JSON.stringify(kind?.argv) === JSON.stringify(argv) && stamped === stamp();
  }

  /** Ends the one that waits, or is to be started in a moment. */
  discard(): void {
    clearTimeout(this.#timer);
    this.#discard();
  }

  /** After `discard` starts another one, a moment later; but once only, until one is needed again. */
  renew(): void {
    if (this.#needed) this.#prepareSoon(this.#needed);
    this.#needed = undefined;
  }

  /** Ends the one that waits, and starts no other. */
  close(): void {
    this.#isClosed = true;
    this.discard();
  }

  #take({ key, stamp }: Kind): Deno.ChildProcess | undefined {
    const waiting = this.#waiting;
    if (waiting === undefined || !isLike(waiting, key, stamp)) return undefined;
    this.#waiting = undefined;
    waiting.child.ref();
    return waiting.child;
  }

  #need(kind: Kind): void {
    this.#needed = kind;
    this.#prepareSoon(kind);
  }

  #prepareSoon(kind: Kind): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#prepare(kind), DELAY_MS);
    Deno.unrefTimer(this.#timer);
  }

  #prepare(kind: Kind): void {
    if (this.#isClosed || (this.#waiting && isLike(this.#waiting, kind.key, kind.stamp))) return;
    this.#discard();
    // Before it begins, so that a change in between shows.
    const stamped = kind.stamp();
    if (stamped === undefined) return;
    try {
      const waiting = { kind, child: start(kind), stamped, hasEnded: false };
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
    const { child, kind: { options }, hasEnded } = this.#waiting;
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

function kindOf(argv: Argv, { cwd: _, stamp = () => "", ...options }: StandbyOptions): Kind {
  return { argv, options, stamp, key: JSON.stringify([argv, options]) };
}

function isLike({ kind, stamped, hasEnded }: Waiting, key: string, stamp: Stamp): boolean {
  return !hasEnded && kind.key === key && stamped === stamp();
}

function start({ argv, options }: Kind): Deno.ChildProcess {
  return spawnGroup(argv, { ...options, cwd: "/" });
}
