/**
 * The settings as `/config` shows and changes them within a session: what concerns requests holds from the next
 * one on, the rest when ally is started again. Called by the REPL.
 */
import type { Composition } from "../../app/app.ts";
import { useModel } from "../../app/model_choice.ts";
import type { CommandContext } from "../../slash/command.ts";
import { type Config, readConfig } from "../../store/config.ts";
import { effectiveSettings } from "../../store/config_sources.ts";
import { setKey, unsetKey } from "../../subcommands/config/config.ts";
import { settingOf } from "../../subcommands/config/endpoint_settings.ts";

/** What holds from the next request on. */
const AT_ONCE: readonly string[] = ["model", "temperature", "max_tokens"];

/** The port of `/config` for a session. */
export function sessionConfig(composition: Composition): CommandContext["config"] {
  const { env, places, configSources: sources } = composition;
  return {
    list: async () => {
      const { config: user } = await readConfig(places.config);
      return effectiveSettings({ ...sources, user });
    },
    async set(key, value) {
      const said = await setKey({ key, value }, { places, env });
      return `${said}. ${await takeUp(key, composition)}`;
    },
    async unset(key) {
      const changed = await unsetKey(key, places);
      if (!changed) return `${key} is not set in ${places.config}.`;
      return `${key} is no longer set in ${places.config}. It had its value when ally was started.`;
    },
  };
}

async function takeUp(key: string, composition: Composition): Promise<string> {
  const { agent, places, configSources: sources } = composition;
  const { config: user } = await readConfig(places.config);
  const whole = settingOf(key);
  const effective = effectiveSettings({ ...sources, user }).find((one) => one.key === whole);
  if (effective?.source !== "user") {
    return `Here it has no effect: the ${effective?.source} says otherwise.`;
  }
  if (!AT_ONCE.includes(key)) return "It holds when ally is started again.";
  const { model = agent.deps.settings.model, temperature, max_tokens: maxTokens }: Config = user;
  if (key === "model") useModel(model, composition);
  if (key === "temperature") agent.configure({ temperature });
  if (key === "max_tokens") agent.configure({ maxTokens });
  return "It holds from the next request on.";
}
