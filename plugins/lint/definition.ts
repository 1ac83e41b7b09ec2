/** What the model sees of `lint`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `lint`. */
export const definition = {
  name: "lint",
  description: "Lint files with the project's own linter.",
  parameters: {
    type: "object",
    properties: {
      file_paths: { type: "array", minItems: 1, items: { type: "string", format: "path" } },
      tool: { type: "string", description: "eslint, ruff, ..." },
    },
    required: ["file_paths"],
    additionalProperties: false,
  },
  effects: ["read", "exec"],
  example: { file_paths: ["src/main.ts"] },
} as const satisfies ToolDefinition;
