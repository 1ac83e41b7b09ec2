/**
 * The value of a setting as a person types it, checked against the schema of the setting.
 */
import { coerce, describeViolation, type JsonObject, violations } from "../lib/schema.ts";

/** What a value of a schema must be, as a sentence; undefined if this one fits. */
export function explainMismatch(schema: JsonObject, value: unknown): string | undefined {
  const [wrong] = violations(schema, value);
  if (wrong === undefined) return undefined;
  const wanted = describeExpected(schema);
  if (wanted !== undefined) return `It must be ${wanted}.`;
  return describeViolation(wrong);
}

const OBJECT = { type: "object" };

/** A text as a value of a schema, as far as it can be one: `on` is true, `a,b` a list, JSON is JSON. */
export function parseSettingText(schema: JsonObject, text: string): unknown {
  const word = text.trim().toLowerCase();
  switch (schema.type) {
    case "boolean":
      if (["on", "yes", "1"].includes(word)) return true;
      return ["off", "no", "0"].includes(word) ? false : coerce(schema, text);
    case "integer":
    case "number":
      return word === "" || Number.isNaN(Number(word)) ? text : Number(word);
    case "array":
      return word.startsWith("[")
        ? coerce(schema, text)
        : text.split(",").map((one) => one.trim()).filter((one) => one !== "");
    default:
      // What may be an object or something else says so itself.
      return coerce(schema.type === undefined && word.startsWith("{") ? OBJECT : schema, text);
  }
}

/** What a person may give, in words; undefined where it has parts of its own. */
function describeExpected(
  { type, minimum, exclusiveMinimum, maximum, enum: choices }: JsonObject,
): string | undefined {
  if (Array.isArray(choices)) return `one of ${choices.join(", ")}`;
  if (type === "boolean") return "true or false";
  if (type !== "integer" && type !== "number") return undefined;
  const kind = type === "integer" ? "a whole number" : "a number";
  if (minimum !== undefined && maximum !== undefined) {
    return `${kind} from ${minimum} to ${maximum}`;
  }
  if (exclusiveMinimum !== undefined) return `${kind} above ${exclusiveMinimum}`;
  return minimum === undefined ? kind : `${kind} of at least ${minimum}`;
}
