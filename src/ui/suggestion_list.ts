/**
 * An open list of what a line offers, of which one entry is chosen. Pure.
 */
import type { ListAction } from "./key_bindings.ts";
import { type Suggestion, suggestionRows, type Suggestions } from "./suggestion_rows.ts";
import type { Layout } from "./theme.ts";

/** Rows that a list takes at most. */
const MAX_ROWS = 8;

/** An open list. */
export class SuggestionList {
  readonly #suggestions: Suggestions;
  #index = 0;
  /** Whether somebody has chosen with the keys. */
  isMoved = false;

  /** What somebody has chosen in the list before stays chosen. */
  constructor(suggestions: Suggestions, before?: SuggestionList) {
    this.#suggestions = suggestions;
    if (!before?.isMoved) return;
    const index = suggestions.items.findIndex(({ insert }) => insert === before.chosen?.insert);
    this.#index = Math.max(0, index);
    this.isMoved = index >= 0;
  }

  /** The offset of the text from which an entry replaces it. */
  get from(): number {
    return this.#suggestions.from;
  }

  /** The chosen entry. */
  get chosen(): Suggestion | undefined {
    return this.#suggestions.items[this.#index];
  }

  /** Chooses another entry; from the last it goes on to the first. */
  move(action: Extract<ListAction, "next" | "previous">): void {
    const count = Math.max(1, this.#suggestions.items.length);
    this.#index = (this.#index + (action === "next" ? 1 : -1) + count) % count;
    this.isMoved = true;
  }

  /** The rows of the list, of which at most `room` are shown. */
  lines(layout: Layout, room: number): string[] {
    const rows = Math.min(MAX_ROWS, room);
    return suggestionRows(this.#suggestions, { ...layout, rows, chosen: this.#index });
  }
}
