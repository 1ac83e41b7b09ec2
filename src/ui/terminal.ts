/**
 * The terminal of a run. Input is read by one loop for the whole
 * session and handed to the innermost listener, so that prompts, the line editor and the key watcher
 * take turns without ever pausing standard input. Tests use an in-memory terminal of the same shape.
 */
import type { TypedInput } from "./key_decoder.ts";
import { type Draft, Keyboard, type Listener, type ReportListener } from "./keyboard.ts";
import { cleanOutput } from "./links.ts";
import type { Cursor } from "./row_writer.ts";
import {
  CURSOR_QUERY,
  ERASE_BELOW,
  identifyTerminal,
  MODES,
  parseCursor,
  parseSize,
  RESET_STYLE,
  SIZE_QUERY,
  type TerminalKind,
} from "./sequences.ts";
import { TerminalModes } from "./terminal_modes.ts";
import { TerminalQueries, type TerminalQuery } from "./terminal_query.ts";
import type { ColorDepth } from "./theme.ts";

/** What a terminal needs of the process that it is the terminal of. */
export interface TerminalHost {
  readonly env: { get(name: string): string | undefined };
  readonly stdin: {
    isTerminal(): boolean;
    read(buffer: Uint8Array): Promise<number | null>;
    setRaw(raw: boolean): void;
  };
  readonly stdout: { isTerminal(): boolean; writeSync(bytes: Uint8Array): number };
  /** Cells of the terminal. @throws {Error} there is none */
  windowSize(): { readonly columns: number; readonly rows: number };
  /** Calls back at each signal of that name; returns how to stop that. */
  onSignal(name: Deno.Signal, listener: () => void): () => void;
  /** Stops the process, or it and whatever started it, as Ctrl+Z does, until somebody continues it. */
  suspend(whom: "self" | "group"): void;
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
  readonly kind: TerminalKind;
  /** Marks the links that are let through; absent where the terminal takes none. */
  readonly linkKey?: string;
  readonly columns: number;
  readonly rows: number;
  /**
   * Writes text at once; a terminal that has gone is ignored. Of control sequences only the theme's own
   * styles and links get through, whatever the text was made of.
   */
  write(text: string): void;
  /** Writes what moves the cursor or changes modes; never given anything that is not ally's own. */
  control(sequences: string): void;
  /** How often another program has had the screen: what was drawn before is not where it was. */
  readonly generation: number;
  /**
   * Milliseconds until the size can be trusted; 0 if it has not changed for a while. A terminal that is being dragged,
   * or one within another, lays out its screen anew before it says so.
   */
  readonly settlesInMs: number;
  /** The answer to a question; undefined if the terminal does not give it soon, or nobody listens to it. */
  ask<T>(query: TerminalQuery<T>): Promise<T | undefined>;
  /** Where the cursor is on the screen, likewise; a size that turns out to be another one cannot be trusted yet. */
  askCursor(): Promise<Cursor | undefined>;
  /** Calls back after the size changed; returns how to stop that. */
  onResize(listener: () => void): () => void;
  /**
   * Takes the keyboard until the returned function is called; listeners nest. Meanwhile the terminal is
   * in raw mode, unless it cannot redraw: then lines come whole.
   */
  listen(listener: Listener): () => void;
  /** The line that the innermost listener with one holds. */
  readonly draft: Draft | undefined;
  /** When something was typed last, by `performance.now()`. */
  readonly lastInputAt: number;
  /** Gives input back to whoever listens next. */
  unread(inputs: readonly TypedInput[]): void;
  /**
   * Calls back for what the terminal says by itself, while somebody listens; returns how to stop that. With `focus` the
   * terminal is asked to tell when it is looked at.
   */
  onReport(listener: ReportListener, options?: { focus?: boolean }): () => void;
  /**
   * Reads no further key until `resume` or the end of `handOver`, so that another program can. Call it in `onInput`:
   * afterwards the next key is waited for already.
   */
  pause(): void;
  resume(): void;
  /** Whether another program has the terminal. */
  readonly isLent: boolean;
  /**
   * Gives the terminal to another program while `run` lasts. Where a key is waited for already, the terminal is made to
   * say something, so that the wait takes none of the program's keys; the same where it may still answer something, so
   * that the program does not get that.
   */
  handOver<T>(run: () => Promise<T>): Promise<T>;
  /** Leaves the terminal as it was found: cooked, cursor shown, no bracketed paste, no style. */
  restore(): void;
}

