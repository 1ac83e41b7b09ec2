/**
 * The settings that hold for a run: for each its value and who says so, in one table that the run, `ally config` and
 * `/config` read. A named endpoint has its own model, window and prices.
 */
import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../core/errors.ts";
import { messageOf } from "../lib/text.ts";
import { DEFAULT_BANNED } from "../permission/banned.ts";
import { explainMismatch, mergeProjectConfig, parseSettingText } from "../store/config.ts";
import type {
  ConfigSources,
  EffectiveSetting,
  SettingSource,
  SourcedValue,
} from "../store/config_sources.ts";
import type { ModelProfiles } from "../store/model_profiles.ts";
import {
  type Config,
  DEFAULTS,
  SETTING_TABLE,
  type SettingKey,
  type SettingValues,
} from "../store/settings_table.ts";
import {
  configuredWindow,
  destinationOf,
  type Endpoints,
  modelKeyOf,
  resolveEndpoints,
  type WindowSettings,
} from "./endpoints.ts";

/** What holds for a run. */
export interface Settings {
  readonly endpoints: Endpoints;
  /** The value of every setting. */
  readonly values: SettingValues & Required<Pick<Config, "banned_commands">>;
  /** The same by key, with who says so; what has no value is the server's to say, or a built-in list. */
  readonly effective: ReadonlyMap<string, SourcedValue>;
  /** Tokens of windows, as far as flags, environment and configuration say them. */
  readonly windows: WindowSettings;
}

/** What settings are resolved with, beside what the sources say. */
interface ResolveOptions {
  readonly env: Environment;
  /** Directory of keys; absent where ally has no home. */
  readonly keys: string | undefined;
  /** What is known of models from earlier runs. */
  readonly profiles: Pick<ModelProfiles, "find">;
}

interface Environment {
  get(name: string): string | undefined;
}

/** What a project cannot loosen by saying something. */
const STRICT_DEFAULTS = { ...DEFAULTS, banned_commands: DEFAULT_BANNED };

/** @throws {UsageError} a value cannot be used */
export function resolveSettings(sources: ConfigSources, options: ResolveOptions): Settings {
  const { flags, environment, project, user } = sources;
  const merged = mergeProjectConfig(user, { project, defaults: STRICT_DEFAULTS });
  const endpoints = resolveEndpoints({ ...options, flag: flags.endpoint, config: merged });
  const windows = {
    forced: flags.context_size ?? environment.context_size,
    configured: merged.context_size,
  };
  const layers = layerSources(sources);
  const said = (key: SettingKey) => layers.get(key) ?? { source: "default" };
  const model = resolveModel(said, { endpoints, configured: user.endpoint });
  const target = { ...options, model: model.value, endpoints, windows };
  const ofEndpoint: Partial<Record<SettingKey, SourcedValue>> = {
    endpoint: { value: endpoints.default.url, ...said("endpoint") },
    model,
    context_size: resolveWindow(said, target),
    prices: resolvePrices(said, target),
  };
  const effective = new Map([...layers, ...Object.entries(ofEndpoint)]);
  const values = [...effective].flatMap(([key, { value }]) =>
    value === undefined ? [] : [[key, value]]
  );
  return {
    endpoints,
    values: { ...STRICT_DEFAULTS, ...Object.fromEntries(values) },
    effective,
    windows,
  };
}

/**
 * The settings as a run would have them, to be listed. Where a run could not start, because of an endpoint that cannot
 * be used, `warn` is told why, and they are listed as they were said.
 */
export function listSettings(
  sources: ConfigSources,
  { warn, ...options }: ResolveOptions & { warn: (text: string) => void },
): EffectiveSetting[] {
  try {
    return describeSettings(resolveSettings(sources, options).effective);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    warn(messageOf(error));
    return describeSettings(layerSources(sources));
  }
}

