/**
 * A real terminal for tests: a program in a tmux session of its own, typed into and read from outside.
 */
import { setTimeout as delay } from "node:timers/promises";

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
const POLL_MS = 25;

/** One program in one terminal. */
export class TmuxSession {
  readonly #socket: string;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /**
   * Starts a shell command; `env` (without quotes in it) is added to the environment, from which the
   * machine's own wish for no colours is taken.
   */
  static async start(
    command: string,
    options: { columns: number; rows: number; env?: Record<string, string> },
  ): Promise<TmuxSession> {
    const session = new TmuxSession(`ally-test-${crypto.randomUUID()}`);
    const exports = Object.entries(options.env ?? {})
      .map(([name, value]) => `export ${name}='${value}'; `).join("");
    const size = ["-x", String(options.columns), "-y", String(options.rows)];
    await session.#tmux(
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      ...size,
      `unset NO_COLOR; ${exports}${command}`,
    );
    return session;
  }

  /** Types keys by tmux's names: "C-c", "Enter", "Up"; other text as it is. */
  async keys(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  /** Pastes text as the terminal's paste does, in bracketed paste mode if the program asked for it. */
  async paste(text: string): Promise<void> {
    await this.#tmux("set-buffer", text);
    await this.#tmux("paste-buffer", "-p");
  }

  /** The same with what `fill` writes to a file, however large. */
  async pasteFile(fill: (path: string) => Promise<void>): Promise<void> {
    const path = await Deno.makeTempFile({ prefix: "ally-paste-" });
    await fill(path);
    await this.#tmux("load-buffer", path);
    await Deno.remove(path);
    await this.#tmux("paste-buffer", "-p");
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** Writes every byte that the program sends to the terminal from now on to a file. */
  async record(path: string): Promise<void> {
    await this.#tmux("pipe-pane", "-O", `exec cat >> '${path}'`);
  }

  /** The screen with what has scrolled out of it. */
  async screen(): Promise<string> {
    const text = await this.#tmux("capture-pane", "-p", "-S", "-");
    return text.replace(/[ \t]+$/gm, "").trimEnd();
  }

  /** Waits until the screen matches, and returns it. */
  async shows(pattern: RegExp | string): Promise<string> {
    const deadline = Date.now() + DEADLINE_MS;
    for (;;) {
      const screen = await this.screen();
      if (typeof pattern === "string" ? screen.includes(pattern) : pattern.test(screen)) {
        return screen;
      }
      if (Date.now() > deadline) throw new Error(`The screen never showed ${pattern}:\n${screen}`);
      await delay(POLL_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux("kill-server");
  }

  async #tmux(...args: string[]): Promise<string> {
    const { success, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-L", this.#socket, ...args],
    }).output();
    if (!success) throw new Error(`tmux ${args[0]}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  }
}
