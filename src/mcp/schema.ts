/**
 * A server's schema of arguments as ally uses it: what would mean something to ally (`format`), run code on the model's
 * words (`pattern`) or lead elsewhere (`$ref` to an address) is taken out; the server checks its own rules anyway.
 */
import type { Parameters } from "../core/tool.ts";
import { isObject } from "../lib/schema.ts";
import { stripControls } from "../lib/text.ts";

const LEFT_OUT = new Set(["format", "pattern", "patternProperties", "$schema", "$id"]);
/** Levels of nesting beyond which anything goes. */
const DEEPEST = 20;
/** Keys whose value maps names, that may be any word, to schemas. */
const MAPS = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** Keys whose value is data. */
const DATA = new Set(["const", "enum", "default", "examples"]);

/** The schema for the model and for checking what it sends. */
export function parametersOf(schema: Readonly<Record<string, unknown>>): Parameters {
  const cleaned = clean(schema, 0);
  const { type: _type, properties, required, ...rest } = isObject(cleaned) ? cleaned : {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return {
    type: "object",
    properties: isObject(properties) ? properties : {},
    ...(names.length > 0 && { required: names }),
    ...rest,
  } as Parameters;
}

/** Arguments that a schema accepts, near enough for an example. */
export function exampleOf({ properties, required = [] }: Parameters): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
}

function sampleOf(schema: Readonly<Record<string, unknown>>): unknown {
  if ("default" in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "...";
  }
}

function clean(value: unknown, depth: number): unknown {
  if (!isObject(value)) return typeof value === "boolean" ? value : {};
  if (depth > DEEPEST) return {};
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (LEFT_OUT.has(key)) return [];
    if (key === "$ref") {
      return typeof item === "string" && item.startsWith("#") ? [[key, item]] : [];
    }
    if (key === "description" || key === "title") {
      return typeof item === "string" ? [[key, stripControls(item)]] : [];
    }
    if (DATA.has(key)) return [[key, item]];
    if (MAPS.has(key) && isObject(item)) {
      const each = Object.entries(item).map(([name, one]) => [name, clean(one, depth + 1)]);
      return [[key, Object.fromEntries(each)]];
    }
    if (Array.isArray(item)) {
      return [[key, item.map((one) => isObject(one) ? clean(one, depth + 1) : one)]];
    }
    return [[key, isObject(item) ? clean(item, depth + 1) : item]];
  });
  return Object.fromEntries(entries);
}
