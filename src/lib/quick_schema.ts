/**
 * A JSON Schema's answer without its reasons: many times faster than a validator that can explain. What it
 * does not accept, such as a keyword that it does not know, is for the validator to look at. Start-up uses it
 * where many files are nearly always right.
 */
import { isObject, type JsonObject } from "./schema.ts";

/** Keywords that say nothing about a value. */
const WORDS = new Set(["$schema", "title", "description", "default"]);

/** Whether a value surely fits a schema; false means that it may not. */
export function accepts(schema: JsonObject, value: unknown): boolean {
  for (const keyword in schema) {
    if (!WORDS.has(keyword) && !satisfies(keyword, schema, value)) return false;
  }
  return true;
}

function satisfies(keyword: string, schema: JsonObject, value: unknown): boolean {
  const rule = schema[keyword];
  switch (keyword) {
    case "type":
      return typeOf(value) === rule;
    case "const":
      return value === rule;
    case "enum":
      return Array.isArray(rule) && rule.includes(value);
    case "anyOf":
      return Array.isArray(rule) && rule.some((one) => accepts(one, value));
    case "pattern":
      return typeof value === "string" && new RegExp(String(rule), "u").test(value);
    case "minLength":
      return typeof value === "string" && value.length >= Number(rule);
    case "maxLength":
      return typeof value === "string" && value.length <= Number(rule);
    case "minItems":
      return Array.isArray(value) && value.length >= Number(rule);
    case "maxItems":
      return Array.isArray(value) && value.length <= Number(rule);
    case "uniqueItems":
      return Array.isArray(value) && new Set(value).size === value.length;
    case "items":
      return Array.isArray(value) && value.every((item) => accepts(rule as JsonObject, item));
    case "exclusiveMinimum":
      return typeof value === "number" && value > Number(rule);
    case "maximum":
      return typeof value === "number" && value <= Number(rule);
    case "required":
      return Array.isArray(rule) && rule.every((key) => Object.hasOwn(Object(value), key));
    case "properties":
      return isObject(value) && fitsProperties(value, schema);
    case "additionalProperties":
      // With `properties` it is judged there.
      return schema.properties !== undefined || (isObject(value) && fitsProperties(value, schema));
    default:
      return false;
  }
}

function fitsProperties(
  value: JsonObject,
  { properties = {}, additionalProperties: others = true }: JsonObject,
): boolean {
  for (const key in value) {
    const known = Object.hasOwn(Object(properties), key);
    const rule = known ? (properties as JsonObject)[key] : others;
    if (rule === true) continue;
    if (rule === false || !accepts(rule as JsonObject, value[key])) return false;
  }
  return true;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
