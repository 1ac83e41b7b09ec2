/**
 * ally as a person starts it: in a terminal in memory, or as a program of its own in a real one.
 */
import { quoteWord } from "../../src/lib/text.ts";
import { MemorySession } from "./memory_session.ts";
import { allyCommand, type Place } from "./program.ts";
import type { TerminalSession } from "./terminal_session.ts";
import { TmuxSession } from "./tmux.ts";

export interface TerminalOptions {
  /** Words of the command line. */
  readonly args?: readonly string[];
  /** @default 80 */
  readonly columns?: number;
  /** @default 40 */
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The screen once all that a start has to say is over the prompt. */
export const STARTED = /sandbox: (?!being\s+tried)[^]*›/;

const SIZE = { columns: 80, rows: 40 };

/** Starts ally in a place, in this process; when it ends, the screen says "left" and its exit code. */
export function startInTerminal(
  place: Place,
  { args = [], env = {}, ...size }: TerminalOptions = {},
): TerminalSession {
  const given = {
    ...place.env,
    TERM: "xterm",
    TMPDIR: place.dir,
    LANG: "C.UTF-8",
    ...env,
  };
  return new MemorySession({ args, cwd: place.dir, env: given, ...SIZE, ...size });
}

/** The same in a process and a terminal of its own; `program` is ally with every permission. */
export function startInTmux(
  place: Place,
  { args = [], env = {}, program = allyCommand(), ...size }: TerminalOptions & {
    readonly program?: readonly string[];
  } = {},
): Promise<TmuxSession> {
  const ally = [...program, ...args].map(quoteWord).join(" ");
  return TmuxSession.start(`cd ${quoteWord(place.dir)}; ${ally}; echo "left $?"; exec cat`, {
    ...SIZE,
    ...size,
    env: { ...place.env, TMPDIR: place.dir, LANG: "C.UTF-8", ...env },
  });
}
