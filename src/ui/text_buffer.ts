/**
 * A text that is being edited, and its cursor: characters as a person sees them, pastes as one character each, what
 * was cut, undo and redo. Pure; who draws it and which keys do what is another matter.
 */
import { stripControls } from "../lib/text.ts";
import {
  lineAt,
  markOf,
  nextBoundary,
  nextWord,
  previousBoundary,
  previousWord,
  replaceMarks,
  withoutMarks,
} from "./graphemes.ts";
import { KillRing } from "./kill_ring.ts";

/** Longer pastes are shown as a mark that names their size. */
const MAX_SHOWN_PASTE = { lines: 8, characters: 1_000 } as const;
/** Longer texts than this cannot be edited at the speed of typing: they are one mark. */
const MAX_EDITED = 50_000;
/** Steps that can be taken back. */
const MAX_UNDO = 500;

interface Snapshot {
  readonly text: string;
  readonly cursor: number;
}

/** Where to put a piece of text, and where the cursor then stands. */
interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** @default behind the piece */
  readonly cursor?: number;
}

/** What came last, as far as the next edit is joined to it. */
type LastEdit = "typed" | "killed" | "yanked" | undefined;

/** One text that is being edited. */
export class TextBuffer {
  #text = "";
  #cursor = 0;
  readonly #kills = new KillRing();
  /** By mark. */
  readonly #pastes = new Map<string, string>();
  #undo: Snapshot[] = [];
  #redo: Snapshot[] = [];
  #last: LastEdit;
  /** Where the text that was put back last begins. */
  #yankedFrom = 0;

  /** The text, each long paste as one private character. */
  get text(): string {
    return this.#text;
  }

