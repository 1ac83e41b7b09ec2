/**
 * The items of a session that have numbers. Their contents are kept in memory up to a limit: then the oldest are given
 * up, and only what they were stays known.
 */
import type { Event } from "../core/event.ts";
import type { ItemContent, ItemKind, ItemLookup, NumberedItem } from "../core/numbered_item.ts";
import type { Preview } from "../core/permission.ts";
import { oneLine, splitLines } from "../lib/text.ts";
import { cellWidth } from "./wrap.ts";

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

  /** Remembers which change to files a call has made that its items show. */
  linkChange(event: Extract<Event, { type: "tool_end" }>): void {
    const { patch_number: change } = event.result;
    if (typeof change !== "number") return;
    const callId = callKey(event);
    for (const [number, item] of this.#items) {
      if (item.callId === callId) this.#items.set(number, { ...item, change });
    }
  }
}

/** "… 38 more lines, /show 12"; where there is no room for both, the number alone. */
export function withNumber(
  text: string,
  { number, columns }: { number: number | undefined; columns: number },
): string {
  if (number === undefined) return text;
  const whole = `${text}, /show ${number}`;
  return cellWidth(whole) <= columns ? whole : `/show ${number}`;
}

/** Names a call: the main agent's by its id, and those of others, who may have the same ids, by their agent too. */
export function callKey({ agent, call_id }: Pick<Event, "agent"> & { call_id: string }): string {
  return agent.depth === 0 ? call_id : `${agent.id}/${call_id}`;
}

/** A change of files, or what is sent, as an item. */
export function previewItem(preview: Preview, callId?: string): NewItem {
  const [kind, title] = preview.kind === "sent"
    ? ["message", ""] as const
    : ["diff", "path" in preview ? preview.path : preview.command] as const;
  return { kind, title, content: { form: "preview", preview, text: textOf(preview) }, callId };
}

function textOf(preview: Preview): string {
  switch (preview.kind) {
    case "diff":
      return preview.diff;
    case "new_file":
      return preview.content;
    case "sent":
      return preview.text;
    case "command":
      return preview.command;
    case "deleted_file":
    case "other_change":
      return "";
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
