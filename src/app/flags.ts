/**
 * The command-line flags that set settings, made from the table of settings, and those that allow and deny, as rules.
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import { ACCESS_KINDS, type AccessKind } from "../core/access.ts";
import type { Targets } from "../core/permission.ts";
import { resolvePathTargets } from "../permission/configured.ts";
import { homeDirectory } from "../store/paths.ts";
import type { Setting, SettingFlag } from "../store/setting.ts";
import { explainMismatch, parseSettingText } from "../store/setting_text.ts";
import { type Config, SETTING_TABLE } from "../store/settings_table.ts";
import type { Environment } from "./environment.ts";
import type { Options } from "./options.ts";

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

/** The kinds of access whose targets are paths. */
const PATH_KINDS: readonly AccessKind[] = ["read", "write"];

/** Stands for all of a kind; no argument of a program can hold it. */
export const WHOLE_KIND = "\0";

/**
 * The rules of flags by their names (`allowRead`), each given once or more. Relative paths begin at `cwd`, absolute;
 * without an environment the home is not known.
 * @throws {UsageError} one names a path that means nothing
 */
export function rulesOf(
  values: Readonly<Record<string, unknown>>,
  { cwd, env }: {
    readonly cwd: string;
    readonly env?: Pick<Environment, "get"> | undefined;
  },
): Options["rules"] {
  const home = env === undefined ? "" : homeDirectory(env);
  const targets = (verb: "allow" | "deny") =>
    Object.fromEntries(ACCESS_KINDS.flatMap((kind) => {
      const given = values[`${verb}${kind[0]!.toUpperCase()}${kind.slice(1)}`];
      if (!Array.isArray(given)) return [];
      const names = parseTargets(given);
      return names === true || !PATH_KINDS.includes(kind)
        ? [[kind, names]]
        : [[kind, resolvePathTargets(names, { cwd, home, list: `--${verb}-${kind}` })]];
    }));
  return {
    allow: targets("allow"),
    deny: targets("deny"),
    allowAll: Boolean(values["allowAll"] ?? values["yolo"]),
  };
}

/** The values of one flag, given once or more: names with commas between, or the whole kind. */
function parseTargets(given: readonly string[]): Targets {
  if (given.includes(WHOLE_KIND)) return true;
  return given.flatMap((value) => value.split(",")).map((name) => name.trim())
    .filter((name) => name !== "");
}
