/**
 * The settings as `/config` shows and changes them within a session: what concerns requests holds from the next one on,
 * the rest when ally is started again.
 */
import type { App } from "../../app/app.ts";
import { describeOverride, setKey, unsetKey } from "../../app/setting_changes.ts";
import { listSettings } from "../../app/settings.ts";
import type { CommandContext } from "../../slash/command.ts";
import { readConfig } from "../../store/config.ts";
import type { EffectiveSetting } from "../../store/config_sources.ts";
import { ModelProfiles } from "../../store/model_profiles.ts";
import type { Config } from "../../store/settings_table.ts";

/** What holds from the next request on. */
const LIVE_KEYS: readonly string[] = ["model", "temperature", "max_tokens", "effort"];

/** The port of `/config` for a session. */
export function createSessionConfig(app: App): CommandContext["config"] {
  const { paths } = app;
  return {
    list: async () => lookUpSettings(app, (await readConfig(paths.config)).config),
    async set(key, value) {
      const outcome = await setKey({ key, value }, paths);
      return `${outcome}. ${await applyNow(key, app)}`;
    },
    async unset(key) {
      const changed = await unsetKey(key, paths);
      if (!changed) return `${key} is not set in ${paths.config}.`;
      return `${key} is no longer set in ${paths.config}. It had its value when ally was started.`;
    },
  };
}

/** What would hold if ally were started now, with the user's settings as they are. */
function lookUpSettings(
  { configSources, env, paths, warn }: App,
  user: Config,
): EffectiveSetting[] {
  return listSettings({ ...configSources, user }, {
    env,
    keys: paths.keys,
    profiles: new ModelProfiles(paths.models),
    warn,
  });
}

async function applyNow(key: string, app: App): Promise<string> {
  const { current, models } = app;
  const { config: user } = await readConfig(app.paths.config);
  const override = describeOverride(key, lookUpSettings(app, user));
  if (override !== undefined) return override;
  if (!LIVE_KEYS.includes(key)) return "It holds when ally is started again.";
  const { model = current.settings.model, temperature, max_tokens: maxTokens, effort } = user;
  if (key === "model") models.switchTo(model);
  if (key === "temperature") current.configure({ temperature });
  if (key === "effort") current.configure({ effort });
  if (key === "max_tokens") current.configure({ maxTokens });
  return "It holds from the next request on.";
}
