/**
 * `/config`: shows the effective settings with their sources, and changes the user's own.
 */
import { unknownKeyError } from "../store/config_edit.ts";
import { type EffectiveSetting, formatSettingValue } from "../store/config_sources.ts";
import { SETTING_TABLE } from "../store/settings_table.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { inlineCode, markdownTable } from "./markdown.ts";

/** `/config [KEY [VALUE] | unset KEY]` */
export const config: SlashCommand = {
  name: "config",
  changes: "machine",
  usage: "[KEY [VALUE] | unset KEY]",
  summary: "show the settings and who set them, or change one of your own",
  complete: () => Promise.resolve(listCandidates()),
  async run(argument, { config, say }) {
    const [first = "", ...rest] = argument.split(/\s+/);
    const words = ["get", "set", "list"].includes(first) ? rest : [first, ...rest];
    const [key = "", ...others] = words;
    const value = others.join(" ");
    if (key === "") say(formatTable(await config.list()));
    else if (key === "unset") say(await config.unset(value));
    else if (value !== "") say(await config.set(key, value));
    else say(await describeSetting(key, config));
    return "continue";
  },
};

async function describeSetting(key: string, config: CommandContext["config"]): Promise<string> {
  const found = (await config.list()).find((one) => one.key === key);
  if (found === undefined) throw unknownKeyError(key);
  const value = formatSettingValue(found);
  const shown = value === "" ? "not set" : inlineCode(value);
  return `**${key}** is ${shown} (${found.source}): ${found.help}.`;
}

function formatTable(settings: readonly EffectiveSetting[]): string {
  const rows = settings.map((one) => [one.key, formatSettingValue(one), one.source]);
  const end = "`/config KEY` explains one, `/config KEY VALUE` sets it for you, everywhere.";
  return [...markdownTable(["setting", "value", "from"], { rows }), "", end].join("\n");
}

/** Keys, and their values where there are but a few. */
function listCandidates(): string[] {
  return [...SETTING_TABLE].flatMap(([key, { schema }]) => {
    const values = Array.isArray(schema.enum)
      ? schema.enum.map(String)
      : schema.type === "boolean"
      ? ["true", "false"]
      : [];
    return [key, ...values.map((value) => `${key} ${value}`), `unset ${key}`];
  });
}
