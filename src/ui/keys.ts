/**
 * The keyboard while ally works: Ctrl+C and Escape, and a line that is typed ahead, with the keys of the prompt. A
 * question takes the keyboard by listening to it; this watcher continues afterwards.
 */
import { EditedLine } from "./edited_line.ts";
import { KeyMap, WORKING_KEYS } from "./key_bindings.ts";
import type { TypedInput } from "./key_decoder.ts";
import type { Draft } from "./keyboard.ts";
import { LineInput } from "./line_input.ts";
import type { DrawnLine } from "./line_view.ts";
import type { Terminal } from "./terminal.ts";
import { createTheme } from "./theme.ts";

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
  /** Called after each key, once what is typed, its cursor or its list may have changed. */
  readonly onChange?: () => void;
  /** The line that is typed. @default one that is forgotten with the watch */
  readonly line?: EditedLine;
}

const KEYS = new KeyMap(WORKING_KEYS);

function isEnter(input: TypedInput): boolean {
  return input.kind === "key" && input.name === "enter" && !input.alt && !input.shift;
}

/** Watches the keyboard until it is released. */
export function watchKeys(terminal: Terminal, options: KeyWatchOptions): KeyWatch {
  return new KeyboardWatch(terminal, options);
}

class KeyboardWatch implements KeyWatch {
  lastKeyAt: number | undefined;
  readonly release: () => void;
  readonly #terminal: Terminal;
  readonly #options: KeyWatchOptions;
  readonly #line: EditedLine;

  constructor(terminal: Terminal, options: KeyWatchOptions) {
    this.#terminal = terminal;
    this.#options = options;
    const { line } = options;
    this.#line = line ??
      new EditedLine({ terminal, theme: createTheme(terminal), input: new LineInput() });
    this.release = terminal.listen({
      onInput: (inputs) => this.type(inputs),
      onEnd: () => options.onEnd?.(),
      draft: this,
    });
  }

  get text(): string {
    return this.#line.input.buffer.shown.text;
  }

  draw(rows: number): DrawnLine {
    return this.#line.draw(rows);
  }

  type(inputs: readonly TypedInput[]): void {
    if (this.#line.isCovered) return this.#terminal.unread(inputs);
    // An Enter that has nothing to send is none of a line's: it was meant for what stood here before.
    if (this.text !== "" || !inputs.every(isEnter)) this.lastKeyAt = performance.now();
    for (const [index, input] of inputs.entries()) {
      this.#take(input);
      if (!this.#line.isCovered) continue;
      this.#terminal.unread(inputs.slice(index + 1));
      return;
    }
    this.#line.suggest();
    this.#options.onChange?.();
  }

  #take(input: TypedInput): void {
    const line = this.#line;
    const isAnswer = input.kind === "key" && KEYS.find(input) === "answer";
    if (isAnswer && !line.isListOpen) return this.#options.onAnswer?.();
    const outcome = line.take(input);
    if (outcome === "interrupt") this.#options.onInterrupt();
    else if (outcome === "escape") this.#options.onEscape?.();
    else if (outcome === "cycle mode") this.#options.onCycleMode?.();
    else if (outcome === "open") this.#options.onOpen?.();
    else if (outcome === "enter" && this.#options.onLine?.(line.input.buffer.whole)) line.clear();
  }
}
