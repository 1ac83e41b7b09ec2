/**
 * Reads a message from the person: a line with the keys of a shell, several rows, earlier messages, suggestions, and
 * pastes as one thing each.
 */
import { formatBytes, stripControls } from "../lib/text.ts";
import { KeyMap, LIST_KEYS } from "./key_bindings.ts";
import type { TypedInput } from "./key_decoder.ts";
import { keyHelpLines } from "./key_help.ts";
import { LineHistory } from "./line_history.ts";
import { LineInput, type Outcome } from "./line_input.ts";
import { type LineView, promptSign, renderLine, windowLines, windowStart } from "./line_view.ts";
import { LiveRegion } from "./live_region.ts";
import { readPlainLine } from "./plain_line.ts";
import { CLEAR_SCREEN } from "./sequences.ts";
import { type FindSuggestions, searchList } from "./search_list.ts";
import { SuggestionList } from "./suggestion_list.ts";
import type { Suggestion, Suggestions } from "./suggestion_rows.ts";
import type { Terminal } from "./terminal.ts";
import { offsetAt } from "./text_layout.ts";
import type { Style } from "./palettes.ts";
import type { Theme } from "./theme.ts";
import { wrapProse } from "./wrap.ts";

/**
 * What the person did: sent a line, left (Ctrl+D, end of input), pressed Ctrl+C on an empty line, or went back to what
 * was before.
 */
type LineResult =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "exit" }
  | { readonly kind: "interrupt" }
  | { readonly kind: "back" };

/** A line for which something may be offered. */
export interface OfferedLine {
  /** With each long paste as one character. */
  readonly text: string;
  readonly cursor: number;
  /** Whether the person asked for it, by Tab. */
  readonly isAsked: boolean;
}

/** The result of an edit elsewhere: the new text, or why nothing changed. */
export type EditResult =
  | { readonly kind: "text"; readonly text: string }
  | {
    readonly kind: "unchanged";
    readonly why: string;
    /** Set if it could not be edited: nor could what follows it. */
    readonly stops?: true;
  };

/** One prompt. */
export interface EditLineOptions {
  readonly theme: Theme;
  /** Words before the prompt, such as the mode of the session; asked for whenever the prompt is drawn. */
  readonly mode?: (() => string) | undefined;
  /** Called for Shift+Tab, which takes the next mode. What it returns is said, and the prompt goes on. */
  readonly onCycleMode?: () => string | undefined;
  /** Oldest first. */
  readonly history?: readonly string[];
  /** Called with each message that is sent. */
  readonly onHistory?: (text: string) => void;
  /** What is offered as one types, and for Tab. */
  readonly suggest?: (line: OfferedLine, signal: AbortSignal) => Promise<Suggestions | undefined>;
  /** Begins a search of what was typed before. */
  readonly search?: () => FindSuggestions;
  /** Opens the text in an editor; reading of keys is paused. @default it cannot be edited elsewhere */
  readonly edit?: (text: string, signal: AbortSignal) => Promise<EditResult>;
  /** Ctrl+O where the line has no paste to show; reading of keys is paused. */
  readonly onOpen?: () => Promise<void>;
  /** Rows over the line, fitted to a width. */
  readonly above?: (columns: number) => readonly string[];
  /** Rows under it. */
  readonly below?: (columns: number) => readonly string[];
  /** Takes what draws the rows over and under the line again, and returns how to stop that. */
  readonly refresh?: (draw: () => void) => () => void;
  /** The line to edit, with what was typed before; empty once it is sent. @default an empty one */
  readonly line?: LineInput;
  /** Text to put before it. */
  readonly initialText?: string;
  /** Called for each Ctrl+C; the line was cleared if it had text. What it returns is said, and the prompt goes on. */
  readonly onInterrupt?: (hadText: boolean) => string | undefined;
  /** Whether Esc goes back to what was before, and leaves the text in the line. @default false */
  readonly canGoBack?: boolean;
  /** Ends the prompt as an interrupt would. */
  readonly signal?: AbortSignal;
}

/** A line that says this alone has the keys shown below it. */
const KEYS_SIGN = "?";
const LIST_MAP = new KeyMap(LIST_KEYS);

