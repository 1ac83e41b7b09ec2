/**
 * `/settings`: the settings as a list to search in. Each shows its value and where that comes from, and can be changed
 * or left to its default; what is typed is checked as a run would check it.
 */
import { formatSettingValue } from "../store/config_sources.ts";
import { SETTING_TABLE } from "../store/settings_table.ts";
import { messageOf } from "../lib/text.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { config } from "./config.ts";

const UNSET = "unset";

/** `/settings [WORDS]` */
export const settings: SlashCommand = {
  name: "settings",
  terminalOnly: true,
  changes: "machine",
  usage: "[WORDS]",
  summary: "look through the settings and change them",
  examples: ["/settings", "/settings theme"],
  async run(argument, context) {
    if (context.pickEntry === undefined) return await config.run("", context);
    let filter = argument;
    let current: string | undefined;
    for (;;) {
      const picked = await pickSetting(context, { filter, current });
      if (picked === undefined) return "continue";
      filter = picked.typed;
      current = picked.value;
      try {
        const said = picked.action === UNSET
          ? await context.config.unset(picked.value)
          : await changeSetting(picked.value, context);
        if (said !== undefined) context.say(said);
      } catch (error) {
        context.say(messageOf(error));
      }
    }
  },
};

async function pickSetting(
  { config, pickEntry }: CommandContext,
  { filter, current }: { filter: string; current: string | undefined },
) {
  const entries = (await config.list()).map((one) => ({
    value: one.key,
    label: `${one.key}: ${formatSettingValue(one) || "not set"} (${one.source})`,
    detail: one.help,
  }));
  return await pickEntry?.("Settings:", {
    entries,
    search(typed) {
      const words = typed.toLowerCase().split(/\s+/);
      return entries.filter(({ label, detail }) =>
        words.every((word) => `${label} ${detail}`.toLowerCase().includes(word))
      );
    },
    actions: [{ key: "Delete", name: UNSET, does: "leaves it to the default" }],
    filter,
    current,
  });
}

/** Asks for the new value; what to say of it, or undefined if nothing was changed. */
async function changeSetting(key: string, context: CommandContext): Promise<string | undefined> {
  const found = (await context.config.list()).find((one) => one.key === key);
  const value = found?.value === undefined ? "" : formatSettingValue(found);
  const { schema, help } = new Map(SETTING_TABLE).get(key) ?? {};
  const values = Array.isArray(schema?.enum)
    ? schema.enum.map(String)
    : schema?.type === "boolean"
    ? ["true", "false"]
    : undefined;
  const question = `${key}: ${help ?? ""}`;
  const given = values
    ? await context.pickName?.(question, values, value)
    : await context.askLine?.(question, value);
  return !given || given === value ? undefined : await context.config.set(key, given);
}
