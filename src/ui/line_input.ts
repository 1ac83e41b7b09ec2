/**
 * A line that takes keys: the buffer, the keys that edit it, and what is left for whoever holds the line. The same
 * at the prompt, while ally works, in questions, lists and secrets. Pure.
 */
import {
  type EditAction,
  KeyMap,
  LINE_KEYS,
  type LineAction,
  NORMAL_KEYS,
} from "./key_bindings.ts";
import { type KeyPress, MAX_PASTE, type TypedInput } from "./key_decoder.ts";
import { TextBuffer } from "./text_buffer.ts";
import { VimKeys, type VimMode } from "./vim_keys.ts";

/** How a line behaves. */
interface LineInputOptions {
  /** Whether it may have several lines; where not, a key that begins one is Enter. @default true */
  readonly isMultiline?: boolean;
  /** Whose keys it has; asked at each key. @default Emacs's, as a shell */
  readonly editing?: () => EditingMode;
}

/** Whose keys a line has. */
export type EditingMode = "emacs" | "vim";

/** What became of a key: nothing is left to do, something is, or the paste was too long to take. */
export type Outcome = LineAction | "done" | "ignored" | "too long";

const EDITS: Readonly<Record<EditAction, (buffer: TextBuffer) => void>> = {
  "left": (buffer) => buffer.moveTo(buffer.before),
  "right": (buffer) => buffer.moveTo(buffer.after),
  "word left": (buffer) => buffer.moveTo(buffer.wordBefore()),
  "word right": (buffer) => buffer.moveTo(buffer.wordAfter()),
  "line start": (buffer) => buffer.moveTo(buffer.line.from),
  "line end": (buffer) => buffer.moveTo(buffer.line.to),
  "text start": (buffer) => buffer.moveTo(0),
  "text end": (buffer) => buffer.moveTo(buffer.text.length),
  "delete before": (buffer) => buffer.deleteTo(buffer.before),
  "delete after": (buffer) => buffer.deleteTo(buffer.after),
  "kill word before": (buffer) => buffer.killTo(buffer.wordBefore()),
  "kill blank word before": (buffer) => buffer.killTo(buffer.wordBefore("blanks")),
  "kill word after": (buffer) => buffer.killTo(buffer.wordAfter()),
  // At the edge of a line, the line end itself.
  "kill to line start": (buffer) =>
    buffer.killTo(buffer.cursor === buffer.line.from ? buffer.before : buffer.line.from),
  "kill to line end": (buffer) =>
    buffer.killTo(buffer.cursor === buffer.line.to ? buffer.after : buffer.line.to),
  "yank": (buffer) => buffer.yank(),
  "yank older": (buffer) => buffer.yankOlder(),
  "undo": (buffer) => buffer.undo(),
  "redo": (buffer) => buffer.redo(),
  "upper case": (buffer) => buffer.changeWord((word) => word.toUpperCase()),
  "lower case": (buffer) => buffer.changeWord((word) => word.toLowerCase()),
  "capital": (buffer) => buffer.changeWord(capitalize),
  "transpose": (buffer) => buffer.transpose(),
  "new line": (buffer) => buffer.type("\n"),
};

const KEYS = new KeyMap(LINE_KEYS);
const VIM_KEYS = new KeyMap(NORMAL_KEYS);

/** One line. */
export class LineInput {
  readonly buffer = new TextBuffer();
  /** Whether it may have several lines, as a message has. */
  readonly isMultiline: boolean;
  readonly #editing: () => EditingMode;
  readonly #vim: VimKeys;
  /** The first of two keys. */
  #prefix: KeyPress | undefined;

  constructor({ isMultiline = true, editing = () => "emacs" }: LineInputOptions = {}) {
    this.isMultiline = isMultiline;
    this.#editing = editing;
    this.#vim = new VimKeys(this.buffer);
  }

  /** The mode of vi, where there is one. */
  get vimMode(): VimMode | undefined {
    return this.#editing() === "vim" ? this.#vim.mode : undefined;
  }

  /** Empties the line for another message. */
  clear(): void {
    this.buffer.reset("");
    this.#vim.mode = "insert";
  }

  /** Takes one key, text or paste. */
  take(input: TypedInput): Outcome {
    const inVim = this.vimMode === undefined ? undefined : this.#takeForVim(input);
    if (inVim !== undefined) return inVim;
    if (input.kind === "key") return this.#press(input);
    this.#prefix = undefined;
    if (input.kind === "text") this.buffer.type(input.text);
    else if (input.length > MAX_PASTE) return "too long";
    else if (this.isMultiline) this.buffer.paste(input.text);
    else this.buffer.type(input.text.trim().replace(/\s+/g, " "));
    return "done";
  }

  /** What vi makes of a key; undefined for one that is as everywhere. */
  #takeForVim(input: TypedInput): Outcome | undefined {
    if (input.kind === "key" && input.name === "escape") {
      const isEmpty = this.buffer.text === "";
      return this.#vim.escape() && !isEmpty ? "done" : "escape";
    }
    if (this.#vim.mode === "insert" || input.kind === "paste") return undefined;
    if (input.kind === "key") {
      const key = VIM_KEYS.find(input);
      if (key === "redo") this.buffer.redo();
      else if (key === "left") this.#vim.press("h");
      return key === undefined ? undefined : "done";
    }
    const characters = [...input.text];
    let outcome: Outcome = "done";
    for (const [index, character] of characters.entries()) {
      outcome = this.#vim.press(character);
      if (this.vimMode === "normal") continue;
      // Once letters are typed again, the rest is.
      this.buffer.type(characters.slice(index + 1).join(""));
      break;
    }
    return outcome;
  }

  #press(key: KeyPress): Outcome {
    const action = KEYS.find(key, this.#prefix);
    this.#prefix = action === "prefix" ? key : undefined;
    if (action === "prefix") return "done";
    if (action === undefined) return "ignored";
    const { buffer } = this;
    if (action === "new line" && !this.isMultiline) return "enter";
    if (action === "end of input" && buffer.text !== "") {
      buffer.deleteTo(buffer.after);
      return "done";
    }
    if (action === "enter" && this.isMultiline && this.#continues()) return "done";
    if (!isEdit(action)) return action;
    EDITS[action](buffer);
    return "done";
  }

  /** Whether a backslash before Enter has become a line end. */
  #continues(): boolean {
    const { text, cursor } = this.buffer;
    if (cursor !== text.length || !text.endsWith("\\")) return false;
    this.buffer.replace({ from: cursor - 1, to: cursor, text: "\n" });
    return true;
  }
}

function isEdit(action: EditAction | LineAction): action is EditAction {
  return Object.hasOwn(EDITS, action);
}

function capitalize(word: string): string {
  return word.toLowerCase().replace(/\p{L}/u, (letter) => letter.toUpperCase());
}
