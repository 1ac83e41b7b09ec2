/**
 * The Markdown lexer and the grammars, loaded with the first event that needs them: a session without Markdown does
 * not pay for them.
 */
import type { Event } from "../core/event.ts";
import type { Preview } from "../core/permission.ts";
import { type Highlight, loadHighlight, plainCode } from "./highlight.ts";
import { type Lexer, loadLexer } from "./markdown.ts";
import type { Theme } from "./theme.ts";

/** Text that belongs to no reply, such as the output of a command. */
export interface Remark {
  readonly type: "remark";
  /** Markdown. */
  readonly text: string;
  readonly previews?: readonly Preview[];
}

const FENCE = /```|~~~/;

/** What has been loaded so far. */
export class RenderLibraries {
  readonly #theme: Theme;
  #lexer: Lexer | undefined;
  #highlight: Highlight | undefined;
  /** End of the text so far: a fence may arrive in pieces. */
  #tail = "";

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  get lexer(): Lexer {
    if (this.#lexer === undefined) throw new Error("Cannot draw text: its lexer is not loaded");
    return this.#lexer;
  }

  /** Leaves code plain until the grammars are loaded. */
  get highlight(): Highlight {
    return this.#highlight ?? plainCode;
  }

  /** Loads what this event needs; undefined if everything is loaded. */
  load(event: Event | Remark): Promise<void> | undefined {
    const text = ["text_delta", "message", "remark"].includes(event.type);
    const lexer = text && this.#lexer === undefined;
    const highlight = this.#highlight === undefined && this.#showsCode(event);
    return lexer || highlight ? this.#load({ lexer, highlight }) : undefined;
  }

  async #load(wanted: { lexer: boolean; highlight: boolean }): Promise<void> {
    if (wanted.lexer) this.#lexer = await loadLexer();
    if (wanted.highlight) this.#highlight = await loadHighlight(this.#theme);
  }

  #showsCode(event: Event | Remark): boolean {
    switch (event.type) {
      case "tool_preview":
        return event.previews.some(holdsCode);
      case "message":
        return FENCE.test(event.message.content);
      case "remark":
        return FENCE.test(event.text) ||
          event.previews?.some(holdsCode) === true;
      case "text_delta": {
        const text = this.#tail + event.text;
        this.#tail = text.slice(-2);
        return FENCE.test(text);
      }
      default:
        return false;
    }
  }
}

function holdsCode({ kind }: Preview): boolean {
  return kind === "new_file" || kind === "diff";
}
