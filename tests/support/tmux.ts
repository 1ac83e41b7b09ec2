/**
 * A real terminal for tests: a program in a tmux session of its own, typed into and read from outside. What it
 * writes also goes to a file; a test that waits watches the file, and captures the screen only after a change.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { quoteWord } from "../../src/lib/text.ts";
import { denoDir } from "./deno_dir.ts";
import {
  changedWithin,
  DEADLINE_MS,
  meets,
  type ScreenTest,
  type TerminalSession,
} from "./terminal_session.ts";
import { until } from "./wait.ts";

let isHere: boolean | undefined;

/** Whether tmux is here; tests that need it are skipped otherwise. */
export function hasTmux(): boolean {
  return isHere ??= tryTmux();
}

function tryTmux(): boolean {
  try {
    return new Deno.Command("tmux", { args: ["-V"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

/** A screen changes without output too, as when it is resized. */
const LOOK_AGAIN_MS = 500;
/** What is written in several pieces is looked at once. */
const SETTLE_MS = 10;

/** One program in one terminal. */
export class TmuxSession implements TerminalSession {
  readonly #dir: string;
  readonly #watcher: Deno.FsWatcher;
  #changed = Promise.withResolvers<void>();
  #isGone = false;

  private constructor(dir: string) {
    this.#dir = dir;
    Deno.writeTextFileSync(this.#output, "");
    this.#watcher = Deno.watchFs(this.#output);
    this.#watch();
  }

  /**
   * Starts a shell command. Its environment is `env` and what every program needs: where the tests run, CI or NO_COLOR may be
   * set. Without a HOME in `env` the home is a directory that is removed with the session.
   */
  static async start(
    command: string,
    options: { columns: number; rows: number; env?: Record<string, string> },
  ): Promise<TmuxSession> {
    const dir = await Deno.makeTempDir({ prefix: "ally-tmux-" });
    const session = new TmuxSession(dir);
    const exports = Object.entries({ DENO_DIR: denoDir(), ...options.env })
      .map(([name, value]) => `export ${name}=${quoteWord(value)}; `).join("");
    const size = ["-x", String(options.columns), "-y", String(options.rows)];
    const shell = `${exports}${command}`;
    const pipe = ["pipe-pane", "-O", `exec cat >> ${quoteWord(session.#output)}`];
    await session.#tmux("-f", "/dev/null", "new-session", "-d", ...size, shell, ";", ...pipe);
    return session;
  }

  async keys(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  async paste(text: string): Promise<void> {
    await this.#tmux("set-buffer", text, ";", "paste-buffer", "-p");
  }

  /** Pastes what `fill` writes to a file, however large. */
  async pasteFile(fill: (path: string) => Promise<void>): Promise<void> {
    const path = join(this.#dir, "paste");
    await fill(path);
    await this.#tmux("load-buffer", path, ";", "paste-buffer", "-p");
    await Deno.remove(path);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** Changes the size several times within one command, so that they follow one another as fast as is asked. */
  async resizeMany(
    steps: readonly { columns: number; rows: number; waitMs: number }[],
  ): Promise<void> {
    const commands = steps.flatMap(({ columns, rows, waitMs }) => [
      ...["resize-window", "-x", String(columns), "-y", String(rows), ";"],
      ...["run-shell", `sleep ${waitMs / 1000}`, ";"],
    ]);
    await this.#tmux(...commands.slice(0, -1));
  }

  /** Forgets what has scrolled out of the screen. */
  async clearHistory(): Promise<void> {
    await this.#tmux("clear-history");
  }

  /** The screen with what has scrolled out of it, a line that the terminal has broken in one piece again. */
  async lines(): Promise<string> {
    return await this.#tmux("capture-pane", "-p", "-J", "-S", "-");
  }

  async output(): Promise<Uint8Array> {
    return await Deno.readFile(this.#output);
  }

  async screen(): Promise<string> {
    const text = await this.#tmux("capture-pane", "-p", "-S", "-");
    return text.replace(/[ \t]+$/gm, "").trimEnd();
  }

  /** The rows that are seen now, without trailing blanks. */
  async visible(): Promise<string> {
    const text = await this.#tmux("capture-pane", "-p");
    return text.replace(/[ \t]+$/gm, "").trimEnd();
  }

  /** What the terminal's title says. */
  async title(): Promise<string> {
    return (await this.#tmux("display-message", "-p", "#{pane_title}")).trimEnd();
  }

  async shows(test: ScreenTest): Promise<string> {
    const deadline = Date.now() + DEADLINE_MS;
    for (;;) {
      const changed = this.#changed.promise;
      const screen = await this.screen();
      if (meets(screen, test)) return screen;
      if (Date.now() > deadline) throw new Error(`The screen never showed ${test}:\n${screen}`);
      await changedWithin(changed, LOOK_AGAIN_MS);
      await delay(SETTLE_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#watcher.close();
    await this.#tmux("kill-server");
    // What ran in the terminal may still be writing.
    await until(`the removal of ${this.#dir}`, async () => {
      await Deno.remove(this.#dir, { recursive: true });
      return true;
    });
  }

  get #output(): string {
    return join(this.#dir, "output");
  }

  async #watch(): Promise<void> {
    for await (const _event of this.#watcher) {
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
  }

  async #tmux(...args: string[]): Promise<string> {
    const { success, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-S", join(this.#dir, "socket"), ...args],
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: this.#dir,
        SHELL: "/bin/sh",
        LANG: "C.UTF-8",
      },
    }).output();
    if (!success) throw new Error(`tmux ${args[0]}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  }
}
