/**
 * A line that somebody writes, with all that helps: earlier messages, a list of what may be meant, a search and an
 * editor. The same at the prompt and while ally works: whoever holds it draws it, and does what is left of a key.
 */
import { formatBytes, stripControls } from "../lib/text.ts";
import { KeyMap, LIST_KEYS } from "./key_bindings.ts";
import type { TypedInput } from "./key_decoder.ts";
import { keyHelpLines } from "./key_help.ts";
import { LineHistory } from "./line_history.ts";
import type { LineInput, Outcome } from "./line_input.ts";
import {
  type DrawnLine,
  type LineView,
  renderLine,
  windowLines,
  windowStart,
} from "./line_view.ts";
import { listRoom } from "./list_room.ts";
import type { Style } from "./palettes.ts";
import { type FindSuggestions, searchList } from "./search_list.ts";
import { SuggestionList } from "./suggestion_list.ts";
import type { Suggestion, Suggestions } from "./suggestion_rows.ts";
import type { Terminal } from "./terminal.ts";
import { offsetAt } from "./text_layout.ts";
import type { Theme } from "./theme.ts";

/** A line for which something may be offered. */
export interface OfferedLine {
  /** With each long paste as one character. */
  readonly text: string;
  readonly cursor: number;
  /** Whether the person asked for it, by Tab. */
  readonly isAsked: boolean;
}

/** A text that was pasted, and the line before it. */
export interface Paste {
  readonly text: string;
  readonly before: string;
}

/** The result of an edit elsewhere: the new text, or what is put into it, or why nothing changed. */
export type EditResult =
  | { readonly kind: "text"; readonly text: string }
  | {
    readonly kind: "unchanged";
    readonly why: string;
    /** Set if it could not be edited: nor could what follows it. */
    readonly stops?: true;
  };

/** What helps to write a line; without one of these its keys do nothing. */
export interface LineAids {
  /** What was said before, the oldest first. */
  readonly history?: () => readonly string[];
  /** What is offered as one types, and for Tab. */
  readonly suggest?: (line: OfferedLine, signal: AbortSignal) => Promise<Suggestions | undefined>;
  /** Begins a search of what was typed before. */
  readonly search?: () => FindSuggestions;
  /** Opens the text in an editor; reading of keys is paused. */
  readonly edit?: (text: string, signal: AbortSignal) => Promise<EditResult>;
  /** What stands for a paste instead of its text; undefined, at once or later, where nothing does. */
  readonly convertPaste?: (paste: Paste) => Promise<string | undefined> | undefined;
  /** What stands for the image of the clipboard. */
  readonly pasteImage?: () => Promise<EditResult>;
}

/** One line, and the screen it is on. */
interface EditedLineOptions extends LineAids {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly input: LineInput;
  /** Words before its sign. @default none */
  readonly mode?: (() => string) | undefined;
  /** Whether dots stand for what is typed. @default false */
  readonly isHidden?: boolean;
  /** Called when the line or its list has changed without a key. */
  readonly onChange?: () => void;
  /** Takes the line, and what changes around it, from the screen; resolves with what brings it back. */
  readonly clearScreen?: () => Promise<() => void>;
  /** Says something about the line. */
  readonly say?: (style: Style, text: string) => void;
  /** Ends a search or an editor. */
  readonly signal?: AbortSignal | undefined;
}

/** Rows over and under a line, and how many there are in all where it shows the keys. */
interface Surroundings {
  readonly above?: readonly string[];
  readonly below?: readonly string[];
  /** @default as many as else */
  readonly helpRows?: number;
}

/** A message that says this alone has the keys shown below it. */
const KEYS_SIGN = "?";
const LIST_MAP = new KeyMap(LIST_KEYS);

