/** What the model sees of `read`: pure data, all of the tool that start-up loads. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `read`. */
export const definition = {
  name: "read",
  description: "Read text files with line numbers. Needed before changes.",
  parameters: {
    type: "object",
    properties: {
      file_paths: { type: "array", items: { type: "string", format: "path" }, minItems: 1 },
      limit: { type: "integer", minimum: 0, description: "Lines per file" },
      offset: { type: "integer", minimum: 0, description: "First line, from 1" },
    },
    required: ["file_paths"],
    additionalProperties: false,
  },
  effects: ["read"],
  example: { file_paths: ["src/main.ts"] },
} as const satisfies ToolDefinition;
