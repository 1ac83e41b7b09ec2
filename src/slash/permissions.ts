/**
 * `/permissions`: shows the rules in force, and removes those that "Always" stored.
 */
import { plural } from "../lib/text.ts";
import { detailLines, type ListedRule, listRules } from "../permission/describe.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { inlineCode } from "./markdown.ts";

/** `/permissions [remove ID|all]` */
export const permissions: SlashCommand = {
  name: "permissions",
  changes: "machine",
  usage: "[remove ID|all]",
  summary: "show what is allowed and denied, or take back an Always",
  async complete(context) {
    const ids = (await listRemovable(context)).map(({ id }) => id);
    return [...ids, ...(ids.length > 0 ? ["all"] : [])].map((id) => `remove ${id}`);
  },
  async run(argument, context) {
    const [verb, id, ...rest] = argument.split(/\s+/).filter((word) => word !== "");
    if (verb === undefined) context.say(await formatOverview(context));
    else if (verb === "remove" && id !== undefined && rest.length === 0) {
      context.say(await removeRules(id, context));
    } else throw new Error("Use /permissions, /permissions remove ID or /permissions remove all.");
    return "continue";
  },
};

async function formatOverview({ permissions }: CommandContext): Promise<string> {
  const rules = await listRules(permissions);
  const { banned, decisionLog } = permissions;
  const state = await permissions.state();
  return [
    ...(rules.length > 0
      ? ["Rules in force; deny wins over allow:", "", ...rules.flatMap(formatRule)]
      : ["No rules: what can change nothing runs unasked, all else asks."]),
    "",
    `Never run: ${plural(banned.length, "program")} (\`banned_commands\` in the configuration).`,
    "",
    ...state.flatMap((line) => [inlineCode(line), ""]),
    `Log of decisions: ${inlineCode(decisionLog)}`,
  ].join("\n");
}

function formatRule(rule: ListedRule): string[] {
  const { id, source, rule: text } = rule;
  const lines = detailLines(rule).map((line) => `  - ${inlineCode(line)}`);
  return [`- ${id === undefined ? "" : `**${id}** `}${source}: ${inlineCode(text)}`, ...lines];
}

async function removeRules(id: string, context: CommandContext): Promise<string> {
  const known = await listRemovable(context);
  const wanted = id === "all" ? known : known.filter((rule) => rule.id === id);
  if (wanted.length === 0) {
    throw new Error(
      known.length === 0
        ? "Always has allowed nothing here; flags and configuration are changed where they stand."
        : `There is no rule '${id}'. There are ${known.map((rule) => rule.id).join(", ")}.`,
    );
  }
  const removed = await context.permissions.book.remove(wanted.map((rule) => rule.id));
  return removed.map(({ text }) => `Removed ${inlineCode(text)}: it asks again.`).join("\n\n");
}

async function listRemovable(
  { permissions }: CommandContext,
): Promise<{ id: string; text: string }[]> {
  return (await permissions.book.list()).map(({ id, text }) => ({ id, text }));
}
