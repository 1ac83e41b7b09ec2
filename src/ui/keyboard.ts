/**
 * The keyboard's side of a terminal: what arrives is decoded once, and handed to the innermost of a stack of
 * listeners. What arrives while nobody listens waits for the next one.
 */
import {
  KeyDecoder,
  type KeyInput,
  MAX_PASTE,
  type TerminalReport,
  type TypedInput,
} from "./key_decoder.ts";
import type { DrawnLine } from "./line_view.ts";

/** A line that somebody is typing, while something else may ask them a question. */
export interface Draft {
  /** As it is shown. */
  readonly text: string;
  /** Draws it in at most so many rows. */
  draw(rows: number): DrawnLine;
  /** When its last key came, by `performance.now()`; undefined before the first. */
  readonly lastKeyAt: number | undefined;
  /** Takes more of what is typed. */
  type(inputs: readonly TypedInput[]): void;
}

/** Gets what the person types while it is the innermost listener. */
export interface Listener {
  /** What arrived at once; several keys at once are rarely meant as keys. */
  onInput(inputs: readonly TypedInput[]): void;
  /** Standard input has ended; nothing will come any more. */
  onEnd(): void;
  /** Wants each key at once even where lines come whole. @default false */
  readonly single?: boolean;
  /** The line that this listener holds. */
  readonly draft?: Draft;
}

/** Gets what the terminal says by itself. */
export type ReportListener = (report: TerminalReport) => void;

/** What a keyboard does to its terminal. */
interface KeyboardHost {
  /** Whether somebody listens. */
  setRaw(raw: boolean): void;
  /** Stops the program, for Ctrl+Z; false if that cannot be done. @default nothing can be stopped */
  suspend?(): boolean;
}

/** Characters typed while nobody listens that are kept. */
const PENDING_LIMIT = MAX_PASTE;

/** Decodes one stream of text for a stack of listeners. */
export class Keyboard {
  readonly #host: KeyboardHost;
  readonly #decoder = new KeyDecoder();
  #listeners: Listener[] = [];
  readonly #reporters = new Set<ReportListener>();
  #pending: TypedInput[] = [];
  #pendingSize = 0;
  #ended = false;
  /** When something was typed last, by `performance.now()`. */
  lastInputAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: KeyboardHost) {
    this.#host = host;
  }

  /** Whether anybody listens. */
  get isListened(): boolean {
    return this.#listeners.length > 0;
  }

  /** The line that the innermost listener with one holds. */
  get draft(): Draft | undefined {
    return this.#listeners.findLast(({ draft }) => draft !== undefined)?.draft;
  }

  /** Gives the keyboard to a listener until the returned function is called. */
  listen(listener: Listener): () => void {
    if (!this.isListened) this.#host.setRaw(true);
    this.#listeners.push(listener);
    queueMicrotask(() => this.deliver());
    this.#awaitRest();
    return () => {
      if (!this.#listeners.includes(listener)) return;
      this.#listeners = this.#listeners.filter((one) => one !== listener);
      if (this.isListened) return;
      clearTimeout(this.#timer);
      this.#host.setRaw(false);
    };
  }

  /** Calls back for what the terminal says by itself; returns how to stop that. */
  onReport(listener: ReportListener): () => void {
    this.#reporters.add(listener);
    return () => this.#reporters.delete(listener);
  }

  /** Takes what the terminal sent. */
  receive(text: string): void {
    this.#take(this.#decoder.push(text));
    this.#awaitRest();
  }

  /** Gives input back to whoever listens when something is delivered next. */
  unread(inputs: readonly TypedInput[]): void {
    this.#pending = [...inputs, ...this.#pending];
    this.#pendingSize += sizeOf(inputs);
  }

  /** Nothing will come any more. */
  end(): void {
    this.#ended = true;
    this.deliver();
  }

  /** Waits for the rest of a sequence, while there is somebody for whom its beginning may be a key. */
  #awaitRest(): void {
    clearTimeout(this.#timer);
    const { patience } = this.#decoder;
    if (patience === undefined || !this.isListened) return;
    this.#timer = setTimeout(() => this.#take(this.#decoder.flush()), patience);
  }

  #take(inputs: readonly KeyInput[]): void {
    const typed: TypedInput[] = [];
    for (const input of inputs) {
      if (input.kind === "focus" || input.kind === "reply") {
        for (const listener of [...this.#reporters]) listener(input);
      } else typed.push(input);
    }
    if (typed.length > 0) this.lastInputAt = performance.now();
    const [only] = typed;
    const isCtrlZ = typed.length === 1 && only?.kind === "key" && only.name === "z" && only.ctrl &&
      !only.alt && !only.shift;
    if (isCtrlZ && this.#host.suspend?.()) return;
    if (this.#pendingSize < PENDING_LIMIT) this.#pending.push(...typed);
    this.#pendingSize += sizeOf(typed);
    this.deliver();
  }

  /** Hands what waits to the innermost listener. */
  deliver(): void {
    const listener = this.#listeners.at(-1);
    if (listener === undefined) return;
    const inputs = this.#pending;
    this.#pending = [];
    this.#pendingSize = 0;
    if (inputs.length > 0) listener.onInput(inputs);
    if (this.#ended && this.#listeners.includes(listener)) listener.onEnd();
  }
}

function sizeOf(inputs: readonly TypedInput[]): number {
  return inputs.reduce((sum, input) => sum + (input.kind === "key" ? 1 : input.text.length), 0);
}
