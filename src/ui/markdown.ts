/**
 * Markdown that arrives in pieces. What can no longer change is returned as finished lines: a block once it is
 * complete, the items of a list once the next one begins, code line by line. The rest can be drawn as far as it has
 * come, to be replaced later. The result depends on the text alone and never on how it was split: decisions are made
 * line by line. `marked` is loaded with the first text.
 */
import type { Token, Tokens, TokensList } from "marked";
import { stripControls } from "../lib/text.ts";
import { type Highlight, plainCode } from "./highlight.ts";
import { type Code, codeHeading, renderBlocks, renderCode } from "./markdown_blocks.ts";
import type { NumberedItems } from "./numbered_items.ts";
import { beginsWith, omitWritten, showsAll, stableText } from "./stable_text.ts";
import type { Theme } from "./theme.ts";

/** Splits Markdown into block tokens. */
export type Lexer = (markdown: string) => TokensList;

/** Loads the lexer. */
export async function loadLexer(): Promise<Lexer> {
  const { Marked } = await import("marked");
  const marked = new Marked({ gfm: true });
  return (markdown) => marked.lexer(markdown);
}

/** What a stream draws with; the width may change between blocks. */
interface MarkdownOptions {
  readonly theme: Theme;
  readonly lexer: Lexer;
  /** Asked for each block, since the grammars may be loaded meanwhile. */
  readonly highlight: () => Highlight;
  readonly columns: () => number;
  /** Where blocks of code get their numbers. @default they get none */
  readonly items?: NumberedItems | undefined;
}

/** Blocks that end with their own line; all other kinds may continue. */
const ENDS_AT_LINE_END = new Set(["heading", "hr", "def"]);
/** Blocks that an empty line ends. */
const ENDS_AT_EMPTY_LINE = new Set(["paragraph", "table", "blockquote", "html", "heading", "hr"]);

/** An unfinished block longer than this is shown as written instead of being drawn again with every word. */
const MAX_REDRAWN = 4000;
/** Rows by which an unfinished block moves up, where it has at least so many. */
const SCROLLED_ROWS = 4;
const LEAST_SCROLLED = 12;
/** Lines that go on with an open block whatever they say, so that it need not be split anew. */
const CONTINUES: ReadonlyMap<string, RegExp> = new Map([
  ["paragraph", /^\p{L}/u],
  ["blockquote", /^>/],
  ["table", /^\|/],
]);
/** Lines of code above one that decide about its colours, where it may be within something that began there. */
const CODE_CONTEXT = 60;
/** Characters of them elsewhere, and for a line that is being written, which is drawn again with every word. */
const NEAR_CONTEXT = 1500;
const SHORT_CONTEXT = 400;
/** Code that says nothing: it is coloured where it stands in what began above, such as a comment. */
const PROBE = "_";

/** A code block being written; its lines so far stand on the screen. */
interface OpenFence {
  /** Ends the block: this, or more of the same character, alone on a line. */
  readonly mark: string;
  /** Blanks before the mark, which are none of the code's. */
  readonly indent: number;
  readonly language: string;
  /** The last lines of the code. */
  readonly context: string[];
  /** Whether the next line begins in a comment or a text, whose beginning may be far above. */
  isInside: boolean;
  /** All of it, if it has a number. */
  readonly numbered: { readonly number: number; text: string } | undefined;
}

/** One reply's text. */
export class MarkdownStream {
  readonly #options: MarkdownOptions;
  /** Complete lines of the unfinished block, safe to show. */
  #lines: string[] = [];
  /** The unfinished line as it came. */
  #rest = "";
  #fence: OpenFence | undefined;
  /** Kind of the unfinished block, where that is known. */
  #open: string | undefined;
  /** Set while the unfinished block is the end of a list: whether an empty line parts its items. */
  #list: { readonly loose: boolean } | undefined;
  #blocks = 0;
  /** The rows of the unfinished block that were handed out, and how the next one begins on the screen. */
  #written: string[] = [];
  #begun = "";
  /** Columns at which it was broken; where there are others now, the block's rows may begin differently. */
  #begunColumns = 0;
  /** The part of its text that they show. */
  #stable = "";

  constructor(options: MarkdownOptions) {
    this.#options = options;
  }

