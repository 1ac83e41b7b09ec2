/**
 * ally at a terminal in memory: the whole program in this process, its keyboard and its screen in the test's hands.
 * What needs a terminal of the system (job control, an editor that takes the screen, a reflow of lines) needs tmux.
 */
import { run } from "../../src/cli/run.ts";
import { createMemoryIo, type MemoryIo } from "./memory_io.ts";
import { MemoryTerminal } from "./memory_terminal.ts";
import type { ScreenTest, TerminalSession } from "./terminal_session.ts";

/** What keys send, by tmux's names. */
const KEYS: Readonly<Record<string, string>> = {
  Enter: "\r",
  Escape: "\x1b",
  Tab: "\t",
  BTab: "\x1b[Z",
  Up: "\x1b[A",
  Down: "\x1b[B",
  Right: "\x1b[C",
  Left: "\x1b[D",
};

const PASTE = { begin: "\x1b[200~", end: "\x1b[201~", on: "\x1b[?2004h", off: "\x1b[?2004l" };

/** How a session is started. */
export interface MemorySessionOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly columns: number;
  readonly rows: number;
}

/** One run at one terminal; when it ends, the screen says "left" and its exit code. */
export class MemorySession implements TerminalSession {
  readonly #terminal: MemoryTerminal;
  readonly #io: MemoryIo;
  readonly #finished: Promise<void>;

  constructor({ args, env, cwd, columns, rows }: MemorySessionOptions) {
    this.#terminal = new MemoryTerminal({ columns, rows });
    this.#io = createMemoryIo({ env, cwd, terminal: this.#terminal });
    this.#finished = run(args, this.#io).then((code) => {
      this.#io.end();
      this.#terminal.control(`left ${code}\n`);
    });
  }

  keys(...keys: string[]): Promise<void> {
    const isLiteral = keys[0] === "-l";
    for (const key of isLiteral ? keys.slice(1) : keys) {
      const control = /^C-([a-z])$/.exec(key)?.[1];
      if (isLiteral) this.#io.type(key);
      else if (control === undefined) this.#io.type(KEYS[key] ?? key);
      else if (control === "c" && !this.#terminal.raw) this.#io.signal("SIGINT");
      else this.#io.type(String.fromCharCode(control.charCodeAt(0) - 96));
    }
    return Promise.resolve();
  }

  paste(text: string): Promise<void> {
    const { begin, end, on, off } = PASTE;
    const { output } = this.#terminal;
    const isMarked = output.lastIndexOf(on) > output.lastIndexOf(off);
    const typed = text.replaceAll("\n", "\r");
    this.#io.type(isMarked ? begin + typed + end : typed);
    return Promise.resolve();
  }

  resize(columns: number, rows: number): Promise<void> {
    this.#io.resize(columns, rows);
    return Promise.resolve();
  }

  output(): Promise<Uint8Array> {
    return Promise.resolve(new TextEncoder().encode(this.#terminal.output));
  }

  screen(): Promise<string> {
    return Promise.resolve(this.#terminal.screen);
  }

  async shows(test: ScreenTest): Promise<string> {
    await this.#terminal.shown(test);
    return this.#terminal.screen;
  }

  /** Takes the terminal away from a run that goes on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#io.hangUp();
    await this.#finished;
  }
}
