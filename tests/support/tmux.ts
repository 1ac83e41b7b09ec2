/**
 * A real terminal for tests: a program in a tmux session of its own, typed into and read from outside. What it
 * writes also goes to a file; a test that waits watches the file, and captures the screen only after a change.
 */
import { join } from "node:path";
import { denoDir } from "./deno_dir.ts";
import { until } from "./wait.ts";

/** Whether tmux is here; tests that need it are skipped otherwise. */
export function hasTmux(): boolean {
  try {
    return new Deno.Command("tmux", { args: ["-V"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

const DEADLINE_MS = 20_000;
/** A screen changes without output too, as when it is resized. */
const LOOK_AGAIN_MS = 500;
/** What is written in several pieces is looked at once. */
const SETTLE_MS = 10;

/** A text that the screen contains, a pattern that it matches, or any other condition. */
export type ScreenTest = string | RegExp | ((screen: string) => boolean);

/** One program in one terminal. */
export class TmuxSession {
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
   * Starts a shell command. `env` (without quotes in it) is added to the environment, from which NO_COLOR is
   * removed. Without a HOME in `env` the home is a directory that is removed with the session.
   */
  static async start(
    command: string,
    options: { columns: number; rows: number; env?: Record<string, string> },
  ): Promise<TmuxSession> {
    const dir = await Deno.makeTempDir({ prefix: "ally-tmux-" });
    const session = new TmuxSession(dir);
    const exports = Object.entries({ HOME: dir, DENO_DIR: denoDir(), ...options.env })
      .map(([name, value]) => `export ${name}='${value}'; `).join("");
    const size = ["-x", String(options.columns), "-y", String(options.rows)];
    const shell = `unset NO_COLOR; ${exports}${command}`;
    const pipe = ["pipe-pane", "-O", `exec cat >> '${session.#output}'`];
    await session.#tmux("-f", "/dev/null", "new-session", "-d", ...size, shell, ";", ...pipe);
    return session;
  }

  /** Types keys by tmux's names: "C-c", "Enter", "Up"; other text as it is. */
  async keys(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  /** Pastes text as the terminal's paste does, in bracketed paste mode if the program asked for it. */
  async paste(text: string): Promise<void> {
    await this.#tmux("set-buffer", text, ";", "paste-buffer", "-p");
  }

  /** The same with what `fill` writes to a file, however large. */
  async pasteFile(fill: (path: string) => Promise<void>): Promise<void> {
    const path = join(this.#dir, "paste");
    await fill(path);
    await this.#tmux("load-buffer", path, ";", "paste-buffer", "-p");
    await Deno.remove(path);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** Every byte that was sent to the terminal since the start. */
  async output(): Promise<Uint8Array> {
    return await Deno.readFile(this.#output);
  }

  /** The screen with what has scrolled out of it. */
  async screen(): Promise<string> {
    const text = await this.#tmux("capture-pane", "-p", "-S", "-");
    return text.replace(/[ \t]+$/gm, "").trimEnd();
  }

  /** Waits until the screen meets the test, and returns it. @throws {Error} after 20 seconds */
  async shows(test: ScreenTest): Promise<string> {
    const deadline = Date.now() + DEADLINE_MS;
    for (;;) {
      const changed = this.#changed.promise;
      const screen = await this.screen();
      if (meets(screen, test)) return screen;
      if (Date.now() > deadline) throw new Error(`The screen never showed ${test}:\n${screen}`);
      await settled(changed);
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
    }).output();
    if (!success) throw new Error(`tmux ${args[0]}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  }
}

function meets(screen: string, test: ScreenTest): boolean {
  if (typeof test === "function") return test(screen);
  return typeof test === "string" ? screen.includes(test) : test.test(screen);
}

/** Waits for a change, and for what follows it at once. */
async function settled(changed: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
  await Promise.race([changed, pause(LOOK_AGAIN_MS)]);
  clearTimeout(timer);
  await pause(SETTLE_MS);
}
