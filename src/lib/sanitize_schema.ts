/**
 * Makes a JSON Schema that somebody else wrote safe to validate with and to send to a model server: known keywords of
 * the right shape, references resolved, of bounded size, and no patterns, which could take forever to match.
 */
import { isObject, type JsonObject } from "./schema.ts";

/** Parts of a schema, references resolved, beyond which anything is accepted. */
const MAX_PARTS = 500;
/** Levels of nesting beyond which anything is accepted. */
const MAX_DEPTH = 20;

/** Keys and indices. */
export type SchemaPath = readonly (string | number)[];

/** How a schema is sanitized. */
interface SanitizeOptions {
  /** Whether `format` stays; without it, as with what the text of a description might say, nothing follows. */
  readonly keepFormats: boolean;
  /** Brings a description to plain text. */
  readonly toPlainText: (text: string) => string;
  /** Takes a pattern, for someone who can judge by it in bounded time; the description says it then. */
  readonly onPattern?: (place: SchemaPath, pattern: string) => void;
  /** Told of what is left out because it is wrong. */
  readonly onFault?: (place: SchemaPath, message: string) => void;
}

type Shape =
  | "any"
  | "text"
  | "number"
  | "flag"
  | "texts"
  | "list"
  | "type"
  | "schema"
  | "schemas"
  | "items"
  | "map";

const KEYWORDS: ReadonlyMap<string, Shape> = new Map(Object.entries<Shape>({
  type: "type",
  title: "text",
  description: "text",
  default: "any",
  const: "any",
  examples: "list",
  enum: "list",
  properties: "map",
  required: "texts",
  additionalProperties: "schema",
  propertyNames: "schema",
  items: "items",
  prefixItems: "schemas",
  contains: "schema",
  anyOf: "schemas",
  oneOf: "schemas",
  allOf: "schemas",
  not: "schema",
  if: "schema",
  then: "schema",
  else: "schema",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  minLength: "number",
  maxLength: "number",
  minItems: "number",
  maxItems: "number",
  minProperties: "number",
  maxProperties: "number",
  uniqueItems: "flag",
  format: "text",
}));

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** What is said of a value of the wrong shape. */
const MEANINGS: Readonly<Record<Shape, string>> = {
  any: "anything",
  text: "a text",
  number: "a number",
  flag: "true or false",
  texts: "a list of texts",
  list: "a list",
  type: `one of ${[...TYPES].join(", ")}, or a list of them`,
  schema: "a schema: an object, true or false",
  schemas: "a list of schemas",
  items: "a schema, or a list of them",
  map: "an object of schemas",
};

/** Where the walk is. */
interface Cursor {
  readonly path: SchemaPath;
  readonly depth: number;
  /** References that led here. */
  readonly refs: readonly string[];
}

/**
 * Whether a schema is one of the many that need nothing done to them, which start-up sees by the hundred: plain
 * properties, lists and choices, in plain words.
 */
function isPlain(schema: unknown, levels: number): boolean {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema) || levels === 0) {
    return false;
  }
  const values = schema as Record<string, unknown>;
  for (const key in values) {
    const value = values[key];
    switch (key) {
      case "type":
        if (!TYPES.has(value as string)) return false;
        break;
      case "description":
        if (typeof value !== "string" || !PRINTABLE.test(value)) return false;
        break;
      case "properties":
        if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
        for (const name in value) {
          if (!isPlain((value as Record<string, unknown>)[name], levels - 1)) return false;
        }
        break;
      case "items":
        if (!isPlain(value, levels - 1)) return false;
        break;
      case "enum":
        if (!Array.isArray(value) || value.length === 0) return false;
        break;
      case "required":
        if (!Array.isArray(value) || value.some((one) => typeof one !== "string")) return false;
        break;
      case "minimum":
      case "maximum":
        if (typeof value !== "number") return false;
        break;
      case "additionalProperties":
        if (typeof value !== "boolean") return false;
        break;
      case "default":
        break;
      default:
        return false;
    }
  }
  return true;
}

/** Levels that a schema without anything special has. */
const PLAIN_LEVELS = 4;
/** What any terminal shows as it is. */
const PRINTABLE = /^[ -~]*$/;

/** The schema as ally uses it; itself, if nothing is to be done to it. Never throws. */
export function sanitizeSchema(schema: JsonObject, options: SanitizeOptions): JsonObject {
  if (isPlain(schema, PLAIN_LEVELS)) return schema;
  return new Sanitizer(schema, options).run();
}

/** One schema on its way, with how much of it has been seen. */
class Sanitizer {
  readonly #schema: JsonObject;
  readonly #options: SanitizeOptions;
  #parts = 0;

  constructor(schema: JsonObject, options: SanitizeOptions) {
    this.#schema = schema;
    this.#options = options;
  }

