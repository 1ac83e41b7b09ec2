/**
 * The endpoints of a run: the one it begins with, and those that the configuration names, each with its own
 * key. A model's name may begin with an endpoint's name and a slash: it then leads to that endpoint. Pure but for the
 * files of keys.
 */
import { join } from "node:path";
import type { EndpointProfile, Price, Prices } from "../core/endpoint.ts";
import { UsageError } from "../core/errors.ts";
import type { SpentTokens } from "../core/session_log.ts";
import type { Effort, EffortDialect, Usage } from "../core/model.ts";
import { messageOf } from "../lib/text.ts";
import { displayUrl, type Endpoint } from "../model/endpoint.ts";
import { readApiKey } from "../store/api_keys.ts";
import type { ModelKey } from "../store/model_profiles.ts";
import { homeDirectory } from "../store/paths.ts";
import type { Config } from "../store/settings_table.ts";

/** A server that can be asked in this run. */
export interface KnownEndpoint extends Endpoint {
  /** As the configuration calls it; absent for a bare URL. */
  readonly name?: string;
  /** Its default model. */
  readonly model?: string | undefined;
  readonly contextSize?: number | undefined;
  readonly prices?: Prices | undefined;
  readonly effort?: Effort | undefined;
  readonly effortBy?: EffortDialect | undefined;
  /** Why it cannot be used. */
  readonly problem?: string | undefined;
}

/** All of them. */
export interface Endpoints {
  /** The one that models without an endpoint's name belong to. */
  readonly default: KnownEndpoint;
  /** Those of the configuration, in its order; `default` may be one of them. */
  readonly named: readonly KnownEndpoint[];
}

/** Sizes of windows in tokens, as far as they are set. */
export interface WindowSettings {
  /** Of every model, by a flag or the environment. */
  readonly forced: number | undefined;
  /** Of models whose endpoint has no size of its own, by the configuration. */
  readonly configured: number | undefined;
}

/** How much models are to think, as far as it is set. */
export interface EffortSettings {
  /** Every model, by a flag. */
  readonly forced: Effort | undefined;
  /** Models whose endpoint says nothing of its own, by the configuration. */
  readonly configured: Effort | undefined;
}

/** What the endpoints are resolved from. */
interface EndpointSources {
  /** Name or URL from the command line. */
  readonly flag: string | undefined;
  readonly config: Config;
  readonly env: { get(name: string): string | undefined };
  /** Directory of keys; absent where ally has no home. */
  readonly keys: string | undefined;
}

/** Base URL of OpenAI, used where only its key is set. */
const OPENAI_URL = "https://api.openai.com/v1";
/** Base URL of Ollama on its usual port, used where nothing is set. */
const OLLAMA_URL = "http://localhost:11434/v1";
/** Headers whose values are secret. */
const SECRET_HEADER = /auth|key|token|secret|cookie/i;
const OPENAI_KEY_VARIABLE = "OPENAI_API_KEY";

/** @throws {UsageError} the endpoint is neither a URL nor a name, or its key cannot be used */
export function resolveEndpoints(sources: EndpointSources): Endpoints {
  const { flag, config, env } = sources;
  const key = env.get(OPENAI_KEY_VARIABLE) || undefined;
  const base = env.get("OPENAI_BASE_URL") || undefined;
  const named = Object.entries(config.endpoints ?? {})
    .map(([name, profile]) => resolveNamedEndpoint(name, { profile, sources }));
  const chosen = flag ?? base ?? config.endpoint ?? (key ? OPENAI_URL : OLLAMA_URL);
  const byName = named.find(({ name }) => name === chosen);
  if (byName) return { default: requireUsable(byName), named };
  const url = parseBaseUrl(chosen, named.map((one) => one.name ?? ""));
  const byUrl = named.find(({ url: endpoint }) => endpoint === url);
  if (byUrl) return { default: requireUsable({ ...byUrl, apiKey: byUrl.apiKey ?? key }), named };
  return { default: { url, apiKey: key, prices: config.prices }, named };
}

