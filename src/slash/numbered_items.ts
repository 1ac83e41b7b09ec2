/**
 * What the commands that take a number say of the item that has it.
 */
import type { ItemContent, ItemKind, NumberedItem, WholeItem } from "../core/numbered_item.ts";
import { cutEnd, plural } from "../lib/text.ts";
import type { CommandContext } from "./command.ts";

/** What an item is, in words. */
export const KIND_NAMES: Readonly<Record<ItemKind, string>> = {
  result: "result",
  command: "command",
  diff: "change",
  message: "message",
  thought: "thought",
  answer: "answer",
  code: "code",
};

/** Characters of a title within a sentence or a table. */
export const MAX_TITLE = 60;

/** The item with a number, whole. @throws {Error} there is none, or it is no longer kept */
export async function findItem(argument: string, context: CommandContext): Promise<WholeItem> {
  const item = lookUpItem(argument, context);
  const content = await loadFile(item, context) ?? item.content;
  if (content !== undefined) return { ...item, content };
  throw new Error(
    item.lines === 0
      ? `${describeItem(item)}, which is still being written.`
      : `${describeItem(item)}, which is too long ago to be kept.`,
  );
}

/** What stands in the file of an item, as far as that can be read. */
async function loadFile(
  { file, content }: NumberedItem,
  { workspace }: CommandContext,
): Promise<ItemContent | undefined> {
  if (file === undefined) return undefined;
  try {
    const { text } = await workspace.read(await workspace.resolve(file), { unseen: true });
    return { form: "text", text };
  } catch {
    return content && { form: "text", text: `${content.text}\n\nAll of it is in ${file}` };
  }
}

/** The item with a number, even if its content was given up. @throws {Error} there is none */
export function lookUpItem(argument: string, context: CommandContext): NumberedItem {
  const item = context.items.get(Number(argument));
  if (item !== undefined) return item;
  throw new Error(`${describeMissing(argument, context)} /show lists the newest.`);
}

/** Why a number leads to nothing. */
export function describeMissing(argument: string, { items: { highest } }: CommandContext): string {
  return highest === 0
    ? `Nothing has the number ${argument}: ${NO_ITEMS}`
    : `Nothing has the number ${argument}: they go from 1 to ${highest}.`;
}

/** What has numbers, where nothing has one yet. */
export const NO_ITEMS = "numbers stand beside what is shown shortened, and over code.";

/** "12 is the result of bash deno test (61 lines)" */
export function describeItem({ number, kind, title, lines }: NumberedItem): string {
  const size = lines === 0 ? "" : ` (${plural(lines, "line")})`;
  return `${number} is ${KIND_WORDS[kind](cutEnd(title, MAX_TITLE))}${size}`;
}

const KIND_WORDS: Readonly<Record<ItemKind, (title: string) => string>> = {
  result: (title) => `the result of ${title}`,
  command: (title) => `the command of ${title}`,
  diff: (title) => `the change of ${title}`,
  message: () => "a message to a server",
  thought: () => "a thought",
  answer: (title) => `the answer of ${title}`,
  code: (title) => title === "" ? "code" : `code in ${title}`,
};

/** What stands above an item that is shown whole: its number, what it is, its length. */
export function itemFacts({ number, kind, title, lines }: NumberedItem): string[] {
  return [String(number), KIND_NAMES[kind], ...title === "" ? [] : [title], plural(lines, "line")];
}

/** Whether an argument can be the number of an item. */
export function isNumber(argument: string): boolean {
  return /^[1-9]\d{0,8}$/.test(argument);
}
