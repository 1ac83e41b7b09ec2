import assert from "node:assert/strict";
import { exampleOf } from "../../src/lib/schema_example.ts";
import { parametersOf } from "../../src/mcp/schema.ts";

Deno.test("parametersOf() takes out what would mean something to ally, run code or lead elsewhere", () => {
  const parameters = parametersOf({
    type: "object",
    $schema: "https://json-schema.org/draft/2020-12/schema",
    properties: {
      file: { type: "string", format: "path", pattern: "(a+)+$", description: "a \x1b[31mfile" },
      format: { type: "string" },
      other: { $ref: "https://example.com/schema.json" },
      own: { $ref: "#/$defs/One" },
    },
    required: ["file", 3],
    $defs: { One: { type: "string", format: "command" } },
  });
  assert.deepEqual(parameters, {
    type: "object",
    properties: {
      file: { type: "string", description: "a file" },
      format: { type: "string" },
      other: {},
      own: { type: "string" },
    },
    required: ["file"],
  });
});

Deno.test("parametersOf() makes an object of whatever a server sent", () => {
  assert.deepEqual(parametersOf({}), { type: "object", properties: {} });
  const deep: Record<string, unknown> = {};
  let at = deep;
  for (let level = 0; level < 5000; level++) at = at.items = {};
  assert.ok(JSON.stringify(parametersOf({ properties: { deep } })).length < 1000);
});

Deno.test("parametersOf() leaves out what is malformed, so that no model server refuses all tools for one", () => {
  const parameters = parametersOf({
    type: "objekt",
    properties: {
      type: { type: "strnig", description: 5 },
      choice: { enum: "abc", minimum: "1", exclusiveMinimum: true },
      any: true,
      none: 7,
      lost: { $ref: "#/$defs/None" },
    },
    anyOf: [{ properties: { more: { type: "string" } }, required: ["more"] }],
    additionalProperties: false,
    "x-own": {},
  });
  const properties = {
    more: { type: "string" },
    type: {},
    choice: {},
    any: {},
    none: {},
    lost: {},
  };
  assert.deepEqual(parameters, { type: "object", properties });
});

Deno.test("parametersOf() puts references in, and stops where they would never end", () => {
  const tree = { type: "object", properties: { kids: { $ref: "#/$defs/tree" } } };
  const whole = parametersOf({ $ref: "#/$defs/tree", $defs: { tree } });
  assert.deepEqual(whole, { type: "object", properties: { kids: {} } });
  const next = (level: number) => ({ $ref: `#/$defs/d${level + 1}` });
  const defs = Array.from({ length: 40 }, (_, level) => [`d${level}`, {
    allOf: [next(level), next(level)],
  }]);
  const bomb = parametersOf({
    properties: { a: { $ref: "#/$defs/d0" } },
    $defs: { ...Object.fromEntries(defs), d40: {} },
  });
  assert.ok(JSON.stringify(bomb).length < 20_000);
});

Deno.test("exampleOf() gives every required argument", () => {
  const parameters = parametersOf({
    properties: { a: { type: "integer" }, b: { enum: ["x", "y"] }, c: { type: "string" } },
    required: ["a", "b"],
  });
  assert.deepEqual(exampleOf(parameters), { a: 1, b: "x" });
});
