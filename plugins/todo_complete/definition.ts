/** What the model sees of `todo_complete`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `todo_complete`. */
export const definition = {
  name: "todo_complete",
  description: "Mark a todo done; index from 0.",
  parameters: {
    type: "object",
    properties: {
      id: { type: "string" },
      index: { type: "integer" },
    },
    additionalProperties: false,
  },
  effects: ["session"],
  example: { id: "t1" },
} as const satisfies ToolDefinition;
