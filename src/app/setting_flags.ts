/**
 * The command-line flags that set settings, made from the table of settings.
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Setting, SettingFlag } from "../store/setting.ts";
import { explainMismatch, parseSettingText } from "../store/setting_text.ts";
import { type Config, SETTING_TABLE } from "../store/settings_table.ts";

/** Adds the flags that are listed under one heading of the help. */
export function addSettingFlags(program: Command, group: SettingFlag["group"]): void {
  for (const { setting, flag } of FLAGS) {
    if (flag.group !== group) continue;
    const option = new Option(flag.term, describe(setting, flag));
    if (flag.value === undefined) option.argParser((text) => parse(text, setting));
    program.addOption(option);
  }
}

/** The settings that the given flags set. */
export function settingsOf(values: Readonly<Record<string, unknown>>): Config {
  return Object.fromEntries(FLAGS.flatMap(({ key, flag }) => {
    const option = new Option(flag.term);
    const given = values[option.attributeName()];
    if (given === undefined) return [];
    if (flag.value === undefined) return [[key, given]];
    return given === !option.negate ? [[key, flag.value]] : [];
  }));
}

interface FlagRow {
  readonly key: string;
  readonly setting: Setting;
  readonly flag: SettingFlag;
}

const FLAGS: readonly FlagRow[] = [...SETTING_TABLE].flatMap(([key, setting]) =>
  (setting.flags ?? []).map((flag) => ({ key, setting, flag }))
);

/** The help of a flag, with the variable that sets the same, or else with the default. */
function describe(setting: Setting, { help = setting.help, value }: SettingFlag): string {
  const fixed = setting.otherwise === undefined && value === undefined
    ? setting.default
    : undefined;
  const note = setting.variable ?? fixed;
  return note === undefined ? help : `${help} (${note})`;
}

function parse(text: string, { schema }: Setting): unknown {
  const value = parseSettingText(schema, text);
  const wrong = explainMismatch(schema, value);
  if (wrong !== undefined) throw new InvalidArgumentError(wrong);
  return value;
}
