/**
 * One reply of the model as it arrives: first its thinking, then its text. It turns deltas into finished lines, and
 * offers what is unfinished for the live region.
 */
import { MarkdownStream } from "./markdown.ts";
import type { NumberedItems } from "./numbered_items.ts";
import type { RenderLibraries } from "./render_libraries.ts";
import { TextPace } from "./text_pace.ts";
import type { Layout } from "./theme.ts";
import { finalThinkingLines, liveThinkingLines } from "./turn_view.ts";

/** Finished lines, and the section they belong to. */
export interface Passage {
  readonly section: "thinking" | "text";
  readonly lines: readonly string[];
}

/** Rows of the text that may still change, at most: a terminal made narrower may keep them where nothing is erased. */
const UNSETTLED_ROWS = 1;

/** How much of the thinking is shown: all of it, a few lines, or nothing. */
export type ThinkingMode = "full" | "short" | "off";

/** The reply being received. */
export class ReplyView {
  readonly #libraries: RenderLibraries;
  readonly #line: () => Layout;
  readonly #mode: () => ThinkingMode;
  readonly #items: NumberedItems | undefined;
  readonly #now: () => number;
  readonly #pace: TextPace;
  #thinking = "";
  #markdown: MarkdownStream | undefined;
  #started = false;
  /** The unfinished part as it was drawn last. */
  #drawn: { rows: number; columns: number; passages: readonly Passage[] } | undefined;

  constructor(
    libraries: RenderLibraries,
    { line, thinking = () => "short", items, now = () => 0, isStill = () => false }: {
      line: () => Layout;
      /** The clock of the screen, in milliseconds. */
      now?: () => number;
      /** Whether there are few frames. @default there are many */
      isStill?: () => boolean;
      thinking?: () => ThinkingMode;
      /** Where thoughts and code get their numbers. @default they get none */
      items?: NumberedItems;
    },
  ) {
    this.#items = items;
    this.#libraries = libraries;
    this.#line = line;
    this.#mode = thinking;
    this.#now = now;
    this.#pace = new TextPace(isStill);
  }

  /** Whether any of the reply has arrived. */
  get hasStarted(): boolean {
    return this.#started;
  }

  /** Whether it is thinking so far, and nothing else. */
  get isThinking(): boolean {
    return this.#thinking !== "" && this.#markdown === undefined;
  }

  addThinking(text: string): void {
    this.#started = true;
    this.#thinking += text;
  }

  addText(text: string): Passage[] {
    const thought = this.#endThinking();
    this.#started = true;
    this.#markdown ??= new MarkdownStream({
      theme: this.#line().theme,
      lexer: this.#libraries.lexer,
      highlight: () => this.#libraries.highlight,
      columns: () => this.#line().columns,
      items: this.#items,
    });
    const passages = toPassages(thought, this.#markdown.push(text));
    this.#pace.take(this.#now());
    if (passages.length > 0) this.#finish();
    return passages;
  }

  /** Hands out all that is left; the next delta begins a new reply. */
  end(): Passage[] {
    const thought = this.#endThinking();
    const text = this.#markdown?.end() ?? [];
    this.#markdown = undefined;
    this.#drawn = undefined;
    this.#started = false;
    return toPassages(thought, text);
  }

  /** Hands out what nothing that follows can change, but for the beginning of a row. */
  settle(): readonly string[] {
    const { begun } = this;
    const rows = this.#markdown?.settle() ?? [];
    if (rows.length > 0 || this.begun !== begun) this.#finish();
    return rows;
  }

  /** The beginning of the first unfinished row, which stays as it is. */
  get begun(): string {
    return this.#markdown?.begun ?? "";
  }

  /** Whether text has arrived lately. */
  get isFlowing(): boolean {
    return this.#pace.isFlowing(this.#now());
  }

  /** Ends that row, and hands it out. */
  endRow(): readonly string[] {
    this.#drawn = undefined;
    return this.#markdown?.endRow() ?? [];
  }

  /**
   * The unfinished part, in at most `rows` lines. With `isKept` as it was drawn last, if it had as much room; the same
   * where text comes fast and nothing has been finished since, unless the frame is one for the clock.
   */
  live(rows: number, { isKept = false, isTick = false } = {}): readonly Passage[] {
    const { columns } = this.#line();
    const drawn = this.#drawn;
    const isFast = this.#pace.isFast(this.#now(), { isTick });
    if ((isKept || isFast) && drawn?.rows === rows && drawn.columns === columns) {
      return drawn.passages;
    }
    const passages = isFast && !this.isThinking
      ? toPassages([], this.begun === "" ? [] : [this.begun])
      : this.#drawUnfinished(rows);
    this.#drawn = { rows, columns, passages };
    return passages;
  }

  /** What was drawn of it is not unfinished any more. */
  #finish(): void {
    this.#drawn = undefined;
    this.#pace.settle(this.#now());
  }

  #drawUnfinished(rows: number): Passage[] {
    const hidden = this.#thinking === "" || this.#mode() === "off";
    const thought = hidden ? [] : liveThinkingLines(this.#thinking, this.#line());
    return toPassages(thought, this.#markdown?.partial(Math.min(rows, UNSETTLED_ROWS)) ?? []);
  }

  #endThinking(): string[] {
    const text = this.#thinking;
    const mode = this.#mode();
    this.#thinking = "";
    if (text === "" || mode === "off") return [];
    const number = () =>
      this.#items?.add({ kind: "thought", title: "", content: { form: "text", text } });
    return finalThinkingLines(text, { ...this.#line(), whole: mode === "full", number });
  }
}

function toPassages(thought: readonly string[], text: readonly string[]): Passage[] {
  const both: Passage[] = [
    { section: "thinking", lines: thought },
    { section: "text", lines: text },
  ];
  return both.filter((passage) => passage.lines.length > 0);
}
