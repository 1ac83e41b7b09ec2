/**
 * Draws Markdown's blocks and spans, as `marked` lexes them, as lines of at most a given width. Pure.
 */
import type { MarkedToken, Token, Tokens } from "marked";
import { oneLine } from "../lib/text.ts";
import type { Highlight } from "./highlight.ts";
import { renderGrowingTable, renderTable } from "./markdown_table.ts";
import type { Layout, Theme } from "./theme.ts";
import { cellWidth, fit, wrapCode, wrapCodeWords, wrapProse } from "./wrap.ts";

/** What drawing a block needs. */
interface BlockOptions {
  readonly theme: Theme;
  /** Cells a line may take. */
  readonly columns: number;
  readonly highlight: Highlight;
  /** Gives a number to a block of code, which then stands above it. */
  readonly numberCode?: ((code: Code) => number) | undefined;
  /** Whether more may follow, so that the blocks are drawn again and again. @default false */
  readonly isGrowing?: boolean;
}

/** A block of code. */
export interface Code {
  readonly text: string;
  /** The first word behind its fence, "" for none. */
  readonly language: string;
}

/** Draws blocks with one empty line between them. */
export function renderBlocks(tokens: readonly Token[], options: BlockOptions): string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const block = renderBlock(token as MarkedToken, options);
    if (block.length === 0) continue;
    if (lines.length > 0) lines.push("");
    lines.push(...block);
  }
  return lines;
}

function renderBlock(token: MarkedToken, options: BlockOptions): string[] {
  const { theme, columns } = options;
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return renderHeading(token, options);
    case "code":
      return renderCodeBlock(token, options);
    case "list":
      return renderList(token, options);
    case "blockquote": {
      const inner = renderBlocks(token.tokens, { ...options, columns: columns - 2 });
      return indent(inner, `${theme.paint("dim", theme.glyphs.bar)} `);
    }
    case "hr":
      return [theme.paint("dim", theme.glyphs.rule.repeat(Math.max(1, Math.min(columns, 40))))];
    case "table": {
      const table = {
        header: token.header.map((cell) => renderSpans(cell.tokens, theme)),
        rows: token.rows.map((row) => row.map((cell) => renderSpans(cell.tokens, theme))),
        align: token.align,
      };
      return (options.isGrowing ? renderGrowingTable : renderTable)(table, { theme, columns });
    }
    case "html":
      return token.text.trimEnd().split("\n").flatMap((line) => wrapCode(line, columns));
    default:
      return wrapProse(inlineText(token, theme), columns);
  }
}

function renderHeading(token: Tokens.Heading, { theme, columns }: BlockOptions): string[] {
  const text = renderSpans(token.tokens, theme);
  if (theme.depth === "none") return wrapProse(`${"#".repeat(token.depth)} ${text}`, columns);
  return wrapProse(text, columns).map((line) => {
    const bold = theme.paint("bold", line);
    return token.depth <= 2 ? theme.paint("accent", bold) : bold;
  });
}

function renderCodeBlock(token: Tokens.Code, options: BlockOptions): string[] {
  const code = { text: token.text, language: token.lang?.split(/\s/)[0] ?? "" };
  const number = options.numberCode?.(code);
  return [
    ...number === undefined ? [] : [codeHeading(number, { ...options, ...code })],
    ...renderCode(options.highlight(code.text, code.language), options),
  ];
}

/** "  ts · /copy 12", above the code. */
export function codeHeading(
  number: number,
  { language, theme, columns }: Layout & Pick<Code, "language">,
): string {
  const name = language === "" ? "" : `${oneLine(language)} ${theme.glyphs.dot} `;
  return `  ${
    theme.paint("dim", fit(`${name}/copy ${number}`, columns - 2, theme.glyphs.ellipsis))
  }`;
}

/** Coloured code in lines that are set in. */
export function renderCode(code: string, { columns }: Pick<BlockOptions, "columns">): string[] {
  return indent(code.split("\n").flatMap((line) => wrapCodeWords(line, columns - 2)), "  ");
}

function renderList(token: Tokens.List, options: BlockOptions): string[] {
  const { theme } = options;
  const first = token.start === "" ? 1 : token.start;
  const numberWidth = `${first + token.items.length - 1}.`.length;
  return token.items.flatMap((item, index) => {
    const mark = token.ordered ? `${first + index}.`.padStart(numberWidth) : theme.glyphs.item;
    const lead = `${theme.paint(token.ordered ? "dim" : "accent", mark)} `;
    const inset = cellWidth(mark) + 1;
    const box = item.task ? (item.checked ? "[x] " : "[ ] ") : "";
    const lines = itemLines(item, { ...options, columns: options.columns - inset });
    const body = lines.map((line, row) =>
      row === 0 ? `${lead}${box}${line}` : line === "" ? "" : " ".repeat(inset) + line
    );
    if (body.length === 0) body.push(lead + box);
    return token.loose && index > 0 ? ["", ...body] : body;
  });
}

/** The parts of an item, without empty lines between them unless its author put some. */
function itemLines(item: Tokens.ListItem, options: BlockOptions): string[] {
  const columns = item.task ? options.columns - 4 : options.columns;
  const parts = item.tokens
    .filter((part) => part.type !== "checkbox")
    .map((part) => renderBlock(part as MarkedToken, { ...options, columns }))
    .filter((lines) => lines.length > 0);
  return parts.flatMap((lines, index) => item.loose && index > 0 ? ["", ...lines] : lines);
}

/** The text of inline tokens, styled; line breaks of the source become blanks. */
function renderSpans(tokens: readonly Token[], theme: Theme): string {
  return tokens.map((token) => inlineText(token as MarkedToken, theme)).join("");
}

function inlineText(token: MarkedToken, theme: Theme): string {
  switch (token.type) {
    case "strong":
      return theme.paint("bold", renderSpans(token.tokens, theme));
    case "em":
      return theme.paint("italic", renderSpans(token.tokens, theme));
    case "del":
      return theme.paint("strike", renderSpans(token.tokens, theme));
    case "codespan":
      return theme.depth === "none"
        ? token.raw
        : theme.paint("code", theme.linkReferences(token.text));
    case "link":
      return linkText(token, theme);
    case "image":
      return `${token.text} ${theme.paint("dim", `(${token.href})`)}`.trim();
    case "br":
      return "\n";
    case "text":
    case "paragraph":
      return token.tokens
        ? renderSpans(token.tokens, theme)
        : theme.linkReferences(token.text.replaceAll("\n", " "));
    default:
      return "text" in token && typeof token.text === "string" ? token.text : token.raw;
  }
}

/** The address is always shown: a link must not claim to lead elsewhere. */
function linkText(token: Tokens.Link, theme: Theme): string {
  const text = renderSpans(token.tokens, theme);
  const address = token.href.replace(/^mailto:/, "");
  if (token.text === address) return theme.paint("underline", theme.linkAddress(address));
  return `${theme.paint("underline", text)} ${
    theme.paint("dim", `(${theme.linkAddress(token.href)})`)
  }`;
}

function indent(lines: readonly string[], prefix: string): string[] {
  return lines.map((line) => line === "" ? prefix.trimEnd() : prefix + line);
}
