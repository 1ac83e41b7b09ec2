/** What the model sees of `format`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `format`. */
export const definition = {
  name: "format",
  description: "Format files with the project's own formatter.",
  parameters: {
    type: "object",
    properties: {
      file_paths: { type: "array", minItems: 1, items: { type: "string", format: "path" } },
      tool: { type: "string" },
      check: { type: "boolean", description: "Only tell which would change" },
    },
    required: ["file_paths"],
    additionalProperties: false,
  },
  effects: ["read", "write", "exec"],
  example: { file_paths: ["src/main.ts"] },
} as const satisfies ToolDefinition;
