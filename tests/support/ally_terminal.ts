/**
 * ally as a person starts it: the real program in a real terminal of its own.
 */
import { ALLY, type Place } from "./program.ts";
import { TmuxSession } from "./tmux.ts";

export interface TerminalOptions {
  /** Words of the command line, as a shell reads them. */
  readonly args?: readonly string[];
  /** @default 80 */
  readonly columns?: number;
  /** @default 40 */
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What starts it. @default ally from source with every permission */
  readonly program?: readonly string[];
}

/** Starts ally in a place; when it ends, the screen says "left" and its exit code. */
export function startInTerminal(
  place: Place,
  { args = [], columns = 80, rows = 40, env = {}, program = ALLY }: TerminalOptions = {},
): Promise<TmuxSession> {
  const ally = program.map((part) => `'${part}'`).join(" ");
  const command = `cd '${place.dir}'; ${ally} ${args.join(" ")}; echo "left $?"; exec cat`;
  return TmuxSession.start(command, {
    columns,
    rows,
    env: { ...place.env, TMPDIR: place.dir, LANG: "C.UTF-8", ...env },
  });
}
