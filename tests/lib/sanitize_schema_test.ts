import assert from "node:assert/strict";
import { sanitizeSchema } from "../../src/lib/sanitize_schema.ts";

const OPTIONS = { keepFormats: true, toPlainText: (text: string) => text.replaceAll("\x1b", "") };

Deno.test("outsideSchema() takes a schema without anything special as it is", () => {
  const schema = {
    type: "object",
    properties: {
      query: { type: "string", description: "What to look for" },
      limit: { type: "integer", minimum: 1, default: 10 },
      kinds: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    },
    required: ["query"],
    additionalProperties: false,
  };
  assert.equal(sanitizeSchema(schema, OPTIONS), schema);
});

Deno.test("outsideSchema() looks closely at everything else", () => {
  const odd: readonly [given: Record<string, unknown>, taken: Record<string, unknown>][] = [
    [{ description: "red \x1b[31m" }, { description: "red [31m" }],
    [{ type: "string", format: "path" }, { type: "string", format: "path" }],
    [{ properties: { a: { pattern: "(" } } }, { properties: { a: {} } }],
    [{ properties: [] }, {}],
    [{ enum: [] }, {}],
    [{ required: ["a", 1] }, { required: ["a"] }],
    [{ items: [{ type: "string" }, 1] }, { items: [{ type: "string" }, {}] }],
    [JSON.parse('{"properties":{"__proto__":{"type":"x"}}}'), {
      properties: { ["__proto__"]: {} },
    }],
  ];
  for (const [given, taken] of odd) assert.deepEqual(sanitizeSchema(given, OPTIONS), taken);
});
