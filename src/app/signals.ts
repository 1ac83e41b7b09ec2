/**
 * Signals from outside: the first asks the run to stop and save; a second one within two seconds ends the program
 * after a short time for what is being saved.
 */

import type { Io } from "./io.ts";

const FORCE_WINDOW_MS = 2000;

/** Milliseconds left for saving before the program is ended by force. */
export const SAVE_GRACE_MS = 500;

/** Exit codes by signal: 128 and its number. */
const SIGNALS: readonly [name: Deno.Signal, code: number][] = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
];

/** Signals that are watched for, until it is disposed of. */
interface SignalWatch extends Disposable {
  /** Set once a signal came. */
  readonly exitCode: number | undefined;
}

/** What signals do. */
interface SignalOptions {
  /** Called with each signal's exit code. */
  readonly onSignal: (exitCode: number) => void;
  /** Called just before the process is ended by force. */
  readonly onForced: () => void;
  /** Whether a SIGINT is meant for another program: a terminal sends it to all that share it. */
  readonly isLent?: () => boolean;
}

/** Watches for signals until disposed of. */
export function watchSignals(
  io: Pick<Io, "onSignal" | "exit">,
  { onSignal, onForced, isLent }: SignalOptions,
): SignalWatch {
  let exitCode: number | undefined;
  let last = -Infinity;
  let forced: ReturnType<typeof setTimeout> | undefined;
  const releases = SIGNALS.map(([name, code]) =>
    io.onSignal(name, () => {
      if (name === "SIGINT" && isLent?.()) return;
      const now = performance.now();
      if (exitCode !== undefined && now - last <= FORCE_WINDOW_MS) {
        forced ??= setTimeout(() => {
          onForced();
          io.exit(code);
        }, SAVE_GRACE_MS);
      }
      exitCode = code;
      last = now;
      onSignal(code);
    })
  );
  return {
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]() {
      clearTimeout(forced);
      for (const release of releases) release();
    },
  };
}
