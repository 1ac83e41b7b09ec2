/**
 * What the settings `endpoints` and `prices` may hold, as JSON Schema. Only the table in `config.ts` uses it.
 */

const AMOUNT = { type: "number", minimum: 0 };

const PRICE = {
  type: "object",
  properties: { input: AMOUNT, output: AMOUNT, cached_input: AMOUNT },
  required: ["input", "output"],
  additionalProperties: false,
};

/** One price, or one for each model. */
export const PRICES_SCHEMA = {
  if: { type: "object", properties: { input: AMOUNT }, required: ["input"] },
  then: PRICE,
  else: { type: "object", additionalProperties: PRICE },
} as const;

/** Servers by name; a name is one word, because it stands before the model's. */
export const ENDPOINTS_SCHEMA = {
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
    },
    required: ["url"],
    additionalProperties: false,
  },
} as const;
