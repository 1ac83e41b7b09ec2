/**
 * The one place in `ui/` that touches the process's terminal. Input is read by one loop for the whole
 * session and handed to the innermost listener, so that prompts, the line editor and the key watcher
 * take turns without ever pausing standard input. Tests use an in-memory terminal of the same shape.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ColorDepth } from "./theme.ts";

/** Gets what the person types while it is the innermost listener. */
export interface Listener {
  onText(text: string): void;
  /** Standard input has ended; nothing will come any more. */
  onEnd(): void;
}

/** A terminal a person sits at. */
export interface Terminal {
  /** Whether a person can be asked: standard input and output are both terminals. */
  readonly isInteractive: boolean;
  /** Whether the cursor can be moved: false with TERM=dumb. */
  readonly canRedraw: boolean;
  readonly depth: ColorDepth;
  /** Whether the locale shows more than ASCII. */
  readonly unicode: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Writes at once; a terminal that has gone is ignored. */
  write(text: string): void;
  /** Calls back after the size changed; returns how to stop that. */
  onResize(listener: () => void): () => void;
  /**
   * Takes the keyboard until the returned function is called; listeners nest. Meanwhile the terminal is
   * in raw mode, unless it cannot redraw: then lines come whole.
   */
  listen(listener: Listener): () => void;
  /** Gives text back to whoever listens next. */
  unread(text: string): void;
  /** Drops everything typed until now. */
  drain(): Promise<void>;
  /** Leaves the terminal as it was found: cooked, cursor shown, no bracketed paste, no style. */
  restore(): void;
}

/** Shows the cursor, ends bracketed paste and every style. */
export const RESTORE_SEQUENCE = "\x1b[?2004l\x1b[?25h\x1b[0m";

/** Milliseconds in which keys still on their way arrive and are dropped. */
const DRAIN_MS = 20;

/**
 * Milliseconds for which raw mode outlasts its last listener. The next one usually follows at once, and what
 * is typed in between must neither be echoed over the screen nor held back until Enter.
 */
const RAW_LINGER_MS = 100;

/** Characters typed while nobody listens that are kept. */
const PENDING_LIMIT = 65_536;

/** The keyboard's side of a terminal: a stack of listeners over one stream of text. */
export class Keyboard {
  #listeners: Listener[] = [];
  #pending = "";
  #ended = false;
  readonly #setRaw: (raw: boolean) => void;

  constructor(setRaw: (raw: boolean) => void) {
    this.#setRaw = setRaw;
  }

  /** Whether anybody listens. */
  get isListened(): boolean {
    return this.#listeners.length > 0;
  }

