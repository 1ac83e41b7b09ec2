/**
 * `endpoints.NAME` and `endpoints.NAME.FIELD` as keys of `ally config`, so that one of several servers can be
 * named, changed and removed without writing the others again.
 */
import { UsageError } from "../core/errors.ts";
import { parseJson } from "../lib/json_text.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { validateSetting } from "../store/config.ts";

/** The setting that these keys are parts of. */
export const ENDPOINTS_KEY = "endpoints";

/** The setting that a key is, or is a part of. */
export function settingOf(key: string): string {
  return key.startsWith(`${ENDPOINTS_KEY}.`) ? ENDPOINTS_KEY : key;
}

/** Where in `endpoints` a key leads: a server's name, and perhaps fields within it. */
type EndpointPath = readonly [name: string, ...fields: string[]];

/** The path of such a key; a name that is there already may hold dots. Undefined for any other key. */
export function endpointPath(key: string, endpoints: JsonObject): EndpointPath | undefined {
  if (!key.startsWith(`${ENDPOINTS_KEY}.`)) return undefined;
  const rest = key.slice(ENDPOINTS_KEY.length + 1);
  const known =
    Object.keys(endpoints).filter((name) => rest === name || rest.startsWith(`${name}.`)).sort((
      a,
      b,
    ) => b.length - a.length)[0];
  if (known === undefined) {
    const [name = "", ...fields] = rest.split(".");
    return [name, ...fields];
  }
  return [known, ...(rest === known ? [] : rest.slice(known.length + 1).split("."))];
}

/** What is at a path, or undefined. */
export function valueAt(path: EndpointPath, endpoints: JsonObject): unknown {
  return path.reduce<unknown>(
    (value, field) => isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined,
    endpoints,
  );
}

/** The endpoints without what is at a path; the very same if nothing is there. */
export function omitValue(path: EndpointPath, endpoints: JsonObject): JsonObject {
  return valueAt(path, endpoints) === undefined ? endpoints : setAtPath(path, endpoints, undefined);
}

/**
 * The endpoints with what a person typed at a path: JSON, a word, or for a server as a whole its URL.
 * @throws {UsageError} it does not fit there
 */
export function setValue(path: EndpointPath, endpoints: JsonObject, text: string): JsonObject {
  const isServer = path.length === 1;
  const before = valueAt(path, endpoints);
  const readings = [
    parseJson(text),
    isServer ? { ...isObject(before) && before, url: text } : text,
  ].filter((value) => value !== undefined).map((value) => setAtPath(path, endpoints, value));
  const fitting = readings.find((value) => validateSetting(ENDPOINTS_KEY, value) === undefined);
  if (fitting !== undefined) return fitting;
  throw new UsageError(`Cannot set ${validateSetting(ENDPOINTS_KEY, readings.at(-1))}`);
}

function setAtPath(
  [first, ...rest]: readonly string[],
  into: JsonObject,
  value: unknown,
): JsonObject {
  if (first === undefined) return into;
  const [next] = rest;
  const known = Object.hasOwn(into, first) ? into[first] : undefined;
  const inner = next === undefined ? value : setAtPath(rest, isObject(known) ? known : {}, value);
  const entries = Object.entries({ ...into, [first]: inner });
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined));
}
