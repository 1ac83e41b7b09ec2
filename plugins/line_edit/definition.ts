/** What the model sees of `line_edit`: pure data, all of the tool that start-up loads. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `line_edit`; the tool itself says what `new_content` may be, to keep requests short. */
export const definition = {
  name: "line_edit",
  description: "Replace lines as last read",
  parameters: {
    type: "object",
    properties: {
      file_path: { type: "string", format: "path" },
      edits: {
        type: "array",
        items: {
          type: "object",
          properties: {
            start_line: { type: "integer" },
            end_line: { type: "integer" },
            new_content: {},
          },
          required: ["start_line", "end_line", "new_content"],
        },
      },
    },
    required: ["file_path", "edits"],
    additionalProperties: false,
  },
  effects: ["write"],
  example: {
    file_path: "src/main.ts",
    edits: [{ start_line: 3, end_line: 4, new_content: ["if (done) {", "  return;", "}"] }],
  },
} as const satisfies ToolDefinition;
