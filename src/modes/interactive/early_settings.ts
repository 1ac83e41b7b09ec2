/**
 * Settings that are known before all others, since the terminal is opened with them.
 */
import type { Environment } from "../../app/environment.ts";
import { readConfig } from "../../store/config.ts";
import { findAllyPaths } from "../../store/paths.ts";
import { parseSettingText } from "../../store/setting_text.ts";
import { DEFAULTS, SETTING_TABLE } from "../../store/settings_table.ts";

/** What a terminal is opened with. */
export interface EarlySettings {
  /** Whether the session is for a screen reader. */
  readonly isSpoken: boolean;
  /** Whether the terminal may be asked and told more than a text needs. */
  readonly isIntegrated: boolean;
}

/** Reads them: the environment counts before the user's configuration. */
export async function readEarlySettings(
  env: Environment,
  { cwd }: { cwd: string },
): Promise<EarlySettings> {
  const paths = findAllyPaths(cwd, env);
  const { config } = paths === undefined ? { config: {} } : await readConfig(paths.config);
  const values = { ...DEFAULTS, ...config };
  const setting = SETTING_TABLE.get("screen_reader");
  const said = env.get(setting?.variable ?? "");
  return {
    isSpoken: setting !== undefined && said
      ? parseSettingText(setting.schema, said) === true
      : values.screen_reader,
    isIntegrated: values.terminal_integration,
  };
}