  listen(listener: Listener): () => void {
    if (!this.isListened) this.#setRaw(true);
    this.#listeners.push(listener);
    queueMicrotask(() => this.#deliver());
    return () => {
      if (!this.#listeners.includes(listener)) return;
      this.#listeners = this.#listeners.filter((one) => one !== listener);
      if (!this.isListened) this.#setRaw(false);
    };
  }

  receive(text: string): void {
    this.#pending = (this.#pending + text).slice(0, PENDING_LIMIT);
    this.#deliver();
  }

  unread(text: string): void {
    this.#pending = text + this.#pending;
  }

  end(): void {
    this.#ended = true;
    this.#deliver();
  }

  async drain(): Promise<void> {
    const release = this.listen({ onText: () => {}, onEnd: () => {} });
    await delay(DRAIN_MS);
    release();
  }

  #deliver(): void {
    const listener = this.#listeners.at(-1);
    if (listener === undefined) return;
    const text = this.#pending;
    this.#pending = "";
    if (text !== "") listener.onText(text);
    if (this.#ended && this.#listeners.includes(listener)) listener.onEnd();
  }
}

/** How many colours the environment promises; `NO_COLOR` and `TERM=dumb` mean none. */
export function colorDepth(env: (name: string) => string | undefined): ColorDepth {
  const term = env("TERM") ?? "";
  if (env("NO_COLOR") || term === "dumb") return "none";
  if (/^(truecolor|24bit)$/.test(env("COLORTERM") ?? "")) return "truecolor";
  return term.includes("256") ? "256" : "basic";
}

/** Whether the locale is UTF-8; where no locale is set, it is taken to be. */
export function isUnicode(env: (name: string) => string | undefined): boolean {
  const locale = env("LC_ALL") || env("LC_CTYPE") || env("LANG") || "";
  return locale === "" || /utf-?8/i.test(locale);
}

/** A variable of the environment; one that may not be read counts as not set. */
function variable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

class ProcessTerminal implements Terminal {
  readonly isInteractive = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
  readonly canRedraw: boolean;
  readonly depth: ColorDepth;
  readonly unicode: boolean;
  #keyboard = new Keyboard((raw) => this.#keepRaw(raw));
  #cooking: ReturnType<typeof setTimeout> | undefined;
  #reading = false;
  #gone = false;
  #encoder = new TextEncoder();

  constructor(options: { color: boolean }) {
    const env = variable;
    this.canRedraw = this.isInteractive && env("TERM") !== "dumb";
    this.depth = options.color && Deno.stdout.isTerminal() ? colorDepth(env) : "none";
    this.unicode = isUnicode(env);
  }

  get columns(): number {
    return this.#size().columns;
  }

  get rows(): number {
    return this.#size().rows;
  }

  write(text: string): void {
    let bytes = this.#encoder.encode(text);
    while (bytes.length > 0 && !this.#gone) {
      try {
        bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
      } catch (error) {
        // Another program may have made the terminal non-blocking: it is busy then, not gone.
        this.#gone = !(error instanceof Deno.errors.WouldBlock);
      }
    }
  }

  onResize(listener: () => void): () => void {
    if (Deno.build.os === "windows") return () => {};
    Deno.addSignalListener("SIGWINCH", listener);
    return () => Deno.removeSignalListener("SIGWINCH", listener);
  }

  listen(listener: Listener): () => void {
    if (!this.#reading) {
      this.#reading = true;
      this.#read();
      // The shell that had the terminal while ally was stopped has left it cooked.
      if (Deno.build.os !== "windows") {
        Deno.addSignalListener("SIGCONT", () => this.#setRaw(this.#keyboard.isListened));
      }
    }
    return this.#keyboard.listen(listener);
  }

  unread(text: string): void {
    this.#keyboard.unread(text);
  }

  drain(): Promise<void> {
    return this.#keyboard.drain();
  }

  restore(): void {
    clearTimeout(this.#cooking);
    this.#setRaw(false);
    if (this.canRedraw) this.write(RESTORE_SEQUENCE);
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(16_384);
    try {
      for (let n = await Deno.stdin.read(buffer); n !== null;) {
        this.#keyboard.receive(decoder.decode(buffer.subarray(0, n), { stream: true }));
        n = await Deno.stdin.read(buffer);
      }
    } catch {
      // A terminal that hung up reads as one that ended.
    }
    this.#keyboard.end();
  }

  #keepRaw(raw: boolean): void {
    clearTimeout(this.#cooking);
    if (raw) this.#setRaw(true);
    else this.#cooking = setTimeout(() => this.#setRaw(false), RAW_LINGER_MS);
  }

  /** A terminal that cannot move its cursor keeps its own line editing. */
  #setRaw(raw: boolean): void {
    if (!this.canRedraw) return;
    try {
      Deno.stdin.setRaw(raw);
    } catch {
      this.#gone = true;
    }
  }

  #size(): { columns: number; rows: number } {
    try {
      const { columns, rows } = Deno.consoleSize();
      if (columns > 0 && rows > 0) return { columns, rows };
    } catch {
      // Standard output is no terminal, or it has gone.
    }
    return { columns: 80, rows: 24 };
  }
}

/** The terminal of this process; `color` is false after `--no-color`. */
export function openTerminal(options: { color?: boolean } = {}): Terminal {
  return new ProcessTerminal({ color: options.color ?? true });
}