/** One line that is being written. */
export class EditedLine {
  readonly #options: EditedLineOptions;
  readonly #ended = new AbortController();
  #history: LineHistory | undefined;
  #list: SuggestionList | undefined;
  /** Of the suggestions that are being looked for. */
  #looking = new AbortController();
  #isLooking = false;
  /** The text for which suggestions were looked for last. */
  #suggestedFor = "";
  /** The column that Up and Down keep to. */
  #column: number | undefined;
  /** The first row that is shown of a line taller than its room. */
  #top = 0;
  /** Settles when nothing else has the screen; undefined if nothing has. */
  #covered: Promise<unknown> | undefined;

  constructor(options: EditedLineOptions) {
    this.#options = options;
  }

  get input(): LineInput {
    return this.#options.input;
  }

  /** Whether something else has the screen: further keys are not for the line. */
  get isCovered(): boolean {
    return this.#covered !== undefined;
  }

  /** Whether keys choose in a list. */
  get isListOpen(): boolean {
    return this.#list !== undefined;
  }

  /** Resolves once nothing else has the screen. */
  async uncovered(): Promise<void> {
    while (this.#covered !== undefined) await this.#covered;
  }

  /** Takes one key, text or paste; what is left to do is for the holder of the line. */
  take(typed: TypedInput): Outcome {
    if (typed.kind === "key" && this.#takeForList(LIST_MAP.find(typed))) return "done";
    const { buffer } = this.input;
    const before = buffer.text.slice(0, buffer.cursor);
    const outcome = this.input.take(typed);
    if (outcome === "done" && typed.kind === "paste") this.#convert({ text: typed.text, before });
    if (outcome !== "up" && outcome !== "down") this.#column = undefined;
    if (outcome === "too long" && typed.kind === "paste") this.#refuse(typed.length);
    return this.#act(outcome) ? "done" : outcome;
  }

  /** Looks for suggestions if the text has changed, or because they were asked for. */
  suggest({ isAsked = false } = {}): void {
    const { text, cursor } = this.input.buffer;
    // Whoever is quicker than the list would have taken its first entry.
    const take = !isAsked ? "none" : this.#isListed ? "only" : "first";
    if ((this.#suggestedFor === text && !isAsked) || this.#isEnded) return;
    this.#suggestedFor = text;
    this.#looking.abort();
    const { suggest } = this.#options;
    if (suggest === undefined) return;
    if ((this.#list?.from ?? 0) > cursor) this.#list = undefined;
    this.#looking = new AbortController();
    this.#isLooking = true;
    void this.#show(suggest({ text, cursor, isAsked }, this.#looking.signal), take);
  }

  /** Empties the line for another message. */
  clear(): void {
    this.input.clear();
    this.#history = undefined;
    this.#closeList();
  }

  /** Ends what is being looked for; nothing is called back any more. */
  stop(): void {
    this.#ended.abort();
    this.#looking.abort();
  }

  /** Draws all of the line. Whether one that is over has been in one mode of vi or the other is no matter. */
  render({ isOver = false } = {}): LineView {
    const { theme, mode, isHidden } = this.#options;
    const words = [mode?.(), isOver ? "" : this.input.vimMode].filter(Boolean).join(" ");
    const { text, cursor, labelOf } = this.input.buffer;
    const shown = isHidden ? theme.glyphs.dot.repeat(text.length) : text;
    return renderLine({ text: shown, cursor, labelOf }, {
      theme,
      mode: words,
      columns: this.#columns,
    });
  }

  /** Draws the part of the line that so many rows have room for, with its list, between other rows. */
  draw(rows: number, around: Surroundings = {}): DrawnLine {
    const columns = this.#columns;
    const { theme } = this.#options;
    const view = this.render();
    const isHelp = this.input.isMultiline && this.input.buffer.text === KEYS_SIGN;
    const room = isHelp ? around.helpRows ?? rows : rows;
    const least = Math.min(view.lines.length, Math.ceil(room / 2));
    const fixed = [...view.lines.slice(0, least), ...around.below ?? []];
    const free = listRoom(this.#options.terminal, fixed);
    const list = isHelp
      ? keyHelpLines({ theme, columns }, room - least)
      : this.#list?.lines({ theme, columns: free.columns }, Math.min(room - least, free.rows)) ??
        [];
    const below = (around.below ?? []).slice(0, room - least - list.length);
    const left = room - list.length - below.length;
    const above = (around.above ?? []).slice(0, left - least);
    const height = Math.max(1, left - above.length);
    this.#top = windowStart(view, { height, previous: this.#top });
    const shown = windowLines(view, { theme, from: this.#top, height });
    const row = above.length + view.cursor.row - this.#top;
    return { lines: [...above, ...shown, ...list, ...below], cursor: { ...view.cursor, row } };
  }

  /** Gives the screen to something else; what is thrown there is dropped. */
  async cover<T>(run: () => Promise<T>): Promise<T | undefined> {
    return await this.#hold(run, this.#options.clearScreen);
  }

  /** Keeps further keys for later while something is done; what is thrown there is dropped. */
  async #hold<T>(
    run: () => Promise<T>,
    clearScreen?: EditedLineOptions["clearScreen"],
  ): Promise<T | undefined> {
    const { terminal } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#covered = promise;
    this.#closeList();
    const bringBack = await clearScreen?.();
    try {
      return await run();
    } catch {
      return undefined;
    } finally {
      this.#covered = undefined;
      this.#options.onChange?.();
      bringBack?.();
      resolve();
      // For keys that came behind the one that began it.
      terminal.resume();
    }
  }

  get #isEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  get #columns(): number {
    return Math.max(1, this.#options.terminal.columns - 1);
  }

  get #signal(): AbortSignal {
    const { signal } = this.#options;
    return signal === undefined
      ? this.#ended.signal
      : AbortSignal.any([this.#ended.signal, signal]);
  }

  /** Whether nothing is left to do. */
  #act(outcome: Outcome): boolean {
    switch (outcome) {
      case "enter":
        if (!this.#list?.isMoved || !this.#isListed) return false;
        this.#insert(this.#list.chosen);
        return true;
      case "up":
        if (!this.#moveRow(-1)) this.#recall("older");
        return true;
      case "down":
        if (!this.#moveRow(1)) this.#recall("newer");
        return true;
      case "older":
      case "newer":
        this.#recall(outcome);
        return true;
      case "tab":
        this.suggest({ isAsked: true });
        return true;
      case "search":
        void this.#search();
        return true;
      case "edit elsewhere":
        void this.#edit();
        return true;
      case "paste image":
        void this.#pasteImage();
        return true;
      case "open":
        return this.input.buffer.openPaste();
      default:
        return false;
    }
  }

  /** Whether an open list has taken a key. */
  #takeForList(action: ReturnType<typeof LIST_MAP.find>): boolean {
    const list = this.#list;
    if (list === undefined || action === undefined || action === "prefix") return false;
    // What was typed since may mean something else.
    if (action === "take" && !this.#isListed) return false;
    if (action === "close") this.#list = undefined;
    else if (action === "take") this.#insert(list.chosen);
    else list.move(action);
    return true;
  }

  /** Whether the list is that of the text as it is. */
  get #isListed(): boolean {
    const isFound = this.#list === undefined || this.#list.chosen !== undefined;
    return isFound && !this.#isLooking && this.#suggestedFor === this.input.buffer.text;
  }

  #insert(item: Suggestion | undefined): void {
    const { buffer } = this.input;
    const from = Math.min(this.#list?.from ?? buffer.cursor, buffer.cursor);
    this.#list = undefined;
    if (item === undefined) return;
    buffer.replace({ from, to: buffer.cursor, text: item.insert });
    if (!item.more) this.#suggestedFor = buffer.text;
  }

  #closeList(): void {
    this.#looking.abort();
    this.#isLooking = false;
    this.#list = undefined;
  }

  /** Opens a list of what is found, unless the text has changed by then, or takes an entry of it. */
  async #show(
    found: Promise<Suggestions | undefined>,
    take: "none" | "only" | "first",
  ): Promise<void> {
    const { signal } = this.#looking;
    const suggestions = await found.catch(() => undefined);
    if (signal.aborted) return;
    const { items = [], rest, later, isUnlikely }: Partial<Suggestions> = suggestions ?? {};
    const isFound = items.length > 0 || later !== undefined;
    const wasOpen = this.isListOpen;
    this.#isLooking = false;
    this.#list = suggestions && isFound ? new SuggestionList(suggestions, this.#list) : undefined;
    const isOnly = items.length === 1 && !rest && later === undefined;
    if (take !== "none" && (isOnly || (take === "first" && items.length > 0 && !isUnlikely))) {
      this.#insert(items[0]);
    } else if (later !== undefined) void this.#show(later, take);
    this.suggest();
    if (wasOpen || isFound) this.#options.onChange?.();
  }

  /** Whether the cursor has moved to another row of the text. */
  #moveRow(step: 1 | -1): boolean {
    const { rows, cursor, lines, indent } = this.render();
    const row = cursor.row - (lines.length - rows.length) + step;
    if (row < 0 || row >= rows.length) return false;
    const column = this.#column ?? cursor.column - indent;
    this.input.buffer.moveTo(offsetAt(rows, { row, column }));
    this.#column = column;
    return true;
  }

  /** Puts what stands for a paste in its place, as a step of its own. */
  #convert(paste: Paste): void {
    const { buffer } = this.input;
    const converted = this.#options.convertPaste?.(paste);
    if (converted === undefined) return;
    const [from, to] = [paste.before.length, buffer.cursor];
    void this.#hold(async () => {
      const text = await converted;
      if (text !== undefined) buffer.replace({ from, to, text });
      this.#suggestedFor = buffer.text;
    });
  }

  async #pasteImage(): Promise<void> {
    const { pasteImage, say } = this.#options;
    if (pasteImage === undefined) return;
    const { buffer } = this.input;
    const problem = await this.#hold(async () => {
      const pasted = await pasteImage();
      if (pasted.kind === "unchanged") return pasted.why;
      const blank = /\S$/.test(buffer.text.slice(0, buffer.cursor)) ? " " : "";
      buffer.replace({ from: buffer.cursor, to: buffer.cursor, text: blank + pasted.text });
      this.#suggestedFor = buffer.text;
    });
    if (problem !== undefined) say?.("dim", problem);
  }

  #recall(which: "older" | "newer"): void {
    const { buffer } = this.input;
    const { whole } = buffer;
    this.#history ??= new LineHistory((this.#options.history?.() ?? []).filter(isSafe));
    const earlier = which === "older"
      ? this.#history.older(whole, buffer.text.slice(0, buffer.cursor))
      : this.#history.newer(whole);
    if (earlier !== undefined) buffer.setText(earlier);
    // What was said is no beginning of a word.
    this.#suggestedFor = buffer.text;
    this.#closeList();
  }

