/**
 * The keyboard while ally works: Ctrl+C and Escape, and a line that is typed ahead. Only its end can be edited;
 * a paste is text, never keys. A question takes the keyboard by listening to it; this watcher continues afterwards.
 */
import { stripControls } from "../lib/text.ts";
import { type Key, KeyReader } from "./key_reader.ts";
import type { Draft, Terminal } from "./terminal.ts";
import { MAX_PASTE, type Piece, TypedInput } from "./typed_input.ts";

/** A running watch over the keyboard. */
export interface KeyWatch extends Draft {
  /** Replaces what was typed. */
  setText(text: string): void;
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
  /** Called on Enter; false leaves the typed text where it is, as without it. */
  readonly onLine?: (text: string) => boolean;
  /** Called with the typed text whenever it changes. */
  readonly onChange?: (text: string) => void;
  /** The initial text. */
  readonly text?: string;
}

const CTRL_C = "\x03";
/** Keys that mean something at a prompt only. */
// deno-lint-ignore no-control-regex
const IGNORED = /[\t\x04]/g;
/** The word before the end, with the blanks behind it. */
const LAST_WORD = /\S*\s*$/;

/** Watches the keyboard until it is released. */
export function watchKeys(terminal: Terminal, options: KeyWatchOptions): KeyWatch {
  return new KeyboardWatch(terminal, options);
}

class KeyboardWatch implements KeyWatch {
  lastKeyAt: number | undefined;
  readonly release: () => void;
  readonly #options: KeyWatchOptions;
  /** Whether the terminal sends whole lines, whose end is an Enter. */
  readonly #cooked: boolean;
  readonly #reader = new KeyReader((keys) => keys.forEach((key) => this.#press(key)));
  #input = new TypedInput();
  #text: string;

  constructor(terminal: Terminal, options: KeyWatchOptions) {
    this.#options = options;
    this.#cooked = !terminal.canRedraw;
    this.#text = options.text ?? "";
    const release = terminal.listen({
      onText: (text) => this.type(text),
      onEnd: () => options.onEnd?.(),
      draft: this,
    });
    this.release = () => {
      this.#reader.close();
      release();
    };
  }

  setText(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#options.onChange?.(text);
  }

  get text(): string {
    return this.#text;
  }

  type(text: string): void {
    this.lastKeyAt = performance.now();
    // Alone it is the key, whatever sequence is incomplete.
    if (text === CTRL_C) this.#input = new TypedInput();
    for (const piece of text === CTRL_C ? [CTRL_C_PIECE] : this.#input.push(text)) {
      this.#take(piece);
    }
  }

  #take({ kind, text, length = 0 }: Piece): void {
    if (kind === "keys") this.#reader.push(text.replace(IGNORED, ""));
    else if (kind === "enter" || (kind === "newline" && this.#cooked)) this.#enter();
    else if (kind === "newline") this.setText(`${this.#text}\n`);
    else if (length <= MAX_PASTE) this.setText(this.#text + stripControls(text).replace(/\n$/, ""));
  }

  #enter(): void {
    const text = this.#text;
    if (text.endsWith("\\")) return this.setText(`${text.slice(0, -1)}\n`);
    if (this.#options.onLine?.(text)) this.setText("");
  }

  #press(key: Key): void {
    if (key === "interrupt") this.#options.onInterrupt();
    else if (key === "escape") this.#options.onEscape?.();
    else if (key === "\x0e") this.#options.onAnswer?.();
    else if (key === "\x15") this.setText("");
    else if (key === "\x17") this.setText(this.#text.replace(LAST_WORD, ""));
    else if (key === "\x7f" || key === "\b") this.setText(dropLastCharacter(this.#text));
    // A key with a longer name moves the cursor.
    else if ([...key].length === 1) {
      this.setText(this.#text + stripControls(key).replace(/[\n\ufffd]/g, ""));
    }
  }
}

const CTRL_C_PIECE: Piece = { kind: "keys", text: CTRL_C, raw: CTRL_C };

/** Without its last character as a person sees it. */
function dropLastCharacter(text: string): string {
  const last = [...new Intl.Segmenter().segment(text)].at(-1);
  return last === undefined ? "" : text.slice(0, last.index);
}
