/**
 * The settings that hold for a run: the value and the source of each, in one table that the run, `ally config` and
 * `/config` read. A named endpoint has its own model, window and prices.
 */
import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../core/errors.ts";
import { messageOf } from "../lib/text.ts";
import { DEFAULT_BANNED } from "../permission/banned.ts";
import { mergeProjectConfig } from "../store/config.ts";
import type {
  ConfigSources,
  EffectiveSetting,
  SettingSource,
  SourcedValue,
} from "../store/config_sources.ts";
import type { ModelProfiles } from "../store/model_profiles.ts";
import { explainMismatch, parseSettingText } from "../store/setting_text.ts";
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
  type EffortSettings,
  type Endpoints,
  modelKeyOf,
  resolveEndpoints,
  type WindowSettings,
} from "./endpoints.ts";
import type { Environment } from "./environment.ts";

/** What holds for a run. */
export interface Settings {
  readonly endpoints: Endpoints;
  /** The value of every setting. */
  readonly values: SettingValues & Required<Pick<Config, "banned_commands">>;
  /** The same by key, each with its source. One without a value is up to the server, or a built-in list. */
  readonly effective: ReadonlyMap<string, SourcedValue>;
  /** Sizes of windows in tokens, where flags, environment or configuration set them. */
  readonly windows: WindowSettings;
  readonly efforts: EffortSettings;
}

/** What settings are resolved with, besides their sources. */
interface ResolveOptions {
  readonly env: Pick<Environment, "get">;
  /** Directory of keys; absent where ally has no home. */
  readonly keys: string | undefined;
  /** What is known of models from earlier runs. */
  readonly profiles: Pick<ModelProfiles, "find">;
}

/** The defaults that a project can only make stricter. */
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
  const efforts = { forced: flags.effort, configured: merged.effort };
  const layers = layerSources(sources);
  const lookUp = (key: SettingKey) => layers.get(key) ?? { source: "default" };
  const model = resolveModel(lookUp, { endpoints, configured: user.endpoint });
  const target = { ...options, model: model.value, endpoints, windows };
  const ofEndpoint: Partial<Record<SettingKey, SourcedValue>> = {
    endpoint: { value: endpoints.default.url, ...lookUp("endpoint") },
    model,
    context_size: resolveWindow(lookUp, target),
    prices: resolvePrices(lookUp, target),
    effort: resolveEffort(lookUp, target),
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
    efforts,
  };
}

/**
 * The settings as a run would have them, to be listed. Where a run could not start, because of an endpoint that cannot
 * be used, `warn` gets the reason, and they are listed as the sources set them.
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

/** The value from the strongest source, by key. */
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

/** The settings for a list, in the order of the table. */
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

type LookUp = (key: SettingKey) => SourcedValue;

/** The configured model belongs to the configured endpoint; another endpoint has its own, or the server's first. */
function resolveModel(
  lookUp: LookUp,
  { endpoints: { default: primary }, configured }: {
    endpoints: Endpoints;
    /** The endpoint of the configuration. */
    configured: string | undefined;
  },
): SourcedValue & { readonly value?: string } {
  const { source, value } = lookUp("model");
  const isOther = isChosenForRun(lookUp("endpoint").source) && primary.name !== undefined &&
    primary.name !== configured;
  if (typeof value === "string" && (isChosenForRun(source) || !isOther)) return { source, value };
  return primary.model === undefined
    ? { source: "default" }
    : { source: `endpoint ${primary.name}`, value: primary.model };
}

function isChosenForRun(source: SettingSource): boolean {
  return source === "flag" || source === "environment";
}

/** The window of the first model; without a model it is up to the server. */
function resolveWindow(
  lookUp: LookUp,
  { model: name, endpoints, windows, profiles }: {
    model: string | undefined;
    endpoints: Endpoints;
    windows: WindowSettings;
    profiles: ResolveOptions["profiles"];
  },
): SourcedValue {
  const { source, value } = lookUp("context_size");
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

function resolveEffort(
  lookUp: LookUp,
  { model, endpoints }: { model: string | undefined; endpoints: Endpoints },
): SourcedValue {
  const { source, value } = lookUp("effort");
  const { endpoint } = destinationOf(model ?? "", endpoints);
  return isChosenForRun(source) || endpoint.effort === undefined
    ? { source, value }
    : { source: `endpoint ${endpoint.name}`, value: endpoint.effort };
}

function resolvePrices(
  lookUp: LookUp,
  { model, endpoints }: { model: string | undefined; endpoints: Endpoints },
): SourcedValue {
  const { source, value } = lookUp("prices");
  const { endpoint } = destinationOf(model ?? "", endpoints);
  return endpoint.prices === value
    ? { source, value }
    : { source: `endpoint ${endpoint.name}`, value: endpoint.prices };
}

/** The settings that environment variables set. @throws {UsageError} a value cannot be used */
export function readVariables(env: Pick<Environment, "get">): Config {
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
