/** What the model sees of `lint`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `lint`. */
export const definition = {
  name: "lint",
  description: "Run the linter.",
  parameters: {
    type: "object",
    properties: {
      file_paths: { type: "array", items: { type: "string", format: "path" } },
      tool: { type: "string" },
    },
    required: ["file_paths"],
    additionalProperties: false,
  },
  effects: ["read", "exec"],
  example: { file_paths: ["src/main.ts"] },
} as const satisfies ToolDefinition;