/** Reads one message from the person. */
export async function editLine(terminal: Terminal, options: EditLineOptions): Promise<LineResult> {
  if (options.signal?.aborted) return { kind: "interrupt" };
  if (terminal.canRedraw) return await new LineEditor(terminal, options).result;
  const { theme, mode } = options;
  const prompt = promptSign({ theme, mode: mode?.() });
  const line = await readPlainLine(terminal, { prompt, signal: options.signal });
  if (line === undefined) return { kind: options.signal?.aborted ? "interrupt" : "exit" };
  if (line.trim() !== "") options.onHistory?.(line);
  return { kind: "line", text: line };
}

class LineEditor {
  /** Resolves with what the person did. */
  readonly result: Promise<LineResult>;

  readonly #terminal: Terminal;
  readonly #options: EditLineOptions;
  readonly #region: LiveRegion;
  readonly #line: LineInput;
  readonly #history: LineHistory;
  readonly #releases: (() => void)[];
  readonly #ended = new AbortController();
  #list: SuggestionList | undefined;
  /** Of the suggestions that are being looked for. */
  #looking = new AbortController();
  #isLooking = false;
  /** The text for which suggestions were looked for last. */
  #suggestedFor = "";
  /** The column that Up and Down keep to. */
  #column: number | undefined;
  /** The first row that is shown of a line taller than the screen. */
  #top = 0;
  /** Whether something else has the screen. */
  #isCovered = false;
  #resolve: (entered: LineResult) => void = () => {};

