/** What the model sees of `ls`: pure data, all of the tool that start-up loads. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `ls`. */
export const definition = {
  name: "ls",
  description: "List a directory.",
  parameters: {
    type: "object",
    properties: {
      file_path: { type: "string", format: "path" },
      ignore: { type: "array", items: { type: "string" }, description: "Globs" },
    },
    required: ["file_path"],
    additionalProperties: false,
  },
  effects: ["read"],
  example: { file_path: "src", ignore: ["*.tmp"] },
} as const satisfies ToolDefinition;
