/**
 * A server's schema of arguments as ally uses it: what would mean something to ally (`format`), run code on the model's
 * words (`pattern`), lead elsewhere or be refused by a model server is taken out; the server checks its own rules
 * anyway.
 */
import type { Parameters } from "../core/tool.ts";
import { sanitizeSchema } from "../lib/sanitize_schema.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { stripControls } from "../lib/text.ts";

/** Ways to put schemas together, which model servers refuse at the top. */
const JOINING = ["allOf", "anyOf", "oneOf"] as const;
const NOT_AT_THE_TOP = new Set<string>([
  ...JOINING,
  ...["not", "if", "then", "else", "enum", "const", "type", "properties", "required"],
]);

/** The schema for the model and for checking what it sends. */
export function parametersOf(schema: Readonly<Record<string, unknown>>): Parameters {
  const top = sanitizeSchema(schema, { keepFormats: false, toPlainText: stripControls });
  const branches = JOINING.flatMap((key) => partsOf(top[key]));
  const properties = Object.fromEntries(
    [...branches, top].flatMap((one) => Object.entries(one.properties ?? {})),
  );
  const needed = [top, ...partsOf(top.allOf)].flatMap(({ required }) =>
    Array.isArray(required) ? required : []
  );
  // What closes a schema counts the properties beside it, and not those of branches.
  const closes = (key: string) => branches.length > 0 && key === "additionalProperties";
  const rest = Object.entries(top).filter(([key]) => !NOT_AT_THE_TOP.has(key) && !closes(key));
  return {
    type: "object",
    properties,
    ...(needed.length > 0 && { required: [...new Set(needed)] }),
    ...Object.fromEntries(rest),
  } as Parameters;
}

function partsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