  /** Takes the next piece; returns the lines that it completed. */
  push(text: string): string[] {
    this.#rest += text;
    const standing: string[] = [];
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end === -1) return standing;
      const line = this.#rest.slice(0, end).replace(/\r$/, "");
      this.#rest = this.#rest.slice(end + 1);
      for (const safe of stripControls(line).split("\n")) {
        standing.push(...this.#omitWritten(this.#pushLine(safe)), ...this.#endLostRow());
      }
    }
  }

  /** Ends the text; returns the remaining lines. */
  end(): string[] {
    const standing = this.#rest === "" ? [] : this.push("\n");
    const last = this.#draw(this.#options.lexer(this.#lines.join("\n")));
    standing.push(...this.#omitWritten(last));
    this.#lines = [];
    this.#open = undefined;
    this.#closeFence();
    this.#blocks = 0;
    return standing;
  }

  /** How the first of the unfinished rows begins; nothing that follows changes it. */
  get begun(): string {
    return this.#begun;
  }

  /** Hands out the rows of the unfinished block that nothing can change any more; how the next one begins stays as well. */
  settle(): string[] {
    const text = this.#unfinished;
    if (text === "" || this.#fence !== undefined || text.length > MAX_REDRAWN) return [];
    const sure = text.startsWith(this.#stable) ? this.#stable.length : 0;
    const draw = (part: string) => this.#drawGrowing(part);
    this.#stable = stableText(text, { sure, draw });
    const all = draw(this.#stable);
    const rows = this.#left(all);
    const begun = rows.at(-1) ?? "";
    const isTrue = beginsWith([...rows.slice(0, -1), begun], [this.#begun]) ||
      this.#begun === "";
    if (!isTrue && this.#begunColumns !== this.#columns) {
      return [...this.endRow(), ...this.settle()];
    }
    if (!isTrue || !beginsWith(draw(text), all)) return [];
    this.#begun = begun;
    this.#begunColumns = this.#columns;
    this.#written.push(...rows.slice(0, -1));
    return rows.slice(0, -1);
  }

  /** Ends the row that was begun, for something else is to stand below it; hands it out. */
  endRow(): string[] {
    const row = this.#begun;
    if (row === "") return [];
    this.#begun = "";
    this.#written.push(row);
    return [row];
  }

  /**
   * The last lines of the unfinished part, in at most so many rows below the one that was begun or an empty one, drawn
   * as far as it has come. Where it is taller it moves up by several rows at once, since each time costs more than a line.
   */
  partial(rows: number): string[] {
    const rest = stripControls(this.#rest);
    if (this.#fence !== undefined) {
      const isMark = this.#fence.mark.startsWith(rest.trim());
      return isMark ? [] : this.#drawUnfinishedCode(rest, this.#fence).slice(-rows);
    }
    const text = this.#unfinished;
    if (text === "") return [];
    const isLong = text.length > MAX_REDRAWN;
    if (isLong && this.#begun === "") return this.#renderEnd(text, rows).slice(-rows);
    if (isLong) return [this.#begun, ...this.#renderEnd(text, rows).slice(-1)];
    const left = this.#left(this.#drawGrowing(text));
    if (this.#begun === "") {
      const lead = left[0] === "" ? 1 : 0;
      return [...left.slice(0, lead), ...lastRows(left.slice(lead), rows)];
    }
    const [first = this.#begun, ...others] = left;
    if (!first.startsWith(this.#begun)) return [this.#begun];
    return others.length === 0 ? [first] : [first, ...lastRows(others, rows)];
  }

  /** The unfinished block as it came. */
  get #unfinished(): string {
    const rest = stripControls(this.#rest);
    return [...this.#lines, ...rest.split("\n")].join("\n").trimEnd();
  }

  /** Draws a block that may grow; the last item of a list as it will be drawn, on its own. */
  #drawGrowing(text: string): string[] {
    const tokens = this.#options.lexer(text);
    const draw = (some: readonly Token[]) =>
      this.#render(some, { highlight: plainCode, isGrowing: true });
    const list = tokens.at(-1);
    const items = list?.type === "list" ? (list as Tokens.List).items : [];
    const last = items.at(-1);
    if (list === undefined || last === undefined || items.length === 1) {
      return [...this.#lead(), ...draw(tokens)];
    }
    const before = [...tokens.slice(0, -1), { ...list, items: items.slice(0, -1) }];
    const gap = (list as Tokens.List).loose ? [""] : [];
    return [...this.#lead(), ...draw(before), ...gap, ...draw(this.#options.lexer(last.raw))];
  }

  /** Rows of the unfinished block without those that were handed out. */
  #left(rows: readonly string[]): readonly string[] {
    return this.#written.length === 0 ? rows : omitWritten(rows, this.#written);
  }

  /** The same of rows that finish it; a row that begins differently in the end is ended as it was begun. */
  #omitWritten(rows: readonly string[]): readonly string[] {
    if (rows.length === 0 || this.#written.length === 0 && this.#begun === "") return rows;
    if (this.#written.length > 0 && showsAll(this.#written, rows)) {
      this.#written = [...omitWritten(this.#written, rows)];
      return [];
    }
    const isSame = this.#left(rows)[0]?.startsWith(this.#begun) === true;
    const ended = isSame ? [] : this.endRow();
    const left = this.#left(rows);
    this.#written = [];
    this.#begun = "";
    this.#stable = "";
    return [...ended, ...left];
  }

  /** Ends a row without words whose block turned out to have none, as an empty item of a list before code. */
  #endLostRow(): string[] {
    if (this.#fence === undefined && this.#lines.length > 0) return [];
    const row = this.endRow();
    this.#written = [];
    this.#stable = "";
    return row;
  }

  /** At least the last rows of a text as it is written, broken where they stay the same as more follows. */
  #renderEnd(text: string, rows: number): string[] {
    const columns = this.#columns;
    const step = rows * Math.max(1, columns - 2);
    const lines = text.split("\n").slice(-rows).map((line) =>
      line.slice(Math.max(0, Math.floor(line.length / step) - 1) * step)
    );
    return renderCode(lines.join("\n"), { columns });
  }

  #pushLine(line: string): string[] {
    if (this.#fence !== undefined) return this.#pushCode(line, this.#fence);
    this.#lines.push(line);
    if (CONTINUES.get(this.#open ?? "")?.test(line)) return [];
    this.#open = undefined;
    if (this.#lines.length === 1 && line.trim() === "") {
      this.#lines = [];
      return [];
    }
    const tokens = this.#options.lexer(`${this.#lines.join("\n")}\n`);
    const complete = this.#countComplete(tokens, line);
    const standing = this.#draw(tokens.slice(0, complete));
    const [open, ...after] = tokens.slice(complete);
    let raw = [open, ...after].map((token) => token?.raw ?? "").join("");
    if (open?.type === "list") {
      const list = open as Tokens.List;
      standing.push(...this.#drawItems(list));
      raw = raw.slice(list.items.slice(0, -1).reduce((sum, item) => sum + item.raw.length, 0));
    }
    this.#lines = raw.trim() === "" ? [] : raw.replace(/\n$/, "").split("\n");
    this.#open = this.#lines.length > 0 ? open?.type : undefined;
    return open?.type === "code" ? [...standing, ...this.#openFence()] : standing;
  }

  /** Draws all items of an unfinished list but the last. */
  #drawItems(list: Tokens.List): string[] {
    const items = list.items.slice(0, -1);
    if (items.length === 0) return [];
    const standing = this.#draw([{ ...list, items }]);
    this.#list = { loose: list.loose };
    return standing;
  }

  /** Begins a code block, unless it is one by its indent, which an empty line does not end. */
  #openFence(): string[] {
    const [, blanks = "", mark, language = ""] =
      /^( {0,3})(`{3,}|~{3,})\s*([^\s`]*)/.exec(this.#lines[0] ?? "") ?? [];
    if (mark === undefined) return [];
    const [, ...code] = this.#lines;
    const lead = this.#lead();
    this.#blocks++;
    this.#lines = [];
    const number = this.#options.items?.add({ kind: "code", title: language });
    const numbered = number === undefined ? undefined : { number, text: "" };
    const fence = { mark, indent: blanks.length, language, context: [], isInside: false, numbered };
    this.#fence = fence;
    const { theme } = this.#options;
    const heading = number === undefined
      ? []
      : [codeHeading(number, { language, theme, columns: this.#columns })];
    return [...lead, ...heading, ...code.flatMap((line) => this.#pushCode(line, fence))];
  }

  #closeFence(): void {
    const { numbered, language } = this.#fence ?? {};
    if (numbered !== undefined && language !== undefined) {
      const { number, text } = numbered;
      this.#options.items?.fill(number, { form: "code", text, language });
    }
    this.#fence = undefined;
  }

  /** A closing fence has the same character as the opening one, is at least as long, and stands alone. */
  #pushCode(line: string, fence: OpenFence): string[] {
    const mark = line.trim();
    const closes = mark.startsWith(fence.mark) &&
      mark.replaceAll(fence.mark.charAt(0), "") === "" && /^ {0,3}\S/.test(line);
    if (closes) {
      this.#closeFence();
      return [];
    }
    if (fence.numbered !== undefined) fence.numbered.text += `${withoutIndent(line, fence)}\n`;
    const lines = [...contextOf(fence, NEAR_CONTEXT), line, PROBE];
    const [colored = "", probe] = this.#colorCode(lines, fence).slice(-2);
    fence.isInside = probe !== PROBE;
    fence.context.push(line);
    if (fence.context.length > CODE_CONTEXT) fence.context.shift();
    return renderCode(colored, { columns: this.#columns });
  }

  /** The line of code that is being written. */
  #drawUnfinishedCode(line: string, fence: OpenFence): string[] {
    const lines = [...contextOf(fence, SHORT_CONTEXT), line];
    const colored = this.#colorCode(lines, fence).at(-1) ?? "";
    return renderCode(colored, { columns: this.#columns });
  }

  /** Lines of code as lines with colours. */
  #colorCode(lines: readonly string[], { indent, language }: OpenFence): string[] {
    const code = withoutIndent(lines.join("\n"), { indent });
    return this.#options.highlight()(code, language).split("\n");
  }

  /** How many of the tokens can no longer change, whatever follows. */
  #countComplete(tokens: readonly Token[], line: string): number {
    const last = tokens.findLastIndex((token) => token.type !== "space");
    const token = tokens[last];
    if (token === undefined) return 0;
    const ends = ENDS_AT_LINE_END.has(token.type) ||
      line.trim() === "" && ENDS_AT_EMPTY_LINE.has(token.type);
    return ends ? tokens.length : last;
  }

  #draw(tokens: readonly Token[]): string[] {
    const { items, highlight } = this.#options;
    const numberCode = items &&
      ((code: Code) =>
        items.add({ kind: "code", title: code.language, content: { form: "code", ...code } }));
    const lines = this.#render(tokens, { highlight: highlight(), numberCode });
    if (lines.length === 0) return [];
    const lead = this.#lead();
    this.#blocks++;
    this.#list = undefined;
    return [...lead, ...lines];
  }

  /** What parts the unfinished block from what stands above it. */
  #lead(): string[] {
    const isApart = this.#list?.loose ?? this.#blocks > 0;
    return isApart ? [""] : [];
  }

  #render(
    tokens: readonly Token[],
    options: Pick<Parameters<typeof renderBlocks>[1], "highlight" | "numberCode" | "isGrowing">,
  ): string[] {
    const { theme } = this.#options;
    return renderBlocks(tokens, { theme, columns: this.#columns, ...options });
  }

  get #columns(): number {
    return Math.max(1, this.#options.columns());
  }
}

/** The lines above the next one of a block of code that decide about its colours: about so many characters where that is enough. */
function contextOf({ context, isInside }: OpenFence, most: number): readonly string[] {
  let length = 0;
  if (isInside) return context;
  return context.slice(context.findLastIndex((one) => (length += one.length + 1) > most) + 1);
}

/** The last of some lines, and empty ones for those that have room before they move up again. */
function lastRows(lines: readonly string[], rows: number): string[] {
  const step = rows < LEAST_SCROLLED ? 1 : SCROLLED_ROWS;
  const hidden = Math.max(0, Math.ceil((lines.length - rows) / step) * step);
  const empty = hidden === 0 ? 0 : rows - (lines.length - hidden);
  return [...lines.slice(hidden), ...Array.from({ length: empty }, () => "")];
}

/** Code without the blanks that its fence is set in by. */
function withoutIndent(code: string, { indent }: Pick<OpenFence, "indent">): string {
  return indent === 0 ? code : code.replace(new RegExp(`^ {0,${indent}}`, "gm"), "");
}
