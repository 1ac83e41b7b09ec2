/**
 * The keyboard while ally works: Ctrl+C and Escape, and a line that is typed ahead. Only its end can be edited;
 * a paste is text, never keys. A question takes the keyboard over simply by listening; this watcher goes on
 * after it. `cli/type_ahead.ts` decides what becomes of a line.
 */
import { stripControls } from "../lib/text.ts";
import { type Key, KeyReader } from "./key_reader.ts";
import type { Terminal } from "./terminal.ts";
import { MAX_PASTE, type Piece, TypedInput } from "./typed_input.ts";

/** A running watch over the keyboard. */
export interface KeyWatch {
  /** What was typed and not sent, fit to start the next line with. */
  pendingText(): string;
  /** Puts a text in the place of what was typed. */
  setText(text: string): void;
  /** Gives the keyboard back. */
  release(): void;
}

/** What keys do while a program waits. */
export interface KeyWatchOptions {
  /** Each Ctrl+C. */
  readonly onInterrupt: () => void;
  /** The end of input. */
  readonly onEnd?: () => void;
  readonly onEscape?: () => void;
  /** Enter: takes what was typed, or leaves it where it is (false). @default it is left */
  readonly onLine?: (text: string) => boolean;
  /** Told of what is typed whenever it changes. */
  readonly onChange?: (text: string) => void;
  /** What to begin with. */
  readonly text?: string;
}

const CTRL_C = "\x03";
/** Keys of a prompt that mean nothing here. */
// deno-lint-ignore no-control-regex
const IGNORED = /[\t\x04]/g;
/** The word before the end, with the blanks behind it. */
const LAST_WORD = /\S*\s*$/;

/** Watches the keyboard until it is released. */
export function watchKeys(terminal: Terminal, options: KeyWatchOptions): KeyWatch {
  return new KeyboardWatch(terminal, options);
}

class KeyboardWatch implements KeyWatch {
  readonly release: () => void;
  readonly #options: KeyWatchOptions;
  /** Where lines come whole, their end is an Enter. */
  readonly #cooked: boolean;
  readonly #reader = new KeyReader((keys) => keys.forEach((key) => this.#press(key)));
  #input = new TypedInput();
  #text: string;

  constructor(terminal: Terminal, options: KeyWatchOptions) {
    this.#options = options;
    this.#cooked = !terminal.canRedraw;
    this.#text = options.text ?? "";
    const release = terminal.listen({
      onText: (text) => this.#take(text),
      onEnd: () => options.onEnd?.(),
    });
    this.release = () => {
      this.#reader.close();
      release();
    };
  }

  pendingText(): string {
    return this.#text;
  }

  setText(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#options.onChange?.(text);
  }

  #take(text: string): void {
    // Alone it is the key, whatever was begun and never ended.
    if (text === CTRL_C) this.#input = new TypedInput();
    for (const piece of text === CTRL_C ? [CTRL_C_PIECE] : this.#input.push(text)) {
      this.#type(piece);
    }
  }

  #type({ kind, text, length = 0 }: Piece): void {
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
    else if (key === "\x15") this.setText("");
    else if (key === "\x17") this.setText(this.#text.replace(LAST_WORD, ""));
    else if (key === "\x7f" || key === "\b") this.setText(dropLastCharacter(this.#text));
    // What has a name of several letters is a key that moves a cursor.
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
