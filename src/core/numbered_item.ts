/**
 * What stands on the screen with a number beside it: what was shown shortened, and code. Commands take the number to
 * show the whole, to copy it, to take it back.
 */
import type { Preview } from "./permission.ts";

/** What an item is. */
export type ItemKind = "result" | "command" | "diff" | "message" | "thought" | "answer" | "code";

/** What can be drawn whole. */
export type Drawable =
  | { readonly form: "text" | "markdown"; readonly text: string }
  | { readonly form: "code"; readonly text: string; readonly language: string }
  | { readonly form: "preview"; readonly preview: Preview };

/** The whole of an item, with the text of it that is copied. */
export type ItemContent = Drawable & { readonly text: string };

/** One item. */
export interface NumberedItem {
  /** Counts up from 1 through the session. */
  readonly number: number;
  readonly kind: ItemKind;
  /** What it is the whole of, on one line: "bash deno test", "src/main.ts". */
  readonly title: string;
  /** How many lines it has. */
  readonly lines: number;
  /** Absent while it is being written, and once it was given up. */
  readonly content?: ItemContent | undefined;
  /** A file that holds all of it, where the content does not. */
  readonly file?: string | undefined;
  /** Number of the change to files that it shows. */
  readonly change?: number | undefined;
}

/** An item whose content is there. */
export type WholeItem = NumberedItem & { readonly content: ItemContent };

/** Finds items by their numbers. */
export interface ItemLookup {
  /** The highest number so far, 0 if there is none. */
  readonly highest: number;
  /** Undefined for a number that nothing has, or that is too long ago. */
  get(number: number): NumberedItem | undefined;
  /** The newest items, the newest last. */
  latest(most: number): readonly NumberedItem[];
}