/** Where the cursor is. */
const CURSOR: TerminalQuery<Cursor> = { sequence: CURSOR_QUERY, parse: parseCursor };
/** How large the screen is, which tmux tells by a signal later than it lays it out anew. */
const SIZE: TerminalQuery<readonly [number, number]> = { sequence: SIZE_QUERY, parse: parseSize };

/** Milliseconds in which a process that was told to stop does so. */
const STOP_MS = 50;

/**
 * Milliseconds for which raw mode outlasts its last listener. The next one usually follows at once, and what
 * is typed in between must neither be echoed over the screen nor held back until Enter.
 */
const RAW_LINGER_MS = 100;

/** Milliseconds after its last change for which a size is not trusted: tmux tells of a change a quarter of a second late. */
const SETTLE_MS = 300;

/** Milliseconds until a size that changed at a time of `performance.now()` can be trusted. */
export function settlesInMs(resizedAt: number): number {
  return Math.max(0, resizedAt + SETTLE_MS - performance.now());
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

class HostTerminal implements Terminal {
  readonly isInteractive: boolean;
  readonly canRedraw: boolean;
  readonly depth: ColorDepth;
  readonly unicode: boolean;
  readonly kind: TerminalKind;
  readonly linkKey?: string;
  generation = 0;
  isLent = false;
  readonly #host: TerminalHost;
  readonly #keyboard = new Keyboard({
    setRaw: (raw) => this.#keepRaw(raw),
    suspend: () => this.#suspend(),
  });
  readonly #queries = new TerminalQueries((sequence) => this.control(sequence));
  readonly #modes: TerminalModes;
  #cooking: ReturnType<typeof setTimeout> | undefined;
  #returning: ReturnType<typeof setTimeout> | undefined;
  #reading = false;
  /** Whether a read is under way. */
  #isWaiting = false;
  #raw = false;
  /** Whether nothing has arrived since raw mode began. */
  #fresh = false;
  /** Present while no key is to be read. */
  #paused: PromiseWithResolvers<void> | undefined;
  #resizers = new Set<() => void>();
  #resizedAt = -Infinity;
  #releaseStop = () => {};
  #gone = false;
  #encoder = new TextEncoder();

  constructor(host: TerminalHost, options: { color: boolean; isPlain: boolean }) {
    this.#host = host;
    const { stdin, stdout } = host;
    const env = (name: string) => host.env.get(name);
    this.isInteractive = stdin.isTerminal() && stdout.isTerminal();
    this.canRedraw = this.isInteractive && env("TERM") !== "dumb" && !options.isPlain;
    this.depth = options.color && stdout.isTerminal() ? colorDepth(env) : "none";
    this.unicode = isUnicode(env);
    this.kind = identifyTerminal(env);
    if (this.canRedraw && this.kind.features.has("link")) this.linkKey = crypto.randomUUID();
    const isTmux = this.kind.name === "tmux";
    this.#modes = new TerminalModes((sequences) => this.control(sequences), {
      isTmux,
      queries: this.#queries,
    });
    this.#keyboard.onReport((report) => {
      if (report.kind === "reply") this.#queries.take(report.text);
    });
  }

  get columns(): number {
    return this.#size().columns;
  }

  get rows(): number {
    return this.#size().rows;
  }

  write(text: string): void {
    this.#send(cleanOutput(text, this.linkKey));
  }

  control(sequences: string): void {
    this.#send(sequences);
  }

  get settlesInMs(): number {
    return settlesInMs(this.#resizedAt);
  }

  async ask<T>(query: TerminalQuery<T>): Promise<T | undefined> {
    if (!this.canRedraw || !this.#raw || this.isLent) return undefined;
    return await this.#queries.waitFor(query);
  }

  async askCursor(): Promise<Cursor | undefined> {
    const isLate = this.kind.name === "tmux";
    const [shown, cursor] = await Promise.all([
      isLate ? this.ask(SIZE) : undefined,
      this.ask(CURSOR),
    ]);
    const { columns, rows } = this;
    const isKnown = shown === undefined || shown.includes(columns) && shown.includes(rows);
    if (!isKnown) this.#resizedAt = performance.now();
    return cursor;
  }

  onResize(listener: () => void): () => void {
    this.#resizers.add(listener);
    return () => this.#resizers.delete(listener);
  }

  listen(listener: Listener): () => void {
    if (!this.#reading) {
      this.#reading = true;
      this.#read();
      this.#watchSignals();
    }
    const release = this.#keyboard.listen(listener);
    if (this.canRedraw || listener.single !== true) return release;
    this.#setRaw(true);
    return () => {
      release();
      this.#setRaw(false);
    };
  }

  get draft(): Draft | undefined {
    return this.#keyboard.draft;
  }

  get lastInputAt(): number {
    return this.#keyboard.lastInputAt;
  }

  unread(inputs: readonly TypedInput[]): void {
    this.#keyboard.unread(inputs);
  }

  onReport(listener: ReportListener, { focus = false } = {}): () => void {
    const releases = [
      this.#keyboard.onReport(listener),
      ...(focus && this.canRedraw ? [this.#modes.watchFocus()] : []),
    ];
    return () => releases.splice(0).forEach((release) => release());
  }

  pause(): void {
    this.#paused ??= Promise.withResolvers();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
    this.#keyboard.deliver();
  }

  async handOver<T>(run: () => Promise<T>): Promise<T> {
    if (this.canRedraw && (this.#isWaiting || this.#queries.isOpen)) await this.#endRead();
    this.restore();
    this.isLent = true;
    try {
      return await run();
    } finally {
      this.isLent = false;
      this.#takeBack();
      this.resume();
    }
  }

  restore(): void {
    clearTimeout(this.#cooking);
    this.#setRaw(false);
    if (this.canRedraw) this.control(MODES.cursor.on + RESET_STYLE);
  }

  #send(text: string): void {
    // In another encoding the bytes of UTF-8 may be control characters.
    const shown = this.unicode ? text : text.replace(/[^\0-\x7f]/gu, "?");
    let bytes = this.#encoder.encode(shown);
    while (bytes.length > 0 && !this.#gone) {
      try {
        bytes = bytes.subarray(this.#host.stdout.writeSync(bytes));
      } catch (error) {
        // Another program may have made the terminal non-blocking: it is busy then, not gone.
        this.#gone = !(error instanceof Deno.errors.WouldBlock);
      }
    }
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(16_384);
    const { stdin } = this.#host;
    const read = async () => {
      while (this.#paused !== undefined) await this.#paused.promise;
      this.#isWaiting = true;
      return await stdin.read(buffer).finally(() => this.#isWaiting = false);
    };
    try {
      for (let n = await read(); n !== null; n = await read()) {
        this.#receive(decoder.decode(buffer.subarray(0, n), { stream: true }));
      }
    } catch {
      // A terminal that hung up reads as one that ended.
    }
    this.#keyboard.end();
  }

  /**
   * Ends the read under way, which nothing but input can, and pauses. Every terminal tells where its cursor is, after
   * what it was asked before; other answers, and keys, may come until then.
   */
  async #endRead(): Promise<void> {
    this.resume();
    clearTimeout(this.#cooking);
    this.#setRaw(true);
    await this.#queries.waitFor(CURSOR, { onAnswer: () => this.pause(), isPatient: true });
    this.pause();
  }

  /** Where lines come whole, and where they did when this was typed, a line end is Enter. */
  #receive(text: string): void {
    const typed = this.#wasCooked || !this.canRedraw ? text.replaceAll("\n", "\r") : text;
    this.#fresh = false;
    this.#keyboard.receive(typed);
  }

  /** Stops ally with whatever started it, as if the terminal had told them all; false where nothing can. */
  #suspend(): boolean {
    if (!this.#raw || Deno.build.os === "windows") return false;
    this.#host.suspend("group");
    return true;
  }

  /**
   * Whether what arrives now may have been typed while the terminal still made line ends of Enter: that waits for
   * raw mode, and comes first in it, however late.
   */
  get #wasCooked(): boolean {
    return this.canRedraw && (!this.#raw || this.#fresh);
  }

  /** Leaves the terminal in order, and then does what the signal asks. */
  readonly #onStop = () => {
    if (!this.isLent) {
      // What the shell says is written over the rows below the cursor.
      if (this.canRedraw && this.#keyboard.isListened) this.control(ERASE_BELOW);
      this.restore();
    }
    this.#releaseStop();
    this.#host.suspend("self");
    // Where nobody could continue the process, the system does not stop it.
    setTimeout(() => {
      this.#releaseStop = this.#host.onSignal("SIGTSTP", this.#onStop);
      this.#onContinue();
    }, STOP_MS);
  };

  #watchSignals(): void {
    if (Deno.build.os === "windows") return;
    this.#host.onSignal("SIGWINCH", () => this.#handleResize());
    this.#releaseStop = this.#host.onSignal("SIGTSTP", this.#onStop);
    // The shell that had the terminal while ally was stopped has left it cooked.
    this.#host.onSignal("SIGCONT", this.#onContinue);
  }

  /** Once, however many say that ally goes on: what is drawn anew stays on the screen. */
  readonly #onContinue = () => {
    clearTimeout(this.#returning);
    this.#returning = setTimeout(() => this.#takeBack(), STOP_MS);
  };

  #takeBack(): void {
    if (this.isLent) return;
    if (this.#keyboard.isListened && this.canRedraw) {
      this.#raw = false;
      this.#setRaw(true);
    }
    this.generation++;
    this.#handleResize();
  }

  #handleResize(): void {
    this.#resizedAt = performance.now();
    for (const listener of [...this.#resizers]) listener();
  }

  #keepRaw(raw: boolean): void {
    if (!this.canRedraw) return;
    clearTimeout(this.#cooking);
    if (raw) this.#setRaw(true);
    else this.#cooking = setTimeout(() => this.#setRaw(false), RAW_LINGER_MS);
  }

  /** In raw mode pastes are marked, so that no key of theirs is taken for one of the person's. */
  #setRaw(raw: boolean): void {
    if (this.isLent || this.#raw === raw || !this.isInteractive) return;
    this.#raw = raw;
    this.#fresh = raw;
    try {
      this.#host.stdin.setRaw(raw);
    } catch {
      this.#gone = true;
    }
    if (this.canRedraw) this.#modes.set(raw);
  }

  #size(): { columns: number; rows: number } {
    try {
      const { columns, rows } = this.#host.windowSize();
      if (columns > 0 && rows > 0) return { columns, rows };
    } catch {
      // Standard output is no terminal, or it has gone.
    }
    return { columns: 80, rows: 24 };
  }
}

/** The terminal of a run; `color` is false after `--no-color`, `isPlain` true where the cursor is not to be moved. */
export function openTerminal(
  host: TerminalHost,
  { color = true, isPlain = false }: { color?: boolean; isPlain?: boolean } = {},
): Terminal {
  return new HostTerminal(host, { color, isPlain });
}
