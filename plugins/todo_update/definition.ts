/** What the model sees of `todo_update`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `todo_update`. */
export const definition = {
  name: "todo_update",
  description: "Change a todo.",
  parameters: {
    type: "object",
    properties: {
      id: { type: "string" },
      index: { type: "integer" },
      task: { type: "string", minLength: 1 },
      status: { type: "string", enum: ["pending", "in_progress", "done"] },
      priority: { type: "string", enum: ["high", "medium", "low"] },
    },
    additionalProperties: false,
  },
  effects: ["session"],
  example: { id: "t1", status: "in_progress" },
} as const satisfies ToolDefinition;
