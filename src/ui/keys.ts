/**
 * The keyboard while ally works: Ctrl+C and Escape, and a line that is typed ahead, with the keys of the prompt. A
 * question takes the keyboard by listening to it; this watcher continues afterwards.
 */
import { KeyMap, WORKING_KEYS } from "./key_bindings.ts";
import type { TypedInput } from "./key_decoder.ts";
import type { Draft } from "./keyboard.ts";
import { LineInput } from "./line_input.ts";
import type { Terminal } from "./terminal.ts";

/** A running watch over the keyboard. */
interface KeyWatch extends Draft {
  /** Stops watching. */
  release(): void;
}

/** What keys do while ally works. */
interface KeyWatchOptions {
  /** Each Ctrl+C. */
  readonly onInterrupt: () => void;
  /** The end of input. */
  readonly onEnd?: () => void;
  readonly onEscape?: () => void;
  /** Ctrl+N: the model is to stop thinking and answer. */
  readonly onAnswer?: () => void;
  /** Shift+Tab: the session takes the next mode. */
  readonly onCycleMode?: () => void;
  /** Ctrl+O where the line has no paste to show. */
  readonly onOpen?: () => void;
  /** Called on Enter; false leaves the typed text where it is, as without it. */
  readonly onLine?: (text: string) => boolean;
  /** Called whenever what is typed, or the cursor in it, changes. */
  readonly onChange?: () => void;
  /** The line that is typed. @default one that is forgotten with the watch */
  readonly line?: LineInput;
}

const KEYS = new KeyMap(WORKING_KEYS);

/** Watches the keyboard until it is released. */
export function watchKeys(terminal: Terminal, options: KeyWatchOptions): KeyWatch {
  return new KeyboardWatch(terminal, options);
}

class KeyboardWatch implements KeyWatch {
  lastKeyAt: number | undefined;
  readonly release: () => void;
  readonly #options: KeyWatchOptions;
  readonly #line: LineInput;

  constructor(terminal: Terminal, options: KeyWatchOptions) {
    this.#options = options;
    this.#line = options.line ?? new LineInput();
    this.release = terminal.listen({
      onInput: (inputs) => this.type(inputs),
      onEnd: () => options.onEnd?.(),
      draft: this,
    });
  }

  get text(): string {
    return this.#line.buffer.shown.text;
  }

  get cursor(): number {
    return this.#line.buffer.shown.cursor;
  }

  type(inputs: readonly TypedInput[]): void {
    this.lastKeyAt = performance.now();
    for (const input of inputs) this.#take(input);
  }

  #take(input: TypedInput): void {
    const { buffer } = this.#line;
    const { text, cursor } = buffer;
    if (input.kind === "key" && KEYS.find(input) === "answer") return this.#options.onAnswer?.();
    const outcome = this.#line.take(input);
    if (outcome === "interrupt") this.#options.onInterrupt();
    else if (outcome === "escape") this.#options.onEscape?.();
    else if (outcome === "up" || outcome === "down") buffer.moveLine(outcome === "up" ? -1 : 1);
    else if (outcome === "cycle mode") this.#options.onCycleMode?.();
    else if (outcome === "open" && !buffer.openPaste()) this.#options.onOpen?.();
    else if (outcome === "enter" && this.#options.onLine?.(buffer.whole)) this.#line.clear();
    if (buffer.text !== text || buffer.cursor !== cursor) this.#options.onChange?.();
  }
}
