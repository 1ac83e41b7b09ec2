/**
 * `/show`: the whole of what was shown shortened, by the number beside it.
 */
import { cutEnd, plural } from "../lib/text.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { inlineCode, markdownTable } from "./markdown.ts";
import {
  findItem,
  isNumber,
  itemFacts,
  KIND_NAMES,
  MAX_TITLE,
  NO_ITEMS,
} from "./numbered_items.ts";

/** Numbers that are listed. */
const MAX_LISTED = 20;

/** `/show [N] [--pager]` */
export const show: SlashCommand = {
  name: "show",
  terminalOnly: true,
  duringTurn: true,
  usage: "[N] [--pager]",
  summary: "show the whole of what was shown shortened, or list what has a number",
  examples: ["/show", "/show 12", "/show 12 --pager"],
  complete: ({ items }) =>
    Promise.resolve(items.latest(MAX_LISTED).map(({ number }) => String(number)).reverse()),
  opensPage: (argument) => argument !== "",
  async run(argument, context) {
    const words = argument.split(/\s+/).filter((word) => word !== "");
    const paged = words.includes("--pager");
    const [number, ...more] = words.filter((word) => word !== "--pager");
    if (number === undefined && !paged) listItems(context);
    else if (number !== undefined && isNumber(number) && more.length === 0) {
      const item = await findItem(number, context);
      await context.showWhole([item.content], { facts: itemFacts(item), paged });
    } else throw new Error(`'${argument}' is not a number. Use /show N, or /show for a list.`);
    return "continue";
  },
};

/** Shows all of what was shortened last. @throws {Error} nothing was */
export async function showNewest(context: CommandContext): Promise<void> {
  const { items } = context;
  const newest = items.latest(items.highest).findLast(({ kind }) => kind !== "code");
  if (newest === undefined) throw new Error("Nothing was shortened yet.");
  const item = await findItem(String(newest.number), context);
  await context.showWhole([item.content], { facts: itemFacts(item) });
}

function listItems({ items, say }: CommandContext): void {
  const listed = items.latest(MAX_LISTED);
  if (listed.length === 0) {
    return say(`Nothing has a number yet: ${NO_ITEMS}`);
  }
  const rows = listed.map(({ number, kind, title, lines, content }) => [
    number,
    KIND_NAMES[kind],
    title === "" ? "" : inlineCode(cutEnd(title, MAX_TITLE)),
    content === undefined ? "no longer kept" : plural(lines, "line"),
  ]);
  say(markdownTable(["number", "what", "of", "size"], { rows, numeric: [0] }).join("\n"));
}
