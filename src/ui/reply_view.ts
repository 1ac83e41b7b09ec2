/**
 * One reply of the model as it arrives: first its thinking, then its text. It turns deltas into finished lines, and
 * offers what is unfinished for the live region.
 */
import { MarkdownStream } from "./markdown.ts";
import type { NumberedItems } from "./numbered_items.ts";
import type { RenderLibraries } from "./render_libraries.ts";
import type { Layout } from "./theme.ts";
import { finalThinkingLines, liveThinkingLines } from "./turn_view.ts";

/** Finished lines, and the section they belong to. */
export interface Passage {
  readonly section: "thinking" | "text";
  readonly lines: readonly string[];
}

/** How much of the thinking is shown: all of it, a few lines, or nothing. */
export type ThinkingMode = "full" | "short" | "off";

/** The reply being received. */
export class ReplyView {
  readonly #libraries: RenderLibraries;
  readonly #line: () => Layout;
  readonly #mode: () => ThinkingMode;
  readonly #items: NumberedItems | undefined;
  #thinking = "";
  #markdown: MarkdownStream | undefined;
  #started = false;
  /** The unfinished part as it was drawn last. */
  #drawn: { rows: number; columns: number; passages: readonly Passage[] } | undefined;

  constructor(
    libraries: RenderLibraries,
    { line, thinking = () => "short", items }: {
      line: () => Layout;
      thinking?: () => ThinkingMode;
      /** Where thoughts and code get their numbers. @default they get none */
      items?: NumberedItems;
    },
  ) {
    this.#items = items;
    this.#libraries = libraries;
    this.#line = line;
    this.#mode = thinking;
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
    return toPassages(thought, this.#markdown.push(text));
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

  /** The unfinished part, in at most `rows` lines; with `isKept` as it was drawn last, if it had as much room. */
  live(rows: number, { isKept = false } = {}): readonly Passage[] {
    const { columns } = this.#line();
    const drawn = this.#drawn;
    if (isKept && drawn?.rows === rows && drawn.columns === columns) return drawn.passages;
    const passages = this.#drawUnfinished(rows);
    this.#drawn = { rows, columns, passages };
    return passages;
  }

  #drawUnfinished(rows: number): Passage[] {
    const hidden = this.#thinking === "" || this.#mode() === "off";
    const thought = hidden ? [] : liveThinkingLines(this.#thinking, this.#line());
    return toPassages(thought, this.#markdown?.partial(rows) ?? []);
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
