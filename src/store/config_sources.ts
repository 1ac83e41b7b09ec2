/**
 * The sources of settings, and a setting as it is listed: its value and its source.
 */
import type { Config } from "./settings_table.ts";

/** What each source says. */
export interface ConfigSources {
  readonly flags: Config;
  readonly environment: Config;
  /** Of the project's file, as far as the user trusts it. */
  readonly project: Config;
  readonly user: Config;
}

/**
 * Who says what a setting is. `endpoint NAME` is what the configuration says of that server, and `server` what the
 * server said in an earlier run.
 */
export type SettingSource =
  | "flag"
  | "environment"
  | `endpoint ${string}`
  | "project"
  | "user"
  | "server"
  | "default";

/** A value and where it is from; no value if nobody says anything and there is no fixed default. */
export interface SourcedValue {
  readonly value?: unknown;
  readonly source: SettingSource;
}

/** A setting as it holds. */
export interface EffectiveSetting extends SourcedValue {
  readonly key: string;
  readonly help: string;
  /** What holds without a value, in words. */
  readonly otherwise?: string;
}

/** A value on one line: texts as they are, the rest as JSON. */
export function formatSettingValue({ value, otherwise }: EffectiveSetting): string {
  if (value === undefined) return otherwise === undefined ? "" : `(${otherwise})`;
  return typeof value === "string" ? value : JSON.stringify(value);
}
