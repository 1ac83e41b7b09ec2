/**
 * Which value each setting has in this run, and who said so; and the settings as a JSON schema for editors.
 * Called by `ally config` and `/config`.
 */
import { isDeepStrictEqual } from "node:util";
import { type Config, mergeProjectConfig, projectRule, SETTING_TABLE } from "./config.ts";

/** Who says what a setting is, the strongest first. */
export type ConfigSource = "flag" | "environment" | "project" | "user" | "default";

/** What each source says. */
export interface ConfigSources {
  readonly flags: Config;
  readonly environment: Config;
  /** Of the project's file, as far as the user trusts it. */
  readonly project: Config;
  readonly user: Config;
  readonly defaults: Config;
}

/** A setting as it holds. */
export interface EffectiveSetting {
  readonly key: string;
  /** Absent if nobody says anything and there is no fixed default. */
  readonly value?: unknown;
  readonly source: ConfigSource;
  readonly help: string;
  /** What holds without a value, in words. */
  readonly otherwise?: string;
}

/** All settings, in the order of the table. */
export function effectiveSettings(sources: ConfigSources): EffectiveSetting[] {
  const { flags, environment, user, project, defaults } = sources;
  const merged = mergeProjectConfig(user, { project, defaults });
  const own: Config = { ...defaults, ...user };
  return [...SETTING_TABLE].map(([key, { help, otherwise }]) => {
    const byProject = valueOf(project, key) !== undefined && projectRule(key) !== "never" &&
      (projectRule(key) === "free" || !isDeepStrictEqual(valueOf(merged, key), valueOf(own, key)));
    const found: readonly (readonly [ConfigSource, unknown])[] = [
      ["flag", valueOf(flags, key)],
      ["environment", valueOf(environment, key)],
      ["project", byProject ? valueOf(merged, key) : undefined],
      ["user", valueOf(user, key)],
    ];
    const [source, value] = found.find((one) => one[1] !== undefined) ??
      ["default" as const, SETTING_TABLE.get(key)?.default];
    return {
      key,
      ...(value !== undefined && { value }),
      source,
      help,
      ...(value === undefined && otherwise !== undefined && { otherwise }),
    };
  });
}

/** A JSON schema of the file. */
export function configSchema(): Readonly<Record<string, unknown>> {
  const properties = [...SETTING_TABLE].map(([key, { schema, help, otherwise, ...one }]) => [key, {
    ...schema,
    description: otherwise === undefined ? help : `${help} (without it: ${otherwise})`,
    ...(one.default !== undefined && { default: one.default }),
  }]);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "ally: config.json",
    type: "object",
    properties: { $schema: { type: "string" }, ...Object.fromEntries(properties) },
  };
}

/** A value on one line: texts as they are, the rest as JSON. */
export function formatSettingValue({ value, otherwise }: EffectiveSetting): string {
  if (value === undefined) return otherwise === undefined ? "" : `(${otherwise})`;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function valueOf(config: Config, key: string): unknown {
  return Object.entries(config).find(([name]) => name === key)?.[1];
}
