/**
 * JSON Schema as models need it: values are first brought to the types the schema asks for where that
 * loses nothing ("5" for 5, one value for a list of one), then validated by a maintained validator.
 */
import { format as formats, type Schema, Validator } from "@cfworker/json-schema";
import { plural } from "./text.ts";

/** An object as JSON has it, its values not yet known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** One thing wrong with a value. */
export interface Violation {
  /** Where, as `edits[0].old_string`; empty for the whole value. */
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** True for an object that is neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether objects and lists lie in each other on more than so many levels. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

/**
 * Checks a value; an empty list means that it is valid. Beside a `pattern`, `patternErrorMessage` says in words what it
 * wants, as editors know it.
 */
export function violations(schema: JsonObject, value: unknown): Violation[] {
  return createCheck(schema)(value);
}

/** What checks many values by one schema, as `violations` does one. */
export function createCheck(schema: JsonObject): (value: unknown) => Violation[] {
  formats.url = isUrl;
  const validator = new Validator(schema as Schema, "7", false);
  return (value) => {
    const result = validator.validate(value);
    if (result.valid) return [];
    // The validator reports each failure once more for every schema around it; the leaves tell all.
    return result.errors
      .filter((error) => !CONTAINERS.has(error.keyword))
      .map((error) => ({
        path: readablePath(error.instanceLocation),
        keyword: error.keyword,
        message: wordsOfPattern(schema, error) ?? inPlainWords(error.keyword, error.error),
      }));
  };
}

/** What the format `url` asks for; the validator's own check of it backtracks in exponential time. */
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text);
}

/** A violation as a sentence that says where it is. */
export function describeViolation({ path, message }: Violation): string {
  return path === "" ? message : `At '${path}': ${message}`;
}

/** What the pattern wants that a value does not match: in the schema's own words, else as it stands. */
function wordsOfPattern(
  schema: JsonObject,
  { keyword, keywordLocation }: { keyword: string; keywordLocation: string },
): string | undefined {
  if (keyword !== "pattern" && keyword !== "format") return undefined;
  const around = keywordLocation.split("/").slice(1, -1).reduce<unknown>(
    (part, name) => isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined,
    schema,
  );
  if (!isObject(around)) return undefined;
  const { pattern, patternErrorMessage: words } = around;
  if (typeof words === "string") return words;
  return typeof pattern === "string" && keyword === "pattern"
    ? `It must match the pattern ${pattern}.`
    : undefined;
}

/** What JSON calls its types, as a person would say it. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
  record: "an object",
};

/** A type of JSON as a person would say it, with its article. */
export function typeWords(type: string): string {
  return TYPE_WORDS[type] ?? type;
}

/** The validator's messages without its own words (instance, boolean schema), as a sentence. */
function inPlainWords(keyword: string, message: string): string {
  const quoted = [...message.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word);
  switch (keyword) {
    case "type": {
      const [given = "", ...wanted] = quoted.map(typeWords);
      return `It must be ${wanted.join(" or ")}, not ${given}.`;
    }
    case "required":
      return `It has no "${quoted[0] ?? ""}".`;
    case "enum":
      return message.replace(
        /^Instance does not match any of \[(.*)\]\.$/,
        (_, values) => `It must be one of ${values.replaceAll('","', '", "')}.`,
      );
    case "const":
      return message.replace("Instance does not match", "It must be");
    case "false":
      return "There is no such key.";
    case "minLength":
      return message === "String is too short (0 < 1)." ? "It must not be empty." : message;
    case "minItems":
    case "maxItems":
      return message.replace(
        /^Array has too (few|many) items \((\d+) [<>] (\d+)\)\.$/,
        (_, which, given, limit) =>
          `It must have at ${which === "few" ? "least" : "most"} ${
            plural(Number(limit), "item")
          }, not ${given}.`,
      );
    default:
      return message;
  }
}

const CONTAINERS = new Set([
  ...["properties", "items", "additionalProperties", "allOf", "$ref", "if"],
]);

/** "#/edits/0/old_string" as "edits[0].old_string". */
function readablePath(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => {
      if (/^\d+$/.test(part)) return `${path}[${part}]`;
      return path === "" ? part : `${path}.${part}`;
    }, "");
}

/** Brings a value to the types its schema names, as far as nothing is lost; the rest stays as it is. */
export function coerce(schema: JsonObject, value: unknown): unknown {
  switch (schema.type) {
    case "object":
      return coerceObject(schema, value);
    case "array":
      return coerceArray(schema, value);
    case "integer":
    case "number":
      return typeof value === "string" && /^\s*-?\d+(\.\d+)?\s*$/.test(value)
        ? Number(value)
        : value;
    case "boolean":
      return coerceBoolean(value);
    case "string":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    default:
      return value;
  }
}

function coerceObject(schema: JsonObject, value: unknown): unknown {
  const object = parseIf(value, isObject) ?? value;
  if (!isObject(object) || !isObject(schema.properties)) return object;
  const properties = schema.properties;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const entries = Object.entries(object)
    // A null for something optional is how some models leave it out.
    .filter(([key, item]) => item !== null || required.includes(key))
    .map(([key, item]) => {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, isObject(property) ? coerce(property, item) : item];
    });
  return Object.fromEntries(entries);
}

function coerceArray(schema: JsonObject, value: unknown): unknown {
  const parsed = parseIf(value, Array.isArray) ?? value;
  const list = Array.isArray(parsed) ? parsed : parsed === undefined ? parsed : [parsed];
  if (!Array.isArray(list)) return list;
  const items = schema.items;
  return isObject(items) ? list.map((item) => coerce(items, item)) : list;
}

function coerceBoolean(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const word = value.trim().toLowerCase();
  return word === "true" ? true : word === "false" ? false : value;
}

/** The value of a string that holds JSON of the wanted shape, as models encode twice. */
function parseIf<T>(value: unknown, wanted: (parsed: unknown) => parsed is T): T | undefined {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return wanted(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
