/** What the model sees of `edit`: pure data, all of the tool that start-up loads. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `edit`. */
export const definition = {
  name: "edit",
  description:
    "Replace text in a file: one old_string/new_string, or several in edits, applied in order, all or none. old_string must match exactly and once, unless replace_all. Empty old_string creates a file.",
  parameters: {
    type: "object",
    properties: {
      file_path: { type: "string", format: "path" },
      old_string: { type: "string" },
      new_string: { type: "string" },
      replace_all: { type: "boolean" },
      edits: {
        type: "array",
        items: {
          type: "object",
          properties: {
            old_string: { type: "string" },
            new_string: { type: "string" },
            replace_all: { type: "boolean" },
          },
          required: ["old_string", "new_string"],
          additionalProperties: false,
        },
      },
    },
    required: ["file_path"],
    additionalProperties: false,
  },
  effects: ["write"],
  example: { file_path: "src/main.ts", old_string: "let count = 0;", new_string: "let count = 1;" },
} as const satisfies ToolDefinition;
