/**
 * A search: letters in a line narrow the list below it. Nothing of it stays on the screen.
 */
import { KeyMap, PICKER_KEYS } from "./key_bindings.ts";
import type { TypedInput } from "./key_decoder.ts";
import { LineInput } from "./line_input.ts";
import { renderLine, windowLines, windowStart } from "./line_view.ts";
import { listRoom } from "./list_room.ts";
import { LiveRegion } from "./live_region.ts";
import { type Suggestion, suggestionRows, type Suggestions } from "./suggestion_rows.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";

/** Finds by some letters; without letters, all. */
export type FindSuggestions = (
  letters: string,
  signal: AbortSignal,
) => Promise<Pick<Suggestions, "items" | "rest">>;

/** One search. */
interface SearchOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  /** Ends the search. */
  readonly signal: AbortSignal;
  /** What is searched, in a word, as it stands before the letters. */
  readonly what: string;
  /** The letters at first. */
  readonly letters: string;
  readonly find: FindSuggestions;
}

/** Rows of the list: as many stay empty below the line when it is gone. */
const MAX_ROWS = 8;
/** Rows of the letters. */
const MAX_LINE_ROWS = 3;
const KEYS = new KeyMap(PICKER_KEYS);

/** Lets the person search; undefined if nothing was chosen. */
export async function searchList(options: SearchOptions): Promise<Suggestion | undefined> {
  return options.signal.aborted ? undefined : await new Search(options).chosen;
}

/** One search on the screen. */
class Search {
  readonly chosen: Promise<Suggestion | undefined>;
  readonly #options: SearchOptions;
  readonly #region: LiveRegion;
  readonly #line = new LineInput({ isMultiline: false });
  readonly #releases: (() => void)[];
  #found: Suggestions = { from: 0, items: [] };
  #index = 0;
  /** The first row that is shown of the line. */
  #top = 0;
  /** Of the letters that are being looked for, or were last. */
  #looking = new AbortController();
  #shown: Promise<void> = Promise.resolve();
  #isDone = false;
  #resolve: (item: Suggestion | undefined) => void = () => {};

  constructor(options: SearchOptions) {
    const { terminal, signal, letters } = options;
    this.#options = options;
    this.chosen = new Promise((resolve) => this.#resolve = resolve);
    this.#region = new LiveRegion(terminal, { staysLow: true });
    this.#line.buffer.type(letters.replace(/\s+/g, " "));
    const leave = () => this.#finish(undefined);
    signal.addEventListener("abort", leave);
    this.#releases = [
      terminal.listen({ onInput: (inputs) => this.#takeAll(inputs), onEnd: leave }),
      terminal.onResize(() => this.#draw()),
      () => signal.removeEventListener("abort", leave),
    ];
    this.#look();
    this.#draw();
  }

  #takeAll(inputs: readonly TypedInput[]): void {
    for (const [index, input] of inputs.entries()) {
      if (!this.#take(input)) continue;
      return this.#options.terminal.unread(inputs.slice(index + 1));
    }
    this.#draw();
  }

  /** Takes a key; true if it ends the search. */
  #take(input: TypedInput): boolean {
    const action = input.kind === "key" ? KEYS.find(input) : undefined;
    if (action === "up" || action === "down") {
      this.#move(action === "up" ? -1 : 1);
      return false;
    }
    if (action === "enter") {
      // What was typed just before it counts.
      void this.#shown.then(() => this.#finish(this.#found.items[this.#index]));
      return true;
    }
    if (action !== undefined && action !== "prefix") {
      this.#finish(undefined);
      return true;
    }
    const before = this.#line.buffer.text;
    this.#line.take(input);
    if (this.#line.buffer.text !== before) this.#look();
    return false;
  }

  /** Chooses the next item; at the ends there is none. */
  #move(step: 1 | -1): void {
    const last = Math.max(0, this.#found.items.length - 1);
    this.#index = Math.min(last, Math.max(0, this.#index + step));
  }

  #look(): void {
    this.#looking.abort();
    this.#looking = new AbortController();
    const { signal } = this.#looking;
    this.#shown = this.#options.find(this.#line.buffer.text, signal).then((found) => {
      if (signal.aborted || this.#isDone) return;
      this.#found = { from: 0, ...found };
      this.#index = 0;
      this.#draw();
    }).catch(() => {});
  }

  #draw(): void {
    if (this.#isDone) return;
    const { terminal, theme, what } = this.#options;
    const columns = Math.max(1, terminal.columns - 1);
    const view = renderLine(this.#line.buffer, { theme, columns, mode: what });
    const height = Math.min(MAX_LINE_ROWS, view.lines.length);
    this.#top = windowStart(view, { height, previous: this.#top });
    const lines = windowLines(view, { theme, from: this.#top, height });
    const cursor = { ...view.cursor, row: view.cursor.row - this.#top };
    const free = listRoom(terminal, lines);
    const rows = Math.max(1, Math.min(MAX_ROWS, this.#region.safeRows - height, free.rows));
    const layout = { theme, columns: free.columns, rows, chosen: this.#index };
    const list = this.#found.items.length === 0
      ? [theme.paint("dim", "  nothing matches")]
      : suggestionRows(this.#found, layout);
    this.#region.update([], [...lines, ...list], cursor);
  }

  #finish(item: Suggestion | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#looking.abort();
    for (const release of this.#releases) release();
    this.#region.clear();
    this.#resolve(item);
  }
}
