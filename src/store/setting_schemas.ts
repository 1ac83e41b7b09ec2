/**
 * Schemas of settings that are more than a word, a number or a list, with the types of their values.
 */
import type { EndpointProfile, Prices } from "../core/endpoint.ts";
import type { HookEvent, HookSettings } from "../core/hooks.ts";
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

const ENDPOINT = {
  url: {
    type: "string",
    pattern: "^https?://[^/]",
    patternErrorMessage: "It must be an http or https URL, such as http://localhost:8080/v1.",
  },
  key_env: {
    type: "string",
    pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
    patternErrorMessage: "It must be the name of an environment variable.",
  },
  key_file: { type: "string", minLength: 1 },
  model: { type: "string", minLength: 1 },
  context_size: { type: "integer", minimum: 1024 },
  headers: { type: "object", additionalProperties: { type: "string" } },
  prices: PRICES_SCHEMA,
  effort: { enum: EFFORTS },
  effort_by: { enum: EFFORT_DIALECTS },
};

/** What there is to say of a server. */
export const ENDPOINT_FIELDS: readonly string[] = Object.keys(ENDPOINT);

/** Servers by name; a name is one word, because it stands before the model's. */
export const ENDPOINTS_SCHEMA = typed<Readonly<Record<string, EndpointProfile>>>({
  type: "object",
  propertyNames: {
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
    patternErrorMessage: "A server's name is letters, digits, '.', '-' and '_'.",
  },
  additionalProperties: {
    type: "object",
    properties: ENDPOINT,
    required: ["url"],
    additionalProperties: false,
  },
});

/** An address without a password and a query, below which a path can be put. */
export const SEARCH_URL = {
  type: "string",
  pattern: "^https?://[^/\\s@?#][^\\s@?#]*$",
  patternErrorMessage: "It must be an http or https URL without a password and a query.",
} as const;

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

const WORDS = { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 };

const HOOK = {
  name: {
    type: "string",
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$",
    patternErrorMessage: "A hook's name is at most 40 letters, digits, '.', '-' and '_'.",
  },
  command: { if: { type: "array" }, then: WORDS, else: { type: "string", minLength: 1 } },
  timeout: { type: "number", exclusiveMinimum: 0, maximum: 600 },
  required: { type: "boolean" },
  trusted: { type: "boolean" },
};

const listOf = (properties: JsonObject) => ({
  type: "array",
  items: { type: "object", properties, required: ["command"], additionalProperties: false },
});

const HOOKS_OF_EVENT = listOf(HOOK);
const HOOKS_OF_CALL = listOf({ ...HOOK, tools: WORDS, paths: WORDS });

/** Commands by the event at which they run. */
export const HOOKS_SCHEMA = typed<HookSettings>({
  type: "object",
  properties: {
    session_start: HOOKS_OF_EVENT,
    prompt: HOOKS_OF_EVENT,
    before_tool: HOOKS_OF_CALL,
    after_tool: HOOKS_OF_CALL,
    stop: HOOKS_OF_EVENT,
    compact: HOOKS_OF_EVENT,
    notification: HOOKS_OF_EVENT,
  } satisfies Record<HookEvent, JsonObject>,
  additionalProperties: false,
});

/** A colour, which diffs give to a background. */
export const COLOR = {
  type: "string",
  pattern: "^(on )?(#[0-9a-fA-F]{6}|rgb\\( *\\d{1,3}( *, *\\d{1,3}){2} *\\))$",
  patternErrorMessage: "It must be a colour, as #3c1919 or rgb(60,25,25).",
} as const;
