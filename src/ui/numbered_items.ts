/**
 * The items of a session that have numbers. Their contents are kept in memory up to a limit: then the oldest are given
 * up, and only what they were stays known.
 */
import type { Event } from "../core/event.ts";
import type { ItemContent, ItemKind, ItemLookup, NumberedItem } from "../core/numbered_item.ts";
import { oneLine, splitLines } from "../lib/text.ts";

/** Characters of all contents together. */
const MAX_CHARACTERS = 4_000_000;
/** Items that are known, with or without content. */
const MAX_ITEMS = 5000;

/** What an item is made of; the number is given. */
interface NewItem {
  readonly kind: ItemKind;
  readonly title: string;
  /** Left out if it is still to come. */
  readonly content?: ItemContent;
  readonly callId?: string | undefined;
  readonly change?: number | undefined;
}

/** The items of one session. */
export class NumberedItems implements ItemLookup {
  readonly #items = new Map<number, NumberedItem>();
  readonly #maxCharacters: number;
  #highest = 0;
  #characters = 0;

  constructor({ maxCharacters = MAX_CHARACTERS }: { maxCharacters?: number } = {}) {
    this.#maxCharacters = maxCharacters;
  }

  get highest(): number {
    return this.#highest;
  }

  get(number: number): NumberedItem | undefined {
    return this.#items.get(number);
  }

  latest(most: number): NumberedItem[] {
    return [...this.#items.values()].slice(-most);
  }

  /** Gives the next number to an item. */
  add({ content, title, ...item }: NewItem): number {
    const number = ++this.#highest;
    this.#items.set(number, { number, ...item, title: oneLine(title), lines: 0 });
    if (content !== undefined) this.fill(number, content);
    const [oldest] = this.#items.keys();
    if (this.#items.size > MAX_ITEMS && oldest !== undefined) this.#items.delete(oldest);
    return number;
  }

  /** Gives its content to an item that was added without. */
  fill(number: number, content: ItemContent): void {
    const item = this.#items.get(number);
    if (item === undefined) return;
    this.#characters += content.text.length;
    this.#items.set(number, { ...item, content, lines: splitLines(content.text).length });
    for (const [key, { content: old, ...known }] of this.#items) {
      if (this.#characters <= this.#maxCharacters) return;
      if (old === undefined) continue;
      this.#characters -= old.text.length;
      this.#items.set(key, known);
    }
  }

  /** Says which change to files the items of a call show. */
  setChange(callId: string, change: number): void {
    for (const [number, item] of this.#items) {
      if (item.callId === callId) this.#items.set(number, { ...item, change });
    }
  }
}

/** The whole result of a call, with the file of all that a command wrote where there is one. */
export function resultItem(
  { call_id: callId, name, result }: Extract<Event, { type: "tool_end" }>,
  { description, text }: { description: string; text: string },
): NewItem {
  const { log_path: file, patch_number: change } = result;
  return {
    kind: "result",
    title: `${name} ${description}`,
    content: { form: "text", text, ...typeof file === "string" && { file } },
    callId,
    ...typeof change === "number" && { change },
  };
}
