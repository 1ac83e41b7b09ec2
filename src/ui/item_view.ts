/**
 * The whole of an item that has a number, drawn. Lines of text and code stay as long as they are: the terminal wraps
 * them, so that they can be selected whole.
 */
import type { Drawable } from "../core/numbered_item.ts";
import { loadHighlight } from "./highlight.ts";
import { loadLexer } from "./markdown.ts";
import { renderBlocks } from "./markdown_blocks.ts";
import { renderPreview } from "./preview.ts";
import { safeLines } from "./safe_text.ts";
import type { Layout } from "./theme.ts";

/** Draws the content of an item. */
export async function renderItem(
  content: Drawable,
  { cwd, ...layout }: Layout & { cwd: string },
): Promise<string[]> {
  switch (content.form) {
    case "text":
      return safeLines(content.text);
    case "markdown": {
      const [lexer, highlight] = await Promise.all([loadLexer(), loadHighlight(layout.theme)]);
      return renderBlocks(lexer(content.text), { ...layout, highlight });
    }
    case "code": {
      const highlight = await loadHighlight(layout.theme);
      return highlight(safeLines(content.text).join("\n"), content.language).split("\n");
    }
    case "preview": {
      const highlight = await loadHighlight(layout.theme);
      return renderPreview(content.preview, { ...layout, rows: Infinity, highlight, cwd });
    }
  }
}