/** What the sources come to, by key. */
function layerSources(
  { flags, environment, project, user }: ConfigSources,
): Map<string, SourcedValue> {
  const withProject = mergeProjectConfig(user, { project, defaults: STRICT_DEFAULTS });
  const own: Config = { ...STRICT_DEFAULTS, ...user };
  return new Map([...SETTING_TABLE].map(([key, setting]) => {
    const merged = valueOf(withProject, key);
    const isProjects = valueOf(project, key) !== undefined && setting.project !== "never" &&
      (setting.project === "free" || !isDeepStrictEqual(merged, valueOf(own, key)));
    const layers: readonly SourcedValue[] = [
      { source: "flag", value: valueOf(flags, key) },
      { source: "environment", value: valueOf(environment, key) },
      { source: "project", value: isProjects ? merged : undefined },
      { source: "user", value: valueOf(user, key) },
      { source: "default", value: setting.default },
    ];
    const found = layers.find(({ value }) => value !== undefined);
    return [key, found ?? { source: "default" }];
  }));
}

/** The settings as they hold, in the order of the table. */
function describeSettings(
  effective: ReadonlyMap<string, SourcedValue>,
): EffectiveSetting[] {
  return [...SETTING_TABLE].map(([key, { help, otherwise }]) => {
    const { value, source } = effective.get(key) ?? { source: "default" };
    return {
      key,
      ...(value !== undefined && { value }),
      source,
      help,
      ...(value === undefined && otherwise !== undefined && { otherwise }),
    };
  });
}

type Said = (key: SettingKey) => SourcedValue;

/** The configuration's model goes with its endpoint; another one has its own, or the server's first. */
function resolveModel(
  said: Said,
  { endpoints: { default: home }, configured }: {
    endpoints: Endpoints;
    /** The endpoint of the configuration. */
    configured: string | undefined;
  },
): SourcedValue & { readonly value?: string } {
  const { source, value } = said("model");
  const isOther = isChosenForRun(said("endpoint").source) && home.name !== undefined &&
    home.name !== configured;
  if (typeof value === "string" && (isChosenForRun(source) || !isOther)) return { source, value };
  return home.model === undefined
    ? { source: "default" }
    : { source: `endpoint ${home.name}`, value: home.model };
}

function isChosenForRun(source: SettingSource): boolean {
  return source === "flag" || source === "environment";
}

/** The window of the model to begin with; without a model it is the server's to say. */
function resolveWindow(
  said: Said,
  { model: name, endpoints, windows, profiles }: {
    model: string | undefined;
    endpoints: Endpoints;
    windows: WindowSettings;
    profiles: ResolveOptions["profiles"];
  },
): SourcedValue {
  const { source, value } = said("context_size");
  const { endpoint, model } = destinationOf(name ?? "", endpoints);
  if (configuredWindow(endpoint, windows) !== undefined) {
    const isEndpoints = windows.forced === undefined && endpoint.contextSize !== undefined;
    return isEndpoints
      ? { source: `endpoint ${endpoint.name}`, value: endpoint.contextSize }
      : { source, value };
  }
  if (name === undefined) return { source: "default" };
  const known = profiles.find(modelKeyOf(endpoint, model))?.window?.size;
  return known === undefined ? { source, value } : { source: "server", value: known };
}

function resolvePrices(
  said: Said,
  { model, endpoints }: { model: string | undefined; endpoints: Endpoints },
): SourcedValue {
  const { source, value } = said("prices");
  const { endpoint } = destinationOf(model ?? "", endpoints);
  return endpoint.prices === value
    ? { source, value }
    : { source: `endpoint ${endpoint.name}`, value: endpoint.prices };
}

/** What the environment says of settings. @throws {UsageError} a value cannot be used */
export function readVariables(env: Environment): Config {
  return Object.fromEntries([...SETTING_TABLE].flatMap(([key, { schema, variable }]) => {
    const text = variable && env.get(variable);
    if (!text) return [];
    const value = parseSettingText(schema, text);
    const wrong = explainMismatch(schema, value);
    if (wrong === undefined) return [[key, value]];
    throw new UsageError(`Cannot use ${variable}='${text}'. ${wrong}`);
  }));
}

function valueOf(config: Config, key: string): unknown {
  return new Map(Object.entries(config)).get(key);
}
