/**
 * Schemas of settings that are more than a word, a number or a list, with the types of their values.
 */
import type { EndpointProfile, Prices } from "../core/endpoint.ts";
import { EFFORT_DIALECTS, EFFORTS } from "../core/model.ts";
import type { JsonObject } from "../lib/schema.ts";

/** A schema from which the type of its values cannot be read. */
export interface TypedSchema<T> {
  readonly [VALUE]: T;
}

declare const VALUE: unique symbol;

function typed<T>(schema: JsonObject): JsonObject & TypedSchema<T> {
  return schema as JsonObject & TypedSchema<T>;
}
const AMOUNT = { type: "number", minimum: 0 };

const PRICE = {
  type: "object",
  properties: { input: AMOUNT, output: AMOUNT, cached_input: AMOUNT },
  required: ["input", "output"],
  additionalProperties: false,
};

/** One price, or one for each model. */
export const PRICES_SCHEMA = typed<Prices>({
  if: { type: "object", properties: { input: AMOUNT }, required: ["input"] },
  then: PRICE,
  else: { type: "object", additionalProperties: PRICE },
});

/** Servers by name; a name is one word, because it stands before the model's. */
export const ENDPOINTS_SCHEMA = typed<Readonly<Record<string, EndpointProfile>>>({
  type: "object",
  propertyNames: { pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$" },
  additionalProperties: {
    type: "object",
    properties: {
      url: { type: "string", pattern: "^https?://[^/]" },
      key_env: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
      key_file: { type: "string", minLength: 1 },
      model: { type: "string", minLength: 1 },
      context_size: { type: "integer", minimum: 1024 },
      headers: { type: "object", additionalProperties: { type: "string" } },
      prices: PRICES_SCHEMA,
      effort: { enum: EFFORTS },
      effort_by: { enum: EFFORT_DIALECTS },
    },
    required: ["url"],
    additionalProperties: false,
  },
});

/** What the status line is: "auto", "off", a text with names in braces, or what a program says. */
export type StatusLineSetting = string | { readonly command: readonly string[] };

/** The status line. */
export const STATUS_LINE_SCHEMA = typed<StatusLineSetting>({
  if: { type: "object" },
  then: {
    properties: {
      command: { type: "array", items: { type: "string" }, minItems: 1 },
    },
    required: ["command"],
    additionalProperties: false,
  },
  else: { type: "string", minLength: 1 },
});

/** A colour, which diffs give to a background. */
export const COLOR = {
  type: "string",
  pattern: "^(on )?(#[0-9a-fA-F]{6}|rgb\\( *\\d{1,3}( *, *\\d{1,3}){2} *\\))$",
} as const;
