/**
 * Markdown that arrives in pieces. A complete block is returned as finished lines; the block still being written can
 * be drawn as far as it has come, to be replaced later. The result depends on the text alone and never on how it was
 * split: decisions are made line by line. `marked` is loaded with the first text.
 */
import type { Token, TokensList } from "marked";
import { stripControls } from "../lib/text.ts";
import { type Highlight, plainCode } from "./highlight.ts";
import { renderBlocks } from "./markdown_blocks.ts";
import type { Theme } from "./theme.ts";
import { wrapCode } from "./wrap.ts";

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
}

/** Blocks that end with their own line; all other kinds may continue. */
const ENDS_AT_LINE_END = new Set(["heading", "hr", "def"]);
/** Blocks that an empty line ends. */
const ENDS_AT_EMPTY_LINE = new Set(["paragraph", "table", "blockquote", "html", "heading", "hr"]);

/** An unfinished block longer than this is shown as written instead of being drawn again with every word. */
const MAX_REDRAWN = 8000;

/** One reply's text. */
export class MarkdownStream {
  readonly #options: MarkdownOptions;
  /** Complete lines of the unfinished block, safe to show. */
  #lines: string[] = [];
  /** The unfinished line as it came. */
  #rest = "";
  /** The fence that would end the code block being written. */
  #fence: string | undefined;
  #blocks = 0;

  constructor(options: MarkdownOptions) {
    this.#options = options;
  }

  /** Takes the next piece; returns the lines of blocks that it completed. */
  push(text: string): string[] {
    this.#rest += text;
    const standing: string[] = [];
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end === -1) return standing;
      const line = this.#rest.slice(0, end).replace(/\r$/, "");
      this.#rest = this.#rest.slice(end + 1);
      for (const safe of stripControls(line).split("\n")) standing.push(...this.#pushLine(safe));
    }
  }

  /** Ends the text; returns the remaining lines. */
  end(): string[] {
    if (this.#rest !== "") this.#lines.push(...stripControls(this.#rest).split("\n"));
    this.#rest = "";
    const lines = this.#draw(this.#options.lexer(this.#lines.join("\n")));
    this.#reset();
    this.#blocks = 0;
    return lines;
  }

  /** The last `rows` lines of the unfinished block, drawn as far as it has come. */
  partial(rows: number): string[] {
    const lines = [...this.#lines, ...stripControls(this.#rest).split("\n")];
    const text = lines.join("\n").trimEnd();
    if (text === "") return [];
    const lead = this.#blocks > 0 ? [""] : [];
    if (this.#fence === undefined && text.length <= MAX_REDRAWN) {
      return [...lead, ...this.#render(this.#options.lexer(text), plainCode)].slice(-rows);
    }
    const { theme } = this.#options;
    const columns = this.#options.columns();
    const tail = lines.slice(this.#fence === undefined ? 0 : 1).slice(-rows)
      .flatMap((line) => wrapCode(line, columns - 2));
    return [...lead, ...tail.map((line) => `  ${theme.paint("dim", line)}`)].slice(-rows);
  }

  #pushLine(line: string): string[] {
    this.#lines.push(line);
    if (this.#fence !== undefined) return line.trim() === "" ? [] : this.#closeFence(line);
    if (this.#lines.length === 1 && line.trim() === "") {
      this.#lines = [];
      return [];
    }
    const tokens = this.#options.lexer(`${this.#lines.join("\n")}\n`);
    const complete = this.#countComplete(tokens, line);
    const standing = this.#draw(tokens.slice(0, complete));
    const open = tokens.slice(complete).map((token) => token.raw).join("");
    this.#lines = open.trim() === "" ? [] : open.replace(/\n$/, "").split("\n");
    this.#fence = /^ {0,3}(`{3,}|~{3,})/.exec(this.#lines[0] ?? "")?.[1];
    return standing;
  }

  /** A closing fence has the same character as the opening one, is at least as long, and stands alone. */
  #closeFence(line: string): string[] {
    const mark = line.trim();
    const fence = this.#fence ?? "";
    const closes = mark.startsWith(fence) && mark.replaceAll(fence.charAt(0), "") === "" &&
      /^ {0,3}\S/.test(line);
    if (!closes) return [];
    const standing = this.#draw(this.#options.lexer(this.#lines.join("\n")));
    this.#reset();
    return standing;
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
    const lines = this.#render(tokens, this.#options.highlight());
    if (lines.length === 0) return [];
    return this.#blocks++ > 0 ? ["", ...lines] : lines;
  }

  #render(tokens: readonly Token[], highlight: Highlight): string[] {
    const { theme } = this.#options;
    const columns = Math.max(1, this.#options.columns());
    return renderBlocks(tokens, { theme, columns, highlight });
  }

  #reset(): void {
    this.#lines = [];
    this.#fence = undefined;
  }
}
