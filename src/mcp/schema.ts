/**
 * A server's schema of arguments as ally uses it, without what would have a meaning for ally (`format`), could take for
 * ever on a model's text (`pattern`), refers elsewhere or is refused by model servers. The server checks its own rules
 * anyway.
 */
import type { Parameters } from "../core/tool.ts";
import { sanitizeSchema } from "../lib/sanitize_schema.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { stripControls } from "../lib/text.ts";

/** Keywords that combine schemas; model servers refuse them at the top. */
const COMBINATORS = ["allOf", "anyOf", "oneOf"] as const;
const NOT_AT_THE_TOP = new Set<string>([
  ...COMBINATORS,
  ...["not", "if", "then", "else", "enum", "const", "type", "properties", "required"],
]);

/** The schema that the model gets and its calls are checked against. */
export function parametersOf(schema: Readonly<Record<string, unknown>>): Parameters {
  const top = sanitizeSchema(schema, { keepFormats: false, toPlainText: stripControls });
  const branches = COMBINATORS.flatMap((key) => partsOf(top[key]));
  const properties = Object.fromEntries(
    [...branches, top].flatMap((one) => Object.entries(one.properties ?? {})),
  );
  const needed = [top, ...partsOf(top.allOf)].flatMap(({ required }) =>
    Array.isArray(required) ? required : []
  );
  // `additionalProperties` would apply to the properties beside it and not to those of the branches.
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
