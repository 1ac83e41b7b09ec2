import assert from "node:assert/strict";
import { ToolError } from "../../src/core/errors.ts";
import type { ToolDefinition } from "../../src/core/tool.ts";
import { parseArguments, valuesOfFormat } from "../../src/tools/arguments.ts";

const DEFINITION = {
  name: "sample",
  description: "",
  effects: ["read"],
  example: { file_paths: ["a.ts"] },
  parameters: {
    type: "object",
    properties: {
      file_paths: { type: "array", items: { type: "string", format: "path" } },
      limit: { type: "integer", minimum: 0 },
      deep: { type: "boolean" },
      command: { type: "string", format: "command" },
      edits: {
        type: "array",
        items: {
          type: "object",
          properties: { old_string: { type: "string" } },
          required: ["old_string"],
          additionalProperties: false,
        },
      },
    },
    required: ["file_paths"],
    additionalProperties: false,
  },
} as const satisfies ToolDefinition;

const accepted: [what: string, sent: string, read: unknown][] = [
  ["plain arguments", '{"file_paths":["a"],"limit":3}', { file_paths: ["a"], limit: 3 }],
  ["a number as text", '{"file_paths":["a"],"limit":"3"}', { file_paths: ["a"], limit: 3 }],
  ["a boolean as text", '{"file_paths":["a"],"deep":"True"}', { file_paths: ["a"], deep: true }],
  ["one value for a list", '{"file_paths":"a"}', { file_paths: ["a"] }],
  ["a list as JSON text", '{"file_paths":"[\\"a\\",\\"b\\"]"}', { file_paths: ["a", "b"] }],
  ["null for what is optional", '{"file_paths":["a"],"limit":null}', { file_paths: ["a"] }],
  ["the singular name", '{"file_path":"a"}', { file_paths: ["a"] }],
  ["a kebab-case name", '{"file-paths":["a"]}', { file_paths: ["a"] }],
  ["a camelCase name", '{"filePaths":["a"]}', { file_paths: ["a"] }],
  ["an alias by format", '{"path":"a","cmd":"ls"}', { file_paths: ["a"], command: "ls" }],
  [
    "an object for a list of objects",
    '{"file_paths":["a"],"edits":{"old_string":"x"}}',
    { file_paths: ["a"], edits: [{ old_string: "x" }] },
  ],
];

for (const [what, sent, read] of accepted) {
  Deno.test(`readArguments() accepts ${what}`, () => {
    assert.deepEqual(parseArguments(DEFINITION, sent), read);
  });
}

const refused: [what: string, sent: string, message: RegExp][] = [
  ["a missing argument", "{}", /Missing required parameter 'file_paths' for sample/],
  ["no arguments at all", "", /Missing required parameter 'file_paths'/],
  ["an unknown argument", '{"file_paths":["a"],"colour":1}', /Unknown parameter 'colour'.*limit/],
  [
    "a wrong type",
    '{"file_paths":["a"],"limit":"many"}',
    /'limit': It must be a whole number, not a string/,
  ],
  ["a value out of range", '{"file_paths":["a"],"limit":-1}', /'limit'.*-1 is less than 0/],
  ["what is no JSON", '{"file_paths":["a"', /not valid JSON/],
  ["what is no object", "[1]", /must be a JSON object/],
  [
    "a missing part of a list's item",
    '{"file_paths":["a"],"edits":[{}]}',
    /Missing required parameter 'old_string' for edits\[0\] of sample/,
  ],
];

for (const [what, sent, message] of refused) {
  Deno.test(`readArguments() refuses ${what} and shows an example`, () => {
    assert.throws(
      () => parseArguments(DEFINITION, sent),
      (error: unknown) => {
        assert.ok(error instanceof ToolError);
        assert.equal(error.kind, "validation");
        assert.match(error.message, message);
        assert.equal(error.suggestion, 'Example: sample(file_paths=["a.ts"])');
        return true;
      },
    );
  });
}

Deno.test("readArguments() takes a key such as __proto__ for an unknown argument", () => {
  assert.throws(
    () => parseArguments(DEFINITION, '{"file_paths":["a"],"__proto__":{"x":1}}'),
    /Unknown parameter '__proto__'/,
  );
});

Deno.test("valuesOfFormat() finds marked values wherever they stand", () => {
  const input = { file_paths: ["a", "b"], command: "ls" };
  assert.deepEqual(valuesOfFormat(DEFINITION, { format: "path", input }), ["a", "b"]);
  assert.deepEqual(valuesOfFormat(DEFINITION, { format: "command", input }), ["ls"]);
});