/** The endpoint that a model's name leads to, and its name there. */
export function destinationOf(
  name: string,
  { default: primary, named }: Endpoints,
): { endpoint: KnownEndpoint; model: string } {
  const slash = name.indexOf("/");
  const prefix = name.slice(0, Math.max(0, slash));
  const model = name.slice(slash + 1);
  if (primary.name !== undefined && primary.name === prefix) return { endpoint: primary, model };
  const endpoint = named.find((one) => one.name === prefix);
  return endpoint && model !== "" ? { endpoint, model } : { endpoint: primary, model: name };
}

/** Tokens of the window of an endpoint's models; undefined if it is not configured. */
export function configuredWindow(
  { contextSize }: KnownEndpoint,
  { forced, configured }: WindowSettings,
): number | undefined {
  return forced ?? contextSize ?? configured;
}

/** By what a model is remembered; the address is without what may be secret in it. */
export function modelKeyOf({ url }: KnownEndpoint, model: string): ModelKey {
  return { endpoint: displayUrl(url), model };
}

/** A model's name with its endpoint's name before it, where that has one. */
export function qualifyModel(model: string, { name }: KnownEndpoint): string {
  return name === undefined ? model : `${name}/${model}`;
}

/** What tokens of a model cost, if its endpoint has a price for it. */
export function costOf(usage: Usage, name: string, endpoints: Endpoints): number | undefined {
  const { endpoint, model } = destinationOf(name, endpoints);
  const price = priceOf(endpoint.prices, model);
  if (price === undefined) return undefined;
  const { promptTokens, completionTokens, cachedTokens = 0 } = usage;
  const cached = Math.min(cachedTokens, promptTokens);
  const sum = (promptTokens - cached) * price.input +
    cached * (price.cached_input ?? price.input) + completionTokens * price.output;
  return sum / 1_000_000;
}

/** Whether any model has a price. */
export function hasPrices({ default: primary, named }: Endpoints): boolean {
  return [primary, ...named].some(({ prices = {} }) => Object.keys(prices).length > 0);
}

/** What a server's cache has saved, in money; undefined without a price for the model. */
export function savedByCache(spent: SpentTokens, endpoints: Endpoints): number | undefined {
  const { model = "", prompt_tokens: promptTokens, cached_tokens: cachedTokens = 0 } = spent;
  const usage = { promptTokens, completionTokens: 0 };
  const unsaved = costOf(usage, model, endpoints);
  const paid = costOf({ ...usage, cachedTokens }, model, endpoints);
  return unsaved === undefined || paid === undefined ? undefined : unsaved - paid;
}

/** The keys of all endpoints as variables whose names say what they are: they must be seen nowhere. */
export function collectSecrets(sources: Omit<EndpointSources, "flag">): Record<string, string> {
  const named = Object.entries(sources.config.endpoints ?? {});
  return Object.fromEntries(named.flatMap(([name, profile]) => {
    const endpoint = resolveNamedEndpoint(name, {
      profile,
      sources: { ...sources, flag: undefined },
    });
    const secret = Object.entries(endpoint.headers ?? {})
      .filter(([header]) => SECRET_HEADER.test(header))
      .map(([, value]) => value.replace(/^(bearer|basic|token)\s+/i, ""));
    const values = [...(endpoint.apiKey === undefined ? [] : [endpoint.apiKey]), ...secret];
    return values.map((value, index) => [`${name}_${index}_KEY`, value]);
  }));
}

/** The environment variables that hold keys. */
export function keyVariables({ endpoints }: Config): ReadonlySet<string | undefined> {
  return new Set(Object.values(endpoints ?? {}).map(({ key_env }) => key_env));
}

/** The price of an endpoint's model, if it has one. */
export function priceOf(prices: Prices | undefined, model: string): Price | undefined {
  if (prices === undefined) return undefined;
  if (isPrice(prices)) return prices;
  return Object.hasOwn(prices, model) ? prices[model] : prices["*"];
}

