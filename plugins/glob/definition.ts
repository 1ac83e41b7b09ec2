/** What the model sees of `glob`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `glob`. */
export const definition = {
  name: "glob",
  description: "Find files by glob (**/*.ts), newest first.",
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1 },
      path: { type: "string", format: "path" },
      limit: { type: "integer", minimum: 1, maximum: 1000 },
      show_content: { type: "boolean" },
      content_lines: { type: "integer", maximum: 100 },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  effects: ["read"],
  example: { pattern: "**/*.ts", path: "src" },
} as const satisfies ToolDefinition;
