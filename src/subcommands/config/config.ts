/**
 * `ally config`: which settings hold in this directory and why, and changes to the user's own file.
 */
import { parseBaseUrl } from "../../app/endpoints.ts";
import type { Environment } from "../../app/environment.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { openProject, projectConfig } from "../../app/project.ts";
import { DEFAULTS, fromEnvironment, fromFlags } from "../../app/settings.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { isObject, type JsonObject } from "../../lib/schema.ts";
import { jsonLine, oneLine } from "../../lib/text.ts";
import { readConfiguredRules } from "../../permission/configured.ts";
import { type Config, readConfig } from "../../store/config.ts";
import { changeConfig, parseSettingValue, unknownKeyError } from "../../store/config_edit.ts";
import {
  configSchema,
  type ConfigSources,
  type EffectiveSetting,
  effectiveSettings,
  formatSettingValue,
} from "../../store/config_sources.ts";
import { type AllyPaths, allyPaths, homeDirectory } from "../../store/paths.ts";
import { canonicalDirectory } from "../../workspace/roots.ts";
import type { ConfigRequest } from "./config_command.ts";
import {
  endpointPath,
  ENDPOINTS_KEY,
  omitValue,
  settingOf,
  setValue,
  valueAt,
} from "./endpoint_settings.ts";

/** Does what `ally config` was asked for, and returns the exit code. @throws {UsageError} it cannot */
export async function runConfig(
  { request, options }: { request: ConfigRequest; options: Options },
  io: Io,
): Promise<number> {
  const { out, err } = openStandardStreams(io);
  const { env } = io;
  const paths = allyPaths(canonicalDirectory(options.cwd), env);
  const from = { paths, env, options };
  const warn = (text: string) => err(`ally: ${text}`);
  switch (request.what) {
    case "path":
      out(paths.config);
      return EXIT.done;
    case "schema":
      out(JSON.stringify(configSchema(), undefined, 2));
      return EXIT.done;
    case "set":
      out(
        await setKey(request, { paths, env }) + await describeOverride(request.key, from),
      );
      return EXIT.done;
    case "unset": {
      const changed = await unsetKey(request.key, paths);
      out(`${request.key} ${changed ? "is no longer set" : "was not set"} in ${paths.config}`);
      return EXIT.done;
    }
    case "list":
    case "get": {
      const settings = effectiveSettings(await gatherSources(from, warn));
      if (request.what === "get") return showSetting(request, { settings, out });
      out(request.json ? jsonLine(settings) : formatTable(settings).join("\n"));
      return EXIT.done;
    }
  }
}

/**
 * Writes a key that a person typed, checked as a run would check it; returns what to say.
 * @throws {UsageError} as `changeConfig` and `valueFor`
 */
export async function setKey(
  { key, value: text }: { readonly key: string; readonly value: string },
  { paths, env }: { paths: AllyPaths; env: Environment },
): Promise<string> {
  const { config } = await readConfig(paths.config);
  const { endpoints = {} } = config;
  const path = endpointPath(key, endpoints);
  const value = path ? setValue(path, endpoints, text) : parseSettingValue(key, text);
  if (key === "endpoint") checkEndpoint(String(value), config);
  if (key === "permissions") {
    const home = homeDirectory(env);
    readConfiguredRules(value, { source: "config", file: paths.config, cwd: "/", home });
  }
  const changed = await changeConfig(paths.config, { [path ? ENDPOINTS_KEY : key]: value });
  const set = path ? valueAt(path, value as JsonObject) : value;
  const shown = oneLine(typeof set === "string" ? set : JSON.stringify(set));
  return `${key} ${changed ? "is now" : "is already"} ${shown} in ${paths.config}`;
}

/** Takes a key out; false if it was not there. @throws {UsageError} as `changeConfig` */
export async function unsetKey(key: string, { config: file }: AllyPaths): Promise<boolean> {
  const { config: { endpoints = {} } } = await readConfig(file);
  const path = endpointPath(key, endpoints);
  if (path === undefined) return await changeConfig(file, { [key]: undefined });
  return await changeConfig(file, { [ENDPOINTS_KEY]: omitValue(path, endpoints) });
}

/** @throws {UsageError} no run could use it */
function checkEndpoint(value: string, { endpoints = {} }: Config): void {
  if (Object.hasOwn(endpoints, value)) return;
  parseBaseUrl(value, Object.entries(endpoints).map(([name, { url }]) => ({ name, url })));
}

/** What to add where the user's own setting is not what holds in this directory. */
async function describeOverride(
  key: string,
  from: Parameters<typeof gatherSources>[0],
): Promise<string> {
  const settings = effectiveSettings(await gatherSources(from, () => {}));
  const source = settings.find((one) => one.key === settingOf(key))?.source;
  return source === "user" ? "" : `. Here it has no effect: the ${source} says otherwise.`;
}

/** What each source says in a directory. @throws {UsageError} a file cannot be understood */
export async function gatherSources(
  { paths, env, options }: { paths: AllyPaths; env: Environment; options: Options },
  warn: (text: string) => void,
): Promise<ConfigSources> {
  const { config: user, warnings } = await readConfig(paths.config);
  warnings.forEach(warn);
  const emit = (fact: { type: string; text?: string }) => {
    if (fact.type === "notice" && fact.text !== undefined) warn(fact.text);
  };
  const trusted = await openProject({
    directory: canonicalDirectory(options.cwd),
    home: paths.home,
    trustPath: paths.trust,
    trustAll: options.trustProject,
    // What was decided counts; nobody is asked here.
    ask: () => Promise.resolve("not_now"),
    emit,
  });
  return {
    flags: fromFlags(options),
    environment: fromEnvironment(env),
    project: await projectConfig(trusted, emit),
    user,
    defaults: DEFAULTS,
  };
}

function showSetting(
  { key, json }: { key: string; json: boolean },
  { settings, out }: { settings: readonly EffectiveSetting[]; out: (line: string) => void },
): number {
  const found = settings.find((one) => one.key === key) ?? findEndpointSetting(key, settings);
  if (found === undefined) throw unknownKeyError(key);
  if (json) out(jsonLine(found));
  else if (found.value !== undefined) out(formatSettingValue(found));
  return found.value === undefined ? EXIT.failed : EXIT.done;
}

/** One of the endpoints, or a field of it, as a setting. */
function findEndpointSetting(
  key: string,
  settings: readonly EffectiveSetting[],
): EffectiveSetting | undefined {
  const whole = settings.find((one) => one.key === ENDPOINTS_KEY);
  const endpoints = isObject(whole?.value) ? whole.value : {};
  const path = endpointPath(key, endpoints);
  if (whole === undefined || path === undefined) return undefined;
  const { value: _, ...rest } = whole;
  const value = valueAt(path, endpoints);
  return { ...rest, key, ...value !== undefined && { value } };
}

/** Key, value and source in columns. */
export function formatTable(settings: readonly EffectiveSetting[]): string[] {
  const width = Math.max(...settings.map(({ key }) => key.length));
  return settings.map((one) =>
    `${one.key.padEnd(width)}  ${one.source.padEnd(11)}  ${oneLine(formatSettingValue(one))}`
      .trimEnd()
  );
}