function isPrice(prices: Prices): prices is Price {
  return typeof prices.input === "number";
}

function resolveNamedEndpoint(
  name: string,
  { profile, sources }: { profile: EndpointProfile; sources: EndpointSources },
): KnownEndpoint {
  const { url, headers, model, context_size: contextSize, prices, effort } = profile;
  const endpoint = toBaseUrl(url);
  return {
    name,
    url: endpoint,
    headers,
    model,
    contextSize,
    prices: prices ?? sources.config.prices,
    effort,
    effortBy: profile.effort_by,
    ...resolveKey(name, { profile: { ...profile, url: endpoint }, sources }),
  };
}

/** The endpoint's own key and no other; OPENAI_API_KEY belongs to OPENAI_BASE_URL, else to OpenAI. */
function resolveKey(
  name: string,
  { profile, sources: { env, keys } }: { profile: EndpointProfile; sources: EndpointSources },
): Pick<KnownEndpoint, "apiKey" | "keyHint" | "problem"> {
  const { key_env: variable, key_file: file } = profile;
  const fromEnv = variable === undefined ? undefined : env.get(variable) || undefined;
  if (fromEnv !== undefined) return { apiKey: fromEnv, keyHint: variable };
  const path = file === undefined ? keys && join(keys, name) : expandHome(file, env);
  try {
    const apiKey = path === undefined ? undefined : readApiKey(path);
    if (apiKey !== undefined) return { apiKey, keyHint: path };
  } catch (error) {
    return { problem: messageOf(error) };
  }
  const owner = (env.get("OPENAI_BASE_URL") || OPENAI_URL).replace(/\/+$/, "");
  if (variable === undefined && file === undefined && profile.url === owner) {
    return { apiKey: env.get(OPENAI_KEY_VARIABLE) || undefined, keyHint: OPENAI_KEY_VARIABLE };
  }
  return { keyHint: variable ?? path ?? OPENAI_KEY_VARIABLE };
}

function expandHome(path: string, env: EndpointSources["env"]): string {
  return path.startsWith("~/") ? join(homeDirectory(env), path.slice(2)) : path;
}

/** @throws {UsageError} its key cannot be used */
function requireUsable(endpoint: KnownEndpoint): KnownEndpoint {
  if (endpoint.problem !== undefined) throw new UsageError(endpoint.problem);
  return endpoint;
}

/** The base of a URL, without the path of a request that was copied with it. */
function toBaseUrl(url: string): string {
  return url.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
}

/**
 * A base URL. `names` are those of endpoints that could have been meant; without them only a URL is.
 * @throws {UsageError} the text is not one
 */
export function parseBaseUrl(text: string, names?: readonly string[]): string {
  if (isHttpUrl(text)) return toBaseUrl(text);
  const known = names === undefined
    ? ""
    : ", and no endpoint of that name is configured. The configuration names " +
      (names.join(", ") || "none");
  const meant = suggestBaseUrl(text);
  throw new UsageError(
    `Cannot use the endpoint '${hideLogin(text)}': it is not an http or https URL such as ` +
      `${OLLAMA_URL}${known}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
  );
}

/** The base URL that a text is, or means by a host without "http://"; undefined if it is none. */
export function readBaseUrl(text: string): string | undefined {
  return isHttpUrl(text) ? toBaseUrl(text) : suggestBaseUrl(text);
}

/** The URL that was meant by a host without "http://"; undefined if a text is none. */
export function suggestBaseUrl(text: string): string | undefined {
  const isHost = /^[\w.-]+(:\d+|\/|$)|^\[[\da-f:]+\]/i.test(text) && /[:./]/.test(text);
  return isHost && !text.includes("://") ? `http://${hideLogin(text)}` : undefined;
}

function isHttpUrl(text: string): boolean {
  return ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "");
}

function hideLogin(text: string): string {
  return text.replace(/\/\/[^/@]*@/, "//");
}
