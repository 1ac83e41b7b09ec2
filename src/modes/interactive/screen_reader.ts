/**
 * Whether a session is for a screen reader. That is known before all other settings: the terminal is opened with it.
 */
import type { Environment } from "../../app/environment.ts";
import { readConfig } from "../../store/config.ts";
import { findAllyPaths } from "../../store/paths.ts";
import { parseSettingText } from "../../store/setting_text.ts";
import { SETTING_TABLE } from "../../store/settings_table.ts";

/** As the environment says, else the user's configuration. */
export async function isForScreenReader(
  env: Environment,
  { cwd }: { cwd: string },
): Promise<boolean> {
  const setting = SETTING_TABLE.get("screen_reader");
  const said = env.get(setting?.variable ?? "");
  if (setting !== undefined && said) return parseSettingText(setting.schema, said) === true;
  const paths = findAllyPaths(cwd, env);
  return paths !== undefined && (await readConfig(paths.config)).config.screen_reader === true;
}
