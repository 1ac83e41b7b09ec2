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
  readonly file?: string | undefined;
  readonly change?: number | undefined;
  /** The call that is about to make the change that is shown, by its key. */
  readonly call?: string | undefined;
}

/** The items of one session. */
export class NumberedItems implements ItemLookup {
  readonly #items = new Map<number, Omit<NumberedItem, "content">>();
  /** By number, in the order in which they came. */
  readonly #contents = new Map<number, ItemContent>();
  /** By call, the items that show what it is about to do. */
  readonly #planned = new Map<string, number[]>();
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
    const item = this.#items.get(number);
    const content = this.#contents.get(number);
    return item && { ...item, ...content && { content } };
  }

  latest(most: number): NumberedItem[] {
    const numbers = [...this.#items.keys()].slice(-most);
    return numbers.flatMap((number) => this.get(number) ?? []);
  }

  /** Gives the next number to an item. */
  add({ content, title, call, ...item }: NewItem): number {
    const number = ++this.#highest;
    if (call !== undefined) this.#planned.set(call, [...this.#planned.get(call) ?? [], number]);
    this.#items.set(number, { number, ...item, title: oneLine(title), lines: 0 });
    if (content !== undefined) this.fill(number, content);
    const [oldest] = this.#items.keys();
    if (this.#items.size > MAX_ITEMS && oldest !== undefined) {
      this.#giveUp(oldest);
      this.#items.delete(oldest);
    }
    return number;
  }

  /** Gives its content to an item that was added without. */
  fill(number: number, content: ItemContent): void {
    const item = this.#items.get(number);
    if (item === undefined) return;
    this.#items.set(number, { ...item, lines: splitLines(content.text).length });
    this.#contents.set(number, content);
    this.#characters += content.text.length;
    for (const oldest of this.#contents.keys()) {
      if (this.#characters <= this.#maxCharacters) return;
      this.#giveUp(oldest);
    }
  }

  #giveUp(number: number): void {
    this.#characters -= this.#contents.get(number)?.text.length ?? 0;
    this.#contents.delete(number);
  }

  /** Remembers which change to files a call has made whose plan is shown. */
  endCall(event: Extract<Event, { type: "tool_end" }>): void {
    const call = callKey(event);
    const numbers = this.#planned.get(call) ?? [];
    this.#planned.delete(call);
    const { patch_number: change } = event.result;
    for (const number of typeof change === "number" ? numbers : []) {
      const item = this.#items.get(number);
      if (item !== undefined) this.#items.set(number, { ...item, change: Number(change) });
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
export function previewItem(preview: Preview, call?: string): NewItem {
  const [kind, title] = preview.kind === "sent"
    ? ["message", ""] as const
    : ["diff", "path" in preview ? preview.path : preview.command] as const;
  return { kind, title, content: { form: "preview", preview, text: textOf(preview) }, call };
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

/** The whole result of a call, with the file of all that a command wrote where there is one; or its command. */
export function resultItem(
  { name, result }: Extract<Event, { type: "tool_end" }>,
  { description, text, kind = "result" }: {
    description: string;
    text: string;
    kind?: ItemKind | undefined;
  },
): NewItem {
  const { log_path: file, patch_number: change } = result;
  return {
    kind,
    title: `${name} ${description}`,
    content: { form: "text", text },
    ...kind === "result" && typeof file === "string" && { file },
    ...typeof change === "number" && { change },
  };
}
