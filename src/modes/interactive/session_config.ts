/**
 * The settings as `/config` shows and changes them within a session: what concerns requests holds from the next
 * one on, the rest when ally is started again. Called by the REPL.
 */
import type { App } from "../../app/app.ts";
import type { CommandContext } from "../../slash/command.ts";
import { type Config, readConfig } from "../../store/config.ts";
import { effectiveSettings } from "../../store/config_sources.ts";
import { setKey, unsetKey } from "../../subcommands/config/config.ts";
import { settingOf } from "../../subcommands/config/endpoint_settings.ts";

/** What holds from the next request on. */
const LIVE_KEYS: readonly string[] = ["model", "temperature", "max_tokens"];

/** The port of `/config` for a session. */
export function createSessionConfig(app: App): CommandContext["config"] {
  const { env, paths, configSources: sources } = app;
  return {
    list: async () => {
      const { config: user } = await readConfig(paths.config);
      return effectiveSettings({ ...sources, user });
    },
    async set(key, value) {
      const said = await setKey({ key, value }, { paths, env });
      return `${said}. ${await applyNow(key, app)}`;
    },
    async unset(key) {
      const changed = await unsetKey(key, paths);
      if (!changed) return `${key} is not set in ${paths.config}.`;
      return `${key} is no longer set in ${paths.config}. It had its value when ally was started.`;
    },
  };
}

async function applyNow(key: string, app: App): Promise<string> {
  const { current, models, paths, configSources: sources } = app;
  const { config: user } = await readConfig(paths.config);
  const whole = settingOf(key);
  const effective = effectiveSettings({ ...sources, user }).find((one) => one.key === whole);
  if (effective?.source !== "user") {
    return `Here it has no effect: the ${effective?.source} says otherwise.`;
  }
  if (!LIVE_KEYS.includes(key)) return "It holds when ally is started again.";
  const { model = current.settings.model, temperature, max_tokens: maxTokens }: Config = user;
  if (key === "model") models.switchTo(model);
  if (key === "temperature") current.configure({ temperature });
  if (key === "max_tokens") current.configure({ maxTokens });
  return "It holds from the next request on.";
}
