/**
 * Patterns of a JSON Schema in linear time. The validator matches them by backtracking, which can take for ever on a
 * text that a model was led to write. So RE2 matches them here: for the validator, the pattern of a text is a format, and
 * properties by patterns are properties by those names that a value has.
 */
import { format as formats } from "@cfworker/json-schema";
import { RE2JS } from "re2js";
import { isObject, type JsonObject } from "./schema.ts";

/** A schema whose patterns are matched in linear time. */
export interface LinearSchema {
  /** Patterns with lookaround or a reference back, for which there is no bound. */
  readonly unbounded: readonly string[];
  /** The schema to validate one value with. */
  readonly schemaFor: (value: unknown) => JsonObject;
}

/** Keywords that hold values. */
const VALUES = new Set(["const", "enum", "default", "examples"]);
/** Keywords that hold schemas by names. */
const MAPS = new Set([
  ...["properties", "patternProperties", "definitions", "$defs"],
  ...["dependencies", "dependentSchemas"],
]);

/** Takes the patterns out of a schema. */
export function linearizePatterns(schema: JsonObject): LinearSchema {
  const unbounded: string[] = [];
  const patterns = new Map<string, RE2JS>();
  for (const pattern of patternsIn(schema)) {
    const expression = compile(pattern);
    if (expression === undefined) unbounded.push(pattern);
    else patterns.set(pattern, expression);
  }
  return {
    unbounded,
    schemaFor(value) {
      const names = [...namesIn(value)];
      return linearize(schema, { patterns, names }) as JsonObject;
    },
  };
}

/**
 * The schema without patterns, for who matches them elsewhere: it takes all that the whole schema takes. A pattern that
 * holds for every value of its place is told in the description.
 */
export function withoutPatterns(schema: JsonObject): JsonObject {
  const { pattern, patternErrorMessage: _words, patternProperties, ...rest } = schema;
  const entries = Object.entries(rest).flatMap(([key, part]): [string, unknown][] => {
    if (VALUES.has(key)) return [[key, part]];
    if (LOOSENED.has(key)) return [[key, loosenPart(part, MAPS.has(key))]];
    return isOpen(part) ? [[key, part]] : [];
  });
  const loose: Record<string, unknown> = Object.fromEntries(entries);
  // What matches no name here might match one of the patterns.
  if (patternProperties !== undefined) delete loose.additionalProperties;
  if (typeof pattern !== "string") return loose;
  const words = [loose.description, `Matches ${pattern}`].filter(Boolean).join(". ");
  return { ...loose, description: words };
}

/** Keywords whose schemas may take more without the whole taking less. */
const LOOSENED = new Set([
  ...["properties", "items", "prefixItems", "allOf", "anyOf", "additionalProperties", "contains"],
  ...["definitions", "$defs"],
]);

function loosenPart(part: unknown, isMap: boolean): unknown {
  if (Array.isArray(part)) return part.map((one) => loosenPart(one, false));
  if (!isObject(part)) return part;
  return isMap
    ? Object.fromEntries(Object.entries(part).map(([name, one]) => [name, loosenPart(one, false)]))
    : withoutPatterns(part);
}

/** Whether nothing in it is matched, neither here nor in what it refers to. */
function isOpen(part: unknown): boolean {
  if (Array.isArray(part)) return part.every(isOpen);
  if (!isObject(part)) return true;
  return Object.entries(part).every(([key, one]) =>
    key !== "pattern" && key !== "patternProperties" && key !== "$ref" && isOpen(one)
  );
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return undefined;
  }
}

function* patternsIn(schema: unknown): Iterable<string> {
  if (Array.isArray(schema)) { for (const one of schema) yield* patternsIn(one); }
  if (!isObject(schema)) return;
  if (typeof schema.pattern === "string") yield schema.pattern;
  for (const [key, part] of Object.entries(schema)) {
    if (VALUES.has(key)) continue;
    if (key === "patternProperties" && isObject(part)) yield* Object.keys(part);
    const isMap = MAPS.has(key) && isObject(part);
    yield* patternsIn(isMap ? Object.values(part) : part);
  }
}

/** All names in a value. */
function namesIn(value: unknown): Set<string> {
  const names = new Set<string>();
  const rest = [value];
  while (rest.length > 0) {
    const one = rest.pop();
    if (typeof one !== "object" || one === null) continue;
    for (const [name, part] of Object.entries(one)) {
      if (!Array.isArray(one)) names.add(name);
      rest.push(part);
    }
  }
  return names;
}

/** What is known when a value is validated. */
interface Known {
  readonly patterns: ReadonlyMap<string, RE2JS>;
  readonly names: readonly string[];
}

function linearize(schema: unknown, known: Known): unknown {
  if (Array.isArray(schema)) return schema.map((one) => linearize(one, known));
  if (!isObject(schema)) return schema;
  const { patternProperties, ...rest } = schema;
  const entries = Object.entries(rest).map(([key, part]): [string, unknown] => {
    if (VALUES.has(key)) return [key, part];
    return [key, MAPS.has(key) ? linearizeEach(part, known) : linearize(part, known)];
  });
  const { pattern, ...linear }: Record<string, unknown> = Object.fromEntries(entries);
  return {
    ...linear,
    ...typeof pattern === "string" && asFormat(schema, { pattern, known }),
    ...isObject(patternProperties) && {
      properties: byName(linearizeEach(patternProperties, known), {
        properties: linear.properties,
        known,
      }),
    },
  };
}

function linearizeEach(schemas: unknown, known: Known): unknown {
  if (!isObject(schemas)) return linearize(schemas, known);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, one]) => [name, linearize(one, known)]),
  );
}

/** A pattern as a format, which the validator knows from now on; the same name always means the same. */
function asFormat(
  { format, patternErrorMessage }: JsonObject,
  { pattern, known }: { pattern: string; known: Known },
): JsonObject {
  const other = typeof format === "string" && Object.hasOwn(formats, format) ? format : undefined;
  const name = JSON.stringify({ pattern, format: other });
  formats[name] ??= (text) =>
    (other === undefined || formats[other]!(text)) &&
    known.patterns.get(pattern)!.matcher(text).find();
  const words = `It must match the pattern ${pattern}${
    other ? ` and be of the format ${other}` : ""
  }.`;
  return { format: name, patternErrorMessage: patternErrorMessage ?? words };
}

/** Schemas by patterns as schemas by those names that match, beside those that are there. */
function byName(
  schemas: unknown,
  { properties, known: { patterns, names } }: { properties: unknown; known: Known },
): JsonObject {
  const byNames = new Map<string, unknown>(Object.entries(properties ?? {}));
  for (const [pattern, schema] of Object.entries(schemas ?? {})) {
    for (const name of names) {
      if (!patterns.get(pattern)?.matcher(name).find()) continue;
      byNames.set(name, byNames.has(name) ? { allOf: [byNames.get(name), schema] } : schema);
    }
  }
  return Object.fromEntries(byNames);
}
