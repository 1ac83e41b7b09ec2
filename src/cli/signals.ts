/**
 * Signals from outside: the first asks what runs to stop, so that everything is saved; the second within
 * two seconds ends the program at once.
 */

const PATIENCE_MS = 2000;

/** Exit codes by signal: 128 and its number. */
const SIGNALS: readonly [name: Deno.Signal, code: number][] = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
];

export interface SignalWatch extends Disposable {
  /** Set once a signal came. */
  readonly exitCode: number | undefined;
}

/** Watches for signals until disposed of. */
export function onSignals(
  options: { onFirst: (exitCode: number) => void; onForced: () => void },
): SignalWatch {
  let exitCode: number | undefined;
  let last = -Infinity;
  const listeners = SIGNALS.map(([name, code]) => {
    const listener = () => {
      const now = performance.now();
      if (exitCode !== undefined && now - last <= PATIENCE_MS) {
        options.onForced();
        Deno.exit(code);
      }
      exitCode = code;
      last = now;
      options.onFirst(code);
    };
    try {
      Deno.addSignalListener(name, listener);
    } catch {
      // Windows knows only SIGINT.
    }
    return { name, listener };
  });
  return {
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]() {
      for (const { name, listener } of listeners) {
        try {
          Deno.removeSignalListener(name, listener);
        } catch {
          // It was never added.
        }
      }
    },
  };
}
