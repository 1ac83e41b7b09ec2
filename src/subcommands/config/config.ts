/**
 * `ally config`: which settings hold in this directory and why, and changes to the user's own file.
 */
import { endpointPath, ENDPOINTS_KEY, valueAt } from "../../app/endpoint_settings.ts";
import type { Environment } from "../../app/environment.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { openProject, projectConfig } from "../../app/project.ts";
import { describeOverride, setKey, unsetKey } from "../../app/setting_changes.ts";
import { listSettings, readVariables } from "../../app/settings.ts";
import { openStandardStreams, wrapForTerminal } from "../../app/standard_streams.ts";
import { isObject } from "../../lib/schema.ts";
import { jsonLine, oneLine } from "../../lib/text.ts";
import { readConfig } from "../../store/config.ts";
import { unknownKeyError } from "../../store/config_edit.ts";
import {
  type ConfigSources,
  type EffectiveSetting,
  formatSettingValue,
} from "../../store/config_sources.ts";
import { ModelProfiles } from "../../store/model_profiles.ts";
import { type AllyPaths, allyPaths, ownFolders } from "../../store/paths.ts";
import { configSchema } from "../../store/config_schema.ts";
import { canonicalDirectory } from "../../workspace/roots.ts";
import type { ConfigRequest } from "./command.ts";

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
    case "schema": {
      const { hookDefinitions } = await import("../../hooks/event_schemas.ts");
      const schema = { ...configSchema(), definitions: hookDefinitions() };
      out(JSON.stringify(schema, undefined, 2));
      return EXIT.done;
    }
    case "set": {
      const outcome = await setKey(request, paths);
      const override = describeOverride(request.key, await lookUpSettings(from, () => {}));
      out(override === undefined ? outcome : `${outcome}. ${override}`);
      return EXIT.done;
    }
    case "unset": {
      const changed = await unsetKey(request.key, paths);
      out(`${request.key} ${changed ? "is no longer set" : "was not set"} in ${paths.config}`);
      return EXIT.done;
    }
    case "list":
    case "get": {
      const settings = await lookUpSettings(from, warn);
      if (request.what === "get") return showSetting(request, { settings, out });
      if (request.json) out(jsonLine(settings));
      else out(await wrapForTerminal(formatTable(settings), { io, stream: "stdout" }));
      return EXIT.done;
    }
  }
}

/** Where settings are looked up. */
interface SettingsContext {
  readonly paths: AllyPaths;
  readonly env: Environment;
  readonly options: Options;
}

/** The settings that a run in the directory would have. @throws {UsageError} a file cannot be understood */
async function lookUpSettings(
  context: SettingsContext,
  warn: (text: string) => void,
): Promise<EffectiveSetting[]> {
  const { paths, env } = context;
  const profiles = new ModelProfiles(paths.models);
  return listSettings(await gatherSources(context, warn), {
    env,
    keys: paths.keys,
    profiles,
    warn,
  });
}

async function gatherSources(
  { paths, env, options }: SettingsContext,
  warn: (text: string) => void,
): Promise<ConfigSources> {
  const { config: user, warnings } = await readConfig(paths.config);
  warnings.forEach(warn);
  const trusted = await openProject({
    directory: canonicalDirectory(options.cwd),
    home: paths.home,
    ownFolders: ownFolders(paths, env),
    trustPath: paths.trust,
    trustAll: options.trustProject,
    // What was decided counts; nobody is asked here.
    ask: () => Promise.resolve("not_now"),
    warn,
  });
  return {
    flags: options.settings,
    environment: readVariables(env),
    project: await projectConfig(trusted, warn),
    user,
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
function formatTable(settings: readonly EffectiveSetting[]): string {
  const keyWidth = Math.max(...settings.map(({ key }) => key.length));
  const sourceWidth = Math.max(...settings.map(({ source }) => source.length));
  return settings.map((one) =>
    [
      one.key.padEnd(keyWidth),
      one.source.padEnd(sourceWidth),
      oneLine(formatSettingValue(one)),
    ].join("  ").trimEnd()
  ).join("\n");
}