  /** Lets the person search what was typed before, at first by what is in the line. */
  async #search(): Promise<void> {
    const { terminal, theme, search } = this.#options;
    const { buffer } = this.input;
    if (search === undefined) return;
    await this.cover(async () => {
      const chosen = await searchList({
        terminal,
        theme,
        signal: this.#signal,
        what: "earlier",
        letters: buffer.whole,
        find: search(),
      });
      if (chosen !== undefined) buffer.setText(chosen.insert);
      this.#suggestedFor = buffer.text;
    });
  }

  async #edit(): Promise<void> {
    const { terminal, edit, say } = this.#options;
    if (edit === undefined) return;
    terminal.pause();
    const { buffer } = this.input;
    const problem = await this.cover(async () => {
      const edited = await edit(buffer.whole, this.#signal);
      if (edited.kind === "unchanged") return edited.why;
      buffer.setText(edited.text.replace(/\r?\n$/, ""));
    });
    if (problem !== undefined) say?.("dim", problem);
  }

  #refuse(length: number): void {
    const size = formatBytes(length);
    this.#options.say?.(
      "warning",
      `A paste of ${size} is too large. Save it to a file and give its name instead.`,
    );
  }
}

/** A terminal would take its control characters for its own. */
function isSafe(text: string): boolean {
  return stripControls(text) === text;
}
