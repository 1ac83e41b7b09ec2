/**
 * Every control sequence that ally writes to a terminal, by name, and the terminals by what they take. Styles are the
 * theme's.
 */

/** A mode of the terminal: what turns it on, and off again. */
interface Mode {
  readonly on: string;
  readonly off: string;
}

/** Modes that every terminal takes, or ignores. */
export const MODES = {
  cursor: { on: "\x1b[?25h", off: "\x1b[?25l" },
  /** The terminal marks what is pasted. */
  paste: { on: "\x1b[?2004h", off: "\x1b[?2004l" },
  /** The terminal shows nothing of what is written until the mode ends. */
  synchronized: { on: "\x1b[?2026h", off: "\x1b[?2026l" },
} as const satisfies Record<string, Mode>;

/** Ends every style. */
export const RESET_STYLE = "\x1b[0m";
/** Erases from the cursor to the end of its row. */
export const ERASE_LINE = "\x1b[K";
/** Erases from the cursor to the end of the screen. */
export const ERASE_BELOW = "\x1b[J";

/** Moves the cursor by some cells, at least one, within the screen. */
export function moveCursor(where: "up" | "down" | "right", cells: number): string {
  return `\x1b[${cells}${DIRECTIONS[where]}`;
}

const DIRECTIONS = { up: "A", down: "B", right: "C" } as const;
