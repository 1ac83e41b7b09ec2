/** What the model sees of `format`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `format`. */
export const definition = {
  name: "format",
  description: "Format code",
  parameters: {
    type: "object",
    properties: {
      file_paths: { type: "array", items: { type: "string", format: "path" } },
      check: { type: "boolean" },
    },
    required: ["file_paths"],
    additionalProperties: false,
  },
  effects: ["read", "write", "exec"],
  example: { file_paths: ["src/main.ts"] },
} as const satisfies ToolDefinition;
