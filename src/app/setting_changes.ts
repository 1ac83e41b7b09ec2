/**
 * Changes to the user's own settings, checked as a run would check them.
 */
import type { JsonObject } from "../lib/schema.ts";
import { oneLine } from "../lib/text.ts";
import { readRuleLists } from "../permission/configured.ts";
import { readConfig } from "../store/config.ts";
import { changeConfig, parseSettingValue, unknownKeyError } from "../store/config_edit.ts";
import type { EffectiveSetting } from "../store/config_sources.ts";
import type { AllyPaths } from "../store/paths.ts";
import { type Config, SETTING_TABLE } from "../store/settings_table.ts";
import {
  endpointPath,
  ENDPOINTS_KEY,
  omitValue,
  settingOf,
  setValue,
  valueAt,
} from "./endpoint_settings.ts";
import { parseBaseUrl } from "./endpoints.ts";

/**
 * Writes a key that a person typed, checked as a run would check it; returns what to say.
 * @throws {UsageError} as `changeConfig` and `valueFor`
 */
export async function setKey(
  { key, value: text }: { readonly key: string; readonly value: string },
  paths: AllyPaths,
): Promise<string> {
  const { config } = await readConfig(paths.config);
  const { endpoints = {} } = config;
  const path = endpointPath(key, endpoints);
  const value = path ? setValue(path, endpoints, text) : parseSettingValue(key, text);
  if (key === "endpoint") checkEndpoint(String(value), config);
  if (key === "permissions") readRuleLists(value, "Nothing was set");
  const changed = await changeConfig(paths.config, { [path ? ENDPOINTS_KEY : key]: value });
  const set = path ? valueAt(path, value as JsonObject) : value;
  const shown = oneLine(typeof set === "string" ? set : JSON.stringify(set));
  return `${key} ${changed ? "is now" : "is already"} ${shown} in ${paths.config}`;
}

/** Takes a key out; false if it was not there. @throws {UsageError} it is not known, or as `changeConfig` */
export async function unsetKey(key: string, { config: file }: AllyPaths): Promise<boolean> {
  const { config: { endpoints = {} } } = await readConfig(file);
  const path = endpointPath(key, endpoints);
  if (path === undefined) {
    const changed = await changeConfig(file, { [key]: undefined });
    if (!changed && !SETTING_TABLE.has(key)) throw unknownKeyError(key);
    return changed;
  }
  return await changeConfig(file, { [ENDPOINTS_KEY]: omitValue(path, endpoints) });
}

/** What to add where the user's own setting is not what holds; undefined where it is. */
export function describeOverride(
  key: string,
  settings: readonly EffectiveSetting[],
): string | undefined {
  const source = settings.find((one) => one.key === settingOf(key))?.source;
  return source === "user" ? undefined : `Here it has no effect: the ${source} says otherwise.`;
}

/** @throws {UsageError} no run could use it */
function checkEndpoint(value: string, { endpoints = {} }: Config): void {
  if (Object.hasOwn(endpoints, value)) return;
  parseBaseUrl(value, Object.keys(endpoints));
}
