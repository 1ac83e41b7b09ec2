/** What the model sees of `write`: pure data, all of the tool that start-up loads. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `write`. */
export const definition = {
  name: "write",
  description: "Create a file or replace all of its content.",
  parameters: {
    type: "object",
    properties: {
      file_path: { type: "string", format: "path" },
      content: { type: "string" },
    },
    required: ["file_path", "content"],
    additionalProperties: false,
  },
  effects: ["write"],
  mayOmit: ["content"],
  example: { file_path: "notes.txt", content: "First line\n" },
} as const satisfies ToolDefinition;
