/** What the model sees of `todo_add`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `todo_add`. */
export const definition = {
  name: "todo_add",
  description: "Add tasks or {task, priority}.",
  parameters: {
    type: "object",
    properties: {
      tasks: { type: "array", items: {} },
    },
    required: ["tasks"],
    additionalProperties: false,
  },
  effects: ["session"],
  example: { tasks: ["Find the bug", { task: "Write a test", priority: "high" }] },
} as const satisfies ToolDefinition;
