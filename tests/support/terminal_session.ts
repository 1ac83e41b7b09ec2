/**
 * A program at a terminal, as a test sees it: keys go in, a screen comes out. `tmux.ts` has a real terminal,
 * `memory_session.ts` one in memory.
 */

/** A text that the screen contains, a pattern that it matches, or any other condition. */
export type ScreenTest = string | RegExp | ((screen: string) => boolean);

/** That the screen contains a text, wherever it was broken into lines: a path before or in it may have any length. */
export function unbroken(text: string): ScreenTest {
  const solid = (from: string) => from.replaceAll(/\s+/g, "");
  return (screen) => solid(screen).includes(solid(text));
}

/** One program at one terminal; it is ended with the session. */
export interface TerminalSession extends AsyncDisposable {
  /** Types keys by tmux's names: "C-c", "Enter", "Up"; other text, and all after "-l", as it is. */
  keys(...keys: string[]): Promise<void>;
  /** Pastes text as the terminal's paste does, in bracketed paste mode if the program asked for it. */
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Every byte that was sent to the terminal since the start. */
  output(): Promise<Uint8Array>;
  /** The screen with what has scrolled out of it. */
  screen(): Promise<string>;
  /** Waits until the screen meets the test, and returns it. @throws {Error} after a minute */
  shows(test: ScreenTest): Promise<string>;
}

/** Milliseconds for which `shows` waits. */
export const DEADLINE_MS = 60_000;

/** Whether a screen meets a test. */
export function meets(screen: string, test: ScreenTest): boolean {
  if (typeof test === "function") return test(screen);
  return typeof test === "string" ? screen.includes(test) : test.test(screen);
}

/** Waits for a change for at most so long; true if there was one. */
export async function changedWithin(changed: Promise<void>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([changed.then(() => true), promise]);
  } finally {
    clearTimeout(timer);
  }
}
