import assert from "node:assert/strict";
import { exampleOf, parametersOf } from "../../src/mcp/schema.ts";

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
      own: { $ref: "#/$defs/One" },
    },
    required: ["file"],
    $defs: { One: { type: "string" } },
  });
});

Deno.test("parametersOf() makes an object of whatever a server sent", () => {
  assert.deepEqual(parametersOf({}), { type: "object", properties: {} });
  const deep: Record<string, unknown> = {};
  let at = deep;
  for (let level = 0; level < 5000; level++) at = at.items = {};
  assert.ok(JSON.stringify(parametersOf({ properties: { deep } })).length < 1000);
});

Deno.test("exampleOf() gives every required argument", () => {
  const parameters = parametersOf({
    properties: { a: { type: "integer" }, b: { enum: ["x", "y"] }, c: { type: "string" } },
    required: ["a", "b"],
  });
  assert.deepEqual(exampleOf(parameters), { a: 1, b: "x" });
});
