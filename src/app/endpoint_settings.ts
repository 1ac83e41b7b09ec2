/**
 * `endpoints.NAME` and `endpoints.NAME.FIELD` as keys of `ally config`, so that one of several servers can be
 * named, changed and removed without writing the others again.
 */
import { UsageError } from "../core/errors.ts";
import { parseJson } from "../lib/json_text.ts";
import { didYouMean, findNear } from "../lib/names.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { cutEnd } from "../lib/text.ts";
import { ENDPOINT_FIELDS, ENDPOINTS_SCHEMA } from "../store/setting_schemas.ts";
import { explainMismatch } from "../store/setting_text.ts";

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
  requirePlace(path, endpoints);
  const isServer = path.length === 1;
  const before = valueAt(path, endpoints);
  const readings = [
    parseJson(text),
    isServer ? { ...isObject(before) && before, url: text } : text,
  ].filter((value) => value !== undefined).map((value) => setAtPath(path, endpoints, value));
  const fitting = readings.find((value) => explainMismatch(ENDPOINTS_SCHEMA, value) === undefined);
  if (fitting !== undefined) return fitting;
  const key = [ENDPOINTS_KEY, ...path].join(".");
  const given = cutEnd(JSON.stringify(text), 200);
  const wrong = explainMismatch(ENDPOINTS_SCHEMA, readings.at(-1));
  throw new UsageError(`Nothing was set: '${key}' is ${given}. ${wrong}`);
}

/** @throws {UsageError} the path leads to no field of a server, or to a server without a URL */
function requirePlace([name, field]: EndpointPath, endpoints: JsonObject): void {
  if (field === undefined) return;
  if (!ENDPOINT_FIELDS.includes(field)) {
    const hint = didYouMean(findNear(field, ENDPOINT_FIELDS)) ||
      `There are ${ENDPOINT_FIELDS.join(", ")}.`;
    throw new UsageError(`Nothing was set: a server has no '${cutEnd(field, 200)}'. ${hint}`);
  }
  if (field === "url" || Object.hasOwn(endpoints, name)) return;
  throw new UsageError(
    `Nothing was set: there is no server '${name}' yet. Give its URL first: ` +
      `ally config set ${ENDPOINTS_KEY}.${name} URL`,
  );
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