  constructor(terminal: Terminal, options: EditLineOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.result = new Promise((resolve) => this.#resolve = resolve);
    this.#region = new LiveRegion(terminal, { isText: true });
    this.#line = options.line ?? new LineInput();
    this.#history = new LineHistory((options.history ?? []).filter(isSafe));
    const { signal } = options;
    const onAbort = () => this.#finish({ kind: "interrupt" });
    signal?.addEventListener("abort", onAbort);
    // Before the prompt is shown, so that the terminal no longer echoes when somebody types at it.
    this.#releases = [
      terminal.listen({
        onInput: (inputs) => this.#takeAll(inputs),
        onEnd: () => this.#finish({ kind: "exit" }),
      }),
      terminal.onResize(() => this.#draw()),
      options.refresh?.(() => this.#draw()) ?? (() => {}),
      () => signal?.removeEventListener("abort", onAbort),
    ];
    if (options.initialText) this.#line.buffer.prepend(stripControls(options.initialText));
    this.#suggest();
    this.#draw();
  }

  get #isDone(): boolean {
    return this.#ended.signal.aborted;
  }

  get #columns(): number {
    return Math.max(1, this.#terminal.columns - 1);
  }

  #takeAll(inputs: readonly TypedInput[]): void {
    for (const [index, input] of inputs.entries()) {
      this.#take(input);
      if (!this.#isDone && !this.#isCovered) continue;
      this.#terminal.unread(inputs.slice(index + 1));
      return;
    }
    this.#suggest();
    this.#draw();
  }

  #take(input: TypedInput): void {
    if (input.kind === "key" && this.#takeForList(LIST_MAP.find(input))) return;
    const outcome = this.#line.take(input);
    if (outcome !== "up" && outcome !== "down") this.#column = undefined;
    if (outcome === "too long" && input.kind === "paste") this.#refuse(input.length);
    else this.#act(outcome);
  }

  #act(outcome: Outcome): void {
    const { buffer } = this.#line;
    switch (outcome) {
      case "enter":
        if (this.#list?.isMoved && this.#isListed) return this.#insert(this.#list.chosen);
        return this.#send();
      case "escape":
        if (this.#options.canGoBack) this.#finish({ kind: "back" });
        return;
      case "interrupt":
        return this.#interrupt();
      case "end of input":
        return this.#finish({ kind: "exit" });
      case "up":
        if (!this.#moveRow(-1)) this.#recall("older");
        return;
      case "down":
        if (!this.#moveRow(1)) this.#recall("newer");
        return;
      case "older":
      case "newer":
        return this.#recall(outcome);
      case "tab":
        return this.#suggest({ isAsked: true });
      case "cycle mode":
        return this.#cycleMode();
      case "search":
        return void this.#search();
      case "edit elsewhere":
        return void this.#edit();
      case "open":
        if (!buffer.openPaste()) void this.#open();
        return;
      case "redraw":
        // A terminal that keeps what was on the screen has the line once.
        this.#region.clear();
        this.#terminal.control(CLEAR_SCREEN);
        this.#region.forget();
        return;
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
    return isFound && !this.#isLooking && this.#suggestedFor === this.#line.buffer.text;
  }

  #insert(item: Suggestion | undefined): void {
    const { buffer } = this.#line;
    const from = Math.min(this.#list?.from ?? buffer.cursor, buffer.cursor);
    this.#list = undefined;
    if (item === undefined) return;
    buffer.replace({ from, to: buffer.cursor, text: item.insert });
    if (!item.more) this.#suggestedFor = buffer.text;
  }

  /** Looks for suggestions if the text has changed, or because they were asked for. */
  #suggest({ isAsked = false } = {}): void {
    const { text, cursor } = this.#line.buffer;
    // Whoever is quicker than the list would have taken its first entry.
    const take = !isAsked ? "none" : this.#isListed ? "only" : "first";
    if ((this.#suggestedFor === text && !isAsked) || this.#isDone) return;
    this.#suggestedFor = text;
    this.#looking.abort();
    const { suggest } = this.#options;
    if (suggest === undefined) return;
    if ((this.#list?.from ?? 0) > cursor) this.#list = undefined;
    this.#looking = new AbortController();
    this.#isLooking = true;
    void this.#show(suggest({ text, cursor, isAsked }, this.#looking.signal), take);
  }

  /** Opens a list of what is found, unless the text has changed by then, or takes an entry of it. */
  async #show(
    found: Promise<Suggestions | undefined>,
    take: "none" | "only" | "first",
  ): Promise<void> {
    const { signal } = this.#looking;
    const suggestions = await found.catch(() => undefined);
    if (this.#isDone || this.#isCovered || signal.aborted) return;
    const { items = [], rest, later, isUnlikely }: Partial<Suggestions> = suggestions ?? {};
    const isFound = items.length > 0 || later !== undefined;
    this.#isLooking = false;
    this.#list = suggestions && isFound ? new SuggestionList(suggestions, this.#list) : undefined;
    const isOnly = items.length === 1 && !rest && later === undefined;
    if (take !== "none" && (isOnly || (take === "first" && items.length > 0 && !isUnlikely))) {
      this.#insert(items[0]);
    } else if (later !== undefined) void this.#show(later, take);
    this.#suggest();
    this.#draw();
  }

  /** Whether the cursor has moved to another row of the text. */
  #moveRow(step: 1 | -1): boolean {
    const { rows, cursor, lines, indent } = this.#render();
    const row = cursor.row - (lines.length - rows.length) + step;
    if (row < 0 || row >= rows.length) return false;
    const column = this.#column ?? cursor.column - indent;
    this.#line.buffer.moveTo(offsetAt(rows, { row, column }));
    this.#column = column;
    return true;
  }

  #recall(which: "older" | "newer"): void {
    const { buffer } = this.#line;
    const { whole } = buffer;
    const earlier = which === "older"
      ? this.#history.older(whole, buffer.text.slice(0, buffer.cursor))
      : this.#history.newer(whole);
    if (earlier !== undefined) buffer.setText(earlier);
    // What was said is no beginning of a word.
    this.#suggestedFor = buffer.text;
    this.#list = undefined;
  }

  /** Lets the person search what was typed before, at first by what is in the line. */
  async #search(): Promise<void> {
    const { theme, search } = this.#options;
    const { buffer } = this.#line;
    if (search === undefined) return;
    const chosen = await this.#cover(() =>
      searchList({
        terminal: this.#terminal,
        theme,
        signal: this.#ended.signal,
        what: "earlier",
        letters: buffer.whole,
        find: search(),
      })
    );
    if (chosen !== undefined) buffer.setText(chosen.insert);
    this.#suggestedFor = buffer.text;
    this.#draw();
  }

  async #edit(): Promise<void> {
    const { edit } = this.#options;
    if (edit === undefined) return;
    this.#terminal.pause();
    const { buffer } = this.#line;
    const edited = await this.#cover(() => edit(buffer.whole, this.#ended.signal));
    this.#terminal.resume();
    if (edited?.kind === "unchanged") return this.#say("dim", edited.why);
    if (edited !== undefined) buffer.setText(stripControls(edited.text).replace(/\n$/, ""));
    this.#draw();
  }

  async #open(): Promise<void> {
    const { onOpen } = this.#options;
    if (onOpen === undefined) return;
    this.#terminal.pause();
    await this.#cover(onOpen);
    this.#terminal.resume();
    this.#draw();
  }

  /** Takes the line from the screen while something else is there. */
  async #cover<T>(run: () => Promise<T>): Promise<T | undefined> {
    this.#list = undefined;
    this.#region.clear();
    this.#isCovered = true;
    try {
      return await run();
    } catch {
      return undefined;
    } finally {
      this.#isCovered = false;
    }
  }

  #refuse(length: number): void {
    const size = formatBytes(length);
    this.#say(
      "warning",
      `A paste of ${size} is too large. Save it to a file and give its name instead.`,
    );
  }

  #cycleMode(): void {
    const said = this.#options.onCycleMode?.();
    if (said !== undefined) this.#say("warning", said);
  }

  /** Says something below the line, which then begins anew. */
  #say(style: Style, text: string): void {
    const { theme } = this.#options;
    const said = wrapProse(text, this.#columns).map((line) => theme.paint(style, line));
    this.#region.update([...this.#render().lines, ...said], []);
    this.#draw();
  }

  #send(): void {
    const text = this.#line.buffer.whole;
    if (text.trim() !== "") this.#options.onHistory?.(text);
    this.#finish({ kind: "line", text });
  }

  #interrupt(): void {
    const { buffer } = this.#line;
    const hadText = buffer.text !== "";
    const said = this.#options.onInterrupt?.(hadText);
    if (this.#isDone) return;
    if (said !== undefined) return this.#say("dim", said);
    if (!hadText) return this.#finish({ kind: "interrupt" });
    this.#line.clear();
    this.#list = undefined;
  }

  /** Whether a line that is over has been in one mode of vi or the other is no matter. */
  #render({ isOver = false } = {}): LineView {
    const { theme, mode } = this.#options;
    const words = [mode?.(), isOver ? "" : this.#line.vimMode].filter(Boolean).join(" ");
    return renderLine(this.#line.buffer, { theme, mode: words, columns: this.#columns });
  }

  #draw(): void {
    if (this.#isDone || this.#isCovered) return;
    const columns = this.#columns;
    const { theme } = this.#options;
    const view = this.#render();
    const room = this.#region.maxRows;
    const least = Math.min(view.lines.length, Math.ceil(room / 2));
    const list = this.#line.buffer.text === KEYS_SIGN
      ? keyHelpLines({ theme, columns }, room - least)
      : this.#list?.lines({ theme, columns }, room - least) ?? [];
    const below = (this.#options.below?.(columns) ?? []).slice(0, room - least - list.length);
    const left = room - list.length - below.length;
    const above = (this.#options.above?.(columns) ?? []).slice(0, left - least);
    const height = Math.max(1, left - above.length);
    this.#top = windowStart(view, { height, previous: this.#top });
    const shown = windowLines(view, { theme, from: this.#top, height });
    const row = above.length + view.cursor.row - this.#top;
    this.#region.update([], [...above, ...shown, ...list, ...below], { ...view.cursor, row });
  }

  #finish(entered: LineResult): void {
    if (this.#isDone) return;
    this.#ended.abort();
    this.#looking.abort();
    for (const release of this.#releases) release();
    const standing = entered.kind === "back" ? [] : this.#render({ isOver: true }).lines;
    if (!this.#isCovered) this.#region.update(standing, []);
    if (entered.kind === "line") this.#line.clear();
    this.#resolve(entered);
  }
}

/** A terminal would take its control characters for its own. */
function isSafe(text: string): boolean {
  return stripControls(text) === text;
}