  /** The text with all pastes in it. */
  get whole(): string {
    return this.wholeOf(0, this.#text.length);
  }

  /** A part of the text with all pastes in it. */
  wholeOf(from: number, to: number): string {
    return replaceMarks(this.#text.slice(from, to), (mark) => this.#pastes.get(mark) ?? "");
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** The text as it is shown, each long paste as its mark, and the cursor in it. */
  get shown(): { readonly text: string; readonly cursor: number } {
    const show = (text: string) => replaceMarks(text, (mark) => this.labelOf(mark));
    return { text: show(this.#text), cursor: show(this.#text.slice(0, this.#cursor)).length };
  }

  /** What a mark looks like: "[paste 1: 40 lines]". */
  readonly labelOf = (mark: string): string => {
    const text = this.#pastes.get(mark) ?? "";
    const number = [...this.#pastes.keys()].indexOf(mark) + 1;
    const lines = text.replace(/\n$/, "").split("\n").length;
    return `[paste ${number}: ${lines > 1 ? `${lines} lines` : `${text.length} characters`}]`;
  };

  /** Starts anew with a text that was there before; nothing can be taken back, but what was cut is there. */
  reset(text: string): void {
    this.#pastes.clear();
    this.#undo = [];
    this.#redo = [];
    this.#last = undefined;
    this.#text = this.#accept(text);
    this.#cursor = this.#text.length;
  }

  /** Puts a text before this one. */
  prepend(text: string): void {
    const accepted = this.#accept(text);
    this.replace({ from: 0, to: 0, text: accepted, cursor: this.#cursor + accepted.length });
  }

  /** Puts another text in place of this one. */
  setText(text: string): void {
    this.replace({ from: 0, to: this.#text.length, text: this.#accept(text) });
  }

  /** Types at the cursor. */
  type(text: string): void {
    const safe = withoutMarks(stripControls(text)).replaceAll("\ufffd", "");
    if (safe === "") return;
    const begins = this.#last !== "typed" || /\s/.test(safe);
    this.#change({ from: this.#cursor, to: this.#cursor, text: safe }, { keeps: begins });
    this.#last = "typed";
  }

  /** Inserts pasted text, as a mark if it is long. */
  paste(pasted: string): void {
    const text = stripControls(pasted);
    const isLong = text.length > MAX_SHOWN_PASTE.characters ||
      text.split("\n").length > MAX_SHOWN_PASTE.lines;
    const shown = isLong ? this.#mark(text) : withoutMarks(text.replace(/\n$/, ""));
    this.replace({ from: this.#cursor, to: this.#cursor, text: shown });
  }

  /** Shows a paste as its text: that at the cursor, else the last one. False if there is none. */
  openPaste(): boolean {
    const marks = [...this.#pastes.keys()].filter((mark) => this.#text.includes(mark));
    const isNear = (mark: string) => {
      const at = this.#text.indexOf(mark);
      return at === this.#cursor || at + mark.length === this.#cursor;
    };
    const mark = marks.find(isNear) ?? marks.at(-1);
    const text = mark && this.#pastes.get(mark);
    if (mark === undefined || text === undefined || text.length > MAX_EDITED) return false;
    const from = this.#text.indexOf(mark);
    this.replace({ from, to: from + mark.length, text: withoutMarks(text) });
    return true;
  }

  /** Replaces a part, as one step. */
  replace(part: Replacement): void {
    this.#change(part, { keeps: true });
    this.#last = undefined;
  }

  /** Moves the cursor. */
  moveTo(offset: number): void {
    this.#cursor = Math.max(0, Math.min(offset, this.#text.length));
    this.#last = undefined;
  }

  /** Where the line with the cursor begins and ends. */
  get line(): { readonly from: number; readonly to: number } {
    return lineAt(this.#text, this.#cursor);
  }

  /** Moves the cursor to the same place of the line above or below; false if there is none. */
  moveLine(step: -1 | 1): boolean {
    const { from, to } = this.line;
    if (step < 0 ? from === 0 : to === this.#text.length) return false;
    const within = this.#cursor - from;
    this.#cursor = step < 0 ? from - 1 : to + 1;
    const line = this.line;
    const offset = Math.min(line.from + within, line.to);
    const start = previousBoundary(this.#text, offset);
    const isWhole = offset === line.from || nextBoundary(this.#text, start) === offset;
    this.moveTo(isWhole ? offset : start);
    return true;
  }

  /** Deletes from the cursor to an offset. */
  deleteTo(offset: number): void {
    const [from, to] = this.#span(offset);
    if (from !== to) this.replace({ from, to, text: "" });
  }

  /** Cuts from the cursor to an offset. */
  killTo(offset: number): void {
    const [from, to] = this.#span(offset);
    if (from === to) return;
    const side = offset < this.#cursor ? "before" : "behind";
    this.#kills.add(this.wholeOf(from, to), { join: this.#last === "killed" ? side : undefined });
    this.#change({ from, to, text: "" }, { keeps: true });
    this.#last = "killed";
  }

  /** Puts back what was cut last. */
  yank(): void {
    this.#yankedFrom = this.#cursor;
    this.replace({ from: this.#cursor, to: this.#cursor, text: this.#accept(this.#kills.newest) });
    this.#last = "yanked";
  }

  /** Puts back what was cut before that, in place of what was just put back. */
  yankOlder(): void {
    if (this.#last !== "yanked") return;
    this.#kills.rotate();
    const from = this.#yankedFrom;
    this.replace({ from, to: this.#cursor, text: this.#accept(this.#kills.newest) });
    this.#last = "yanked";
  }

  /** Takes the last step back. */
  undo(): void {
    this.#restore(this.#undo, this.#redo);
  }

  /** Takes the last step back that was taken back. */
  redo(): void {
    this.#restore(this.#redo, this.#undo);
  }

  /** Changes the letters from the cursor to the end of the word. */
  changeWord(change: (word: string) => string): void {
    const to = nextWord(this.#text, this.#cursor);
    const text = change(this.#text.slice(this.#cursor, to));
    this.replace({ from: this.#cursor, to, text });
  }

  /** Swaps the characters on both sides of the cursor, or the last two of a line at its end. */
  transpose(): void {
    const { from, to } = this.line;
    const middle = this.#cursor === to ? previousBoundary(this.#text, to) : this.#cursor;
    const start = previousBoundary(this.#text, middle);
    const end = nextBoundary(this.#text, middle);
    if (middle <= from || start < from || end > to) return;
    const text = this.#text.slice(middle, end) + this.#text.slice(start, middle);
    this.replace({ from: start, to: end, text });
  }

  /** The beginning of the word before the cursor. */
  wordBefore(kind: "letters" | "blanks" = "letters"): number {
    return previousWord(this.#text, this.#cursor, kind);
  }

  /** The end of the word after the cursor. */
  wordAfter(): number {
    return nextWord(this.#text, this.#cursor);
  }

  /** The beginning of the character before the cursor. */
  get before(): number {
    return previousBoundary(this.#text, this.#cursor);
  }

  /** The end of the character after the cursor. */
  get after(): number {
    return nextBoundary(this.#text, this.#cursor);
  }

  /** Text that comes from elsewhere as it is in the buffer. */
  #accept(text: string): string {
    const safe = stripControls(text);
    return safe.length > MAX_EDITED ? this.#mark(safe) : withoutMarks(safe);
  }

  #mark(text: string): string {
    const mark = markOf(this.#pastes.size);
    this.#pastes.set(mark, text);
    return mark;
  }

  #span(offset: number): [from: number, to: number] {
    return [Math.min(offset, this.#cursor), Math.max(offset, this.#cursor)];
  }

  #change({ from, to, text, cursor }: Replacement, { keeps }: { keeps: boolean }): void {
    if (from === to && text === "") return;
    if (keeps) this.#undo = [...this.#undo.slice(1 - MAX_UNDO), this.#snapshot];
    this.#redo = [];
    this.#text = this.#text.slice(0, from) + text + this.#text.slice(to);
    this.#cursor = cursor ?? from + text.length;
  }

  get #snapshot(): Snapshot {
    return { text: this.#text, cursor: this.#cursor };
  }

  #restore(from: Snapshot[], to: Snapshot[]): void {
    const snapshot = from.pop();
    if (snapshot === undefined) return;
    to.push(this.#snapshot);
    this.#text = snapshot.text;
    this.#cursor = snapshot.cursor;
    this.#last = undefined;
  }
}