  run(): JsonObject {
    const whole = this.#sanitize(this.#schema, { path: [], depth: 0, refs: [] });
    return isObject(whole) ? whole : {};
  }

  #sanitize(value: unknown, spot: Cursor): JsonObject | boolean {
    if (typeof value === "boolean") return value;
    if (!isObject(value)) {
      this.#report(spot.path, `it must be ${MEANINGS.schema}`);
      return {};
    }
    if (spot.depth > MAX_DEPTH || ++this.#parts > MAX_PARTS) return {};
    const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
      const shape = KEYWORDS.get(key);
      if (shape === undefined || (key === "format" && !this.#options.keepFormats)) return [];
      const path = [...spot.path, key];
      const sanitized = this.#sanitizeKeyword(shape, item, {
        ...spot,
        path,
        depth: spot.depth + 1,
      });
      if (sanitized === undefined) this.#report(path, `it must be ${MEANINGS[shape]}`);
      return sanitized === undefined ? [] : [[key, sanitized]];
    });
    const own: Record<string, unknown> = Object.fromEntries(entries);
    const { onPattern } = this.#options;
    if (onPattern !== undefined && typeof value.pattern === "string") {
      onPattern(spot.path, value.pattern);
      own.description = [own.description, `Matches ${this.#options.toPlainText(value.pattern)}`]
        .filter(Boolean).join(". ");
    }
    return value.$ref === undefined ? own : { ...this.#resolveRef(value.$ref, spot), ...own };
  }

  #resolveRef(ref: unknown, spot: Cursor): JsonObject {
    const path = [...spot.path, "$ref"];
    const target = typeof ref === "string" ? targetOf(this.#schema, ref) : undefined;
    if (target === undefined) {
      this.#report(path, "it must lead to a part of this schema, as #/$defs/Name");
    }
    // A schema that holds itself accepts anything from there on.
    if (target === undefined || spot.refs.includes(String(ref))) return {};
    const refs = [...spot.refs, String(ref)];
    const found = this.#sanitize(target, { ...spot, path, refs, depth: spot.depth + 1 });
    return isObject(found) ? found : {};
  }

  #sanitizeKeyword(shape: Shape, item: unknown, spot: Cursor): unknown {
    const each = (list: readonly unknown[]) =>
      list.map((one, index) => this.#sanitize(one, { ...spot, path: [...spot.path, index] }));
    switch (shape) {
      case "any":
        return item;
      case "text":
        return typeof item === "string" ? this.#options.toPlainText(item) : undefined;
      case "number":
        return typeof item === "number" ? item : undefined;
      case "flag":
        return typeof item === "boolean" ? item : undefined;
      case "texts":
        return Array.isArray(item) ? this.#onlyTexts(item, spot) : undefined;
      case "list":
        return Array.isArray(item) && item.length > 0 ? item : undefined;
      case "type":
        return isType(item) ? item : undefined;
      case "schema":
        return typeof item === "boolean" || isObject(item) ? this.#sanitize(item, spot) : undefined;
      case "schemas":
        return Array.isArray(item) && item.length > 0 ? each(item) : undefined;
      case "items":
        return Array.isArray(item) ? each(item) : this.#sanitizeKeyword("schema", item, spot);
      case "map":
        return isObject(item) ? this.#sanitizeMap(item, spot) : undefined;
    }
  }

  #onlyTexts(list: readonly unknown[], { path }: Cursor): readonly string[] {
    const strings = list.filter((one) => typeof one === "string");
    if (strings.length < list.length) this.#report(path, `it must be ${MEANINGS.texts}`);
    return strings;
  }

  #sanitizeMap(item: JsonObject, spot: Cursor): JsonObject {
    return Object.fromEntries(
      Object.entries(item).map(([name, one]) => {
        const found = this.#sanitize(one, { ...spot, path: [...spot.path, name] });
        return [name, isObject(found) ? found : {}];
      }),
    );
  }

  #report(path: SchemaPath, message: string): void {
    this.#options.onFault?.(path, message);
  }
}

function isType(value: unknown): boolean {
  const types = Array.isArray(value) ? value : [value];
  return types.length > 0 && types.every((one) => TYPES.has(one));
}

/** The part of a schema that `#/a/b` names; undefined if there is none. */
function targetOf(schema: JsonObject, ref: string): unknown {
  if (!/^#($|\/)/.test(ref)) return undefined;
  let at: unknown = schema;
  for (const part of ref.split("/").slice(1)) {
    const key = part.replaceAll("%25", "%").replaceAll("~1", "/").replaceAll("~0", "~");
    const within = typeof at === "object" && at !== null && Object.hasOwn(at, key);
    at = within ? (at as JsonObject)[key] : undefined;
  }
  return at;
}
